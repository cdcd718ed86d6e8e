"""What every order that the fences allow gives."""

import numpy as np

POCL = False  # PoCL 3.1 compiles OpenCL C 1.2: no fences with orders, no generic address space


def value(k):
    return 7 * k + 3


def last(pairs, count, slots, sums):
    """`slots` of one set of work-items: the last one sees all values."""
    n = len(pairs)
    total = [sum(2 * int(pairs[k, 0]) + value(k) for k in range(slot, n, slots)) for slot in range(slots)]
    pairs[:, 1] = [value(k) + pairs[k, 0] for k in range(n)]
    if count is not None:
        count += n // slots
    sums += np.array(total, np.int32)


def barriers(words, size):
    """A round of each kind for the work-items of a group."""
    own = words + 1
    sums = np.roll(own, -1)
    own = np.roll(sums, -1)  # to the one before
    words = np.roll(5 * sums, -1)
    words = np.roll(words + 1, -1)
    sums = 10 * np.roll(own, -1) + words
    words = np.roll(sums, -2)
    return words, np.roll(words, 1)


def expected(launch, args):
    size, count = (launch.local_size or (0,))[0], launch.global_size[0]
    name = launch.kernel
    if name.startswith("last_by_"):
        last(args["pairs"], args["count"], int(args["slots"].texts[0]), args["sums"])
        return {n: args[n] for n in ("pairs", "count", "sums")}
    if name in ("last_of_group", "last_in_local"):
        slots, groups = int(args["slots"].texts[0]), count // size
        for group in range(groups):
            sums = args["sums"][group * slots:(group + 1) * slots]
            if name == "last_of_group":
                last(args["pairs"][group * size:(group + 1) * size], args["count"][group * slots:(group + 1) * slots],
                     slots, sums)
            else:
                once = np.zeros_like(sums)
                last(np.ones((size, 2), np.int32), None, slots, once)
                sums += 1001 * once
        return {n: args[n] for n in ("pairs", "count", "sums") if n in args}
    if name.startswith("crossing"):
        for group in range(count // size):
            last(args["pairs"][group * size:(group + 1) * size], None, 1, args["sums"][group:group + 1])
        return {"pairs": args["pairs"], "sums": args["sums"]}
    if name == "barriers":
        words, out = zip(*(barriers(args["words"][k:k + size], size) for k in range(0, count, size)))
        return {"words": np.concatenate(words), "out": np.concatenate(out)}
    if name == "alone":
        ids = np.arange(count, dtype=np.int32)
        return {"a": ids, "b": args["b"] + 2, "out": 2 * ids + 3}
    out, data = np.full((count, 4), -1, np.int32), args["data"].copy()
    for i, choice in enumerate(args["choice"].tolist()):
        space = 0 if choice == 0 else 1 if choice == 1 else 2
        out[i, 0] = (1, 2, 0)[space]
        out[i, 1 + space] = (int(data[i]), 200 + i % size, 300 + i)[space]
        out[i, 1] += 1000 * (7, 8, 9)[space]
        if space == 0:
            data[i] = 7
    return {"data": data, "out": out}
