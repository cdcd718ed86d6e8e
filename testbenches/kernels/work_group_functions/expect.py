"""The numbers from the definitions in the OpenCL 2.0 specification; floating-point sums in the order that docs/opencl.md gives."""

import numpy as np

from launches import work_groups

POCL = False  # PoCL 3.1 has no work-group functions


def runs(values, combine):
    """(inclusive scan, exclusive scan but for the first) by runs: each from left to right, then their sums likewise."""
    length = 1
    while 16 * length < len(values):
        length *= 2
    inclusive, exclusive, before = [], [], None
    for first in range(0, len(values), length):
        total = None
        for value in values[first:first + length]:
            exclusive.append(before if total is None else total if before is None else combine(before, total))
            total = value if total is None else combine(total, value)
            inclusive.append(total if before is None else combine(before, total))
        before = inclusive[-1]
    return inclusive, exclusive


def identities(dtype):
    if dtype.kind == "f":
        return [0, np.inf, -np.inf]
    info = np.iinfo(dtype)
    return [0, info.max, info.min]


def expected(launch, args):
    data = args["in"]
    if launch.kernel == "prefix_sums":
        return {"out": np.cumsum(data, dtype=np.int32)}
    out = args["out"].copy()
    flat = out.reshape(data.size, -1)
    for ids, local, group in work_groups(launch):
        values = data.reshape(-1)[ids]
        if launch.kernel == "broadcasts":
            dims = len(launch.global_size)
            at = group[0] % local[0]
            if dims > 1:
                at += group[0] // 2 % local[1] * local[0]
            if dims > 2:
                at += (local[2] - 1) * local[0] * local[1]
            flat[ids, 0] = values[at]
        elif launch.kernel == "votes":
            flat[ids, 0] = np.clip(values.max(), 0, 13)
            flat[ids, 1] = (values >= 2).all()
            flat[ids, 2] = (values == 3).any()
        else:
            operations = [np.add, np.minimum, np.maximum]
            for k, (combine, identity) in enumerate(zip(operations, identities(data.dtype))):
                inclusive, exclusive = runs(list(values), combine)
                exclusive[0] = identity
                flat[ids, k] = inclusive[-1]
                flat[ids, 3 + k] = inclusive
                flat[ids, 6 + k] = exclusive
    return {"out": out}
