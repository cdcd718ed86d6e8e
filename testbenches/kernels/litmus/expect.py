"""Nothing that is forbidden happens; what is written is what the kernels write."""

import numpy as np

POCL = False  # PoCL 3.1 compiles OpenCL C 1.2: no atomics with orders


def expected(launch, args):
    n, name = launch.global_size[0], launch.kernel
    results = {"wrong": np.zeros(n, np.int32)}
    if name.startswith("messages"):
        each = launch.local_size[0] if name == "messages_crossing" else n
        ids = np.arange(n) % each
        writes = ids % 2 == 0
        values = np.where(writes, 5 * ids + 1, 0)
        if "data" in args:
            results["data"] = values.astype(np.int32)
        if "ready" in args:
            results["ready"] = writes.astype(np.int32)
    elif name.startswith("buffering"):
        # a word for each distance that leads to another work-item, in the array of the lower or the upper one
        bits, ids = np.indices(args["a"].shape)
        other = ids ^ (1 << bits)
        results |= {"a": ((other < n) & (ids < other)).astype(np.int32), "b": (other < ids).astype(np.int32),
                    "pairs": np.zeros_like(args["pairs"])}
    elif name == "coherence":
        results["words"] = np.full(n, 6, np.int32)
    else:
        results |= {"words": np.ones_like(args["words"]), "fours": np.zeros_like(args["fours"])}
    return results
