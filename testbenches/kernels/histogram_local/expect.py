"""numpy.bincount, and reductions modulo 2^32."""

import numpy as np


def expected(launch, args):
    if launch.kernel == "histogram_local":
        counts = np.bincount(args["data"] >> 2, minlength=64).astype(np.uint32)
        return {"bins": args["bins"] + counts}
    rows = args["data"].reshape(-1, launch.local_size[0])
    total = rows.sum(axis=1, dtype=np.int32)
    size = np.full(len(rows), rows.shape[1], np.int32)
    squares = (rows.view(np.uint32) * rows.view(np.uint32)).sum(axis=1, dtype=np.uint32).view(np.int32)
    bits = [op.reduce(rows, axis=1) for op in (np.bitwise_or, np.bitwise_and, np.bitwise_xor)]
    columns = [total, -total, rows.min(axis=1), rows.max(axis=1), *bits, size, -size, squares]
    return {"out": np.stack(columns, axis=1).astype(np.int32)}
