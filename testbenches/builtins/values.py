"""Element types, correct rounding, and operands that mix corners.

Integers are Python's; floats of every format are Python floats, which hold halves, floats and doubles exactly.
"""

import math
import random
from dataclasses import dataclass
from fractions import Fraction

import numpy as np


@dataclass(frozen=True)
class Type:
    """An OpenCL C scalar type: kind is i, u or f."""

    name: str
    kind: str
    bits: int

    @property
    def dtype(self):
        return np.dtype(f"{self.kind}{self.bits // 8}")

    @property
    def value_name(self):
        """As docs/launches.md calls it."""
        return f"{self.kind}{self.bits}"

    @property
    def precision(self):
        """Bits of the significand."""
        return {16: 11, 32: 24, 64: 53}[self.bits]

    @property
    def emin(self):
        """Exponent of the smallest normal number."""
        return 2 - (1 << (self.bits - self.precision - 1))

    @property
    def emax(self):
        """Exponent of the largest number."""
        return 1 - self.emin

    @property
    def least(self):
        """The smallest positive number."""
        return math.ldexp(1, self.emin - self.precision + 1)

    @property
    def most(self):
        """The largest finite float."""
        return math.ldexp((1 << self.precision) - 1, self.emax - self.precision + 1)

    @property
    def low(self):
        """The smallest integer."""
        return -(1 << (self.bits - 1)) if self.kind == "i" else 0

    @property
    def high(self):
        """The largest integer."""
        return (1 << (self.bits - (self.kind == "i"))) - 1


INTS = [Type(sign + name, "u" if sign else "i", bits)
        for name, bits in (("char", 8), ("short", 16), ("int", 32), ("long", 64)) for sign in ("", "u")]
FLOATS = [Type("half", "f", 16), Type("float", "f", 32), Type("double", "f", 64)]
BY_NAME = {t.name: t for t in INTS + FLOATS}
HALF, FLOAT, DOUBLE = FLOATS


def integer(kind, bits):
    """The integer type of a width."""
    return next(t for t in INTS if (t.kind, t.bits) == (kind, bits))


def wrap(t, value):
    """An integer modulo the width of `t`."""
    value &= (1 << t.bits) - 1
    return value - (1 << t.bits) if t.kind == "i" and value >> (t.bits - 1) else value


def rounded(t, x, mode="rte"):
    """A rational number as a float of type `t`; 0 gives +0. Overflow gives infinity where the mode does not forbid it."""
    if x == 0:
        return 0.0
    magnitude = abs(x)
    e = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** e:
        e -= 1
    unit = max(e, t.emin) - t.precision + 1
    scaled = magnitude / Fraction(2) ** unit
    whole = math.floor(scaled)
    rest = scaled - whole
    up = {"rte": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1), "rtz": False,
          "rtp": rest > 0 and x > 0, "rtn": rest > 0 and x < 0}[mode]
    whole += bool(up)
    if whole.bit_length() + unit - 1 > t.emax:
        away = mode == "rte" or (mode == "rtp" and x > 0) or (mode == "rtn" and x < 0)
        result = math.inf if away else t.most
    else:
        result = math.ldexp(whole, unit)
    return -result if x < 0 else result


def rounded_mpf(t, x):
    """A number of mpmath as a float of type `t`, also if it is far beyond its range."""
    sign, man, exp, size = x._mpf_
    if not man:
        return 0.0
    e = exp + size - 1
    if e > t.emax + 1 or e < t.emin - t.precision - 2:
        return math.copysign(math.inf if e > 0 else 0.0, -1 if sign else 1)
    value = Fraction(int(man)) * Fraction(2) ** exp
    result = rounded(t, value)
    return math.copysign(result, -1 if sign else 1)


def to_bits(t, x):
    """The representation of a value as an unsigned integer."""
    return int(array(t, [x]).view(f"u{t.bits // 8}")[0])


def from_bits(t, bits):
    """The value of a representation."""
    return np.array([bits], f"u{t.bits // 8}").view(t.dtype)[0].item()


def array(t, items):
    """Values as a buffer."""
    if t.kind != "f":
        return np.array([x & ((1 << t.bits) - 1) for x in items], f"u{t.bits // 8}").view(t.dtype)
    with np.errstate(all="ignore"):
        out = np.array(items, dtype=t.dtype)
    assert all(x == y or x != x for x, y in zip(items, out.tolist())), f"not all are numbers of type {t.name}"
    return out


# Operands


def int_corners(t):
    """Integers at which something changes."""
    near = [0, 1, 2, 3, t.high, t.high - 1, t.low, t.low + 1, t.high // 2, t.high // 2 + 1, t.bits, t.bits - 1]
    if t.kind == "i":
        near += [-1, -2, -t.bits]
    return [wrap(t, x) for x in near]


def int_operand(t, r):
    """A random integer: a corner, a power of two and its neighbours, a small one, or any bits."""
    how = r.randrange(6)
    if how < 2:
        return r.choice(int_corners(t))
    if how == 2:
        return wrap(t, (1 << r.randrange(t.bits)) + r.randrange(-1, 2))
    if how == 3:
        return wrap(t, r.randrange(-20, 21))
    return wrap(t, r.getrandbits(t.bits))


def float_corners(t):
    """Floats at which something changes, of both signs."""
    normal = math.ldexp(1, t.emin)
    eps = math.ldexp(1, 1 - t.precision)
    positive = [0.0, t.least, 2 * t.least, normal - t.least, normal, normal + t.least, 0.25, 0.5, 0.5 + eps / 2, 1 - eps / 2, 1.0,
                1 + eps, 1.5, 2.0, 2.5, 3.0, math.ldexp(1, t.precision - 1), math.ldexp(1, t.precision), t.most / 2, t.most, math.inf]
    return [s * x for x in positive for s in (1, -1)] + [math.nan]


def float_bits(t, r):
    """Random bits; a NaN now and then only."""
    x = from_bits(t, r.getrandbits(t.bits))
    return x if math.isfinite(x) or r.randrange(4) == 0 else from_bits(t, r.getrandbits(t.bits))


def everyday(t, r, low=-20.0, high=20.0):
    """A random number in a range."""
    return rounded(t, Fraction(r.uniform(low, high)))


def float_operand(t, r):
    """A random float: a corner, any bits, a number of everyday, one in [-1, 1], or a power of two."""
    how = r.randrange(8)
    if how < 2:
        return r.choice(float_corners(t))
    if how < 4:
        return float_bits(t, r)
    if how < 6:
        return everyday(t, r)
    if how == 6:
        return everyday(t, r, -1, 1)
    return r.choice((1, -1)) * math.ldexp(1, r.randrange(t.emin - t.precision + 1, t.emax + 1))


def rng(*key):
    """A generator of random numbers that depends on the key only."""
    return random.Random("/".join(map(str, key)))


def operands(t, count, r):
    """`count` operands of a type: first all corners, in random order, then a mixture."""
    corners = float_corners(t) if t.kind == "f" else int_corners(t)
    first = corners[:]
    r.shuffle(first)
    one = float_operand if t.kind == "f" else int_operand
    return (first + [one(t, r) for _ in range(count)])[:count]


def operand_lists(types, count, r):
    """Operands that are mixed with one another: corners with corners, equal and opposite ones, any."""
    columns = [operands(types[0], count, r)]
    for t in types[1:]:
        one = float_operand if t.kind == "f" else int_operand
        corners = float_corners(t) if t.kind == "f" else int_corners(t)
        column = []
        for k in range(count):
            how = r.randrange(10)
            if how == 0 and t == types[0]:
                column.append(columns[0][k])
            elif how == 1 and t == types[0]:
                column.append(-columns[0][k] if t.kind == "f" else wrap(t, -columns[0][k]))
            elif how < 5:
                column.append(r.choice(corners))
            else:
                column.append(one(t, r))
        columns.append(column)
    return columns
