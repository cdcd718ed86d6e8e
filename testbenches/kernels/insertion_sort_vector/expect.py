"""numpy.sort."""

import numpy as np


def expected(launch, args):
    return {"sorted": np.sort(args["data"])}
