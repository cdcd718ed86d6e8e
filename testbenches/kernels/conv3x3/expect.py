"""Shifted copies of the padded image, weighted and added."""

import numpy as np


def expected(launch, args):
    height, width = args["in"].shape
    padded = np.pad(args["in"], 1)
    shifted = [padded[dy : dy + height, dx : dx + width] * args["filter"][dy, dx] for dy in range(3) for dx in range(3)]
    return {"out": np.sum(shifted, axis=0, dtype=np.int32)}
