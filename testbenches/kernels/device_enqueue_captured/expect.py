"""What the blocks do with the images, samplers and pipes of the functions around them, written down again."""

import numpy as np

POCL = False  # PoCL 3.1 has no device-side enqueue


def number(args, name):
    return int(args[name].texts[0])


def turned(image, like, add):
    """Colors of four channels: those that a format lacks are 0, alpha 1."""
    colors = np.zeros(image.shape[:2] + (4,), np.uint64)
    if image.ndim == 2:
        colors[..., 0], colors[..., 3] = image, 1
    else:
        colors[:] = image
    out = like.copy()
    height = image.shape[0]
    for y in range(height):
        for x in range(image.shape[1]):
            out[x, height - 1 - y] = np.roll(colors[y, x], -1) + np.uint64(add)
    return out


def nearest(texels, x, border):
    x = int(np.floor(x))
    return texels[x] if 0 <= x < len(texels) else border(texels, x)


def sampled(texels, linear):
    """A row of two texels at -0.75, -0.25, 0.25 ..., its y always in the row's middle."""
    def edge(t, x):
        return t[0] if x < 0 else t[-1]

    def clamp(t, x):
        return 0

    def repeat(t, x):
        return t[x % len(t)]

    def between(x):
        left = np.floor(x - 0.5)
        part = x - 0.5 - left
        return (1 - part) * nearest(texels, left, edge) + part * nearest(texels, left + 1, edge)

    places = [i * 0.5 - 0.75 for i in range(6)]
    out = []
    for x in places:
        out += [between(x) if linear else nearest(texels, x, clamp), nearest(texels, x, edge)]
    for x in places:
        out += [nearest(texels, x * len(texels), repeat), nearest(texels, x, edge)]
    # half way between the texels of the row, and at the middle of the row: half of the one, half of the other
    out.append((texels[0] + texels[1]) / 2)
    return np.array(out, np.float32)


def walked(places, visits, steps):
    visits, path, at = visits.copy(), [], (0, 0)
    for _ in range(steps + 1):
        path.append(at)
        at = tuple(int(k) for k in places[at[1], at[0]])
        if len(path) <= steps:
            visits[at[0]] += 1
    return visits, np.array(path[::-1], np.int32)


def kinds(args):
    line, layers, box, out = (args[name].texels for name in ("line", "layers", "box", "out"))
    x, y, more = (int(text) for text in args["v"].texts[:3])
    out = np.zeros_like(out)
    for z in range(2):
        # of the work-item beside it, which has read the other slice
        other = int(box[z, y, x])
        for k in range(len(line)):
            out[z, 0, k] = int(line[k]) + int(layers[z, 0, k]) + other + number(args, "c") + more
    size = box.shape[0] + 10 * layers.shape[0] + 100 * len(line)
    return {"out": out, "sizes": np.array([size, size], np.uint32)}


def expected(launch, args):
    if launch.kernel == "turned":
        return {"a": turned(args["first"].texels, args["a"].texels, 1), "b": turned(args["second"].texels, args["b"].texels, 1000)}
    if launch.kernel == "sampled":
        return {"out": sampled(args["image"].texels.reshape(-1), launch.name == "sampled_linear")}
    if launch.kernel == "walk":
        visits, path = walked(args["map"].texels, args["visits"].texels, number(args, "steps"))
        return {"visits": visits, "path": path}
    if launch.kernel == "kinds":
        return kinds(args)
    if launch.kernel == "relay":
        packets = [int(packet) for packet in args["in"].packets]
        doubled = [2 * packet + 1 for packet in packets[:3]]
        out = [9, *doubled, *packets[3:]]
        return {"out": np.array(out, np.int32), "in": np.zeros(0, np.int32), "left": np.array([2, 1], np.int32)}
    raise ValueError(launch.kernel)
