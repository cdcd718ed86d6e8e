"""The same with one array for each array, work-item by work-item."""

import numpy as np

M = 0xFFFFFFFF


def expected(launch, args):
    return globals()[launch.kernel](args)


def number(a, name):
    return int(a[name].texts[0])


def ints(values):
    return [int(v) for v in np.ravel(values)]


def signed(x):
    return (x + 2**31 & M) - 2**31


def turned(x, n):
    return (x << n | x >> (32 - n)) & M


def message_schedule(a):
    out = a["out"].copy()
    for g in range(len(out)):
        w, h = ints(a["in"])[16 * g:16 * g + 16], 0
        for i in range(number(a, "rounds")):
            w[i % 16] = (w[i % 16] + (turned(w[(i + 14) % 16], 15) ^ w[(i + 9) % 16])) & M
            h = (turned(h, 5) + w[i % 16]) & M
        out[g] = h
    return {"out": out}


def rows_apart(a):
    rows = np.array(a["in"], np.int64).reshape(-1, 4, 24)
    turn, scale = number(a, "turn"), np.array([1, 2, 3, 4]).reshape(1, 4, 1)
    sums = (rows[:, :, ::-1] if turn else rows) * scale + np.roll(rows, -1, axis=1)
    return {"out": sums.astype(np.int32).reshape(a["out"].shape)}


def padded_tile(a):
    out = []
    for tile in a["in"].reshape(-1, 8, 16).astype(object):
        for y in range(8):
            for x in range(8):
                out.append(signed(sum(tile[x][k] * tile[y][k + 1] for k in range(0, 16, 2))))
    return {"out": np.array(out, np.int32).reshape(a["out"].shape)}


def twelve_bins(a):
    bins = [0] * 12
    for v in ints(a["in"][:max(0, number(a, "n"))]):
        bins[v % 12] += v
    return {"out": np.array(bins, np.uint32)}


def byte_table(a):
    values, seen = ints(a["in"][:max(0, number(a, "n"))]), [0] * 16
    for v, w in zip(values, values[1:]):
        if v < w:
            seen[v % 16] = (seen[v % 16] + 1) % 256
    return {"out": np.array(seen[::-1], np.uint8)}


def four_at_a_time(a):
    ring, out = [], a["out"].copy()
    for i, v in enumerate(ints(a["in"])):
        ring.append([i, v, 2 * i, -i])
    for i in range(number(a, "n")):
        w, x, y, z = ring[(i * 5 + 7) % 64]
        out[i] = signed(w + 3 * ring[i % 64][1] + 5 * y + 7 * z + ring[63 - i % 64][3])
    return {"out": out}


def scattered(a):
    values, out, mask = ints(a["in"]), a["out"].copy(), number(a, "mask")
    for first in range(0, len(values), 64):
        group = values[first:first + 64]
        table = list(range(64)) + [~x & M for x in range(64)]
        for x, v in enumerate(group):
            place = (x * 37 + 11) % 64
            if v & mask:
                table[place] = v
            if not v & 4:
                table[64 + place * 5 % 64] = v >> 1
        for x in range(64):
            near = table[x * 3 % 128] * 31 + table[(x * 3 + 1) % 128] * 17
            out[first + x] = (near + table[127 - x] * 5 + table[x ^ 2]) & M
    return {"out": out}


def halves_of_words(a):
    low, high, out = list(range(16)), list(range(16)), a["out"].copy()
    for i in range(number(a, "n")):
        v = int(a["in"][i])
        k = v % 16
        s = low[k] + 2 * high[(k + 3) % 16]
        word = (s * 0x01010101 + v) & M
        low[(k + 1) % 16], high[(k + 1) % 16] = word & 0xFFFF, word >> 16
        high[(k + 2) % 16] = s & 0xFFFF
        out[i] = s
    return {"out": out}


def over_the_edge(a):
    out = a["out"].copy()
    for g in range(len(out)):
        row, array = ints(a["in"])[16 * g:16 * g + 16], []
        for i in range(16):
            array += [row[i], i, row[i ^ 5], 7 - i]
        total = 0
        for i in range(1, 15):
            total = total * 3 + array[4 * i - 1] + array[4 * i + 4] - array[4 * i + 1] * array[4 * i - 3] + array[63 - 4 * i]
        out[g] = signed(total)
    return {"out": out}
