"""itertools for small things, numpy for the rest."""

import math

import numpy as np


def expected(launch, args):
    if launch.kernel == "permutation":
        return {"out": np.array([permutation(int(k) % math.factorial(12)) for k in args["number"]], np.uint8)}
    if launch.kernel == "counting_sort":
        return {"out": np.sort(args["in"] & 15, axis=1)}
    if launch.kernel == "matrix_power":
        return {"out": np.array([power(m.astype(object), int(args["exponent"].texts[0])) for m in args["in"]], np.uint32)}
    if launch.kernel == "quads":
        x = args["in"].astype(np.uint32)
        parts = np.stack([x, x * np.uint32(3) + np.uint32(1), x ^ np.uint32(0x5555), ~x])
        places = np.arange(len(x))
        return {"out": parts[x & 3, places] - parts[x >> 2 & 3, places] * np.uint32(7)}
    delay, out = int(args["delay"].texts[0]), args["in"].copy()
    for row in out:
        for i, x in enumerate(row.tolist()):
            before = int(row[i - delay]) if i >= delay else 0
            row[i] = int(x / 2) + int(before / 2)
    return {"out": out}


def permutation(k):
    left, out = list(b"abcdefghijkl"), []
    for i in range(12):
        pick, k = divmod(k, math.factorial(11 - i))
        out.append(left.pop(pick))
    return out


def power(m, exponent):
    result = np.array([[int(i == j) for j in range(3)] for i in range(3)], object)
    for bit in format(exponent, "b"):
        result = result.dot(result) % 2**32
        if bit == "1":
            result = result.dot(m) % 2**32
    return result
