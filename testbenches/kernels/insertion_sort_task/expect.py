"""numpy.sort."""

import numpy as np


def expected(launch, args):
    ordered = np.sort(args["data"])
    if launch.kernel == "insertion_sort":
        return {"data": ordered}
    return {"out": np.concatenate([ordered[:8], np.full(max(0, 8 - ordered.size), 2**31 - 1, np.int32)])}
