"""numpy indexing."""

import numpy as np


def expected(launch, args):
    if launch.kernel == "vertices":
        return {"out": vertices(args["in"])}
    if launch.kernel == "swizzle":
        v = args["in"]
        w = v.copy()
        w[:, [0, 2]] = v[:, [7, 5]]
        w[:, [5, 7]] += v[:, [0, 2]]
        rows = [v[:, ::-1], v[:, [0, 2, 4, 6, 1, 3, 5, 7]], v[:, [2, 3, 4, 5, 0, 7, 3, 3]], w]
        return {"out": np.stack(rows)}
    if launch.kernel == "by_index":
        v, m = args["in"], args["mask"] & 15
        shuffled = np.take_along_axis(v, m.astype(np.int64), axis=1)
        picked = v.copy()
        picked[:, 5] = v[np.arange(len(v)), m[:, 0]]
        picked[:, 10] = v[np.arange(len(v)), m[:, 15]]
        return {"out": np.stack([shuffled, shuffled, picked])}
    if launch.kernel == "three":
        return {"sums": (args["padded"][:, :3] + args["packed"])[:, [2, 0, 1]]}
    if launch.kernel == "unaligned":
        shift, n, out = int(args["shift"].texts[0]), launch.global_size[0], args["out"].copy()
        v = args["in"][shift : shift + 4 * n].reshape(-1, 4)
        out[1 : 1 + 2 * n] = (v[:, :2] + v[:, 2:]).reshape(-1)
        return {"out": out}
    if launch.kernel == "masks":
        m = args["a"] > args["b"]
        flags = np.stack([m.any(axis=1), m.all(axis=1)], axis=1).astype(np.int32)
        return {"larger": np.maximum(args["a"], args["b"]), "mask": np.where(m, 0xFF, 0x100).astype(np.int32), "flags": flags}
    return {"out": args["in"].transpose(0, 2, 1).copy()}


def vertices(data):
    """A vertex is 64 bytes: position at 0, name 16, cell 32, colour 48, texture 52, size 56."""
    out = data.copy()
    out[:, 0:16] = data[:, 0:16].reshape(-1, 4, 4)[:, ::-1].reshape(-1, 16)
    out[:, 16:24] = data[:, 24:32] ^ data[:, 17:32:2]
    cell = data[:, 32:48].copy().view(np.uint32)
    cell[:, :3] = cell[:, [2, 0, 1]] + np.array([1, 2, 3], np.uint32)
    out[:, 32:48] = cell.view(np.uint8)
    out[:, [48, 50]] = data[:, [50, 48]]
    texture = data[:, 52:56].copy().view(np.int16)
    out[:, 52:56] = np.stack([texture[:, 1], texture[:, 0] - texture[:, 1]], axis=1).view(np.uint8)
    return out
