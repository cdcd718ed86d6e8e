"""A pipe as a list: what fits is appended, what is there is taken from the front. Where many work-items race, only what does not
depend on their order is stated."""

import numpy as np

POCL = False  # PoCL 3.1 has no pipes


def append(pipe, packets):
    """(packets afterwards, how many did not fit)"""
    room = pipe.capacity - len(pipe.packets)
    return np.concatenate([pipe.packets, packets[:room]]), max(0, len(packets) - room)


def count(n):
    return np.array([n], np.uint32)


def records(numbers, tags):
    """Bytes of the structure: tag, three of padding, number, three parts, two of padding."""
    out = np.zeros((len(numbers), 16), np.uint8)
    for row, number, tag in zip(out, numbers, tags):
        row[0] = tag
        row[4:8] = np.array([number], "<i4").view(np.uint8)
        row[8:14] = np.array([(number + k) & 0xFFFF for k in range(3)], "<u2").view(np.uint8)
    return out


def expected(launch, args):
    items = launch.global_size[0]
    if launch.kernel == "produce":
        packets, refused = append(args["out"], args["in"] * 3 - 1)
        return {"out": packets, "refused": count(refused)}
    if launch.kernel == "consume":
        there = args["in"].packets
        assert items >= len(there) or len(set(there)) == 1
        seen = np.bincount(there[:items] & 63, minlength=64).astype(np.uint32)
        return {"in": there[items:], "seen": seen, "nothing": count(max(0, items - len(there)))}
    if launch.kernel == "forward_wide":
        there = args["in"].packets[:items]
        packets, refused = append(args["out"], there * np.uint64(5) + np.arange(16, dtype=np.uint64))
        return {"in": args["in"].packets[items:], "out": packets, "refused": count(refused)}
    if launch.kernel == "records_out":
        numbers = [int(x) if i & 1 else -int(x) for i, x in enumerate(args["in"])]
        packets, refused = append(args["out"], records(numbers, [1 if i & 1 else 2 for i in range(items)]))
        return {"out": packets, "refused": count(refused)}
    if launch.kernel == "records_in":
        out = args["out"].copy().reshape(-1, 16)
        for packet in args["in"].packets:
            out[abs(int(packet[4:8].view("<i4")[0]))] = packet
        return {"in": args["in"].packets[:0], "out": out.reshape(args["out"].shape), "bad": count(0)}
    if launch.kernel == "running_sums":
        there = args["in"].packets.astype(np.int32)
        sums = np.cumsum(there[:, 0] + 256 * there[:, 1] - there[:, 2], dtype=np.int32)
        packets, refused = append(args["out"], sums)
        counts = np.array([len(there), len(sums) - refused], np.uint32)
        return {"in": args["in"].packets[:0], "out": packets, "counts": counts}
    assert launch.kernel == "queries"
    source, target = args["in"], args["out"]
    there, packets = list(source.packets), list(target.packets)
    counts = [source.capacity, target.capacity]
    for _ in range(int(args["n"].texts[0])):
        got = bool(there)
        x = there.pop(0) if got else 0
        fits = len(packets) < target.capacity
        if fits:
            packets.append(x * 0.5)
        counts += [got, len(there), fits, len(packets)]
    return {"in": np.array(there, np.int16), "out": np.array(packets, np.float64), "counts": np.array(counts, np.uint32)}
