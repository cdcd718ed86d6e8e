"""Counting with numpy and a stable sort. `python expect.py` writes the keys and scanned counts in in/."""

import numpy as np


def counts(keys, groups, shift):
    """Digit counts of each work-group's region, digit-major."""
    region = len(keys) // 4 // groups * 4
    ends = [g * region for g in range(groups)] + [len(keys)]
    digits = (keys >> np.uint32(shift)) & np.uint32(15)
    rows = [np.bincount(digits[a:b], minlength=16) for a, b in zip(ends, ends[1:])]
    return np.array(rows, np.uint32).T


def scanned(table):
    flat = np.cumsum(table.reshape(-1), dtype=np.uint32)
    return (flat - table.reshape(-1)).reshape(table.shape)


def expected(launch, args):
    if launch.kernel == "top_scan":
        return {"isums": scanned(args["isums"])}
    keys, shift = args["in"], int(args["shift"].texts[0])
    if launch.kernel == "reduce":
        groups = launch.global_size[0] // launch.local_size[0]
        return {"isums": counts(keys, groups, shift).reshape(-1)}
    return {"out": keys[np.argsort((keys >> np.uint32(shift)) & np.uint32(15), kind="stable")]}


if __name__ == "__main__":
    import pathlib

    folder = pathlib.Path(__file__).parent / "in"
    folder.mkdir(exist_ok=True)
    for n, groups in ((240, 3), (2048, 4)):
        keys = np.random.default_rng(n).integers(0, 1 << 32, n, dtype=np.uint32)
        np.save(folder / f"keys{n}.npy", keys)
        np.save(folder / f"isums{n}.npy", scanned(counts(keys, groups, 8)))
