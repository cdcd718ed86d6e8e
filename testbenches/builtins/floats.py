"""What the floating-point functions compute: exactly with rational numbers and mpmath, rounded once to the format.

Special operands follow C99's annex F and the edge cases of the OpenCL SPIR-V environment; where those say what the C
library of double precision does, NumPy is asked. `t` is the element type.
"""

import math
from fractions import Fraction

import mpmath
import numpy as np

from values import from_bits, rounded, rounded_mpf, to_bits

mpmath.mp.prec = 320
NAN, INF = math.nan, math.inf
np.seterr(all="ignore")


def finite(*xs):
    return all(math.isfinite(x) for x in xs)


def special(f, t, *xs):
    """The C library's result, for operands where that is exact."""
    return rounded_float(t, float(f(*map(np.float64, xs))))


def rounded_float(t, x):
    if not math.isfinite(x) or x == 0:
        return x
    return rounded(t, Fraction(x))


# Arithmetic, correctly rounded


def add(t, a, b):
    if not finite(a, b) or a + b == 0:  # an exact sum of 0 is 0 in double precision, too
        return special(np.add, t, a, b)
    return rounded(t, Fraction(a) + Fraction(b))


def sub(t, a, b):
    return add(t, a, -b)


def mul(t, a, b):
    if not finite(a, b) or a == 0 or b == 0:
        return special(np.multiply, t, a, b)
    return rounded(t, Fraction(a) * Fraction(b))


def div(t, a, b):
    if not finite(a, b) or a == 0 or b == 0:
        return special(np.divide, t, a, b)
    return rounded(t, Fraction(a) / Fraction(b))


def fma(t, a, b, c):
    if not finite(a, b, c) or a == 0 or b == 0:
        return special(lambda x, y, z: np.float64(math.copysign(1, x) * math.copysign(0 if 0 in (x, y) else 1, y)
                       if finite(x, y) else x * y) + z, t, a, b, c)
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    return rounded(t, exact)


def sqrt(t, x):
    if not finite(x) or x <= 0:
        return special(np.sqrt, t, x)
    return rounded_mpf(t, mpmath.sqrt(mpmath.mpf(x)))


def integral(f):
    """A rounding to integers; zeros get the operand's sign."""
    def apply(t, x):
        return math.copysign(float(f(Fraction(x))), x) if finite(x) else x
    return apply


def half_away(x):
    return math.floor(abs(x) + Fraction(1, 2))


# Functions with one result that mpmath computes


def unary(exact, library):
    """A function of one operand: `library` for zeros, infinities and NaN, and where the result is no number."""
    def apply(t, x):
        known = library(np.float64(x))
        if not finite(x) or x == 0 and math.isfinite(known) and known in (0, 1) or math.isnan(known):
            return rounded_float(t, float(known))
        if not math.isfinite(known) and x in (0, 1, -1):
            return float(known)  # a pole
        result = exact(mpmath.mpf(x))
        return rounded_mpf(t, result) if result else math.copysign(0.0, known)
    return apply


def in_pi(exact, library):
    """An inverse circular function divided by pi."""
    def known(x):
        result = library(x)
        return np.float64(math.copysign(0.5, x)) if math.isinf(x) and result == result else result / math.pi
    return unary(lambda x: exact(x) / mpmath.pi, known)


def odd(f):
    """An odd function from what it is for positive numbers: reduced negative ones would need too many digits."""
    return lambda t, x: math.copysign(1, x) * f(t, abs(x))


@odd
def sinpi(t, x):
    if not finite(x):
        return NAN
    turn = Fraction(x) % 2
    if turn % 1 == 0:
        return 0.0
    return rounded_mpf(t, mpmath.sinpi(mpmath.mpf(turn.numerator) / turn.denominator))


def cospi(t, x):
    if not finite(x):
        return NAN
    turn = Fraction(x) % 2
    if turn % 1 == Fraction(1, 2):
        return 0.0
    return rounded_mpf(t, mpmath.cospi(mpmath.mpf(turn.numerator) / turn.denominator))


@odd
def tanpi(t, x):
    if not finite(x):
        return NAN
    turn = Fraction(x) % 2
    if turn % 1 == 0:
        return 0.0 if turn == 0 else -0.0
    if turn % 1 == Fraction(1, 2):
        return INF if turn == Fraction(1, 2) else -INF
    turn = mpmath.mpf(turn.numerator) / turn.denominator
    return rounded_mpf(t, mpmath.sinpi(turn) / mpmath.cospi(turn))


# atan2, powers, roots


def atan2(t, y, x, unit=None):
    if not finite(x, y) or x == 0 or y == 0:
        if math.isnan(x) or math.isnan(y):
            return NAN
        # In eighths of a turn: exact.
        eighths = round(float(np.arctan2(np.float64(y), np.float64(x))) * 4 / math.pi)
        zero = math.copysign(0.0, y)
        if eighths == 0:
            return zero
        return rounded_mpf(t, mpmath.mpf(eighths) / 4 * (1 if unit else mpmath.pi))
    result = mpmath.atan2(mpmath.mpf(y), mpmath.mpf(x))
    return rounded_mpf(t, result / (unit or 1))


def hypot(t, x, y):
    if not finite(x, y) or x == 0 or y == 0:
        return special(np.hypot, t, x, y)
    return rounded_mpf(t, mpmath.sqrt(mpmath.mpf(x) ** 2 + mpmath.mpf(y) ** 2))


def power(t, x, y, odd):
    """|x| to the power of y, both finite and not 0, negative where x is and y is odd."""
    result = mpmath.exp(mpmath.mpf(y) * mpmath.log(abs(mpmath.mpf(x))))
    if abs(x) == 1:
        result = mpmath.mpf(1)
    elif Fraction(y).denominator == 1 and abs(y) < 64:
        result = abs(mpmath.mpf(x)) ** int(y)  # exact where it fits
    return rounded_mpf(t, -result if x < 0 and odd else result)


def pow_(t, x, y):
    if not finite(x, y) or x == 0 or y == 0:
        return special(np.power, t, x, y)
    whole = Fraction(y).denominator == 1
    if x < 0 and not whole:
        return NAN
    return power(t, x, y, whole and int(y) & 1)


def pown(t, x, n):
    if not finite(x) or x == 0 or n == 0:
        return special(np.power, t, x, n)
    return power(t, x, n, n & 1)


def powr(t, x, y):
    if math.isnan(x) or math.isnan(y) or x < 0:
        return NAN
    if (x == 0 or x == INF) and y == 0 or x == 1 and math.isinf(y):
        return NAN
    return pow_(t, abs(x), y)


def rootn(t, x, n):
    if n == 0 or math.isnan(x) or (x < 0 and n % 2 == 0):
        return NAN
    odd = bool(n & 1)
    if x == 0 or math.isinf(x):
        result = INF if (x == 0) == (n < 0) else 0.0
        return math.copysign(result, x) if odd else result
    return power_root(t, x, n, odd)


def power_root(t, x, n, odd):
    result = mpmath.exp(mpmath.log(abs(mpmath.mpf(x))) / n) if abs(x) != 1 else mpmath.mpf(1)
    return rounded_mpf(t, -result if x < 0 and odd else result)


# Parts of floats


def ilogb(t, x):
    """FP_ILOGB0 is INT_MIN, FP_ILOGBNAN is INT_MAX."""
    if x == 0:
        return -(1 << 31)
    return math.frexp(x)[1] - 1 if finite(x) else (1 << 31) - 1


def logb(t, x):
    if x == 0 or not finite(x):
        return special(lambda v: np.log2(abs(v)), t, x)
    return float(ilogb(t, x))


def ldexp(t, x, k):
    if not finite(x) or x == 0:
        return x
    k = min(max(k, -5000), 5000)
    return rounded(t, Fraction(x) * Fraction(2) ** k)


def frexp(t, x):
    if not finite(x) or x == 0:
        return x, 0
    return math.frexp(x)


def modf(t, x):
    if not finite(x):
        return (math.copysign(0.0, x) if x == x else x), x
    whole = math.copysign(float(math.trunc(Fraction(x))), x)
    return math.copysign(x - whole, x), whole


def fract(t, x):
    if not finite(x):
        return (math.copysign(0.0, x) if x == x else x), x
    if x == 0:
        return x, x
    whole = math.floor(Fraction(x))
    below = from_bits(t, to_bits(t, 1.0) - 1)
    part = min(rounded(t, Fraction(x) - whole), below)
    return part, math.copysign(float(whole), x) if whole == 0 else float(whole)


def nextafter(t, x, y):
    if math.isnan(x) or math.isnan(y):
        return NAN
    if x == y:
        return y
    if x == 0:
        return math.copysign(t.least, y)
    step = 1 if (y > x) == (x > 0) else -1
    return from_bits(t, to_bits(t, x) + step)


# Smallest, largest, remainders


def fmin(t, x, y):
    if math.isnan(x) or math.isnan(y):
        return y if math.isnan(x) else x
    return min(x, y, key=lambda v: (v, math.copysign(1, v)))


def fmax(t, x, y):
    if math.isnan(x) or math.isnan(y):
        return y if math.isnan(x) else x
    return max(x, y, key=lambda v: (v, math.copysign(1, v)))


def maxmag(t, x, y):
    return x if abs(x) > abs(y) else y if abs(y) > abs(x) else fmax(t, x, y)


def minmag(t, x, y):
    return x if abs(x) < abs(y) else y if abs(y) < abs(x) else fmin(t, x, y)


def fdim(t, x, y):
    return 0.0 if x <= y else sub(t, x, y)


def fmod(t, x, y):
    return math.fmod(x, y) if finite(x) and y != 0 and y == y else NAN


def remquo(t, x, y):
    if not finite(x) or y == 0 or y != y:
        return NAN, 0
    if math.isinf(y):
        return x, 0
    n = round(Fraction(x) / Fraction(y))
    rest = float(Fraction(x) - n * Fraction(y))
    low = abs(n) & 127
    return (rest or math.copysign(0.0, x)), (low if n >= 0 else -low)


# Functions of the C library's other half


def unary_mp(exact, at):
    """`at` maps operands, or is a function, to results that need no computation."""
    def apply(t, x):
        known = at(x)
        return known if known is not None else rounded_mpf(t, exact(mpmath.mpf(x)))
    return apply


def tgamma_known(x):
    if x != x or x == -INF or (x < 0 and x == math.floor(x)):
        return NAN
    if x == 0:
        return math.copysign(INF, x)
    if x > 2000:
        return INF
    return math.copysign(0.0, -1 if math.floor(x) & 1 else 1) if x < -2000 else None


def lgamma_known(x):
    if x != x:
        return NAN
    if math.isinf(x) or (x <= 0 and x == math.floor(x)):
        return INF
    return 0.0 if x in (1, 2) else None


def lgamma_r(t, x):
    value = FUNCTIONS["lgamma"](t, x)
    if x != x or x <= 0 and (math.isinf(x) or x == math.floor(x)):
        return value, 0 if x == x and not math.isinf(x) else 1
    return value, -1 if x < 0 and math.floor(x) & 1 else 1


# Common and relational functions


def sign(t, x):
    return 0.0 if x != x else x if x == 0 else math.copysign(1.0, x)


def mix(t, x, y, a):
    return add(t, x, mul(t, sub(t, y, x), a))


def smoothstep(t, low, high, x):
    v = min(max((Fraction(x) - Fraction(low)) / (Fraction(high) - Fraction(low)), 0), 1)
    return rounded(t, v * v * (3 - 2 * v))


def normal(t, x):
    return finite(x) and abs(x) >= math.ldexp(1, t.emin)


def ordered(x, y):
    return x == x and y == y


def scaled(factor):
    return lambda t, x: rounded_mpf(t, mpmath.mpf(x) * factor()) if finite(x) and x else x


def near(x):
    """x, or a number beyond which erf and erfc do not change: mpmath cannot take larger ones."""
    return min(max(x, -1000), 1000)


exp10_known = lambda x: np.float64(10) ** x  # noqa: E731
recip = lambda t, x: div(t, 1.0, x)  # noqa: E731
mp = mpmath
FUNCTIONS = {
    "acos": unary(mp.acos, np.arccos), "acosh": unary(mp.acosh, np.arccosh), "acospi": in_pi(mp.acos, np.arccos),
    "asin": unary(mp.asin, np.arcsin), "asinh": unary(mp.asinh, np.arcsinh), "asinpi": in_pi(mp.asin, np.arcsin),
    "atan": unary(mp.atan, np.arctan), "atanh": unary(mp.atanh, np.arctanh), "atanpi": in_pi(mp.atan, np.arctan),
    "atan2": atan2, "atan2pi": lambda t, y, x: atan2(t, y, x, mp.pi),
    "cbrt": lambda t, x: power_root(t, x, 3, True) if finite(x) and x else x,
    "ceil": integral(math.ceil), "floor": integral(math.floor), "trunc": integral(math.trunc), "rint": integral(round),
    "round": integral(half_away), "copysign": lambda t, x, y: math.copysign(x, y), "fabs": lambda t, x: abs(x),
    "cos": unary(mp.cos, np.cos), "sin": unary(mp.sin, np.sin), "tan": unary(mp.tan, np.tan),
    "cosh": unary(mp.cosh, np.cosh), "sinh": unary(mp.sinh, np.sinh), "tanh": unary(mp.tanh, np.tanh),
    "sinpi": sinpi, "cospi": cospi, "tanpi": tanpi,
    "exp": unary(mp.exp, np.exp), "exp2": unary(lambda x: mp.mpf(2) ** x, np.exp2),
    "exp10": unary(lambda x: mp.mpf(10) ** x, exp10_known), "expm1": unary(mp.expm1, np.expm1),
    "log": unary(mp.log, np.log), "log2": unary(lambda x: mp.log(x) / mp.log(2), np.log2),
    "log10": unary(lambda x: mp.log(x) / mp.log(10), np.log10), "log1p": unary(mp.log1p, np.log1p),
    "sqrt": sqrt, "rsqrt": unary(lambda x: 1 / mp.sqrt(x), lambda x: 1 / np.sqrt(x)), "recip": recip, "divide": div,
    "fdim": fdim, "fma": fma, "mad": fma, "fmax": fmax, "fmin": fmin, "maxmag": maxmag, "minmag": minmag,
    "max": fmax, "min": fmin, "clamp": lambda t, x, low, high: fmin(t, fmax(t, x, low), high),
    "fmod": fmod, "remainder": lambda t, x, y: remquo(t, x, y)[0], "remquo": remquo,
    "fract": fract, "frexp": frexp, "modf": modf, "hypot": hypot, "ilogb": ilogb, "ldexp": ldexp, "logb": logb,
    "nan": lambda t, code: NAN, "nextafter": nextafter, "pow": pow_, "pown": pown, "powr": powr, "rootn": rootn,
    "sincos": lambda t, x: (FUNCTIONS["sin"](t, x), FUNCTIONS["cos"](t, x)),
    "erf": unary(lambda x: mp.erf(near(x)), np.vectorize(math.erf)),
    "erfc": unary(lambda x: mp.erfc(near(x)), np.vectorize(math.erfc)),
    "tgamma": unary_mp(mp.gamma, tgamma_known), "lgamma": unary_mp(lambda x: mp.re(mp.loggamma(x)), lgamma_known),
    "lgamma_r": lgamma_r,
    "degrees": scaled(lambda: 180 / mp.pi), "radians": scaled(lambda: mp.pi / 180), "mix": mix, "sign": sign,
    "smoothstep": smoothstep, "step": lambda t, edge, x: 0.0 if x < edge else 1.0,
    # The relational functions: whether.
    "isequal": lambda t, x, y: x == y, "isnotequal": lambda t, x, y: x != y, "isgreater": lambda t, x, y: x > y,
    "isgreaterequal": lambda t, x, y: x >= y, "isless": lambda t, x, y: x < y, "islessequal": lambda t, x, y: x <= y,
    "islessgreater": lambda t, x, y: x < y or x > y, "isordered": lambda t, x, y: ordered(x, y),
    "isunordered": lambda t, x, y: not ordered(x, y), "isfinite": lambda t, x: finite(x),
    "isinf": lambda t, x: math.isinf(x), "isnan": lambda t, x: x != x, "isnormal": normal,
    "signbit": lambda t, x: math.copysign(1, x) < 0,
}


def of(name):
    """The reference of a function; half_ and native_ functions have that of the plain one."""
    return FUNCTIONS[name.removeprefix("half_").removeprefix("native_")]


# Functions of whole vectors


def dot(t, xs, ys):
    products = [x * y for x, y in zip(xs, ys)]
    if not finite(*products) or not any(products):
        return sum(products[1:], products[0])  # special values, or zeros of whatever sign
    return rounded(t, sum(Fraction(x) * Fraction(y) for x, y in zip(xs, ys)))


def length(t, xs):
    if not finite(*xs):
        return sum(abs(x) for x in xs)
    return rounded_mpf(t, mpmath.sqrt(mpmath.fsum(mpmath.mpf(x) ** 2 for x in xs)))


def distance(t, xs, ys):
    if not finite(*xs, *ys):
        return length(t, [x - y for x, y in zip(xs, ys)])
    return rounded_mpf(t, mpmath.sqrt(mpmath.fsum((mpmath.mpf(x) - mpmath.mpf(y)) ** 2 for x, y in zip(xs, ys))))


def normalize(t, xs):
    if any(x != x for x in xs):
        return [NAN] * len(xs)
    if any(map(math.isinf, xs)):
        xs = [math.copysign(float(math.isinf(x)), x) for x in xs]
    total = mpmath.sqrt(mpmath.fsum(mpmath.mpf(x) ** 2 for x in xs))
    return [rounded_mpf(t, mpmath.mpf(x) / total) if x else x for x in xs]


def cross(t, xs, ys):
    out = []
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        out.append(sub(t, mul(t, xs[i], ys[j]), mul(t, xs[j], ys[i])))
    return out + [0.0] * (len(xs) - 3)
