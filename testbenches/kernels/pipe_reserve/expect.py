"""A pipe as a list whose packets appear when everything reserved before them is committed. Where work-items or groups race, only
what does not depend on their order is stated."""

import numpy as np

POCL = False  # PoCL 3.1 has no pipes


def count(n):
    return np.array([n], np.uint32)


def appended(pipe, packets):
    return np.concatenate([pipe.packets, np.array(packets, pipe.packets.dtype).reshape((-1,) + pipe.packets.shape[1:])])


def in_order(pipe):
    """capacity 8, empty: reservations of 2, 3 and 1 packets, committed third, first, (a single packet,) second."""
    assert pipe.capacity == 8 and not len(pipe.packets)
    valid, invalid = 0b111, 0
    shown = [0, 2, 2, 7]  # after the third; the first; the single one; the second
    counts = [valid, invalid, 1, shown[0], shown[1], 1, shown[2], shown[3]]
    return {"out": np.arange(10, 17, dtype=np.int32), "counts": np.array(counts, np.uint32)}


def expected(launch, args):
    items = launch.global_size[0]
    local = launch.local_size[0] if launch.local_size else items
    number = {name: int(value.texts[0]) for name, value in args.items() if hasattr(value, "texts")}
    if launch.kernel == "write_runs":
        n = number["n"]
        if items * n > args["out"].capacity - len(args["out"].packets):
            assert items == 1
            return {"out": args["out"].packets, "refused": count(1)}
        runs = [(i, k) for i in range(items) for k in range(n)]
        return {"out": appended(args["out"], runs), "refused": count(0)}
    if launch.kernel == "read_runs":
        there, n = args["in"].packets, number["n"]
        assert len(there) == items * n
        seen = np.bincount(there[::n, 0], minlength=len(args["seen"])).astype(np.uint32)
        return {"in": there[:0], "seen": np.minimum(seen, 1), "bad": count(0)}
    if launch.kernel == "late_commits":
        return {"out": appended(args["out"], range(items)), "counts": np.full(items // local, local, np.uint32)}
    if launch.kernel == "late_frees":
        there = args["in"].packets
        assert len(there) <= items
        return {"in": there[:0], "seen": np.bincount(there, minlength=len(args["seen"])).astype(np.uint32)}
    if launch.kernel == "in_order":
        return in_order(args["out"])
    if launch.kernel == "out_of_order":
        p = args["in"].packets
        assert len(p) == 5
        return {"in": p[:0], "out": np.array([1, 0, p[1], p[0], p[1], 1, p[4], 0], np.int32)}
    if launch.kernel == "group_write":
        if items > args["out"].capacity:
            assert items <= local
            return {"out": args["out"].packets, "refused": count(1)}
        return {"out": appended(args["out"], args["in"] * np.float32(2)), "refused": count(0)}
    if launch.kernel == "group_read":
        p = args["in"].packets
        out = args["out"].copy().reshape(-1, 4)
        if len(p) < 2 * items:
            raise ValueError("a reservation would stay open")
        assert items == local
        out[0::2] = p[:items][::-1]
        out[1::2] = p[items:2 * items]
        return {"in": p[2 * items:], "out": out.reshape(args["out"].shape)}
    if launch.kernel == "sub_group_write":
        packets = [(i - i % local % 16, i % local % 16) for i in range(items)]
        return {"out": appended(args["out"], packets)}
    assert launch.kernel == "sub_group_read"
    p = args["in"].packets
    seen = np.bincount(p[:, 0] + p[:, 1], minlength=len(args["seen"])).astype(np.uint32)
    return {"in": p[:0], "seen": seen, "bad": count(0)}
