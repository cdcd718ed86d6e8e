"""The loops one behind the other, with unsigned integers as they wrap."""

import numpy as np

M = 0xFFFFFFFF


def expected(launch, args):
    v = {k: a.copy() for k, a in args.items() if isinstance(a, np.ndarray)}
    n = {k: int(a.texts[0]) for k, a in args.items() if not isinstance(a, np.ndarray)}
    state = {k: [x.item() for x in a] for k, a in v.items()}
    globals()[launch.kernel](*[state[k] if k in state else n[k] for k in args])
    constant = {"apart": (), "overwritten": ()}.get(launch.kernel, ("a", "scale", "h") + (("b",) if launch.kernel == "staged" else ()))
    return {k: np.array(state[k], dtype=v[k].dtype) for k in v if k not in constant}


def staged(a, b, c, n, add):
    c[:n] = [((x ^ add) * y + add + 1) & M for x, y in zip(a[:n], b[:n])]


def rows(a, scale, c, n):
    for k in range(n * 48):
        r, j = divmod(k, 48)
        c[k] = ((a[k] + 1) * (scale[j % 16] + 1) + scale[0] * r) & M


def sums(a, out, n):
    out[0] = sum(a[:n]) & M
    out[1] = max([n * 3] + [x ^ n * 3 for x in a[:n]])
    out[2] = sum(x % 2 for x in a[:n])
    out[3] = out[0] ^ out[1]


def earlier_places(a, c, n):
    x = [7, 11] + [v * 5 & M for v in a[2:n]]
    for j in range(2, n):
        c[j] = (x[j] + 3 * x[j - 1] + 9 * x[j - 2]) & M


def later_places(a, c, d, n):
    x = [v ^ 5 for v in a[:n]] + list(range(n, 256))
    c[:n] = [(x[j + 1] + x[j]) & M for j in range(n)]
    d[:n] = [v * 3 & M for v in reversed(c[:n])]


def overwritten(b, c, d, n):
    d[:n] = [v + 1 & M for v in b[1 : n + 1]]
    b[:n] = range(n)
    for j in range(1, n):
        d[j] = (d[j] + c[j - 1]) & M
    c[1:n] = [3 * j for j in range(1, n)]


def needs_sum(a, c, n):
    total = sum(a[:n])
    c[:n] = [(x - total) & M for x in a[:n]]
    last = 0
    for x in c[:n]:
        last = (x * 2 + last) & M
    for j in range(n):
        c[j] ^= last
        last = (last * 5 + 1) & M


def apart(a, n, d):
    a[:n] = [x * 3 & M for x in a[:n]]
    for j in range(n):
        a[n + j] = (a[j + d] + 1) & M


def counts(a, c, n, m):
    x = a[:n] + [5] * (256 - n)
    c[:m] = x[:m]
    c[m : m + n + 1] = [v * 3 & M for v in x[: n + 1]]
    x[:n:2] = [9] * len(x[:n:2])
    c[m + n + 1 : m + n + 1 + n] = x[:n]


def sometimes(a, c, n):
    c[:n] = [((v if v & 1 else j) + 1) & M for j, v in enumerate(a[:n])]


def nests(a, c, rows, width):
    c[: rows * width] = [(v + 1) * (v + 1) & M for v in a[: rows * width]]


def copies(a, h, c, d, n):
    for i in range(0, n, 64):
        c[i : min(i + 64, n)] = a[i : min(i + 64, n)][::-1]
    d[:n] = h[:n]


def bytes(a, c, n):
    words = [int.from_bytes(bytearray(v + 1 & 255 for v in a[4 * k : 4 * k + 4]), "little") for k in range(8)]
    c[:n] = [words[j & 7] for j in range(n)]
