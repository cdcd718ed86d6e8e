"""What does not depend on the order of the operations, by integers of Python."""

import numpy as np

POCL = False  # races on what is computed here are none, but PoCL 3.1 runs the lock's work-items one after another: it never ends


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def expected(launch, args):
    count = launch.local_size[0]
    if launch.kernel == "members":
        out = np.zeros(12, np.int64)
        for entry in range(4):
            out[3 * entry:3 * entry + 3] = 1000 + entry, count // 4 - 2, 7
        return {"out": out}
    if launch.kernel == "lock_beside":
        return {"out": np.array([sum(range(count)), count, 0], np.int64)}
    if launch.kernel == "cleared_by_vectors":
        bins, total = [100 * (bin % 4) for bin in range(64)], 0
        for key in args["keys"]:
            total += bins[key % 64] % 100
            bins[key % 64] += 3
        assert max(bins) % 100 < 90, "the order would matter"
        return {"bins": np.array(bins, np.uint32), "before": np.array([total], np.uint32)}
    return both_widths([int(v) for v in args["values"]])


def both_widths(values):
    longs = [0x7000000080000000, -0x123456789ABCDEF] * 8
    words = [part for value in longs for part in (value & 0xFFFFFFFF, value >> 32 & 0xFFFFFFFF)]
    unsigned = [v & 0xFFFFFFFF for v in values]
    words[0] = min(values + [signed(words[0], 32)])
    words[1] = max(values + [signed(words[1], 32)])
    words[2] = min(unsigned + [words[2]])
    words[3] = max(unsigned + [words[3]])
    for value in values:
        words[4] |= value & 0xF0F0
        words[5] &= value | 0xFFF
        words[6] ^= value
        words[7] -= value
        longs[4] += value
        longs[5] -= value
        longs[10] ^= value << 13
    wide = [value & (1 << 64) - 1 for value in longs]
    longs[6] = min([v << 20 for v in values] + [longs[6]])
    longs[7] = max([v << 20 for v in values] + [longs[7]])
    longs[8] = min([v & (1 << 64) - 1 for v in values] + [wide[8]])
    longs[9] = max([v & (1 << 64) - 1 for v in values] + [wide[9]])
    words[27] = 77
    for place in (4, 5, 6, 7, 8, 9, 10):
        words[2 * place:2 * place + 2] = longs[place] & 0xFFFFFFFF, longs[place] >> 32 & 0xFFFFFFFF
    for place in (0, 1, 2, 3, 12, 13, 14, 15):
        longs[place] = words[2 * place] & 0xFFFFFFFF | (words[2 * place + 1] & 0xFFFFFFFF) << 32
    # longs[11] is what the first to come has written
    kept = {"out": np.array([signed(w, 32) for w in words], np.int32), "wide": np.array([signed(v, 64) for v in longs], np.int64)}
    kept["out"][22:24] = 0
    kept["wide"][11] = 0
    return kept
