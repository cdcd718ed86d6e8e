"""The loops as they stand."""

import numpy as np


def expected(launch, args):
    n, out = int(args["n"].texts[0]), []
    for r in range(n):
        if launch.kernel == "two_bits":
            out += [(r * 4 + ((j * 3 + r) & 3)) * 10 for j in (3, 2, 1, 0)]
        else:
            out += [100 * r + ((j * 5 + r) & 7) for j in range(6, -1, -1)]
            out += [-(100 * r + ((j * 7 + 3 * r) & 31)) for j in range(9)]
    return {"out": np.array(out, np.int32)}
