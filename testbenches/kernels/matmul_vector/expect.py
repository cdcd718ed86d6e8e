"""The sum over k in rising order, in float or in integers; tiles and vectors do not change it."""

import numpy as np


def expected(launch, args):
    a, b = args["A"], args["B"]
    total = np.zeros(args["C"].shape, a.dtype)
    for k in range(a.shape[1]):
        total = total + np.outer(a[:, k], b[k, :])
    return {"C": total}
