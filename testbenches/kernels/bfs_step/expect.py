"""Sets of neighbours. `python expect.py` writes the graphs in in/."""

import numpy as np


def expected(launch, args):
    first, edges = args["first_edge"], args["edges"]
    if launch.kernel == "bfs_level":
        level, current, changed = args["level"].copy(), int(args["current"].texts[0]), 0
        for node in np.flatnonzero(args["level"] == current):
            for to in edges[first[node] : first[node + 1]]:
                if level[to] == -1:
                    level[to], changed = current + 1, 1
        return {"level": level, "changed": np.array([changed], np.int32)}
    reached, count = args["reached"].copy(), 0
    for node in args["queue"]:
        for to in edges[first[node] : first[node + 1]]:
            reached[to >> 5] |= np.uint32(1 << (to & 31))
            count += 1
    return {"reached": reached, "edge_count": np.array([count], np.uint32)}


if __name__ == "__main__":
    import pathlib

    folder = pathlib.Path(__file__).parent / "in"
    folder.mkdir(exist_ok=True)
    for nodes in (101, 512):
        random = np.random.default_rng(nodes)
        counts = random.integers(0, 7, nodes)
        np.save(folder / f"first{nodes}.npy", np.concatenate([[0], np.cumsum(counts)]).astype(np.int32))
        np.save(folder / f"edges{nodes}.npy", random.integers(0, nodes, counts.sum(), dtype=np.int32))
