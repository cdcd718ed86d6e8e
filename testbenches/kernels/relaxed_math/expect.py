"""Double precision, rounded. The bounds are those of OpenCL C: 2.5 ulp for quotients, 3 + |2 x| for exp, 8192 for half_ functions."""

import numpy as np

POCL = False  # its functions have bounds of their own


def expected(launch, args):
    x = args["x"].astype(np.float64)
    if launch.kernel == "circular":
        results = [np.sin(x) + np.cos(x), np.tan(x)]
    else:
        y = args["y"].astype(np.float64)
        root = np.sqrt(y) + 1 / np.sqrt(y)
        results = [x / y, 1 / y, np.sqrt(y), np.exp(x)]
        if launch.kernel == "by_name":
            results = [x / y, x / y, root, root, np.exp(x) + np.log(y + 2), np.exp2(x) + np.log10(y), 1 / y, 1 / y]
    return {"out": np.stack(results, 1).astype(np.float32).reshape(-1)}
