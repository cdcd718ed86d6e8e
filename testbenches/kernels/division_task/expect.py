"""Step by step: numpy scalars, Python's integers."""

import math

import numpy as np

from launches import number


def towards_zero(x, y):
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def expected(launch, args):
    def scalar(name, kind=int):
        return kind(args[name].texts[0])

    if launch.kernel == "scaled_filter":
        c = [number(t, np.float32) for t in args["c"].texts]
        y1 = y2 = np.float32(0)
        out = args["out"].copy()
        for i in range(scalar("n")):
            y1, y2 = c[0] * (args["in"][i] / args["gain"][i]) + c[1] * y1 + c[2] * y2, y1
            out[i] = y1
        return {"out": out}
    if launch.kernel == "mixed_sum":
        mask, h = 2**64 - 1, 0xCBF29CE484222325
        for a, b in zip(args["a"].tolist(), args["b"].tolist()):
            q = towards_zero(a, b) % 2**32 ^ (a % 2**32) % (b % 2**32 | 1)
            h = (h ^ q) * 0x9E3779B97F4A7C15 & mask
            h = (h ^ h >> 29) * (h | 1) & mask
        return {"out": np.array([h], np.uint64)}
    if launch.kernel == "continued_fraction":
        x = np.float32(1)
        for a in args["a"]:
            x = a + np.float32(1) / x
        return {"out": np.array([x])}
    if launch.kernel == "common_divisors":
        pairs = zip(args["a"].tolist(), args["b"].tolist())
        return {"out": np.array([math.gcd(a, b) for a, b in pairs], np.uint32)}
    if launch.kernel == "row_deviation":
        columns, out = scalar("columns"), []
        for row in args["in"].reshape(scalar("rows"), columns):
            total = np.float32(0)
            for x in row:
                total = total + x * x
            out.append(np.sqrt(total / np.float32(columns)))
        return {"out": np.array(out, np.float32)}
    x, p, q = args["in"], scalar("p"), scalar("q")
    step = np.float64(1) / scalar("scale", np.float64)
    quotient = towards_zero(p, q)
    return {"out": np.array([np.sqrt(x[0] / x[1]) * step, float(quotient) + float(p - q * quotient),
                             float(towards_zero(int(x[2]), int(x[3])))])}
