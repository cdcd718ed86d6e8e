"""The kernels by hand."""

import numpy as np

POCL = False  # PoCL 3.1 compiles OpenCL C 1.2: no program-scope variables in global memory
AFRESH = True


def expected(launch, args):
    if launch.kernel == "count":
        v = args["data"].astype(np.int32)
        return {"out": np.clip(v - 100, -50, 75) + ((v & 3) + 1) * 1000}
    gains = [np.float32(g) for g in (1, 0.5, 0.25, -2)]
    out, total = [], 100
    for i, x in enumerate(args["in"]):
        y = x * gains[i & 3]
        gains[i & 3] = np.float32(0.5 if y > 0 else 2)
        total += i
        out.append(y)
    return {"out": np.array(out, np.float32), "final_count": np.array([total, 5 + len(out), 0], np.int32)}
