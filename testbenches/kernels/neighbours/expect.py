"""The results with numpy, place by place."""

import numpy as np

POINT = np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4")])
ENTRY = np.dtype([("tag", "i1"), ("hole", "u1"), ("count", "<i2"), ("sum", "<i4"), ("weight", "<f4"), ("rest", "u1", 4)])


def one(argument):
    return int(argument.texts[0])


def fields(launch, args):
    points, out = args["points"].view(POINT), args["out"].view(ENTRY).copy()
    out["sum"] = (points["x"] * np.float32(100)).astype(np.int32)
    out["tag"] = np.where(points["x"] < points["z"], 1, -1)
    out["count"] = points["z"].astype(np.int16)
    for k in (0, 1, 3):
        out["rest"][:, k] = k
    return {"out": out.view(np.uint8)}


def in_place(launch, args):
    p = args["p"].copy().reshape(-1, 3)
    chosen = p[:, 0] > 0
    p[chosen, 1] += p[chosen, 0]
    p[chosen, 2] ^= p[chosen, 1]
    return {"p": p.reshape(-1)}


def rows(launch, args):
    out = args["out"].copy()
    for i in range(launch.global_size[0]):
        begin = 64 + (i + one(args["first"])) * 16
        total = np.float32(0)
        for value in args["in"][begin:begin + 16]:
            total = total * np.float32(0.5) + value
        out[i] = total
    return {"out": out}


def unrolled(launch, args):
    n, out, both = one(args["n"]), args["out"].copy(), args["both"].copy()
    out[:n] = args["in"][:n] * 3 + 1
    both[:n] = both[:n] * 5 + np.arange(n)
    return {"out": out, "both": both}


def between(launch, args):
    p, out = args["p"].copy(), args["out"].copy()
    for i in range(one(args["n"])):
        first = int(p[4 * i])
        p[args["where"][i]] = first + 7
        out[i] = first * 3 + int(p[4 * i + 1])
    return {"p": p, "out": out}


def any_order(launch, args):
    a, b, c, d = args["in"].reshape(-1, 4).T
    return {"out": np.stack([d, c + a, b, a], axis=1).reshape(-1)}


def iterations(launch, args):
    p, q, r, n = args["p"].copy(), args["q"].copy(), args["r"].copy(), one(args["n"])
    p[1:2 * n:2] = p[1:2 * n:2] * 3 + p[0:2 * n:2]
    q[:n] = q[3:n + 3] + 1
    for i in range(n):
        r[i + 5] = r[i] * 2 + 1
    return {"p": p, "q": q, "r": r}


def expected(launch, args):
    return globals()[launch.kernel](launch, args)
