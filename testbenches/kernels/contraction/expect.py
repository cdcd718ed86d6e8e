"""Double precision, rounded: between results that are rounded once and twice."""

import numpy as np

POCL = False  # whether it contracts is its own business


def expected(launch, args):
    x, y = args["x"].astype(np.float64), args["y"].astype(np.float64)
    if launch.kernel == "expressions":
        results = np.stack([x * y + x, x * y + y, 2 - x * y, y * y + x], 1)
    else:
        horner = 0.0
        for a, b in zip(x, y):
            horner = horner * b + a
        results = np.array([np.dot(x, y), horner])
    return {"out": results.astype(np.float32).reshape(-1)}
