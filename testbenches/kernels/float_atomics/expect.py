"""The operations one after the other, in the format of the cells."""

import numpy as np

POCL = False  # PoCL 3.1 compiles OpenCL C 1.2: no atomic types


def own_cells(start, values):
    """What UPDATES gives, and what is in the cells then."""
    out, cells = [], []
    for cell, (add, take, least, most, new, more) in zip(start, values.reshape(-1, 6)):
        for change in (lambda v: v + add, lambda v: v - take, lambda v: np.fmin(v, least), lambda v: np.fmax(v, most),
                       lambda v: new, lambda v: v + more):
            out.append(cell)
            cell = change(cell)
        out.append(cell)
        cells.append(cell)
    return np.array(out, start.dtype).reshape(-1, 7), np.array(cells, start.dtype)


def shared_cells(bins, values):
    bins = bins.copy()
    bins[0] += values.sum(dtype=values.dtype)
    bins[1], bins[2] = min(bins[1], values.min()), max(bins[2], values.max())
    for v in values:
        bins[3 + (int(v) & 3)] += 1
    return bins


def expected(launch, args):
    with np.errstate(all="ignore"):
        if launch.kernel.startswith("shared"):
            return {"bins": shared_cells(args["bins"], args["values"])}
        start = args["cells"] if launch.kernel.startswith("global") else args["start"]
        out, cells = own_cells(start, args["x"])
    return {"out": out} | ({"cells": cells} if launch.kernel.startswith("global") else {})
