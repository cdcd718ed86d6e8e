"""f32 in numpy; the fused form exactly, with fractions, rounded once (finite results only)."""

from fractions import Fraction

import numpy as np

from launches import number


def expected(launch, args):
    alpha = number(args["alpha"].texts[0], np.float32)
    x, y = args["x"], args["y"]
    with np.errstate(all="ignore"):
        if launch.kernel != "saxpy_fma":
            return {"y": alpha * x + y}
        if not np.isfinite(alpha * x.astype(np.float64) + y).all():
            return {}
    return {"y": np.array([fused(alpha, a, b) for a, b in zip(x, y)], np.float32)}


def fused(a, b, c):
    """a * b + c rounded once to f32: the neighbour of the approximate sum that is nearest the exact one."""
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    near = np.float32(float(exact))
    candidates = [near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf))]
    return min(candidates, key=lambda v: (abs(Fraction(float(v)) - exact), int(v.view(np.uint32)) & 1))
