"""The operations one after the other, on integers of Python."""

import numpy as np

POCL = False  # PoCL 3.1 compiles OpenCL C 1.2: no atomic types


class Cell:
    """An atomic object of a NumPy integer type."""

    def __init__(self, dtype, value):
        self.info, self.value = np.iinfo(dtype), int(value)

    def wrapped(self, value):
        low, size = int(self.info.min), 1 << self.info.bits
        return (value - low) % size + low

    def update(self, new):
        old, self.value = self.value, self.wrapped(new)
        return old

    def compare(self, wanted, new):
        """Whether it was what was wanted, and what it was."""
        old = self.value
        return int(old == wanted), self.update(new if old == wanted else old)


def operations(cell, x, y):
    """What OPERATIONS writes."""
    out = [cell.value, cell.update(cell.value + x)]
    out.append(cell.update(cell.value - y))
    out.append(cell.update(cell.value | x))
    out.append(cell.update(cell.value ^ y))
    out.append(cell.update(min(cell.value, x)))
    out.append(cell.update(max(cell.value, y)))
    out.append(cell.update(cell.value & x))
    out.append(cell.update(y))
    out += cell.compare(y, x)
    out += cell.compare(cell.wrapped(x + 1), y)
    out.append(cell.update(cell.value ^ y))  # it goes on until it succeeds
    out += cell.compare(x, y)
    cell.update(x ^ 5)
    return out


def alone(space, launch, args):
    """An object for each work-item."""
    operands = args["operands"].reshape(-1, 2).tolist()
    dtype = args["cells"].dtype
    cells, out = [], []
    for value, (x, y) in zip(args["cells"].tolist(), operands):
        cell = Cell(dtype, value)
        if space == "generic":
            cell.update(x + y)
        out.append(operations(cell, x, y))
        if space == "generic":
            cell.update(cell.value + 1)
        cells.append(cell.value)
    return {"cells": np.array(cells, dtype), "out": np.array(out, dtype)}


def shared(launch, args):
    values, cells = args["in"].tolist(), [Cell(args["cells"].dtype, v) for v in args["cells"].tolist()]
    for x in values:
        changes = [lambda v: v + x, lambda v: v - x, lambda v: v | x, lambda v: v & x, lambda v: v ^ x,
                   lambda v: min(v, x), lambda v: max(v, x), lambda v: v + (x | 1)]
        for cell, change in zip(cells, changes):
            cell.update(change(cell.value))
    size = launch.local_size[0]
    groups = [Cell(args["cells"].dtype, 0).wrapped(3 + sum(values[k:k + size])) for k in range(0, len(values), size)]
    return {"cells": np.array([c.value for c in cells], args["cells"].dtype),
            "of_groups": np.array(groups, args["cells"].dtype)}


def orders(launch, args):
    count = launch.global_size[0]
    counters = args["counters"].astype(np.int64) + [count * (k + 1) for k in range(13)]
    out, own = [], []
    for x in range(count):
        cell = Cell(np.uint32, 0)
        given = [x, x + 1, x + 2, x + 2]  # three stores and loads, what the exchange gives
        cell.update(x + 3)
        given.append(cell.update(cell.value - 1))
        given.append(cell.update(cell.value | 64))
        given.append(cell.update(cell.value ^ 3))
        given.append(cell.update(cell.value & 127))
        given.append(cell.update(min(cell.value, 90)))
        given.append(cell.update(max(cell.value, 70)))
        was, wanted = cell.compare(70, 200)
        given += [was, wanted]
        given += cell.compare(wanted, x)
        total = 0
        for value in given:
            total = (3 * total + value) % 2**32
        out.append(total)
        own.append(cell.value)
    return {"counters": counters.astype(np.uint32), "own": np.array(own, np.uint32), "out": np.array(out, np.uint32)}


def flags(launch, args):
    count, size, n = launch.global_size[0], launch.local_size[0], int(args["n"].texts[0])
    before = args["flags"].tolist()
    tried = {i % n for i in range(count)}
    after = [1 if k in tried else before[k] for k in range(n)] + [0]
    winners = args["winners"] + np.array([k in tried and not before[k] for k in range(n)], np.int32)
    own = min(size, 4)
    return {"flags": np.array(after, np.int32), "winners": winners.astype(np.int32),
            "of_groups": args["of_groups"] + np.int32(own + 100)}


def expected(launch, args):
    space, _, _ = launch.kernel.partition("_")
    if space in ("global", "local", "generic"):
        return alone(space, launch, args)
    if space == "shared":
        return shared(launch, args)
    if space == "orders":
        return orders(launch, args)
    if space == "flags":
        return flags(launch, args)
    if space == "tickets":
        count = launch.global_size[0]
        return {"counter": args["counter"] + np.int32(count), "wide": args["wide"] - count,
                "taken": args["taken"] + np.array([1, 2], np.uint8)}
    if space == "floats":
        cells, data = args["cells"], args["in"]
        left = data.copy()
        left[1::2] = -0.0
        # the local object gives what it was made with, then holds what the cell held
        return {"cells": left, "out": np.stack([cells, data, cells], axis=1)}
    if space == "passed":
        return {"taken": np.ones(launch.local_size[0] + 1, np.uint32)}
    count = launch.global_size[0]
    return {"out": np.array([40 + int(args["in"].sum())], np.int32), "arrived": np.array([1000 + count], np.int32)}
