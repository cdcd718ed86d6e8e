"""The numbers from the definitions in the OpenCL 2.0 extension specification; sub-groups are added from left to right."""

import itertools

import numpy as np

POCL = False  # PoCL 3.1 has no sub-groups

SIZE = 16


def three(values):
    return tuple(values or ()) + (1,) * (3 - len(values or ()))


def sub_groups(launch):
    """(linear global ids, number, count, count of a whole group, linear id of the group) of each sub-group."""
    size, local = three(launch.global_size), three(launch.local_size)
    counts = [-(-s // n) for s, n in zip(size, local)]
    whole = -(-local[0] * local[1] * local[2] // SIZE)
    for group in itertools.product(*(range(n) for n in reversed(counts))):
        first = [g * n for g, n in zip(group[::-1], local)]
        actual = [min(n, s - f) for f, n, s in zip(first, local, size)]
        ids = [((first[2] + z) * size[1] + first[1] + y) * size[0] + first[0] + x
               for z, y, x in itertools.product(*(range(n) for n in reversed(actual)))]
        parts = [np.array(ids[k:k + SIZE]) for k in range(0, len(ids), SIZE)]
        for k, part in enumerate(parts):
            yield part, k, parts, whole, group[2]


def identities(dtype):
    if dtype.kind == "f":
        return [0, np.inf, -np.inf]
    info = np.iinfo(dtype)
    return [0, info.max, info.min]


def expected(launch, args):
    out = args["out"].copy()
    data = args.get("in")
    for ids, number, parts, whole, group in sub_groups(launch):
        flat = out.reshape(-1, out.shape[-1])
        if launch.kernel == "queries":
            for k, at in enumerate(ids):
                flat[at] = [len(ids), SIZE, len(parts), whole, number, k, number * SIZE + k]
            continue
        values = data.reshape(-1)[ids]
        if launch.kernel == "votes":
            total = sum(data.reshape(-1)[p].sum(dtype=np.int32) for p in parts)
            flat[ids] = [(values > 0).all(), (values > 8).any(), total]
            continue
        for k, (combine, identity) in enumerate(zip([np.add, np.minimum, np.maximum], identities(data.dtype))):
            scan = [values[0]]
            for value in values[1:]:
                scan.append(combine(scan[-1], value))
            flat[ids, k] = scan[-1]
            flat[ids, 3 + k] = scan
            flat[ids, 6 + k] = [identity] + scan[:-1]
        flat[ids, 9] = values[group % len(values)]
    return {"out": out}
