"""numpy.convolve."""

import numpy as np


def expected(launch, args):
    return {"out": np.convolve(args["in"], args["coeff"])[: args["in"].size].astype(np.int32)}
