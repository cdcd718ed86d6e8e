"""Integer sums by numpy; float sums by the same tree, which halves from 64."""

import numpy as np


def expected(launch, args):
    data, groups = args["data"], launch.global_size[0] // launch.local_size[0]
    if launch.kernel == "reduce_sum":
        padded = np.zeros(launch.global_size[0], np.int32)
        padded[: data.size] = data
        return {"partial": padded.reshape(groups, -1).sum(axis=1, dtype=np.int32)}
    rows = data.reshape(groups, 64)
    while rows.shape[1] > 1:
        half = rows.shape[1] // 2
        rows = rows[:, :half] + rows[:, half:]
    return {"partial": rows[:, 0].copy()}
