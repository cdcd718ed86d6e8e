"""Integers, which the floats of all results are."""

import numpy as np


def expected(launch, args):
    return globals()[launch.kernel](args)


def values(a, name="a"):
    return [int(v) for v in a[name][:int(a["n"].texts[0])]]


def dot_task(a):
    return {"out": np.array([1 + sum(x * y for x, y in zip(values(a), values(a, "b")))], np.float32)}


def double_task(a):
    return {"out": np.array([sum(values(a)), 5 - sum(v % 16 for v in values(a))], np.float64)}


def product_task(a):
    product, whole = 3.0, 1
    for i, v in enumerate(values(a)):
        product *= -1 if v % 2 else 2 if i % 2 else 0.5
        whole = whole * (v | 1) % 2**32
    return {"out": np.array([product], np.float32), "whole": np.array([whole], np.uint32)}


def until_task(a):
    sums = [0, 0]
    for v in values(a):
        if v == 77:
            break
        sums.append(sums[-1] + v)
    return {"out": np.array([sums[-1], sums[-2]], np.float32)}


def running_task(a):
    found, out, n = values(a), a["out"].copy(), len(values(a))
    out[:n] = np.cumsum(found)
    return {"out": out, "rows": np.array([sum(found[r::4]) for r in range(4)], np.float32)}
