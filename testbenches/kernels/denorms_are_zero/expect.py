"""numpy on flushed operands; a result whose exact value is below the smallest normal number is a zero of its sign."""

import pathlib
from fractions import Fraction

import numpy as np

POCL = False  # it keeps subnormal numbers: the option is a hint


def flush(v):
    return np.where(np.abs(v) < np.finfo(v.dtype).tiny, np.copysign(v.dtype.type(0), v), v)


def operation(name, *operands):
    """One IEEE operation between flushed numbers."""
    with np.errstate(all="ignore"):
        operands = [flush(v) for v in operands]
        if name == "fma":
            return np.array([fused(*v) for v in zip(*operands)], operands[0].dtype)
        ieee = getattr(np, name)(*operands)
        return np.array([exactly(name, r, v) for r, *v in zip(ieee, *operands)], ieee.dtype)


def exactly(name, rounded, operands):
    """The rounded result, or a zero where the exact one is too small, though it may be rounded up."""
    least = np.finfo(rounded.dtype).tiny
    if not np.isfinite(rounded) or abs(rounded) > least or name == "sqrt" or not np.isfinite(operands).all():
        return rounded
    x, y = (Fraction(float(v)) for v in operands)
    exact = {"add": lambda: x + y, "subtract": lambda: x - y, "multiply": lambda: x * y, "divide": lambda: x / y}[name]()
    return np.copysign(rounded.dtype.type(0), rounded) if abs(exact) < Fraction(float(least)) else rounded


def fused(a, b, c):
    """a * b + c in single precision, rounded once."""
    approximate = np.float64(a) * np.float64(b) + np.float64(c)
    if not np.isfinite(approximate) or not np.isfinite([a, b, c]).all():
        return np.float32(approximate)
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    if exact == 0:
        return np.float32(approximate)
    if abs(exact) < Fraction(float(np.finfo(np.float32).tiny)):
        return np.float32(-0.0 if exact < 0 else 0.0)
    near = np.float32(approximate)
    if not np.isfinite(near):
        return near
    candidates = [near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf))]
    candidates = [v for v in candidates if np.isfinite(v)]
    return min(candidates, key=lambda v: (abs(Fraction(float(v)) - exact), int(v.view(np.uint32)) & 1))


def expected(launch, args):
    x, y = args["x"], args["y"]
    if launch.kernel == "single_precision":
        columns = [operation("add", x, y), operation("subtract", x, y), operation("multiply", x, y),
                   operation("divide", x, y), operation("fma", x, y, x), operation("sqrt", x)]
        return {"out": np.stack(columns, 1).reshape(-1)}
    sums, products = operation("add", x, y), operation("multiply", x, y)
    return {"out": np.stack([sums, sums, products, products], 1).reshape(-1)}


def inputs():
    """Numbers about the smallest normal one, and factors that take others there."""
    rng = np.random.default_rng(1)
    folder = pathlib.Path(__file__).parent / "in"
    folder.mkdir(exist_ok=True)
    for dtype, bits, bias, frac, count, suffix in ((np.float32, np.uint32, 127, 23, 512, ""), (np.float64, np.uint64, 1023, 52, 256, "d")):
        def numbers(low, high, count):
            exponent = rng.integers(low, high, count).astype(bits) << bits(frac)
            fraction = rng.integers(0, 1 << frac, count).astype(bits)
            fraction[::5] = (1 << frac) - 1
            fraction[1::5] = 0
            sign = rng.integers(0, 2, count).astype(bits) << bits(8 * bits().itemsize - 1)
            return (exponent | fraction | sign).view(dtype)
        x = np.concatenate([numbers(0, 3, count // 2), numbers(bias // 2 - 1, bias // 2 + 2, count - count // 2)])
        y = np.concatenate([numbers(0, 3, count // 4), numbers(bias - 2, bias + 2, count // 2 - count // 4),
                            numbers(bias // 2 - 1, bias // 2 + 2, count - count // 2)])
        np.save(folder / f"small_{suffix}x.npy", x)
        np.save(folder / f"small_{suffix}y.npy", y)


if __name__ == "__main__":
    inputs()
