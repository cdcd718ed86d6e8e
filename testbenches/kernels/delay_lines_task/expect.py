"""Plain loops over lists."""

import numpy as np


def expected(launch, args):
    return globals()[launch.kernel](args)


def partial_sums(a):
    line = [np.float32(0)] * 9
    for value in a["in"][:int(a["n"].texts[0])]:
        line = [np.float32(line[-1] + value)] + line[:-1]
    total = np.float32(0)
    for value in line:
        total = np.float32(total + value)
    return {"out": np.array([total], np.float32)}


def lagged(a):
    values = [int(v) for v in a["start"]][::-1]
    out = a["out"].copy()
    for i in range(int(a["n"].texts[0])):
        values.append((values[-17] * 5 + (values[-5] >> 3)) % 2**32)
        out[i] = values[-1]
    return {"out": out, "left": np.array(values[:-18:-1], np.uint32)}


def biquad(a):
    a1, a2 = np.float32(a["a1"].texts[0]), np.float32(a["a2"].texts[0])
    out, y = a["out"].copy(), [np.float32(0), np.float32(0)]
    for i in range(int(a["n"].texts[0])):
        y.append(np.float32(np.float32(a["in"][i] + np.float32(a1 * y[-1])) + np.float32(a2 * y[-2])))
        out[i] = y[-1]
    return {"out": out}


def turns(a):
    ring = [int(a[name].texts[0]) for name in "abc"]
    sums = [3, 2, 1]
    for i in range(int(a["n"].texts[0])):
        # The product is one of int, which both fit.
        sums.append((sums[-1] * 3 + ring[i % 3] * int(a["in"][i])) % 2**32)
    return {"out": np.array([sums[-1], sums[-2], sums[-3], ring[int(a["n"].texts[0]) % 3]], np.uint32)}
