"""In extended precision (64 bits, x86) by numpy, rounded to double: right but for one case in some hundreds."""

import numpy as np

PI = np.longdouble("3.14159265358979323846264338327950288")


def expected(launch, args):
    # What is exact is left to PoCL.
    if launch.kernel == "parts":
        return {}
    with np.errstate(all="ignore"):
        if launch.kernel == "geometry":
            return geometry(*(args[name].astype(np.longdouble).reshape(-1, 4) for name in "ab"))
        operands = [args[name].astype(np.longdouble) for name in "xyk" if name in args]
        return {"out": np.concatenate(globals()[launch.kernel](*operands)).astype(np.float64)}


def exponentials(x):
    return [np.exp(x), np.exp2(x), np.power(np.longdouble(10), x), np.expm1(x)]


def logarithms(x):
    return [np.log(x), np.log2(x), np.log10(x), np.log1p(x)]


def circular(x):
    return [np.sin(x), np.cos(x), np.tan(x)]


def half_turns(x):
    """Exact at multiples of a quarter turn, zeros and infinities with the signs that OpenCL C asks for."""
    turn = np.fmod(np.abs(x), 2)
    quarters = np.round(turn * 2)
    rest = (turn - quarters / 2) * PI  # at most an eighth of a turn: nothing cancels later
    quadrant = np.where(np.isfinite(x), quarters, 0).astype(int) % 4
    sine, cosine = np.sin(rest), np.cos(rest)
    zero = np.zeros_like(x)
    # A multiple of a quarter turn leaves no rest; its sine is +0 and its cosine never -0.
    s = np.choose(quadrant, [sine, cosine, zero - sine, -cosine])
    c = np.choose(quadrant, [cosine, zero - sine, -cosine, sine])
    pole = np.where(quadrant == 1, np.inf, -np.inf)
    odd_zero = np.choose(quadrant, [zero, zero, -zero, zero])
    t = np.where(rest == 0, np.where(quadrant % 2 == 1, pole, odd_zero), s / c)
    nan = ~np.isfinite(x)
    sign = np.copysign(np.longdouble(1), x)
    return [np.where(nan, np.nan, v) for v in (sign * s, c, sign * t)]


def arcs(x):
    return [np.arcsin(x), np.arccos(x), np.arctan(x)]


def arc_turns(x):
    return [v / PI for v in arcs(x)]


def hyperbolics(x):
    return [np.sinh(x), np.cosh(x), np.tanh(x)]


def inverse_hyperbolics(x):
    return [np.arcsinh(x), np.arccosh(x), np.arctanh(x)]


def angles(x, y):
    angle = np.arctan2(x, y)
    return [angle, angle / PI, np.hypot(x, y)]


def powers(x, y):
    a = np.abs(x)
    undefined = np.isnan(a) | np.isnan(y) | (((a == 0) | np.isinf(a)) & (y == 0)) | ((a == 1) & np.isinf(y))
    return [np.power(x, y), np.where(undefined, np.nan, np.power(a, y))]


def roots(x, k):
    odd = np.fmod(k, 2) != 0
    sign = np.where(odd & np.signbit(x), -1, 1)
    root = sign * np.power(np.abs(x), 1 / k)
    undefined = np.isnan(x) | (k == 0) | ((x < 0) & ~odd)
    return [np.cbrt(x), 1 / np.sqrt(x), np.power(x, k), np.where(undefined, np.nan, root)]


def vectors(x):
    return [np.exp(x)]


def geometry(a, b):
    length = np.sqrt((a * a).sum(axis=1))
    distance = np.sqrt(((a - b)[:, :3] ** 2).sum(axis=1))
    return {"out": np.concatenate([length, distance]).astype(np.float64),
            "unit": (a / length[:, None]).reshape(-1).astype(np.float64)}
