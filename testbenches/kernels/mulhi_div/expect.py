"""Python's unbounded integers."""

import math

import numpy as np


def signed(v, bits):
    v %= 1 << bits
    return v - (1 << bits) if v >> (bits - 1) else v


def quotient(a, b):
    """Division rounding towards zero, and its remainder."""
    q = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return q, a - q * b


def high(a, b, bits):
    return (a * b) >> bits


def expected(launch, args):
    if launch.kernel == "divide_narrow":
        q, r = np.vectorize(lambda a, b: quotient(int(a), int(b)))(args["a"], args["b"])
        return {"out": np.stack([q, r]).astype(np.int8), "wide": np.stack([args["c"] // args["d"], args["c"] % args["d"]])}
    a, b = args["a"].tolist(), args["b"].tolist()
    if launch.kernel == "number_theory":
        return {"gcd": np.array([math.gcd(x, y) for x, y in zip(a, b)], np.uint64),
                "power": np.array([pow(x, y & 0xFFFF, 4294967291) for x, y in zip(a, b)], np.uint64)}
    if launch.kernel == "product128":
        return {"out": np.array([[x * y % 2**64, x * y >> 64] for x, y in zip(a, b)], np.uint64)}
    function = {"high_products": products, "divide_long": divide_long, "divide_int": divide_int}[launch.kernel]
    return {"out": np.array([function(x, y) for x, y in zip(a, b)], args["a"].dtype).T.copy()}


def products(x, y):
    ux, uy = x % 2**64, y % 2**64
    return [high(x, y, 64), signed(high(ux, uy, 64), 64), signed(x * y, 64), signed(high(x, y, 64) + 1, 64),
            high(signed(x, 32), signed(y, 32), 32), high(x % 2**32, y % 2**32, 32),
            high(signed(x, 16), signed(y, 16), 16), high(x % 256, y % 256, 8)]


def divide_long(x, y):
    return [*quotient(x, y), signed(x % 2**64 // (y % 2**64), 64), signed(x % 2**64 % (y % 2**64), 64)]


def divide_int(x, y):
    ux, uy = x % 2**32, y % 2**32
    return [*quotient(x, y), signed(ux // uy, 32), signed(ux % uy, 32), quotient(x, 7)[0], quotient(x, 10)[1],
            quotient(x, -16)[0], ux // 641]
