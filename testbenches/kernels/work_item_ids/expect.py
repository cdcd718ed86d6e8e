"""The numbers from their definitions in the OpenCL specification."""

import itertools

import numpy as np


def three(values, default):
    return tuple(values or ()) + (default,) * (3 - len(values or ()))


def expected(launch, args):
    size, local, offset = three(launch.global_size, 1), three(launch.local_size, 1), three(launch.offset, 0)
    groups = tuple(s // n for s, n in zip(size, local))
    if launch.kernel == "beyond":
        row = [0, 0, 0, 1, 1, 1, 0, 1]
        return {"out": np.array([row] * size[0], np.uint32)}
    if launch.kernel == "wide_index":
        pitch = int(args["pitch"].texts[0])
        return {"out": np.array([((i + offset[0]) * pitch * size[0] + (i // local[0] << 33)) % 2**64 for i in range(size[0])], np.uint64)}
    if launch.kernel == "fixed_size":
        return {"out": np.array([g << 16 | i for g in range(np.prod(groups)) for i in range(24)], np.uint32)}
    rows = []
    for z, y, x in itertools.product(*(range(s) for s in reversed(size))):
        at = (x, y, z)
        rows.append([a + o for a, o in zip(at, offset)] + [a % n for a, n in zip(at, local)]
                    + [a // n for a, n in zip(at, local)] + list(size) + list(local) + list(groups)
                    + [len(launch.global_size), offset[0] + 10 * offset[1] + 100 * offset[2]])
    return {"out": np.array(rows, np.uint64)}
