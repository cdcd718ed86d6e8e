"""The factorials, and the sparse switch as dictionaries; the machine's other runs are PoCL's."""

import math

import numpy as np

LONG = {0: 1, -1: 2, 2**32: 3, -(2**63): 4, 10**6: 5, 10**6 + 1: 5, 10**6 + 2: 5}


def expected(launch, args):
    if launch.kernel == "sparse":
        out = []
        for x, letter in zip(args["in"].tolist(), args["letters"].tolist()):
            c = chr(letter & 255)
            r = LONG.get(x, 6 if x > 0 else 7)
            r += 110 if c in "aeiou" else 10 if c == "y" else 1000 * int(c) if c in "0123456789" else 0
            out.append(r)
        return {"out": np.array(out, np.int32)}
    if launch.name == "factorial_odd":
        return {"output": np.array([math.factorial(n) for n in args["input"].tolist()], np.int32)}
    return {}
