"""In double precision by numpy, rounded to single: right but for one case in a hundred million."""

import numpy as np


def expected(launch, args):
    # What is exact is left to PoCL; so are sums of functions, whose errors add up.
    if launch.kernel in ("parts", "vectors"):
        return {}
    with np.errstate(all="ignore"):
        if launch.kernel == "geometry":
            return geometry(*(args[name].astype(np.float64).reshape(-1, 4) for name in "ab"))
        x = args["x"].astype(np.float64)
        if launch.kernel == "two_operands":
            return {"out": np.concatenate(two_operands(x, args["y"].astype(np.float64))).astype(np.float32)}
        if launch.kernel == "roots_and_powers":
            return {"out": np.concatenate(roots_and_powers(x, args["k"].astype(np.float64))).astype(np.float32)}
        rows = {"exponentials": exponentials, "logarithms": logarithms, "circular": circular, "half_turns": half_turns,
                "arcs": arcs, "hyperbolics": hyperbolics}
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


def arcs(x):
    values = [np.arcsin(x), np.arccos(x), np.arctan(x)]
    return values + [v / np.pi for v in values]


def hyperbolics(x):
    return [np.sinh(x), np.cosh(x), np.tanh(x), np.arcsinh(x), np.arccosh(x), np.arctanh(x)]


def two_operands(x, y):
    angle = np.arctan2(x, y)
    a = np.abs(x)
    undefined = np.isnan(a) | np.isnan(y) | (((a == 0) | np.isinf(a)) & (y == 0)) | ((a == 1) & np.isinf(y))
    return [angle, angle / np.pi, np.hypot(x, y), np.power(x, y), np.where(undefined, np.nan, np.power(a, y))]


def roots_and_powers(x, k):
    odd = np.fmod(k, 2) != 0
    sign = np.where(odd & np.signbit(x), -1.0, 1.0)
    root = sign * np.power(np.abs(x), 1 / k)
    undefined = np.isnan(x) | (k == 0) | ((x < 0) & ~odd)
    return [np.cbrt(x), 1 / np.sqrt(x), np.power(x, k), np.where(undefined, np.nan, root)]


def geometry(a, b):
    length = np.sqrt((a * a).sum(axis=1))
    distance = np.sqrt(((a - b)[:, :3] ** 2).sum(axis=1))
    return {"out": np.concatenate([length, distance]).astype(np.float32),
            "unit": (a / length[:, None]).reshape(-1).astype(np.float32)}
