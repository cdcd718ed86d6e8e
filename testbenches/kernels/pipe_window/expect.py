"""Pipes as lists: a reservation is a slice, filled or read in any order. Where work-items race, only what does not depend on their
order is stated."""

import numpy as np

POCL = False  # PoCL 3.1 has no pipes
DEPTH = 8  # of the connection of `places`


def appended(pipe, packets):
    return np.concatenate([pipe.packets, np.array(packets, pipe.packets.dtype).reshape((-1,) + pipe.packets.shape[1:])])


def expected(launch, args):
    items = launch.global_size[0]
    local = launch.local_size[0] if launch.local_size else items
    number = {name: int(value.texts[0]) for name, value in args.items() if hasattr(value, "texts")}
    there = getattr(args.get("in"), "packets", None)
    if launch.kernel == "reverse":
        n, runs = number["n"], number["runs"]
        assert len(there) == n * runs
        turned = [x for r in range(runs) for x in reversed(list(there[r * n:(r + 1) * n]))]
        return {"in": there[:0], "out": appended(args["out"], turned)}
    if launch.kernel == "places":
        # reservations of 2, 3 and 1 packets; nothing is visible before the first is committed, which is the last to be
        assert args["out"].capacity == DEPTH and not len(args["out"].packets)
        state = [0b111, 0, 1, 0, 0, 0, 0, 1, DEPTH]
        return {"out": np.array([10, 11, 12, 13, 14, 15, 16], np.int32), "state": np.array(state, np.uint32)}
    if launch.kernel == "takes":
        p = list(there)
        first, fifth = p[0:2], p[4]
        out = [0, first[1], first[0], first[1], 0, fifth]
        return {"in": there[:0], "out": np.array(out, np.int32)}
    if launch.kernel == "write_pairs":
        return {"out": appended(args["out"], [(i, k) for i in range(items) for k in range(2)])}
    if launch.kernel == "read_pairs":
        assert len(there) == 2 * items
        return {"in": there[:0], "seen": np.ones(len(args["seen"]), np.uint32), "bad": np.zeros(1, np.uint32)}
    if launch.kernel == "group_mirror":
        assert len(there) == items and items % local == 0
        out = there.copy()
        for g in range(0, items, local):
            for lid in range(local):
                out[g + local - 1 - lid] = there[g + lid]
                out[g + local - 1 - lid][3] = lid
        return {"in": there[:0], "out": appended(args["out"], out)}
    if launch.kernel == "split":
        return {"a": appended(args["a"], [3 * int(x) for x in args["in"]]), "b": appended(args["b"], args["in"])}
    if launch.kernel == "join":
        a, b = (args[name].packets for name in "ab")
        return {"a": a[:0], "b": b[:0], "out": np.array([int(x) + int(y) for x, y in zip(a, b)], np.int32)}
    assert launch.kernel == "sub_groups"
    return {"out": appended(args["out"], [(i - i % local % 16, i % local % 16) for i in range(items)])}
