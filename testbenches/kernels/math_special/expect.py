"""Functions in double precision by Python's library, rounded to single; remainders as rational numbers."""

import fractions
import math

import numpy as np


def expected(launch, args):
    with np.errstate(all="ignore"):
        if launch.kernel == "gammas":
            return gammas(args["x"])
        if launch.kernel == "remainders":
            return remainders(args["x"], args["y"], twice=True)
        if launch.kernel == "remainders_double":
            return remainders(args["x"], args["y"], twice=False)
        first = np.array([divided(x, y, False)[0] for x, y in zip(args["x"], args["y"])], np.float32)
        second = np.array([divided(y, x, True)[0] for x, y in zip(args["x"], args["y"])], np.float32)
        return {"out": first + second}


def gammas(x):
    values = [float(v) for v in x]
    rows = [[f(v) for v in values] for f in (math.erf, math.erfc, gamma, log_gamma)]
    return {"out": np.concatenate([np.array(row).astype(np.float32) for row in rows]),
            "signs": np.array([sign(v) for v in values], np.int32)}


def is_pole(v):
    return v < 0 and (v == math.floor(v) or v == -math.inf)


def gamma(v):
    if v == 0:
        return math.copysign(math.inf, v)
    if is_pole(v):
        return math.nan
    try:
        return math.gamma(v)
    except OverflowError:
        return math.inf


def log_gamma(v):
    if v == 0 or is_pole(v):
        return math.inf
    try:
        return math.lgamma(v)
    except OverflowError:
        return math.inf


def sign(v):
    """Of the gamma function; 0 where its logarithm is no number."""
    if not math.isfinite(v) or not np.isfinite(np.float32(log_gamma(v))):
        return 0
    return -1 if v < 0 and math.floor(v) % 2 else 1


def remainders(x, y, twice):
    truncated = [divided(a, b, False) for a, b in zip(x, y)]
    nearest = [divided(a, b, True) for a, b in zip(x, y)]
    rows = [truncated, nearest, nearest] if twice else [truncated, nearest]
    return {"out": np.array([rest for row in rows for rest, _ in row], x.dtype),
            "quotients": np.array([n for _, n in nearest], np.int32)}


def divided(x, y, nearest):
    """The remainder, exact, and seven bits of the quotient with its sign."""
    if np.isnan(x) or np.isinf(x) or np.isnan(y) or y == 0:
        return np.nan, 0
    if np.isinf(y) or x == 0:
        return x, 0
    a, b = abs(fractions.Fraction(float(x))), abs(fractions.Fraction(float(y)))
    n = round(a / b) if nearest else math.floor(a / b)
    rest = float(a - n * b)
    n = n % 128 * (-1 if np.signbit(x) != np.signbit(y) else 1)
    return (-rest if np.signbit(x) else rest), n
