"""The built-in functions: which there are, at which types, of what operands, and how exact they must be.

A family is a set of functions with the same operands; it becomes one module for each element type, with one kernel for
each vector width.

Kinds of operands and results (of a function on vectors of n elements of type T):

    g   Tn                          s   T, also beside vectors
    i   intn                        k   int, also beside vectors
    u   unsigned, as wide as T      b   signed, as wide as T (conditions; results of relational functions)
    w   twice as wide as T, of T's signedness (results)        h   unsigned half of an upsampled number: u
    n   int (result of any, all)    S   T (result of dot, length)
    >g  pointer to private Tn       >i  pointer to private intn: a second result
"""

from dataclasses import dataclass, field

from values import FLOATS, INTS

ALL = INTS + FLOATS
WIDTHS = (1, 2, 3, 4, 8, 16)
VECTORS = WIDTHS[1:]
NAMES = {t.name: t for t in ALL}
FLOAT, DOUBLE = [NAMES["float"]], [NAMES["double"]]


@dataclass(frozen=True)
class Family:
    """Functions with the same kinds of operands and results."""

    name: str
    types: tuple
    functions: tuple  # names
    args: str  # kinds of operands, separated by blanks
    result: str = "g"
    widths: tuple = WIDTHS
    inputs: str = "any"  # how operands are chosen: inputs.py
    ulp: dict = field(default_factory=dict)  # by function: units in the last place for half, float and double
    std: str = "CL1.2"
    raw: bool = False  # results are compared as bits, NaNs too
    pending: tuple = ()  # names, or name/type: skipped until the compiler has them

    def bound(self, function, t):
        """Units in the last place by which a result may be off."""
        bound = self.ulp.get(function, self.ulp.get("*", 0))
        return bound if isinstance(bound, int) else bound[{16: 0, 32: 1, 64: 2}[t.bits]]

    def is_pending(self, function, t):
        return any(key in self.pending for key in (function, f"{function}/{t.name}", f"*/{t.name}"))


def family(name, types, functions, args, *rest, **options):
    return Family(name, tuple(types), tuple(functions.split()), args, *rest, **options)


SIGNED = [t for t in INTS if t.kind == "i"]
NARROW = [t for t in INTS if t.bits < 64]  # what upsample takes
WORDS = [NAMES["int"], NAMES["uint"]]


def bound(n, half=2):
    """Of a function: for half, float and double."""
    return (half, n, n)


INTEGER = [
    family("unary", INTS, "abs clz popcount", "g", "mixed"),
    family("ctz", INTS, "ctz", "g", std="CL2.0"),
    family("binary", INTS, "abs_diff add_sat sub_sat hadd rhadd max min mul_hi rotate", "g g", "mixed"),
    family("limits", INTS, "max min", "g s", widths=VECTORS),
    family("clamps", INTS, "clamp", "g g g", inputs="ordered"),
    family("clamp_scalar", INTS, "clamp", "g s s", widths=VECTORS, inputs="ordered"),
    family("ternary", INTS, "mad_hi mad_sat", "g g g"),
    family("upsample", NARROW, "upsample", "g h", "w"),
    family("mul24", WORDS, "mul24", "g g", inputs="24"),
    family("mad24", WORDS, "mad24", "g g g", inputs="24"),
    family("any_all", SIGNED, "any all", "g", "n", inputs="signs"),
]

LOGIC = [
    family("bitselect", ALL, "bitselect", "g g g", raw=True),
    family("select_signed", ALL, "select", "g g b", raw=True, inputs="signs"),
    family("select_unsigned", ALL, "select", "g g u", raw=True, inputs="signs"),
]

RELATIONAL = [
    family("compare", FLOATS, "isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered "
           "isunordered", "g g", "b"),
    family("classify", FLOATS, "isfinite isinf isnan isnormal signbit", "g", "b"),
]

EXACT = [
    family("round", FLOATS, "ceil floor rint round trunc fabs sqrt logb", "g", ulp={"sqrt": (0, 3, 0)}),
    family("exponents", FLOATS, "ilogb", "g", "i"),
    family("scale", FLOATS, "ldexp", "g i", inputs="ldexp"),
    family("scale_scalar", FLOATS, "ldexp", "g k", widths=VECTORS, inputs="ldexp"),
    family("two", FLOATS, "copysign fdim fmax fmin maxmag minmag nextafter", "g g"),
    family("two_scalar", FLOATS, "fmax fmin", "g s", widths=VECTORS),
    family("fma", FLOATS, "fma", "g g g"),
    family("mad", FLOATS, "mad", "g g g", inputs="mad", ulp={"*": 1}),
    family("nan", FLOATS, "nan", "u"),
    family("parts", FLOATS, "fract modf", "g >g"),
    family("parts_generic", FLOATS, "fract modf", "g >g", std="CL2.0"),
    family("frexp", FLOATS, "frexp", "g >i"),
    family("frexp_generic", FLOATS, "frexp", "g >i", std="CL2.0"),
    family("modulo", FLOATS, "fmod remainder", "g g", inputs="modulo"),
    family("remquo", FLOATS, "remquo", "g g >i", inputs="modulo"),
]

MATH = [
    family("exp", FLOATS, "exp exp2 exp10 expm1", "g", ulp={"*": bound(3)}),
    family("log", FLOATS, "log log2 log10 log1p", "g", ulp={"*": bound(3), "log1p": bound(2)}),
    family("trig", FLOATS, "sin cos tan", "g", ulp={"*": bound(4), "tan": bound(5)}),
    family("trig_pi", FLOATS, "sinpi cospi tanpi", "g", inputs="pi", ulp={"*": bound(4), "tanpi": bound(6)}),
    family("arc", FLOATS, "acos asin atan", "g", ulp={"*": bound(4), "atan": bound(5)}),
    family("arc_pi", FLOATS, "acospi asinpi atanpi", "g", ulp={"*": bound(5)}),
    family("hyperbolic", FLOATS, "cosh sinh tanh", "g", ulp={"*": bound(4), "tanh": bound(5)}),
    family("arc_hyperbolic", FLOATS, "acosh asinh atanh", "g", ulp={"*": bound(4), "atanh": bound(5)}),
    family("roots", FLOATS, "cbrt rsqrt", "g", ulp={"cbrt": (2, 2, 2), "rsqrt": (1, 2, 2)}),
    family("angle", FLOATS, "atan2 atan2pi hypot", "g g", ulp={"*": bound(6), "hypot": bound(4)}),
    family("powers", FLOATS, "pow powr", "g g", inputs="pow", ulp={"*": bound(16, 4)}),
    family("whole_powers", FLOATS, "pown rootn", "g i", inputs="pown", ulp={"*": bound(16, 4)}),
    family("sincos", FLOATS, "sincos", "g >g", ulp={"*": bound(4)}),
    family("sincos_generic", FLOATS, "sincos", "g >g", ulp={"*": bound(4)}, std="CL2.0"),
    family("error", FLOATS, "erf erfc", "g", ulp={"*": bound(16, 4)}),
    family("gamma", FLOATS, "tgamma", "g", ulp={"*": bound(16, 4)}),
    family("log_gamma", FLOATS, "lgamma", "g", inputs="gamma", ulp={"*": bound(16, 4)}),
    family("log_gamma_sign", FLOATS, "lgamma_r", "g >i", inputs="gamma", ulp={"*": bound(16, 4)}),
    family("half_exp", FLOAT, "half_exp half_exp2 half_exp10 half_log half_log2 half_log10", "g", inputs="unflushed", ulp={"*": 8192}),
    family("half_trig", FLOAT, "half_sin half_cos half_tan", "g", inputs="2^16", ulp={"*": 8192}),
    family("half_roots", FLOAT, "half_sqrt half_rsqrt half_recip", "g", inputs="unflushed", ulp={"*": 8192}),
    family("half_two", FLOAT, "half_divide", "g g", inputs="unflushed", ulp={"*": 8192}),
    family("half_powr", FLOAT, "half_powr", "g g", inputs="unflushed pow", ulp={"*": 8192}),
    family("native_exp", FLOAT, "native_exp native_exp2 native_exp10", "g", inputs="unflushed", ulp={"*": 8192}),
    family("native_log", FLOAT, "native_log native_log2 native_log10", "g", inputs="not near 1", ulp={"*": 8192}),
    family("native_trig", FLOAT, "native_sin native_cos native_tan", "g", inputs="2^16", ulp={"*": 8192}),
    family("native_roots", FLOAT, "native_sqrt native_rsqrt native_recip", "g", inputs="unflushed", ulp={"*": 8192}),
    family("native_two", FLOAT, "native_divide", "g g", inputs="unflushed", ulp={"*": 8192}),
    family("native_powr", FLOAT, "native_powr", "g g", inputs="unflushed pow", ulp={"*": 8192}),
]

COMMON = [
    family("angles", FLOATS, "degrees radians sign", "g", ulp={"*": 2, "sign": 0}),
    family("limits", FLOATS, "max min", "g g", inputs="finite"),
    family("limits_scalar", FLOATS, "max min", "g s", widths=VECTORS, inputs="finite"),
    family("clamps", FLOATS, "clamp", "g g g", inputs="ordered"),
    family("clamp_scalar", FLOATS, "clamp", "g s s", widths=VECTORS, inputs="ordered"),
    family("mix", FLOATS, "mix", "g g g", inputs="mix", ulp={"*": 4}),
    family("mix_scalar", FLOATS, "mix", "g g s", widths=VECTORS, inputs="mix", ulp={"*": 4}),
    family("step", FLOATS, "step", "g g"),
    family("step_scalar", FLOATS, "step", "s g", widths=VECTORS),
    family("smoothstep", FLOATS, "smoothstep", "g g g", inputs="smoothstep", ulp={"*": 8}),
    family("smoothstep_scalar", FLOATS, "smoothstep", "s s g", widths=VECTORS, inputs="smoothstep", ulp={"*": 8}),
]

GEOMETRIC = [
    family("dot", FLOATS, "dot", "g g", "S", widths=(1, 2, 3, 4), inputs="dot", ulp={"*": 4}),
    family("length", FLOATS, "length", "g", "S", widths=(1, 2, 3, 4), inputs="vector", ulp={"*": 5}),
    family("distance", FLOATS, "distance", "g g", "S", widths=(1, 2, 3, 4), inputs="distance", ulp={"*": 5}),
    family("normalize", FLOATS, "normalize", "g", widths=(1, 2, 3, 4), inputs="vector", ulp={"*": 6}),
    family("cross", FLOATS, "cross", "g g", widths=(3, 4), inputs="small"),
    family("fast_length", FLOAT, "fast_length", "g", "S", widths=(1, 2, 3, 4), inputs="moderate", ulp={"*": 8192}),
    family("fast_distance", FLOAT, "fast_distance", "g g", "S", widths=(1, 2, 3, 4), inputs="moderate", ulp={"*": 8192}),
    family("fast_normalize", FLOAT, "fast_normalize", "g", widths=(1, 2, 3, 4), inputs="moderate", ulp={"*": 8192}),
]

FAMILIES = INTEGER + LOGIC + RELATIONAL + EXACT + MATH + COMMON + GEOMETRIC
# Results that are not of the operands' kind, in families whose functions differ in that ("mixed").
RESULTS = {"abs": "u", "abs_diff": "u"}
