"""In double precision by numpy, rounded to single: right but for one case in a hundred million."""

import numpy as np


def expected(launch, args):
    # What is exact is left to PoCL; so are sums of functions, whose errors add up.
    if launch.kernel in ("parts", "vectors"):
        return {}
    x = args["x"].astype(np.float64)
    with np.errstate(all="ignore"):
        rows = {"exponentials": exponentials, "logarithms": logarithms, "circular": circular, "half_turns": half_turns}
        return {"out": np.concatenate(rows[launch.kernel](x)).astype(np.float32)}


def exponentials(x):
    return [np.exp(x), np.exp2(x), np.power(10.0, x), np.expm1(x)]


def logarithms(x):
    return [np.log(x), np.log2(x), np.log10(x), np.log1p(x)]


def circular(x):
    return [np.sin(x), np.cos(x), np.tan(x)]


def half_turns(x):
    """Exact at multiples of a quarter turn, zeros and infinities with the signs that OpenCL C asks for."""
    magnitude = np.abs(x)
    turn = np.fmod(magnitude, 2.0)
    quarter = np.fmod(magnitude, 0.5) == 0
    eighths = np.where(quarter, turn * 2, 0)
    sine = np.where(quarter, np.choose(eighths.astype(int) % 4, [0.0, 1.0, 0.0, -1.0]), np.sin(np.pi * turn))
    cosine = np.where(quarter, np.choose(eighths.astype(int) % 4, [1.0, 0.0, -1.0, 0.0]), np.cos(np.pi * turn))
    tangent = np.where(quarter, np.choose(eighths.astype(int) % 4, [0.0, np.inf, -0.0, -np.inf]), np.tan(np.pi * turn))
    nan = ~np.isfinite(x)
    odd = [np.where(nan, np.nan, np.copysign(1.0, x) * v) for v in (sine, tangent)]
    # Zeros of the sine have the sign of x; 1 and -1 times a zero do already.
    return [odd[0], np.where(nan, np.nan, cosine), odd[1]]
