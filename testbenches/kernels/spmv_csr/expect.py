"""Row sums in the kernels' order. `python expect.py` writes the matrices' structure in in/."""

import numpy as np


def expected(launch, args):
    start, product = args["row_start"], None
    out = args["y"].copy()
    for row in range(len(start) - 1):
        at = slice(start[row], start[row + 1])
        product = args["value"][at] * args["x"][args["column"][at]]
        if launch.kernel == "spmv_scalar":
            out[row] = ordered(product)
        else:
            lanes = np.array([ordered(product[lane::8]) for lane in range(8)], np.float32)
            while lanes.size > 1:
                lanes = lanes[: lanes.size // 2] + lanes[lanes.size // 2 :]
            out[row] = lanes[0]
    return {"y": out}


def ordered(terms):
    total = np.float32(0)
    for term in terms:
        total = total + term
    return total


if __name__ == "__main__":
    import pathlib

    folder = pathlib.Path(__file__).parent / "in"
    folder.mkdir(exist_ok=True)
    for rows, mean in ((91, 7), (512, 10)):
        random = np.random.default_rng(rows)
        counts = np.minimum(random.geometric(1 / mean, rows) - 1, rows)
        columns = [np.sort(random.choice(rows, n, replace=False)) for n in counts]
        np.save(folder / f"rows{rows}.npy", np.concatenate([[0], np.cumsum(counts)]).astype(np.int32))
        np.save(folder / f"columns{rows}.npy", np.concatenate(columns).astype(np.int32))
