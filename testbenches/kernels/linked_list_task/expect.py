"""Python lists. `python expect.py` writes a shuffled list that starts at node 17."""

import numpy as np


def expected(launch, args):
    if launch.kernel == "grow_tree":
        return grow(args["keys"])
    if launch.kernel == "race":
        return race(args["next"], *(int(args[name].texts[0]) for name in "abn"))
    nodes = args["nodes"].copy()
    at = int(args["head"].texts[0] if launch.kernel == "walk" else args["head"][0])
    order = []
    while at >= 0:
        order.append(at)
        at = int(nodes[at, 1])
    if launch.kernel == "reverse":
        for a, b in zip([-1] + order, order):
            nodes[b, 1] = a
        return {"nodes": nodes, "head": np.array([order[-1]], np.int32)}
    out = args["out"].copy()
    out[: len(order)] = nodes[order, 0]
    return {"out": out, "length": np.array([len(order)], np.int32)}


def race(after, a, b, n):
    apart = 0
    for k in range(n):
        a, b = after[after[a]], after[b]
        apart += int(a ^ b) * k
    return {"out": np.array([a, b, apart], np.int32)}


def grow(keys):
    tree, depths = [], []
    for key in keys.tolist():
        place, depth = tree, 0
        row = 0
        while tree:
            depth += 1
            side = 1 if key < tree[row][0] else 2
            if tree[row][side] < 0:
                tree[row][side] = len(tree)
                break
            row = tree[row][side]
        place.append([key, -1, -1])
        depths.append(depth)
    return {"tree": np.array(tree, np.int32), "depth": np.array(depths, np.int32)}


if __name__ == "__main__":
    import pathlib

    folder = pathlib.Path(__file__).parent / "in"
    folder.mkdir(exist_ok=True)
    random = np.random.default_rng(7)
    order = random.permutation(201)
    order = np.concatenate([[17], order[order != 17]])
    nodes = np.zeros((201, 2), np.int32)
    nodes[:, 0] = random.integers(-1000, 1000, 201)
    nodes[order[:-1], 1], nodes[order[-1], 1] = order[1:], -1
    np.save(folder / "list.npy", nodes)
