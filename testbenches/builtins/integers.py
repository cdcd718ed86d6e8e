"""What the integer functions compute, on Python's integers; `t` is the element type."""

from values import integer, wrap


def saturated(t, x):
    return min(max(x, t.low), t.high)


def raw(t, x):
    """The bits of a value as a non-negative number."""
    return x & ((1 << t.bits) - 1)


def low24(t, x):
    """The 24-bit number that mul24 and mad24 take."""
    x &= 0xFFFFFF
    return x - (1 << 24) if t.kind == "i" and x >> 23 else x


def rotate(t, x, n):
    n %= t.bits
    x = raw(t, x)
    return wrap(t, x << n | x >> (t.bits - n))


def bitselect(t, a, b, c):
    return wrap(t, (raw(t, a) & ~raw(t, c)) | (raw(t, b) & raw(t, c)))


FUNCTIONS = {
    "abs": lambda t, x: abs(x),
    "clz": lambda t, x: t.bits - raw(t, x).bit_length(),
    "ctz": lambda t, x: (raw(t, x) & -raw(t, x)).bit_length() - 1 if x else t.bits,
    "popcount": lambda t, x: raw(t, x).bit_count(),
    "abs_diff": lambda t, x, y: abs(x - y),
    "add_sat": lambda t, x, y: saturated(t, x + y),
    "sub_sat": lambda t, x, y: saturated(t, x - y),
    "hadd": lambda t, x, y: (x + y) >> 1,
    "rhadd": lambda t, x, y: (x + y + 1) >> 1,
    "max": lambda t, x, y: max(x, y),
    "min": lambda t, x, y: min(x, y),
    "mul_hi": lambda t, x, y: x * y >> t.bits,
    "rotate": rotate,
    "clamp": lambda t, x, low, high: min(max(x, low), high),
    "mad_hi": lambda t, x, y, z: wrap(t, (x * y >> t.bits) + z),
    "mad_sat": lambda t, x, y, z: saturated(t, x * y + z),
    "bitselect": bitselect,
    "mul24": lambda t, x, y: wrap(t, low24(t, x) * low24(t, y)),
    "mad24": lambda t, x, y, z: wrap(t, low24(t, x) * low24(t, y) + z),
    "upsample": lambda t, x, y: wrap(integer(t.kind, 2 * t.bits), x << t.bits | y),
}
