"""Planes as rows of an array."""

import numpy as np


def expected(launch, args):
    planes = args["in"].reshape(75, -1)
    return {"out": (planes + np.roll(planes, -7, axis=0) // np.uint32(3)).reshape(-1)}
