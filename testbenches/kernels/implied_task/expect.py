"""Sums and lists; what all work-items write is the same."""

import numpy as np

POCL = False  # PoCL 3.1 has no pipes


def expected(launch, args):
    n = int(args["n"].texts[0]) if "n" in args else 0
    if launch.kernel in ("source", "twice", "plus"):
        there = args["in"][:n] if launch.kernel == "source" else args["in"].packets
        made = {"source": there, "twice": there * np.int32(2), "plus": there + np.int32(3)}[launch.kernel]
        result = {"out": np.concatenate([args["out"].packets, made])}
        return result if launch.kernel == "source" else {"in": there[:0]} | result
    if launch.kernel == "sink":
        return {"in": args["in"].packets[:0], "out": args["in"].packets}
    if launch.kernel == "sums":
        more = launch.global_size[0] * 1000 + len(launch.global_size)
        return {"out": np.cumsum(args["in"], dtype=np.int32) + np.int32(more)}
    if launch.kernel == "sizes":
        local, groups = launch.local_size[0], launch.global_size[0] // launch.local_size[0]
        return {"out": np.full(n, local * 100 + groups, np.uint32)}
    squares = np.arange(n, dtype=np.uint32) ** 2
    return {"next": np.array([n + launch.global_size[0]], np.uint32), "out": squares}
