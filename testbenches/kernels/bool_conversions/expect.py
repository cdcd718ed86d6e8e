"""numpy's truth values."""

import numpy as np


def expected(launch, args):
    a = args["a"]
    if launch.kernel.endswith("to_bool"):
        return {"out": (a != 0).astype(np.uint8), "chosen": np.where(a != 0, -5, 8).astype(np.int32)}
    b = a > 2
    if launch.kernel == "bool_to_floats":
        return {"f": b.astype(np.float32), "d": -b.astype(np.float64), "v": np.repeat(-b.astype(np.int32)[:, None], 4, 1)}
    return {"c": b.astype(np.int8), "uc": b.astype(np.uint8), "s": -b.astype(np.int16), "us": b.astype(np.uint16),
            "n": 2 * b.astype(np.int32), "un": b.astype(np.uint32), "l": -b.astype(np.int64), "ul": b.astype(np.uint64)}
