"""The texels that are written, by hand: their colors are values that the formats have."""

import numpy as np

POCL = False  # PoCL 3.1 compiles OpenCL C 1.2: no images that are read and written


def expected(launch, args):
    image = args["image"].texels.copy()
    if launch.kernel == "checkered":
        for y, x in np.argwhere(np.indices(image.shape[:2]).sum(0) % 2 == 1):
            image[y, x] = x, y, x + y, 4
    elif launch.kernel == "skipping":
        for i in range(int(args["count"].texts[0])):
            if i % 3 != 1:
                image[i // 5, i % 5] = i, 2 * i, 3 * i, 4
    elif launch.kernel == "bright_ones":
        image = np.where(image > 1000, image - 1000, image).astype(image.dtype)
    else:
        values = args["values"].reshape(image.shape)
        image = np.where(values > 0, values, image)
    return {"image": image}
