"""Conversions between the number types of OpenCL by exact fractions: what the conversion kernels must give.

Numbers are fractions, or the floats inf, -inf and nan; a negative zero is the float -0.0. bfloat16 is an array of
its bits.
"""

import math
from fractions import Fraction

import numpy as np

INTEGERS = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32,
            "uint": np.uint32, "long": np.int64, "ulong": np.uint64}
FLOATS = {"half": np.float16, "float": np.float32, "double": np.float64, "bfloat16": np.uint16}
DTYPES = {**INTEGERS, **FLOATS}
# bits of exponent and fraction
FORMATS = {"half": (5, 10), "bfloat16": (8, 7), "float": (8, 23), "double": (11, 52)}
RANDOM_BITS = 32


def bits_of(array):
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def numbers(array, kind):
    """The elements of an array of a type as numbers."""
    if kind in INTEGERS:
        return [Fraction(x) for x in array.tolist()]
    return [decode(int(bits), *FORMATS[kind]) for bits in bits_of(array).reshape(-1)]


def decode(bits, exponent_bits, fraction_bits):
    sign = -1 if bits >> (exponent_bits + fraction_bits) else 1
    field = (bits >> fraction_bits) & ((1 << exponent_bits) - 1)
    fraction = bits & ((1 << fraction_bits) - 1)
    if field == (1 << exponent_bits) - 1:
        return math.nan if fraction else sign * math.inf
    if field == 0 and fraction == 0:
        return -0.0 if sign < 0 else Fraction(0)
    significand = fraction if field == 0 else fraction | 1 << fraction_bits
    exponent = max(field, 1) - (1 << (exponent_bits - 1)) + 1 - fraction_bits
    return sign * significand * Fraction(2) ** exponent


def to_integral(x, mode, random=None):
    """A fraction as an integer; `sr` adds random bits at 2^-32 to what is cut off there."""
    if mode == "rhaz":
        return int(math.copysign(1, x)) * math.floor(abs(x) + Fraction(1, 2))
    if mode == "sr":
        cut = math.floor(abs(x) * 2**RANDOM_BITS)
        return int(math.copysign(1, x)) * ((cut + random) >> RANDOM_BITS)
    return {"rte": round, "rtz": math.trunc, "rtp": math.ceil, "rtn": math.floor}[mode](x)


def to_integer(x, kind, mode):
    """Nearest integer of the type to the rounded number, 0 for NaN: saturated conversions, and all from floats."""
    info = np.iinfo(INTEGERS[kind])
    if isinstance(x, float):
        if math.isnan(x) or x == 0:
            return 0
        return int(info.max) if x > 0 else int(info.min)
    return max(int(info.min), min(int(info.max), to_integral(x, mode)))


def wrapped(x, kind):
    """An integer modulo 2^n: conversions between integers that do not saturate."""
    bits = 8 * np.dtype(INTEGERS[kind]).itemsize
    x = int(x) % 2**bits
    return x - 2**bits if np.iinfo(INTEGERS[kind]).min < 0 and x >= 2 ** (bits - 1) else x


def encode(x, kind, mode, random=None):
    """The bits of a number rounded to a format; NaN is positive and quiet with an empty payload."""
    exponent_bits, fraction_bits = FORMATS[kind]
    infinity = ((1 << exponent_bits) - 1) << fraction_bits
    if isinstance(x, float) and math.isnan(x):
        return infinity | 1 << (fraction_bits - 1)
    sign = (1 if math.copysign(1, x) < 0 else 0) << (exponent_bits + fraction_bits)
    if isinstance(x, float):
        return sign | (infinity if x else 0)
    if x == 0:
        return sign
    least = 2 - (1 << (exponent_bits - 1))
    exponent = max(floor_log2(abs(x)), least)
    units = to_integral(x / Fraction(2) ** (exponent - fraction_bits), mode, random)
    bits = ((exponent - least) << fraction_bits) + abs(units)
    if bits >= infinity:
        down = mode == "rtz" or mode == "rtp" and x < 0 or mode == "rtn" and x > 0
        bits = infinity - 1 if down else infinity
    return sign | bits


def floor_log2(x):
    guess = x.numerator.bit_length() - x.denominator.bit_length()
    return guess if Fraction(2) ** guess <= x else guess - 1


def convert(array, source, destination, mode=None, saturate=False, random=None):
    """An array of one type as one of another; `random` is an array of as many random words for mode sr."""
    if destination in INTEGERS:
        mode = mode or "rtz"
        if source in INTEGERS and not saturate:
            values = [wrapped(x, destination) for x in numbers(array, source)]
        else:
            values = [to_integer(x, destination, mode) for x in numbers(array, source)]
        return np.array(values, INTEGERS[destination])
    words = [None] * array.size if random is None else [int(r) for r in random]
    pairs = zip(numbers(array, source), words)
    bits = [encode(x, destination, mode or "rte", r) for x, r in pairs]
    dtype = np.dtype(DTYPES[destination])
    return np.array(bits, f"u{dtype.itemsize}").view(dtype)


def sections(array, count, lengths=(1, 2, 3, 4, 8, 16)):
    """What `count` work-items write that take the elements of `array` in vectors of each length in turn."""
    return np.concatenate([array[: count * n] for n in lengths])
