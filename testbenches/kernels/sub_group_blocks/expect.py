"""Blocks as rows of an array: a row has an element for each work-item of a sub-group."""

import numpy as np

POCL = False  # PoCL 3.1 has no such functions

SIZE = 16  # work-items of a sub-group


def expected(launch, args):
    blocks = args["in"].reshape(-1, 15, SIZE).copy()
    blocks[:, 0] += np.arange(SIZE, dtype=blocks.dtype)
    blocks[:, 1:3] = blocks[:, [2, 1]]
    blocks[:, 3:7] += np.ones_like(blocks[:, 3:7])
    blocks[:, 7:15] = blocks[:, 14:6:-1]
    return {"out": blocks.reshape(args["out"].shape)}
