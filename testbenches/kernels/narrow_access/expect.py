"""numpy views of other widths."""

import numpy as np

PACKED = np.dtype({"names": ["tag", "value", "pair"], "formats": ["u1", "<i4", ("<i2", 3)], "offsets": [0, 1, 5], "itemsize": 11})


def expected(launch, args):
    data = args["buffer" if launch.kernel == "mixed" else "in"].copy()
    if launch.kernel == "neighbours":
        at = np.arange(data.size)
        wide = data.astype(np.uint64)
        return {"bytes": (data + np.uint8(1))[::-1].copy(), "shorts": (data.astype(np.uint16) * np.uint16(257))[at ^ 1],
                "words": wide << (at & 56).astype(np.uint64)}
    if launch.kernel == "mixed":
        mine = data.reshape(-1, 8)
        words, halves = mine.view("<u4"), mine.view("<u2")
        before = words[:, 0].copy()
        mine[:, 1] = 0xAB
        words[:, 1] = words[:, 0] ^ before
        halves[:, 3] = halves[:, 2] + mine[:, 1]
        return {"buffer": data, "out": words[:, 0] + words[:, 1] + mine[:, 7]}
    if launch.kernel == "strided":
        stride, out = int(args["stride"].texts[0]), args["out"].copy()
        out[::stride] = -data[::stride]
        return {"out": out}
    if launch.kernel == "packed_copy":
        records = data.reshape(-1).view(PACKED)
        sums = records["value"] + records["pair"][:, 2]
        records["value"] += records["tag"]
        records["pair"][np.arange(records.size), records["tag"] % 3] = -1
        return {"out": data, "sums": sums}
    return {"out": (data >> 3) ^ data[:, ::-1], "any_negative": (data[:, [0, 3, 7]] < 0).any(axis=1).astype(np.uint8)}
