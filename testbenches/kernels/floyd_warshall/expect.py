"""Relaxation in numpy. `python expect.py` writes the graphs in in/."""

import numpy as np


def expected(launch, args):
    dist, n = args["dist"].copy(), int(args["n"].texts[0])
    if launch.kernel == "floyd_group":
        for k in range(n):
            dist = np.minimum(dist, dist[:, k : k + 1] + dist[k : k + 1, :])
        return {"dist": dist}
    k, via = int(args["k"].texts[0]), args["via"].copy()
    through = dist[:, k : k + 1] + dist[k : k + 1, :]
    better = through < dist
    dist[better], via[better] = through[better], k
    return {"dist": dist, "via": via}


if __name__ == "__main__":
    import pathlib

    folder = pathlib.Path(__file__).parent / "in"
    folder.mkdir(exist_ok=True)
    for size in (13, 17, 64):
        random = np.random.default_rng(size)
        graph = random.integers(1, 100, (size, size), dtype=np.int32)
        graph[random.random((size, size)) < 0.6] = 0x3FFFFFFF
        np.fill_diagonal(graph, 0)
        np.save(folder / f"dist{size}.npy", graph)
