"""The functions in Python, f32 by numpy."""

import numpy as np


def depth3(x):
    return x * 3 + 1


def depth2(x):
    return depth3(x ^ 5) - depth3(x & 7)


def expected(launch, args):
    if launch.kernel == "doubled_twice":
        return {"data": (args["data"] * 2 + 1) * 2}
    if launch.kernel == "complex_power":
        re, im = args["in"].T
        x, y = np.ones_like(re), np.zeros_like(re)
        for _ in range(int(args["n"].texts[0])):
            x, y = x * re - y * im, x * im + y * re
        return {"out": np.stack([x, y], axis=1), "norms": x * x + y * y}
    rows = []
    for i, (a, b) in enumerate(zip(args["a"].tolist(), args["b"].tolist())):
        if b == 0 or (a == -(2**31) and b == -1):
            row = [0, -1, -1]
        else:
            q = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            row = [1, q, a - q * b]
        rows.append(row + [depth2(b) + depth2(i)])
    return {"out": np.array(rows, np.int32).T.copy()}
