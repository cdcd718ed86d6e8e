"""numpy's casts for values in range and between formats; Python's integers, clamped, for saturation."""

import numpy as np


def clamp(x, dtype):
    """Nearest value of an integer type, towards zero; 0 for NaN."""
    info = np.iinfo(dtype)
    if x != x:
        return 0
    if x in (float("inf"), float("-inf")):
        return info.max if x > 0 else info.min
    return max(info.min, min(info.max, int(x)))


def saturate(array, dtype):
    return np.array([clamp(x, dtype) for x in array.tolist()], dtype)


def expected(launch, args):
    if launch.kernel == "int_to_float":
        a, b, c, d = (args[n] for n in "abcd")
        return {"out": np.stack([v.astype(np.float32) for v in (a, b, c, d, a.astype(np.int8), b.astype(np.uint16))]),
                "wide": np.stack([v.astype(np.float64) for v in (a, b, c, d)])}
    if launch.kernel == "float_to_float":
        return {"wide": args["a"].astype(np.float64), "narrow": args["b"].astype(np.float32)}
    a, b = args["a"], args["b"]
    if launch.kernel == "float_to_int":
        return {"out": np.stack([a.astype(np.int32), np.abs(a).astype(np.uint32).view(np.int32),
                                 (a / np.float32(65536)).astype(np.int16).astype(np.int32), b.astype(np.int32)]),
                "wide": np.stack([a.astype(np.int64), b.astype(np.int64), np.abs(b * 2.0**32).astype(np.uint64).view(np.int64)])}
    if launch.kernel == "saturated":
        return {"out": np.stack([saturate(a, np.int32), saturate(a, np.uint32).view(np.int32), saturate(b, np.int32),
                                 saturate(a, np.int16).astype(np.int32)]),
                "narrow": np.stack([saturate(a, np.int8), saturate(b, np.uint8).view(np.int8)]),
                "wide": np.stack([saturate(a, np.int64), saturate(b, np.uint64).view(np.int64)])}
    bits = a.astype(np.float64).view(np.int64) ^ a.astype(np.float32).view(np.int32)
    return {"bytes": np.stack([a.astype(np.uint8), saturate(a, np.uint8), saturate(b, np.int8).view(np.uint8)]),
            "shorts": np.stack([b.astype(np.int16), saturate(a, np.int16), saturate(b, np.uint16).view(np.int16),
                                a.astype(np.int8).astype(np.int16)]),
            "wide": np.stack([a.astype(np.int64), a.view(np.uint32).astype(np.int64), saturate(b, np.uint32).astype(np.int64), bits])}
