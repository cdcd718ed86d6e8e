"""Pipes as lists; groups come in any order."""

import numpy as np

POCL = False  # PoCL 3.1 has no pipes


def expected(launch, args):
    items, local = launch.global_size[0], launch.local_size[0]
    if launch.kernel == "read_apart":
        assert items == local, "one group: it reads in order"
        pipe = args["in"]
        value = pipe.packets[:items]
        return {"in": pipe.packets[items:], "out": np.where(np.arange(items) % 2 == 1, -value, value).astype(np.int32)}
    packets = [100 * group + l * l for group in range(items // local) for l in range(local // 2)]
    written = (np.arange(items) % local < local // 2).astype(np.int32)
    return {"out": np.array(packets, np.int32), "written": written}
