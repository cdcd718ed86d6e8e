"""The numbers from the definitions in the OpenCL extension specification; sub-groups and clusters are added from left to right."""

import numpy as np

from launches import work_groups

POCL = False  # PoCL 3.1 has no sub-groups


def sub_groups(launch):
    """(linear global ids, id of the work-group along dimension 0) of each sub-group."""
    for ids, _, group in work_groups(launch):
        for k in range(0, len(ids), launch.sub_group_size):
            yield ids[k:k + launch.sub_group_size], group[0]


def shuffles(x, group):
    n, ids = len(x), range(len(x))
    there = [[(7 * i + 3) % n for i in ids], [i ^ group % 8 for i in ids], [i - 3 for i in ids],
             [i + group + 1 for i in ids], [n - 1] * n, [0] * n]
    return np.stack([[x[t] if 0 <= t < n else x[i] for i, t in enumerate(row)] for row in there], axis=1)


def votes(x, floats):
    n = len(x)
    quotients = np.abs(x) // 11 * np.sign(x)  # C's division, toward zero
    rows = [[i == 0 for i in range(n)], (x > 0).all(), (x > 8).any(), (quotients == quotients[0]).all(),
            ((x < 0) == (x[0] < 0)).all(), (floats == floats[0]).all()]
    return np.stack([np.broadcast_to(row, n) for row in rows], axis=1)


def word(bits):
    return sum(int(bool(bit)) << k for k, bit in enumerate(bits))


def ballots(x, size):
    n = len(x)
    odd = [int(v) & 1 for v in x]
    rows = []
    for i in range(n):
        ones = [k for k in range(n) if odd[k]]
        masks = [[k == i for k in range(size)], [k >= i for k in range(size)], [k > i for k in range(size)],
                 [k <= i for k in range(size)], [k < i for k in range(size)]]
        rows.append([word(odd), 0, 0, 0, odd[i], odd[(i * 5 + 1) % n], sum(odd), sum(odd[:i + 1]), sum(odd[:i]),
                     ones[0] if ones else 99, ones[-1] if ones else 99, word([1] * n), size, size - 1,
                     *map(word, masks), 0])
    return np.array(rows, dtype=np.uint32)


def identities(dtype):
    """(what combines two values, the value that changes no other) in the order of the kernels."""
    low, high = (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    pairs = [(np.add, 0), (np.multiply, 1), (np.minimum, high), (np.maximum, low)]
    if dtype.kind != "f":
        pairs += [(np.bitwise_and, high if dtype.kind == "u" else -1), (np.bitwise_or, 0), (np.bitwise_xor, 0)]
    return pairs


def inclusive(combine, x):
    scan = [x[0]]
    for value in x[1:]:
        scan.append(combine(scan[-1], value))
    return scan


def arithmetic(x, pairs):
    columns = []
    for combine, identity in pairs:
        scan = inclusive(combine, x)
        columns += [[scan[-1]] * len(x), scan, [np.array(identity, x.dtype)] + scan[:-1]]
    return np.stack([np.array(c, x.dtype) for c in columns], axis=1)


def clustered(x, operations):
    columns = []
    for combine, size in operations:
        starts = [i - i % size for i in range(len(x))]
        columns.append([inclusive(combine, x[s:s + size])[-1] for s in starts])
    return np.stack([np.array(c, x.dtype) for c in columns], axis=1)


LOGICAL = [(np.logical_and, 1), (np.logical_or, 0), (np.logical_xor, 0)]


def steps(x, group, limits, n, twice, size):
    x, ids = [int(v) for v in x], range(len(x))
    far = 1
    while far < size:
        x = [x[i] + x[i ^ far] if i ^ far < len(x) else x[i] for i in ids]
        far *= 2
    for k in range(n):
        x = [v + k if v & 1 else v for v in x]
        if group % 2 == 0 and twice:
            x = [v + max(x[i - i % 4:i - i % 4 + 4]) for i, v in enumerate(x)]
        elif limits[k] > 4:
            x = [v ^ word([w > limits[k] for w in x]) for v in x]
        for i in ids:
            if i < 3:
                j = 0
                while j < int(np.fmod(x[i], 5)):
                    x[i] += j
                    j += 1
    return np.array(x, dtype=np.int64).astype(np.int32)


def expected(launch, args):
    name, size = launch.kernel, launch.sub_group_size
    out = args["out"].copy()
    bytes_out = args["bytes_out"].copy() if name == "vectors" else None
    flat = out.reshape(-1, out.shape[-1]) if out.ndim > 1 else out
    data = args["in"]
    for ids, group in sub_groups(launch):
        x = data[ids]
        if name.startswith("shuffles"):
            flat[ids] = shuffles(x, group)
        elif name == "vectors":
            flat[ids] = x[group % len(ids)]
            bytes_out[ids] = args["bytes"][ids[0]]
        elif name == "votes":
            flat[ids] = votes(x, args["floats"][ids])
        elif name == "ballots":
            flat[ids] = ballots(x, size)
        elif name.startswith("arithmetic"):
            flat[ids] = arithmetic(x, identities(data.dtype))
        elif name == "logical":
            x = (x > 0).astype(np.int32)
            clusters = clustered(x, [(f, s) for (f, _), s in zip(LOGICAL, (2, 4, 8))])
            flat[ids] = np.concatenate([arithmetic(x, LOGICAL), clusters], axis=1)
        elif name.startswith("clustered"):
            flat[ids] = clustered(x, [(f, s) for (f, _), s in zip(identities(data.dtype), (4, 2, 8, 1, 2, 4, 8))])
        else:
            flat[ids] = steps(x, group, args["limits"], int(args["n"].texts[0]), int(args["twice"].texts[0]), size)
    return {"out": out, "bytes_out": bytes_out} if name == "vectors" else {"out": out}
