"""The kernels by hand."""

import numpy as np

POCL = False  # PoCL 3.1 compiles OpenCL C 1.2: no generic address space


def expected(launch, args):
    data, local = args["data"].tolist(), launch.local_size[0]
    n, out = len(data), []
    for gid in range(launch.global_size[0]):
        lid = gid % local
        if launch.kernel == "three_spaces":
            own = [data[(gid + i) % n] * (i + 1) for i in range(8)]
            group = gid - lid
            out.append([sum(data) + own[7], sum(data[group : group + local]), sum(own) - own[0]])
        elif launch.kernel == "named":
            out.append(data[gid] + 10**6 if gid % 2 else 2 * lid)
        else:
            choice = int(args["choice"][gid])
            cells = {0: data[gid], 1: gid * 1000, 2: gid * 3, 3: -7}
            cells[choice] += 5
            data[gid] = cells[0]
            out.append(cells[1] + cells[2] - cells[3] + cells[choice])
    results = {"data": np.array(data, np.int32), "out": np.array(out, np.int32)}
    return results
