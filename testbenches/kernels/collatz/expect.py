"""The sequence in Python's integers."""

import numpy as np


def expected(launch, args):
    if launch.kernel == "collatz":
        limit = int(args["limit"].texts[0])
        return {"steps": np.array([walk(int(n), limit)[0] for n in args["start"]], np.uint32)}
    return {"peak": np.array([max(walk(int(n), None)[1], 4 if n == 1 else 0) for n in args["start"]], np.uint64)}


def walk(n, limit):
    count, top = 0, n
    while n != 1 and count != limit:
        n = 3 * n + 1 if n % 2 else n // 2
        top = max(top, n)
        count += 1
    return count, top
