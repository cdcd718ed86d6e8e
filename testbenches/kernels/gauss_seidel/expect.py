"""Half sweeps with a mask of the colour."""

import numpy as np


def expected(launch, args):
    u, f = args["u"].copy(), args["f"]
    if launch.kernel == "sweep":
        # Points with (x + y + colour) odd: the first column of row y is 1 + ((y + colour) & 1).
        half_sweep(u, f, 1 + int(args["colour"].texts[0]))
    else:
        for i in range(2 * int(args["sweeps"].texts[0])):
            half_sweep(u, f, i)
    return {"u": u}


def half_sweep(u, f, phase):
    y, x = np.mgrid[1 : u.shape[0] - 1, 1 : u.shape[1] - 1]
    mask = (x + y + phase) % 2 == 0
    around = u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1] - f[1:-1, 1:-1]
    u[1:-1, 1:-1] = np.where(mask, np.float32(0.25) * around, u[1:-1, 1:-1])
