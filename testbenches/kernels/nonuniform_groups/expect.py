"""The numbers from their definitions in the OpenCL 2.0 specification."""

import itertools

import numpy as np

PITCH = 64
POCL = False  # PoCL 3.1 has no non-uniform work-groups


def three(values, default):
    return tuple(values or ()) + (default,) * (3 - len(values or ()))


def expected(launch, args):
    size, local, offset = three(launch.global_size, 1), three(launch.local_size, 1), three(launch.offset, 0)
    groups = tuple(-(-s // n) for s, n in zip(size, local))
    points = [p[::-1] for p in itertools.product(*(range(s) for s in reversed(size)))]
    if launch.kernel == "group_sums":
        sums = np.zeros(args["sums"].size, np.int32)
        for value, at in zip(args["in"], points):
            g = [a // n for a, n in zip(at, local)]
            sums[(g[2] * groups[1] + g[1]) * groups[0] + g[0]] += value
        return {"sums": sums}
    if launch.kernel == "padded_rows":
        out = args["out"].copy()
        for at in points:
            group = [a // n for a, n in zip(at, local)]
            place = (at[1] + offset[1]) * PITCH + at[0] + offset[0]
            width = min(local[0], size[0] - group[0] * local[0])
            out[place] = 3 * args["in"][place] + group[0] + 10 * group[1] + 100 * width
        return {"out": out}
    rows = []
    for at in points:
        group = [a // n for a, n in zip(at, local)]
        actual = [min(n, s - g * n) for g, n, s in zip(group, local, size)]
        lid = [a % n for a, n in zip(at, local)]
        glob = [a + o for a, o in zip(at, offset)]
        rows.append([actual[0], actual[1], local[0], local[1], (lid[2] * actual[1] + lid[1]) * actual[0] + lid[0],
                     groups[0] + 1000 * groups[1], group[0] + 1000 * group[1], glob[0] + 1000 * glob[1] + 10**6 * glob[2]])
    return {"out": np.array(rows, np.uint32)}
