"""A list that grows, where the kernel moves a window."""

import numpy as np


def expected(launch, args):
    n = int(args["n"].texts[0])
    line = [int(args["quiet"].texts[0])] * 8200 + [int(v) for v in args["in"]]
    # behind iteration i stand those from i + 1 on
    far = [line[i + 1:i + 8201] for i in range(n)]
    return {"out": np.array([5 * w[-1] - 3 * w[-201] + 2 * w[4100] - w[0] for w in far], np.int32)}
