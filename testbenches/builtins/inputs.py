"""Operands for a family of functions: corners mixed with one another unless the functions ask for more.

A function's entry in the table names one of the rules below. Each leaves out what OpenCL C leaves undefined, and operands
for which the bound of a composed function says nothing (differences that cancel).
"""

import math

from values import BY_NAME, everyday, float_bits, int_corners, int_operand, operand_lists, operands, rng, wrap

INT = BY_NAME["int"]


def kinds(t, args):
    """Element types of the operands."""
    from values import integer
    by = {"g": t, "s": t, "i": INT, "k": INT, "u": integer("u", t.bits), "b": integer("i", t.bits), "h": integer("u", t.bits)}
    return [by[a] for a in args.split() if not a.startswith(">")]


def choose(family, t, count):
    """The operands of a family at an element type: a list of `count` values for each."""
    r = rng(family.name, t.name)
    rule = RULES.get(family.inputs)
    types = kinds(t, family.args)
    return rule(t, types, count, r) if rule else operand_lists(types, count, r)


def ordered(t, types, count, r):
    """x, and bounds of which the lower one comes first; finite. Neighbours share bounds: one may stand for all of a vector."""
    x, low, high = finite(t, types, count, r)
    for k in range(count):
        if k % 16 and r.randrange(2):
            low[k], high[k] = low[k - 1], high[k - 1]
        low[k], high[k] = sorted((low[k], high[k]), key=lambda v: (v, math.copysign(1, v)))
    # A vector's first bounds hold for all of it.
    return [x, low, high]


def finite(t, types, count, r):
    columns = operand_lists(types, count, r)
    if t.kind != "f":
        return columns
    return [[v if math.isfinite(v) else everyday(t, r) for v in column] for column in columns]


def bits24(t, types, count, r):
    """24-bit numbers; an addend of 32 bits."""
    low, high = (-(1 << 23), (1 << 23) - 1) if t.kind == "i" else (0, (1 << 24) - 1)
    corners = [low, low + 1, 0, 1, high, high - 1, high // 2]

    def one():
        return r.choice(corners) if r.randrange(3) == 0 else r.randrange(low, high + 1)

    return [[one() for _ in range(count)] for _ in types[:2]] + [operands(t, count, r) for _ in types[2:]]


def signs(t, types, count, r):
    """Conditions of which half are true: any bits, zeros, the sign bit alone."""
    columns = operand_lists(types, count, r)
    c = types[-1]
    top = wrap(c, 1 << (c.bits - 1))
    columns[-1] = [r.choice((0, 0, top, 1, -1 if c.kind == "i" else c.high, int_operand(c, r))) for _ in range(count)]
    if len(types) == 1:  # any, all: whole vectors without a sign bit and full of them
        for start in range(0, count, 16):
            how = (start // 16) % 3
            if how:
                columns[-1][start:start + 16] = [
                    top | r.getrandbits(c.bits - 1) if how == 1 else r.getrandbits(c.bits - 1) for _ in range(16)]
    return columns


def exponents(t, types, count, r):
    """Floats and powers of two to multiply them with, many of them so that the product is near a limit."""
    xs = operands(t, count, r)
    ks = []
    for x in xs:
        how = r.randrange(6)
        e = math.frexp(x)[1] if math.isfinite(x) and x else 0
        if how == 0:
            ks.append(r.choice(int_corners(INT)))
        elif how < 3:
            ks.append(t.emin - e + r.randrange(-t.precision - 2, 4))
        elif how == 3:
            ks.append(t.emax - e + r.randrange(-3, 4))
        else:
            ks.append(r.randrange(-40, 41))
    return [xs, ks]


def fused(t, types, count, r):
    """Products that are numbers, and addends of the same sign: so they cannot cancel. Special values too."""
    xs, ys, zs = operand_lists(types, count, r)
    for k, (x, y, z) in enumerate(zip(xs, ys, zs)):
        if not (math.isfinite(x) and math.isfinite(y)):
            continue
        if abs(x * y) < math.ldexp(1, t.emin + 2 * t.precision) or abs(x * y) > t.most / 4:
            xs[k], ys[k] = everyday(t, r), everyday(t, r)
        zs[k] = math.copysign(z, xs[k] * ys[k])
    return [xs, ys, zs]


def turns(t, types, count, r):
    """Halves, integers, numbers around them, and anything."""
    xs = operands(t, count, r)
    for k in range(0, count, 3):
        xs[k] = r.choice((0.5, 1.0, 0.25)) * r.randrange(-41, 42)
    return [xs]


def radians(t, types, count, r):
    """The range in which half_ functions are defined."""
    xs = [x if abs(x) <= 65536 else everyday(t, r, -65536, 65536) for x in operands(t, count, r) if x == x and math.isfinite(x)]
    return [(xs * 2)[:count]]


def moderate(t, types, count, r):
    """Numbers with which functions that may flush subnormal numbers have none, and zeros, infinities and NaNs."""
    def is_moderate(x):
        return not math.isfinite(x) or x == 0 or 2.0**-30 <= abs(x) <= 37
    return [[x if is_moderate(x) else everyday(t, r, -37, 37) for x in xs] for xs in operand_lists(types, count, r)]


def not_near_one(t, types, count, r):
    """The same without numbers whose logarithm is small: there it need not be exact relatively."""
    return [[4 * x if 0.5 < abs(x) < 2 else x for x in xs] for xs in moderate(t, types, count, r)]


def powers(t, types, count, r):
    """Bases and exponents whose power is mostly a number, small integers, halves, and anything."""
    xs, ys = operand_lists(types, count, r)
    for k in range(count):
        how = r.randrange(4)
        if how == 0:
            xs[k], ys[k] = everyday(t, r), float(r.randrange(-9, 10))
        elif how == 1:
            xs[k], ys[k] = abs(everyday(t, r)), everyday(t, r, -8, 8)
        elif how == 2:
            xs[k] = float_bits(t, r)
            ys[k] = r.choice((0.5, -0.5, 1.0, 2.0, 3.0, -1.0, 1 / 3, everyday(t, r, -1, 1)))
            ys[k] = everyday(t, r, ys[k], ys[k])
    return [xs, ys]


def unflushed_powers(t, types, count, r):
    """The same without subnormal operands and without powers that are subnormal or vanish."""
    def is_normal(x):
        return x == 0 or not abs(x) < 2.0**-126
    def is_kept(x, y):
        if not (x > 0 and math.isfinite(x) and math.isfinite(y)):
            return is_normal(x) and is_normal(y)
        return is_normal(x) and is_normal(y) and y * math.log2(x) > -126
    xs, ys = powers(t, types, count, r)
    pairs = [(x, y) if is_kept(x, y) else (everyday(t, r, 0.5, 2), everyday(t, r, -8, 8)) for x, y in zip(xs, ys)]
    return [[x for x, _ in pairs], [y for _, y in pairs]]


def whole(t, types, count, r):
    """Floats and whole exponents or degrees, small ones mostly."""
    xs, ns = operand_lists(types, count, r)
    for k in range(count):
        if r.randrange(4):
            ns[k] = r.randrange(-40, 41)
            if r.randrange(2):
                xs[k] = everyday(t, r, -3, 3)
    return [xs, ns]


def gamma(t, types, count, r):
    """No infinities and NaNs, whose sign result is open, and nothing near the zeros between the poles, where OpenCL C has
    no bound."""
    def clear(x):
        return x >= 0 or x == math.floor(x) or abs(math.lgamma(x)) > 0.5

    xs = []
    while len(xs) < count:
        xs += [x for x in operands(t, count, r) if math.isfinite(x) and clear(x)]
    return [xs[:count]]


def quotients(t, types, count, r):
    """Any operands, and some of which the quotient is half way between integers, or nearly."""
    xs, ys = operand_lists(types, count, r)
    for k in range(0, count, 3):
        ys[k] = math.ldexp(r.randrange(1, 1 << 5), r.randrange(-6, 3))
        xs[k] = r.choice((-0.5, 0.5, 1.0)) * ys[k] * r.randrange(-31, 32)
    return [xs, ys]


def blended(t, types, count, r):
    """Two numbers of similar size and one in [0, 1]; small numbers, infinities and NaNs among themselves."""
    columns = [[], [], []]
    for k in range(count):
        x = everyday(t, r)
        y, a = everyday(t, r, x / 2, 2 * x), everyday(t, r, 0, 1)
        if r.randrange(4) == 0:
            x, y, a = (r.choice((0.0, 1.0, -1.0, 2.0, math.inf, -math.inf, math.nan)) for _ in range(3))
        elif k % 16:
            a = columns[2][-1] if r.randrange(2) else a
        for column, v in zip(columns, (x, y, a)):
            column.append(v)
    return columns


def edges(t, types, count, r):
    """Edges of which the lower one comes first, neighbours' alike, and a number around them."""
    columns = [[], [], []]
    for k in range(count):
        if k % 16 == 0 or r.randrange(3) == 0:
            low = everyday(t, r, -10, 10)
            high = everyday(t, r, low + 0.25, low + 9)
        where = r.choice((low, high, everyday(t, r, low, high), everyday(t, r, low, high), everyday(t, r, -30, 30)))
        for column, v in zip(columns, (low, high, where)):
            column.append(v)
    return columns


def in_groups(one, group=12):
    """Columns made group by group, so that vectors of 1, 2, 3 and 4 elements come from one group."""
    def rule(t, types, count, r):
        columns = [[] for _ in types]
        for g in range((count + group - 1) // group):
            for column, numbers in zip(columns, one(t, len(types), group, g, r)):
                column.extend(numbers)
        return [c[:count] for c in columns]
    return rule


def without_cancelling(t, n, group, g, r):
    """Positive numbers, or small integers, of which sums of products are exact; specials in one of them now and then."""
    if g % 2:
        columns = [[float(r.randrange(-9, 10)) for _ in range(group)] for _ in range(n)]
        if g % 6 == 1:
            columns[r.randrange(n)][r.randrange(group)] = r.choice((math.inf, math.nan, -math.inf, -0.0))
        return columns
    return [[everyday(t, r, 0.1, 12) for _ in range(group)] for _ in range(n)]


def scaled_vectors(t, n, group, g, r):
    """Vectors of any size, from subnormal to nearly infinite; lanes of different size; zeros and special values."""
    how = g % 6
    if how == 0:
        pool = (0.0, -0.0, t.least, 1.0, math.inf, -math.inf, math.nan, -2.0, t.most / 8)
        return [[r.choice(pool) for _ in range(group)] for _ in range(n)]
    if how == 1:
        return [[float_bits(t, r) for _ in range(group)] for _ in range(n)]
    size = math.ldexp(1, r.randrange(t.emin - t.precision // 2, t.emax - 2)) if how < 5 else 1.0
    return [[everyday(t, r, -1.9, 1.9) * size if how != 4 else everyday(t, r, -2 * size, 2 * size) for _ in range(group)]
            for _ in range(n)]


def small_integers(t, n, group, g, r):
    """Integers of which products and their differences are exact; special values now and then."""
    columns = [[float(r.randrange(-20, 21)) for _ in range(group)] for _ in range(n)]
    if g % 3 == 0:
        columns[r.randrange(n)][r.randrange(group)] = r.choice((math.inf, math.nan, -math.inf, -0.0))
    return columns


def moderate_vectors(t, n, group, g, r):
    """Of sizes whose squares are numbers."""
    size = math.ldexp(1, r.randrange(-10, 10))
    return [[0.0 if g == 0 else everyday(t, r, -size, size) for _ in range(group)] for _ in range(n)]


def apart(t, n, group, g, r):
    """Vectors of which the difference does not overflow and is mostly exact."""
    columns = scaled_vectors(t, n, group, g, r)
    if g % 2:
        return [[everyday(t, r, -20, 20) if k else float(r.randrange(-30, 30)) for _ in range(group)] for k in range(n)]
    return [[v / 4 if abs(v) >= 4 * math.ldexp(1, t.emin) else v for v in column] for column in columns]


def representable(rule):
    """Operands must be numbers of the format: those that scaling made inexact are rounded."""
    from fractions import Fraction

    from values import rounded

    def apply(t, types, count, r):
        return [[rounded(t, Fraction(v)) if math.isfinite(v) and v else v for v in column] for column in rule(t, types, count, r)]
    return apply


RULES = {
    "ordered": ordered, "finite": finite, "24": bits24, "signs": signs, "ldexp": exponents, "mad": fused, "pi": turns,
    "2^16": radians, "unflushed": moderate, "not near 1": not_near_one,
    "pow": powers, "unflushed pow": unflushed_powers, "pown": whole, "gamma": gamma, "modulo": quotients, "mix": blended, "smoothstep": edges,
    "dot": in_groups(without_cancelling), "vector": representable(in_groups(scaled_vectors)),
    "distance": representable(in_groups(apart)), "small": in_groups(small_integers),
    "moderate": in_groups(moderate_vectors),
}
