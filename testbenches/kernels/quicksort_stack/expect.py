"""numpy.sort; the depth of the stack is PoCL's alone."""

import numpy as np


def expected(launch, args):
    return {"data": np.sort(args["data"], axis=1)}
