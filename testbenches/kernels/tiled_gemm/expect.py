"""Rank-one updates in the order of the kernel's loop."""

import numpy as np

from launches import number


def expected(launch, args):
    alpha, beta = (number(args[k].texts[0], np.float32) for k in ("arg_alpha", "arg_beta"))
    a, b, c = args["agm"], args["bgm"], args["cgm"]
    total = np.zeros_like(c)
    for k in range(len(a)):
        total += b[k][:, None] * a[k][None, :]
    return {"cgm": alpha * total if beta == 0 else alpha * total + beta * c}
