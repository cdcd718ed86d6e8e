"""Pipes as lists."""

import numpy as np

POCL = False  # PoCL 3.1 has no pipes


def expected(launch, args):
    n = int(args["n"].texts[0])
    if launch.kernel == "repeated":
        packets = [int(x) if x < 0 else int(x) ^ 255 for x in args["in"]]
        return {"out": np.array(packets, np.int32), "most": np.ones(1, np.int32)}
    if launch.kernel == "wide":
        packets = args["in"].packets.copy()
        packets[1:n:2] *= -1
        packets[0:n:2, 7] = np.arange(0, n, 2)
        first = packets[0:n:5, 0].copy()
        packets[0:n:5] = 0
        packets[0:n:5, 0], packets[0:n:5, 1], packets[0:n:5, 7] = np.arange(0, n, 5), n, first
        return {"in": packets[n:], "out": packets[:n]}
    packets = [int(x) for x in args["in"].packets[:n]]
    rest = {"in": args["in"].packets[n:]}
    if launch.kernel == "either":
        return rest | {"out": np.array([x if x & 1 else x * 3 for x in packets], np.int64).astype(np.int32)}
    if launch.kernel == "three":
        a = [x if x & 3 == 0 else -x for x in packets if x & 3 < 2]
        b = [(x + 1, x >> 1, x, x)[x & 3] for x in packets]
        return rest | {"a": np.array(a, np.int64).astype(np.int32), "b": np.array(b, np.int64).astype(np.int32)}
    pick = args["pick"][:n] > 0
    out = np.array([2 * x if p else x + 5 for x, p in zip(packets, pick)], np.int64).astype(np.int32)
    return rest | {"out": out, "seen": np.where(pick, packets, args["seen"]).astype(np.int32)}
