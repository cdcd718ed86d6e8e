"""Python's unbounded integers, clamped."""

import numpy as np


def clamp(v, dtype):
    info = np.iinfo(dtype)
    return max(info.min, min(info.max, v))


def narrow(a, b, dtype):
    a, b = int(a), int(b)
    wrapped = abs(a - b) if dtype == np.uint16 else (abs(a - b) + 128) % 256 - 128
    return [clamp(a + b, dtype), clamp(a - b, dtype), (a + b) >> 1, (a + b + 1) >> 1, wrapped, clamp(a * b, dtype)]


def expected(launch, args):
    if launch.kernel in ("saturate_char", "saturate_ushort"):
        dtype = args["a"].dtype.type
        return {"out": np.array([narrow(a, b, dtype) for a, b in zip(args["a"], args["b"])], dtype).T.copy()}
    if launch.kernel == "mix_channels":
        sides = [(args[s].astype(np.int32) * int(args[f"gain_{s}"].texts[0])) >> 15 for s in ("left", "right")]
        clipped = [np.clip(s, -32768, 32767) for s in sides]
        return {"out": np.clip(clipped[0] + clipped[1], -32768, 32767).astype(np.int16)}
    rows, wide = [], []
    for a, b, c, d in zip(*(args[n].tolist() for n in "abcd")):
        ua, ub, uc, ud = a % 2**32, b % 2**32, c % 2**64, d % 2**64
        rows.append([clamp(a + b, np.int32), clamp(a - b, np.int32), clamp((a >> 12) * (b >> 18) + a, np.int32),
                     signed(clamp(ua + ub, np.uint32), 32), signed(clamp(ua - ub, np.uint32), 32)])
        wide.append([clamp(c + d, np.int64), clamp(c - d, np.int64), signed(clamp(uc + ud, np.uint64), 64),
                     signed(clamp(uc - ud, np.uint64), 64)])
    return {"out": np.array(rows, np.int32).T.copy(), "wide": np.array(wide, np.int64).T.copy()}


def signed(v, bits):
    return v - (1 << bits) if v >> (bits - 1) else v
