"""Convolution with the sums in the kernel's order."""

import numpy as np


def expected(launch, args):
    n, coeff, out = int(args["n"].texts[0]), args["coeff"], args["out"].copy()
    kind = out.dtype.type
    padded = np.concatenate([np.zeros(8, out.dtype), args["in"].astype(out.dtype)])
    for i in range(n):
        total = kind(0)
        for t in range(8):
            total = total + padded[8 + i - t] * kind(coeff[t])
        out[i] = total
    return {"out": out}
