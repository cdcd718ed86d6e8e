"""Pipes as lists; where many work-items race, what they give is the same in any order."""

import numpy as np

POCL = False  # PoCL 3.1 has no pipes
DEPTHS = {"scale": [5, 16]}  # of the connections


def empty(pipe):
    return pipe.packets[:0]


def behind(pipe, packets):
    """What is in the pipe afterwards."""
    return np.concatenate([pipe.packets, np.array(packets, pipe.packets.dtype).reshape(-1, *pipe.packets.shape[1:])])


def wrapped(values):
    return np.array(values, np.int64).astype(np.int32)


def expected(launch, args):
    n = int(args["n"].texts[0]) if "n" in args else launch.global_size[0]
    name = launch.kernel
    if name == "source":
        return {"out": behind(args["out"], args["in"][:n])}
    if name == "sink":
        return {"in": empty(args["in"]), "out": args["in"].packets[:n]}
    there = args["in"].packets if "in" in args else None
    if name == "scale":
        factor = int(args["factor"].texts[0])
        scaled = wrapped([int(x) * factor + k for k, x in enumerate(there)])
        return {"in": empty(args["in"]), "out": behind(args["out"], scaled), "most": np.array(DEPTHS[name], np.uint32)}
    if name == "stage":
        factor = int(args["factor"].texts[0])
        made = wrapped([int(x) * factor - k for k, x in enumerate(there)])
        return {"in": empty(args["in"]), "out": behind(args["out"], made)}
    if name == "divide":
        odd, even = there[there & 1 == 1], wrapped(-there[there & 1 == 0].astype(np.int64))
        return {"in": empty(args["in"]), "odd": behind(args["odd"], odd), "even": behind(args["even"], even)}
    if name == "unite":
        first, second, total, out = list(args["a"].packets), list(args["b"].packets), 0, []
        for _ in range(n):
            x, y = int(first.pop(0)), int(first.pop(0))
            total += int(second.pop(0)) if x > y else 0
            out.append(x - 3 * y + total)
        assert not second, f"{len(second)} packets of b are left"
        return {"a": empty(args["a"]), "b": np.array(second, np.int32), "out": behind(args["out"], wrapped(out))}
    if name == "wide":
        turned = np.roll(there, -1, axis=1) + np.arange(n, dtype=np.uint64)[:, None]
        return {"in": empty(args["in"]), "out": behind(args["out"], turned)}
    if name == "records":
        out = np.zeros((n, 12), np.uint8)
        for row, (x, y, z) in zip(out, there[:, :3].astype(int)):
            row[:4] = np.array([y - 2 * z], "<i4").view(np.uint8)
            row[4:8] = np.array([z, x * y & 0xFFFF], "<u2").view(np.uint8)
            row[8:] = [x, 1, 2, y]
        return {"in": empty(args["in"]), "out": behind(args["out"], out)}
    if name == "many":
        return {"in": empty(args["in"]), "out": behind(args["out"], wrapped(there.astype(np.int64) + 17))}
    assert name == "attempts"
    return {"in": empty(args["in"]), "out": behind(args["out"], there), "state": np.array([n, 1, 0], np.uint32)}
