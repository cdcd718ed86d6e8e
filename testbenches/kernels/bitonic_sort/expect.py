"""numpy.sort for whole blocks; pairs for one step."""

import numpy as np


def expected(launch, args):
    data = args["data"]
    if launch.kernel == "bitonic_local":
        rows = np.sort(data.reshape(-1, 2 * launch.local_size[0]), axis=1)
        if args["ascending"].texts[0] == "0":
            rows = rows[:, ::-1]
        return {"data": rows.reshape(-1).copy()}
    width, stride = int(args["width"].texts[0]), int(args["stride"].texts[0])
    out = data.copy()
    for low in range(data.size):
        if low & stride == 0:
            pair = sorted((data[low], data[low + stride]), reverse=bool(low & width))
            out[low], out[low + stride] = pair
    return {"data": out}
