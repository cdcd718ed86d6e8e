"""Sums and maxima of the numbers of work-items, which no order changes."""

import numpy as np

POCL = False  # PoCL 3.1 wants orders that are constant


def expected(launch, args):
    items, local = launch.global_size[0], launch.local_size[0]
    sums = args["sums"].copy()
    for group in range(items // local):
        sums[group] += local * (local - 1) // 2
        sums[8 + group] = max(sums[8 + group], local - 1)
        if sums[16 + group] == -1:
            sums[16 + group] = 5
    return {"sums": sums, "seen": np.repeat(sums[:items // local], local)}
