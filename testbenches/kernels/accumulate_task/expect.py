"""Step by step, with numpy scalars."""

import numpy as np

from launches import number


def expected(launch, args):
    n = int(args["n"].texts[0])
    if launch.kernel == "sum_float":
        total = np.float32(0)
        for x in args["in"][:n]:
            total = total + x
        return {"out": np.array([total])}
    if launch.kernel == "sum_int":
        v = args["in"].astype(np.int64)
        return {"out": np.array([v.sum(), (v * v).sum(), v.max()], np.int64)}
    if launch.kernel == "iir":
        c = [number(t, np.float32) for t in args["c"].texts]
        y1 = y2 = np.float32(0)
        out = []
        for x in args["in"]:
            y1, y2 = c[0] * x + c[1] * y1 + c[2] * y2, y1
            out.append(y1)
        return {"out": np.array(out, np.float32)}
    if launch.kernel == "congruence":
        x, out = int(args["seed"].texts[0], 16), []
        for _ in range(n):
            x = (x * 6364136223846793005 + 1442695040888963407) % 2**64
            out.append(x)
        return {"out": np.array(out, np.uint64)}
    return {"data": args["data"].cumsum(dtype=np.int32)}
