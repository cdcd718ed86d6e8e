"""Plain loops over lists that grow, where the kernels move windows."""

import numpy as np

COLUMNS = 90


def expected(launch, args):
    return globals()[launch.kernel](args)


def number(a, name):
    return int(a[name].texts[0])


def box(a):
    rows, out = number(a, "rows"), a["out"].copy()
    image = np.array(a["in"][:rows * COLUMNS], np.int64).reshape(rows, COLUMNS)
    for y in range(2, rows):
        for x in range(2, COLUMNS):
            out[y * COLUMNS + x] = image[y - 2:y + 1, x - 2:x + 1].sum() + image[y - 1, x - 1]
    return {"out": out}


def echo(a):
    quiet, again = (np.float32(a[name].texts[0]) for name in ("quiet", "again"))
    out, line = a["out"].copy(), [quiet] * 150
    for i in range(number(a, "n")):
        line.append(np.float32(a["in"][i] + np.float32(again * line[-150])))
        out[i] = np.float32(line[-1] + line[-42])
    return {"out": out}


def exchange(a):
    n, out = number(a, "n"), a["out"].copy()
    pairs = np.array(a["in"], np.int64).reshape(-1, 2)
    first = [(k, -k) for k in range(16)]
    # 16 iterations from in to out for one, 80 for the other.
    second = [(k, -k) for k in range(17, 17 + 80)]
    for i in range(n):
        x, y = tuple(pairs[2 * i]), tuple(pairs[2 * i + 1])
        first.append(y)
        y = first[i]
        if i & 16:
            x, y = y, x
        second.append(x)
        out.reshape(-1, 2)[2 * i] = second[i]
        out.reshape(-1, 2)[2 * i + 1] = y
    return {"out": out}


def pairs(a):
    rows, columns = number(a, "rows"), number(a, "columns")
    out, line = a["out"].copy(), [int(v) for v in a["left"]]
    for y in range(rows):
        total = y
        for x in range(columns):
            at = 2 * (y * columns + x)
            total += line[-24] * line[-1] - line[-19]
            line += [int(v) for v in a["in"][at:at + 2]]
        out[y] = (total + 2**31) % 2**32 - 2**31
    return {"out": out, "left": np.array(line[-24:], np.int16)}


def gaps(a):
    out, line = a["out"].copy(), [7] * 80
    for i in range(number(a, "n")):
        x = int(a["in"][i])
        if x & 4:
            line.append(x)
        out[i] = x ^ line[-80] ^ (line[-10] << 1) % 2**32
    return {"out": out}
