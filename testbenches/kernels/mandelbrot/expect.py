"""The recurrences in numpy, all pixels at once."""

import numpy as np

from launches import number


def expected(launch, args):
    kind = np.float32 if launch.kernel == "mandelbrot" else np.float64
    count = np.zeros(args["iterations"].shape, np.uint16)
    height, width = count.shape
    step = number(args["step"].texts[0], kind)
    px, py = np.arange(width).astype(kind)[None, :], np.arange(height).astype(kind)[:, None]
    if kind is np.float32:
        cx = number(args["left"].texts[0], kind) + px * step + 0 * py
        cy = number(args["top"].texts[0], kind) + py * step + 0 * px
        x, y = np.zeros_like(cx), np.zeros_like(cy)
    else:
        origin, c = ([number(t, kind) for t in args[n].texts] for n in ("origin", "c"))
        x, y = origin[0] + step * px + 0 * py, origin[1] + step * py + 0 * px
        cx, cy = np.full_like(x, c[0]), np.full_like(y, c[1])
    for _ in range(int(args["limit"].texts[0])):
        inside = x * x + y * y <= 4
        count[inside] += 1
        x, y = np.where(inside, x * x - y * y + cx, x), np.where(inside, kind(2) * x * y + cy, y)
    return {"iterations": count}
