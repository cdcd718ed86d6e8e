"""The loops one iteration after the other, with unsigned integers as they wrap."""

import numpy as np

M = 0xFFFFFFFF
CONSTANT = {"length_of": ("s",), "find": ("a",), "copy_until": ("s",), "rows": ("a",), "votes": ("a",), "bins": ("in",), "echoes": ("a",),
            "row_of_each": ("a",), "compare": ("a", "b"), "triples": ("a",), "runs": ("a",)}


def expected(launch, args):
    v = {k: a.copy() for k, a in args.items() if isinstance(a, np.ndarray)}
    number = {k: float(a.texts[0]) if k == "limit" and launch.kernel == "settle" else int(a.texts[0])
              for k, a in args.items() if not isinstance(a, np.ndarray)}
    state = {k: [x.item() for x in a] for k, a in v.items()}
    globals()[launch.kernel](*[state[k] if k in state else number[k] for k in args])
    return {k: np.array(state[k], dtype=v[k].dtype) for k in v if k not in CONSTANT.get(launch.kernel, ())}


def length_of(s, out):
    out[0] = next(i for i, c in enumerate(s) if not c & 63)


def find(a, n, key, out):
    out[0] = next((i for i in range(n) if a[i] & 255 == key), -1)


def copy_until(s, d, odd):
    found = []
    for i, c in enumerate(s):
        d[i] = c ^ 0x5A
        if c & 1:
            found.append(i)
        if not c & 31:
            break
    odd[: len(found) + 1] = [len(found), *found]


def rows(a, n, pitch, out):
    for r in range(n):
        row = a[r * pitch:]
        count = next(i for i, v in enumerate(row) if not v & 7)
        out[2 * r: 2 * r + 2] = [sum(row[:count]) & M, count]


def votes(a, votes, limit):
    total = i = 0
    while total < limit:
        v = a[i] & 1023
        total += v
        i += 1
        votes[v & 3] = votes[v & 3] + v & M
    votes[4] = i


def bins(in_, n, out):
    count = [0] * 16
    for k in range(n):
        i = k
        while in_[i & 63] & 7:
            count[in_[i & 63] & 15] += 1
            i += 1
        count[15] += i - k
    out[:] = count


def settle(x, n, limit):
    f = np.float32
    for k in range(n):
        v, steps = f(x[k]), 0
        while True:
            v = v * f(0.75)
            steps += 1
            if not v * v * v / (v + f(1)) > f(limit):
                break
        x[k] = (v + f(steps)).item()


def echoes(a, d, n, pitch):
    for r in range(n):
        i = r * pitch + 4
        while True:
            d[i] = d[i - 4] * 3 + a[i] & M
            i += 1
            if not a[i] & 7:
                break


def compare(a, b, n, out):
    i = 0
    while i < n and not (a[i] ^ b[i]) & 0x83:
        out[1 + i] = a[i] * b[i]
        i += 1
    out[0] = i


def triples(a, n, key, out):
    for i in range(n):
        v = a[i] >> 24
        if v == key:
            out[1] = v
            out[0] = i
            return
        if v >= 0:
            out[2 + i] = v * 3
    out[0] = n


def runs(a, n, out):
    to = i = 0
    while i < n:
        v, length = a[i] & 1, 1
        while i + length < n and a[i + length] & 1 == v and length < 5:
            length += 1
        out[to: to + 2] = v, length
        to += 2
        i += length


def row_of_each(a, pitch, out):
    for r in range(len(out) // 2):
        row = a[r * pitch:]
        count = next(i for i, v in enumerate(row) if not v & 7)
        total = 0
        for v in row[:count]:
            total ^= v * 3 & M
        out[2 * r: 2 * r + 2] = [total, count]
