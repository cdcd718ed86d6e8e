"""Exact fractions, rounded by the mode's own definition."""

from fractions import Fraction
import math

import numpy as np


def to_int(x, mode):
    exact = Fraction(float(x))
    return {"rte": round, "rtz": int, "rtp": math.ceil, "rtn": math.floor}[mode](exact)


def to_float(exact, mode, dtype):
    """A Fraction (or a non-finite float) rounded to a float format."""
    if isinstance(exact, float):
        return dtype(exact)
    near = dtype(float(exact)) if dtype == np.float64 else nearest32(exact)
    value = Fraction(float(near)) if np.isfinite(near) else None
    largest = np.finfo(dtype).max
    below = value is not None and value < exact
    above = value is None and exact > 0 or value is not None and value > exact
    if value is None:  # overflowed
        down = largest if exact > 0 else dtype(-np.inf)
        up = dtype(np.inf) if exact > 0 else -largest
    else:
        down = np.nextafter(near, dtype(-np.inf)) if above else near
        up = np.nextafter(near, dtype(np.inf)) if below else near
    if mode == "rtz":
        mode = "rtn" if exact >= 0 else "rtp"
    result = {"rte": near, "rtp": up, "rtn": down}[mode]
    return dtype(math.copysign(float(result), -1.0 if exact < 0 else 1.0)) if result == 0 else result


def nearest32(exact):
    near = np.float32(float(exact))
    if not np.isfinite(near):
        return near
    around = [near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf))]
    around = [v for v in around if np.isfinite(v)]
    return min(around, key=lambda v: (abs(Fraction(float(v)) - exact), int(v.view(np.uint32)) & 1))


def column(values, mode, dtype):
    return [to_float(v, mode, dtype) for v in values]


def expected(launch, args):
    if launch.kernel == "float_to_int_modes":
        a, b = args["a"], args["b"]
        short = [max(-32768, min(32767, to_int(x, "rte"))) for x in a]
        return {"out": np.array([[to_int(x, m) for x in a] for m in ("rte", "rtz", "rtp", "rtn")] + [short], np.int32),
                "wide": np.array([[to_int(x, m) for x in b] for m in ("rte", "rtp", "rtn")], np.int64)}
    if launch.kernel == "int_to_float_modes":
        a, b = ([Fraction(v) for v in args[n].tolist()] for n in "ab")
        modes = [(a, "rtz"), (a, "rtp"), (a, "rtn"), (b, "rte"), (b, "rtp")]
        return {"out": np.array([column(v, m, np.float32) for v, m in modes], np.float32),
                "wide": np.array([column(b, m, np.float64) for m in ("rtz", "rtp")], np.float64)}
    a = [Fraction(v) if math.isfinite(v) else v for v in args["a"].tolist()]
    return {"out": np.array([column(a, m, np.float32) for m in ("rte", "rtz", "rtp", "rtn")], np.float32)}
