"""numpy.bincount and reductions."""

import numpy as np


def expected(launch, args):
    if launch.kernel == "histogram":
        counts = np.bincount(args["data"][: int(args["n"].texts[0])], minlength=256)
        return {"bins": args["bins"] + counts.astype(np.uint32)}
    if launch.kernel == "tickets":
        n = launch.global_size[0]
        taken = np.zeros(args["taken"].size, np.uint8)
        taken[:n] = 1
        return {"counter": np.array([n], np.int32), "taken": taken}
    if launch.kernel == "count":
        hits = np.bincount(np.arange(launch.global_size[0]) % int(args["n"].texts[0]), minlength=args["counters"].size)
        return {"counters": args["counters"] + hits.astype(np.uint32)}
    v = args["data"]
    total = v.sum(dtype=np.int32)
    return {"summary": np.array(
        [v.min(), v.max(), total, np.bitwise_or.reduce(v), np.bitwise_and.reduce(v), np.bitwise_xor.reduce(v),
         np.negative(total), v.view(np.uint32).max().view(np.int32)], np.int32)}
