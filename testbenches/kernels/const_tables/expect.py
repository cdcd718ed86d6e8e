"""The tables again, as Python values."""

import numpy as np

NAMES = [b"add\0\0\0", b"mul\0\0\0", b"div\0\0\0", b"halt\0\0"]
COST = [1, 3, 20, 0]
OPERANDS = [[1, 2, 3], [4, 5, 6], [7, 0, 0], [0, 0, 0]]
SCALE = [8, 4, -16, 0]
SPACING = [[0, 1, 2, 3], [10, 11, 12, 13], [-100, -200, -300, -400]]
LARGE = [0xFEDCBA9876543210, 1, 1 << 63, 0, 2**64 - 1]
STEPS = [int(bit) for bit in "000100100101101001001000010110110111111011011010000010"] + list(range(7, 42, 2))
DIGITS = [int(d) for d in "3141592653589793238462643383279502884197169399375105820974944592"]
TEXT = b"the quick brown fox jumps over the lazy dog"


def expected(launch, args):
    if launch.kernel == "rows":
        sums = [sum(d) for d in SPACING] + [int(args["extra"].sum())]
        n = launch.global_size[0]
        tint = np.array([[0.125, 0.25, 0.375, 0.5], [0.5, 1, 2, 4]], np.float32)
        return {"out": np.array([sums[i % 4] for i in range(n)], np.int32), "tint": tint[np.arange(n) & 1]}
    if launch.kernel == "windows":
        return windows(args["index"].tolist())
    if launch.kernel == "guarded":
        return {"out": np.array([d if k & 1 else -1 for k, d in zip(args["index"].tolist(), DIGITS)], np.int32)}
    rows = []
    for k in args["index"].tolist():
        e = k & 3
        large = LARGE[k % 5] >> (k & 31) & 0xFFFFFFFF
        rows.append([NAMES[e][k % 5] * 1000 + COST[e], OPERANDS[e][k % 3] + SCALE[e], SPACING[k % 3][(k >> 4) & 3],
                     large - (large >> 31 << 32), TEXT[k % 43]])
    return {"out": np.array(rows, np.int32).T.copy()}


def windows(index):
    text, shorts = TEXT + b"\0", [value for row in SPACING for value in row]
    out = [sum(3**n * STEPS[k % 12 * 6 + n] for n in range(6)) for k in index]
    four = [list(text[(k >> 8) % 41:][:4]) for k in index]
    three = [shorts[(k >> 16) % 10:][:3] for k in index]
    return {"out": np.array(out, np.int32), "bytes": np.array(four, np.uint8),
            "shorts": np.array([row + row[1:2] for row in three], np.int16)}
