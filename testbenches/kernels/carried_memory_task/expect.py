"""The loops one iteration after the other, with unsigned integers as they wrap."""

import numpy as np

M = 0xFFFFFFFF


def expected(launch, args):
    v = {k: a.copy() for k, a in args.items() if isinstance(a, np.ndarray)}
    n = {k: int(a.texts[0]) for k, a in args.items() if not isinstance(a, np.ndarray)}
    state = {k: [x.item() for x in a] for k, a in v.items()}
    globals()[launch.kernel](*[state[k] if k in state else n[k] for k in args])
    constant = {"rings": ("in",), "on_chip": ("in",), "sums": ("in",), "some": ("when",)}.get(launch.kernel, ())
    return {k: np.array(state[k], dtype=v[k].dtype) for k in v if k not in constant}


def distances(a, b, c, d, f, n):
    for i in range(1, n):
        a[i] = (a[i - 1] * 3 + i) & M
    for i in range(2, n):
        b[i] = (b[i - 2] * 5 + b[i - 1]) & M
    for i in range(3, n):
        c[i] = c[i - 3] ^ (c[i] << 1 & M)
    for i in range(4, n):
        d[i] = (d[i - 4] + 7 * i) & M
    for i in range(4, n):
        f[i] = np.float32(f[i - 4]) * np.float32(0.5) + np.float32(f[i])


def far(a, b, c, n):
    for x, d in ((a, 16), (b, 17), (c, 100)):
        for i in range(d, n):
            x[i] = (x[i - d] * 3 + 1) & M


def backwards(a, b, c, d, n):
    for i in range(n - 1, 2, -1):
        a[i - 3] = (a[i] * 5 + 1) & M
    for i in range(6, n, 3):
        b[i] = (b[i - 6] + b[i - 1]) & M
    for i in range(n - 3, -1, -1):
        c[i] = (c[i + 2] * 9 + c[i]) & M
    for i in range(5, n - 1, 2):
        d[i] = (d[i - 4] + d[i + 1] * 3) & M


def ahead(a, b, n):
    for i in range(n - 2):
        a[i] = (a[i + 2] + 1) & M
    for i in range(3, n - 2):
        b[i] = (b[i - 3] * 3 + b[i + 2]) & M


def overwritten(a, b, c, n):
    for i in range(2, n):
        t = a[i - 2]
        a[i] = (t + 1) & M
        a[i - 1] = t * 5 & M
    for i in range(2, n):
        b[i] = b[i - 2] * 3 & M
        b[i - 1] = b[i - 1] & 0xFFFFFF | (i & 0xFF) << 24
    for i in range(1, n):
        t = c[i - 1]
        c[i] = c[i] & 0xFF00FF00 | t >> 3 & 0xFF | ((t + i) & 0xFF) << 16


def grid(a, b, rows, width):
    for i in range(width, rows * width):
        a[i] = (a[i - width] * 3 + i % width) & M
    for y in range(rows):
        for i in range(y * width + 2, (y + 1) * width):
            b[i] = (b[i - 2] + b[i]) & M


def shifted(a, n, d):
    for i in range(n):
        a[i + d] = (a[i] * 3 + 1) & M


def chosen(a, b, n, same):
    q = a if same else b
    for i in range(n - 1):
        q[i + 1] = (a[i] * 3 + 1) & M


def rings(given, out, a, n, m):
    w = list(range(64))
    for i in range(n):
        w[i % 64] = out[i] = (w[(i + 61) % 64] + given[i]) & M
    for i in range(n):
        a[(250 + i) % 256] = (a[(247 + i) % 256] + i) & M
    h = [0] * 32
    for i in range(n):
        h[given[i] % 32] += i
    for i in range(n):
        h[i % m] = (h[(i + 1) % m] * 3 + 1) & M
    a[256:288] = [x & M for x in h]


def on_chip(given, out, n):
    w, v = list(given), list(given)
    for i in range(3, n):
        w[i] = w[i - 3] * w[i - 1] & M
    for i in range(n - 1, 1, -1):
        v[i - 2] = (v[i] + v[i - 1]) & M
    for i in range(40, n):
        v[i] = v[i - 40] * 3 & M
    for i in range(256):
        out[i] = w[i] ^ v[i]


def sums(given, one, two, n):
    for i in range(n):
        one[0] += given[i] * 3
        two[given[i] & 1] += given[i]


def some(when, a, b, n):
    for i in range(2, n):
        if when[i] > 0:
            a[i] = (a[i - 2] + 1) & M
        b[i] = b[i - 2] * 3 & M if when[i] > 0 else i


def apart(a, b, c, n):
    for i in range(n):
        a[2 * i] = (a[2 * i + 1] * 3 + 1) & M
    for i in range(64):
        b[i] = (b[i + 64] + 1) & M
    for i in range(n // 2):
        c[3 * i] = (c[3 * i + 2] * 3 + c[3 * i + 1]) & M


def unrolled(a, b, n):
    for i in range(3, n):
        a[i] = (a[i - 3] * 5 + 1) & M
    for i in range(5, n):
        b[i] = (b[i - 5] + b[i - 2] * 3) & M


def short_runs(a, n, run):
    for r in range(4, n - run + 1, run):
        for i in range(r, r + run):
            a[i] = (a[i - 4] * 3 + 1) & M
