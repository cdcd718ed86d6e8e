"""The kernels by rows of arrays."""

import numpy as np

POCL = False  # PoCL 3.1 has no generic address space

ITEMS = range(16)


def chosen(rows, otherwise):
    """Rows of the one array for every third work-item from 1 on, of the other for the rest."""
    return np.array([rows[l] if l % 3 == 1 else otherwise[l] for l in ITEMS])


def by_vectors(launch, args):
    name = launch.kernel.partition("_")[0]
    values = args["in"][:16]
    if name == "load":
        out = chosen(values, values[::-1] + np.ones_like(values))
        return {"out": without_padding(launch, out)}
    out = args["out"].copy()
    out[:16] = chosen(values, out[:16])
    here = np.array([np.full_like(values[l], 9) if l % 3 == 1 else values[l] for l in ITEMS])
    out[16:] = here[::-1]
    return {"out": without_padding(launch, out)}


def without_padding(launch, rows):
    """Nobody stores the fourth element of a vector of three."""
    if launch.kernel.endswith("3"):
        rows[:, 3] = 0
    return rows


def structures(args):
    records = args["in"].reshape(16, 48)
    out = []
    for l in ITEMS:
        record = records[[l, 15 - l, 15 - l][l % 3]].copy()
        if l % 3 == 0:
            record[:4].view(np.int32)[0] *= -1
        record[34:36].view(np.int16)[0] += np.int16(l)
        record[4:16] = record[38:] = 0
        out.append(record)
    return {"out": np.array(out)}


def wrapped(value):
    return (value + 2**31) % 2**32 - 2**31


def different_sets(launch, args):
    data, inside = args["data"].tolist(), int(args["in_data"].texts[0])
    shared = [100 + l for l in ITEMS]

    def total(values):
        s = 0
        for v in values:
            s = wrapped(3 * s + v)
        return s

    sums = [total(data[8:16] if l & 1 else [i * l for i in range(8)]) for l in ITEMS]
    b = data if inside else shared
    for i in range(8):
        b[i] = wrapped(3 * b[i])
    for l in ITEMS:
        if l & 1:
            data[16] = wrapped(data[16] + l + 1)
        else:
            shared[0] += l + 1
    out = [v for l in ITEMS for v in (sums[l], wrapped(shared[l & 7] + b[l & 7]))]
    return {"data": np.array(data, np.int32), "out": np.array(out, np.int32)}


def from_memory(args):
    data = args["data"].reshape(-1, 4)
    here = np.array([(l, 1, 2, 3) for l in ITEMS], np.float32)
    out = []
    for l in ITEMS:
        rows = here[l >> 1:] if l % 3 == 0 else data[l & 1:]
        s = np.zeros(4, np.float32)
        for row in rows[:3 + (l & 1)]:
            s = s + row
        out.append(s)
    return {"out": np.array(out, np.float32).reshape(args["out"].shape)}


def lists(launch, args):
    data, rounds = args["data"].tolist(), int(args["rounds"].texts[0])
    out = []
    for l in ITEMS:
        own, shared = [v + l for v in data[:4]], 100 * l
        at = None  # in `own`; the work-item's place in local memory
        for i in range(rounds):
            if at is None:
                at = 1 if l & 1 else None
            else:
                at = (at + rounds) & 3
            if at is None:
                shared += i + 1
            else:
                own[at] += i + 1
        own[rounds & 3] += 1000
        own[2 * rounds & 3] += 5000
        out.append([*own, shared])
    return {"out": np.array(out, np.int32)}


def expected(launch, args):
    if launch.kernel == "lists":
        return lists(launch, args)
    if launch.kernel == "without":
        return {"out": (args["out"] + np.arange(1, 17)).astype(np.int32)}
    if launch.kernel == "structures":
        return structures(args)
    if launch.kernel == "different_sets":
        return different_sets(launch, args)
    if launch.kernel == "from_memory":
        return from_memory(args)
    return by_vectors(launch, args)
