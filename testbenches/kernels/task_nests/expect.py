"""numpy, and loops for what cannot be an array operation."""

import numpy as np


def expected(launch, args):
    return globals()[launch.kernel](args)


def row_sums(a):
    rows, cols = int(a["rows"].texts[0]), int(a["cols"].texts[0])
    out = a["out"].copy()
    out[:rows] = a["m"][:rows * cols].reshape(rows, cols).sum(axis=1, dtype=np.int32) if cols else 0
    return {"out": out}


def float_rows(a):
    rows, cols = int(a["rows"].texts[0]), int(a["cols"].texts[0])
    out = a["out"].copy()
    for r in range(rows):
        total = np.float32(0)
        for c in range(cols):
            total = np.float32(total + a["m"][r * cols + c])
        out[r] = total
    return {"out": out}


def product(a):
    n = int(a["n"].texts[0])
    left, right = (a[name].reshape(n, n).astype(np.int64) for name in ("a", "b"))
    return {"out": (left @ right).astype(np.int32).reshape(-1)}


def triangle(a):
    n, values = int(a["n"].texts[0]), [int(v) for v in a["in"]]
    out = a["out"].copy()
    for i in range(n):
        total = (values[i] * 2 + 1) % 2**32
        for j in range(i):
            total ^= (values[j] + j) % 2**32
        out[i] = total
    return {"out": out}


def compact(a):
    values = a["in"][:int(a["n"].texts[0])]
    kept = values[values > 0]
    out = a["out"].copy()
    out[:len(kept)] = kept
    return {"out": out, "count": np.array([len(kept)], np.int32)}


def sequence(a):
    out, seed = a["out"].copy(), int(a["seed"].texts[0])
    rows, cols = int(a["rows"].texts[0]), int(a["cols"].texts[0])
    for k in range(rows * cols):
        seed = (seed << 3) % 2**32 ^ seed >> 5 ^ k % cols
        if seed % 256 == 77:
            break
        out[k] = seed % 2**16
    return {"out": out}


def sparse(a):
    start, y = [int(s) for s in a["start"]], a["y"].copy()
    for r in range(int(a["rows"].texts[0])):
        y[r] = sum(int(a["value"][k]) * int(a["x"][a["column"][k]]) for k in range(start[r], start[r + 1]))
    return {"y": y}
