"""The same in plain Python, a place of memory at a time."""

import numpy as np

M = 0xFFFFFFFF
F = np.float32


def expected(launch, args):
    return globals()[launch.kernel](args)


def number(a, name):
    return int(a[name].texts[0])


def ints(values):
    return [int(v) for v in np.ravel(values)]


def signed(x, bits=32):
    half = 1 << bits - 1
    return (x + half & (1 << bits) - 1) - half


def histogram(a):
    values = ints(a["in"][:number(a, "n")])
    return {"out": np.array([values.count(k) for k in range(256)], np.uint32)}


def sums_by_key(a):
    sums = [F(0)] * 64
    for key, value in list(zip(ints(a["key"]), a["value"]))[:number(a, "n")]:
        sums[key % 64] = F(sums[key % 64] + F(value))
    return {"out": np.array(sums, F)}


def shuffle_table(a):
    out, state = a["out"].copy(), number(a, "state")
    t = list(range(min(number(a, "n"), 1024)))
    for i in range(len(t), 1, -1):
        state = (state * 1664525 + 1013904223) & M
        j = (state >> 16) % i
        t[i - 1], t[j] = t[j], t[i - 1]
    out[:len(t)] = t
    return {"out": out}


def common_length(a):
    x, y = a["a"][:number(a, "m")], a["b"][:number(a, "n")]
    best = np.zeros((len(x) + 1, len(y) + 1), int)
    for i in range(len(x)):
        for j in range(len(y)):
            best[i + 1][j + 1] = best[i][j] + 1 if x[i] == y[j] else max(best[i][j + 1], best[i + 1][j])
    return {"out": np.array([best[-1][-1]], np.int32)}


def bytes_and_words(a):
    t = bytearray(b"".join((0x01020304 * (i % 4)).to_bytes(4, "little") for i in range(128)))
    for i, x in enumerate(ints(a["in"][:number(a, "n")])):
        t[i % 512] = x
        t[4 * (i // 8 % 128)] ^= t[(i * 5 + 2) % 512]
    return {"out": np.frombuffer(bytes(t), "<u4")}


def sometimes(a):
    t, last, out = [k * k for k in range(64)], 7, a["out"].copy()
    n = number(a, "n")
    for i, x in enumerate(ints(a["in"][:n])):
        k = (x >> 3) % 64
        if x & 1:
            last = last + t[k] & M
        if x & 2:
            t[(k + 1) % 64] = last ^ i
        elif x & 4:
            t[k] = t[k] + 3 & M
        out[i] = last
    out[n] = t[5] + t[63] & M
    return {"out": out}


def gather_six(a):
    t, out = [3 * k - 100 for k in range(256)], a["out"].copy()
    for i, x in enumerate(ints(a["in"][:number(a, "n")])):
        out[i] = t[x] + t[(x + 17) % 256] * 2 - t[x * 3 % 256] + t[x ^ 85] - t[255 - x] + t[(x >> 1) + 64]
        t[i % 256] = i ^ x
    return {"out": out}


def either_table(a):
    tables, at = [list(range(48)), [1000 - k for k in range(80)]], list(range(16))
    for x in ints(a["in"][:number(a, "n")]):
        k, table = at[x % 16], tables[0 if x & 16 else 1]
        table[k] = (table[k] * 3 + x) % 2**64
        at[(x >> 5) % 16] = (k + 1) % 48
    return {"out": np.array(tables[0] + tables[1], np.uint64)}


def eliminate(a):
    m = np.array(a["in"], F).reshape(12, 12)
    for k in range(12):
        for i in range(k + 1, 12):
            f = F(m[i][k] / m[k][k])
            m[i][k] = f
            for j in range(k + 1, 12):
                m[i][j] = F(m[i][j] - F(f * m[k][j]))
    return {"out": m.reshape(a["out"].shape)}


def vectors_until(a):
    t = [[k, k + 1, k + 2, k + 3] for k in range(32)]
    n, limit, i, k = number(a, "n"), number(a, "limit"), 0, 0
    values = ints(a["in"])
    while i < n:
        k = values[i] % 32
        t[k] = [signed(x + y) for x, y in zip(t[k], [1, k, i, 2])]
        if t[k][0] > limit:
            break
        i += 1
    steps = 0
    while t[k][1] < 1000 and steps < 40:
        k = (k + t[k][3]) % 32
        steps += 1
    return {"out": np.array(t + [[i, k, steps, 0]], np.int32).reshape(a["out"].shape)}


def flows(a):
    node = [F(0)] * 256
    for (x, y), f in list(zip(a["edge"], a["flow"]))[:number(a, "n")]:
        if f > 0:
            node[x] = F(node[x] - f)
            node[y] = F(node[y] + f)
    return {"out": np.array(node, F)}


def five_before(a):
    t, factor = list(range(512)), [1] * 256
    for i in range(5, number(a, "n")):
        k = int(a["in"][i])
        t[i & 511] = t[i - 5 & 511] * 5 + k & M
        factor[k] = factor[k] * (k | 1) & M
    return {"out": np.array(t + factor, np.uint32)}


def decided_by(a):
    m, limit = number(a, "m"), number(a, "limit")
    hits, both = [0] * 64, 0
    for i in range(number(a, "n")):
        x, y = int(a["a"][i]), int(a["b"][i]) if i < m else None
        if x >= limit or y is not None and y >= limit:
            hits[i & 63] += i
        both += y is not None and y < limit and x < limit
    return {"out": np.array(hits + [both], np.uint32)}
