"""The same sums on padded arrays."""

import numpy as np

from launches import number


def expected(launch, args):
    data = args["in"]
    if launch.kernel == "stencil1d":
        padded = np.pad(data, 3, mode="edge")
        return {"out": sum(padded[k : k + data.size] * (4 - abs(k - 3)) for k in range(7)).astype(np.int32)}
    rate, out = number(args["rate"].texts[0], np.float32), data.copy()
    middle = data[1:-1, 1:-1]
    around = ((data[1:-1, :-2] + data[1:-1, 2:]) + data[:-2, 1:-1]) + data[2:, 1:-1]
    out[1:-1, 1:-1] = middle + rate * (around - np.float32(4) * middle)
    return {"out": out}
