"""The kernels by hand, on what the reference in testbenches/host/image_reference.py reads and writes."""

import numpy as np

import image_reference as reference

POCL = False  # PoCL 3.1 compiles OpenCL C 1.2: no images that are read and written
KINDS = {"next": "image1d_t", "sums": "image1d_buffer_t", "row_array": "image1d_array_t", "plane_array": "image2d_array_t",
         "volume": "image3d_t", "depth": "image2d_depth_t"}


def colors(image):
    """The color of each texel, in the order of memory."""
    width, height, depth = image.sizes
    found = [reference.color(image, (x, y, z)) for z in range(depth) for y in range(height) for x in range(width)]
    return np.array(found, np.float32 if image.data_type not in reference.INTEGERS else np.int64)


def written(value, new):
    """The texels with these colors."""
    texels = np.array([reference.encoded(value.order, value.data_type, color) for color in new])
    if value.order.startswith("s"):
        assert (np.abs(texels % 1 - 0.5) > 0.06).all(), "near the middle both neighbours are right in sRGB"
        texels = np.rint(texels)
    return texels.astype(value.texels.dtype).reshape(value.texels.shape)


def expected(launch, args):
    kernel = launch.kernel
    value = args.get("image", args.get("a"))
    image = reference.image(value, KINDS.get(kernel, "image2d_t"))
    old = colors(image)
    if kernel in ("invert", "depth"):
        return {"image": written(value, np.float32(1) - old)}
    if kernel == "back":
        given = written(value, args["color"].reshape(-1, 4))
        read = colors(reference.image(type(value)(value.order, value.data_type, given), "image2d_t"))
        return {"image": value.texels, "out": np.stack([read, old], axis=1).reshape(args["out"].shape)}
    if kernel == "next":
        size = launch.local_size[0]
        lids = np.arange(len(old)) % size
        new = written(value, [np.array([0.25 * lid, 0.5, 0, 1], np.float32) for lid in lids])
        other = np.arange(len(old)) - lids + (lids + 1) % size
        read = colors(reference.image(type(value)(value.order, value.data_type, new), "image1d_t"))
        return {"image": new, "out": np.stack([old[other], read[other]], axis=1).reshape(args["out"].shape)}
    if kernel == "sums":
        n = int(args["n"].texts[0])
        old[:n] = np.cumsum(old[:n], axis=0)
        return {"image": written(value, old)}
    if kernel == "row_array":
        return {"image": written(value, old - 100)}
    if kernel == "plane_array":
        return {"image": written(value, old[:, ::-1] + 1)}
    if kernel == "volume":
        return {"image": written(value, np.float32(0.5) * old + np.array([0.125, 0.25, 0.375, 0.75], np.float32))}
    other = args["b"]
    second = colors(reference.image(other, "image2d_t"))
    larger = (old[:, 0] > second[:, 0])[:, None]
    return {"a": written(value, np.where(larger, second, old)), "b": written(other, np.where(larger, old, second))}
