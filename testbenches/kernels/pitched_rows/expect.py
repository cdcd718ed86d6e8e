"""The results with numpy, place by place."""

import itertools

import numpy as np


def one(argument):
    return int(argument.texts[0])


def places(launch, pitch, first=0):
    size = tuple(launch.global_size) + (1,) * (2 - len(launch.global_size))
    dx, dy = (tuple(launch.offset or ()) + (0, 0))[:2]
    return [(x + dx, first + (y + dy) * pitch + x + dx) for y, x in itertools.product(range(size[1]), range(size[0]))]


def sobel(launch, args):
    out, pixels, pitch = args["out"].copy(), args["in"].astype(int), one(args["pitch"])
    for _, at in places(launch, pitch):
        window = [[pixels[at + j * pitch + i] for i in (-1, 0, 1)] for j in (-1, 0, 1)]
        (a, b, c), (d, _, f), (g, h, i) = window
        out[at] = min(255, abs(c + 2 * f + i - a - 2 * d - g) + abs(g + 2 * h + i - a - 2 * b - c))
    return {"out": out}


def blend(launch, args):
    out, share = args["out"].copy(), np.float32(args["share"].texts[0])
    for _, at in places(launch, one(args["pitch"])):
        out[at] = args["a"][at] * share + args["b"][at] * (np.float32(1) - share)
    return {"out": out}


def shift_twice(launch, args):
    middle, out = args["middle"].copy(), args["out"].copy()
    for _, at in places(launch, one(args["pitch"])):
        middle[at] = args["in"][at + 1] * 3
        out[at] = middle[at] + 1
    return {"middle": middle, "out": out}


def clamp_rows(launch, args):
    rows, width = args["rows"].copy(), one(args["width"])
    for x, at in places(launch, one(args["pitch"])):
        if 0 < x < width - 1:
            rows[at] = min(rows[at], one(args["most"]))
    return {"rows": rows}


def triple(launch, args):
    out = args["out"].copy()
    for _, at in places(launch, one(args["pitch"]), one(args["first"])):
        out[at] = 3.0 * args["in"][at]
    return {"out": out}


def unaligned_vectors(launch, args):
    out, far = args["out"].copy(), args["far"].copy()
    for i in range(launch.global_size[0]):
        out[5 * i + 3:5 * i + 7] = args["in"][5 * i + 1:5 * i + 5] * 2
        far[11 * i + 2:11 * i + 10] = args["bytes"][9 * i:9 * i + 8] ^ 0x5A
    return {"out": out, "far": far}


def packed_records(launch, args):
    layout = np.dtype([("tag", "u1"), ("value", "<u4"), ("rest", "<u2")])
    records, out, to = args["in"].view(layout), args["out"].view(layout).copy(), args["to"].copy()
    out["value"] = records["value"] * np.uint32(7) + records["tag"]
    out["rest"] = records["rest"] ^ records["tag"]
    to[2:182] = args["from"][1:181] + 1
    return {"out": out.view(np.uint8), "to": to}


def sliding_task(launch, args):
    out, a = args["out"].copy(), args["in"]
    for i in range(one(args["n"])):
        out[i] = (a[i] + a[i + 1]) + (a[i + 2] + a[i + 3])
    return {"out": out}


def int_rows(launch, args):
    width, height = int(one(args["width"])), int(one(args["height"]))
    rows = args["in"].reshape(height + 2, width + 2)
    out = rows[1:-1, 1:-1] * np.float32(2) - rows[1:-1, :-2] - rows[:-2, 1:-1]
    return {"out": out.ravel()}


def int_bytes(launch, args):
    pitch, rows, width = one(args["pitch"]), one(args["rows"]), launch.global_size[0]
    out = args["out"].copy().reshape(rows, pitch)
    out[:, :width] = 255 - args["in"].reshape(rows, pitch)[::-1, :width]
    return {"out": out.ravel()}


def element_before(launch, args):
    pitch, (width, height), out = one(args["pitch"]), launch.global_size, args["out"].copy()
    for i in sorted({y * pitch + x - 1 for y in range(height) for x in range(width)} - {-1}):
        out[i] = args["in"][i] + 1
    return {"out": out}


def expected(launch, args):
    return globals()[launch.kernel](launch, args)
