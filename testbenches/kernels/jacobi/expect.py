"""The same sums in numpy's f32."""

import numpy as np


def expected(launch, args):
    if launch.kernel == "jacobi_dense":
        total = args["b"].copy()
        for j, x in enumerate(args["x"]):
            term = total - args["a"][:, j] * x
            total = np.where(np.arange(total.size) == j, total, term)
        return {"next": total / np.diagonal(args["a"])}
    v, out = args["in"], args["out"].copy()
    c = slice(1, -1)
    total = v[c, c, :-2] + v[c, c, 2:]
    for neighbour in (v[c, :-2, c], v[c, 2:, c], v[:-2, c, c], v[2:, c, c]):
        total = total + neighbour
    out[c, c, c] = total / np.float32(6)
    change = np.abs(out[c, c, c] - v[c, c, c]).max()
    return {"out": out, "change": np.array([change], np.float32).view(np.uint32)}
