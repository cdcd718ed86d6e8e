"""Halves by exact fractions; `python expect.py` writes the inputs."""

import pathlib

import conversions
import numpy as np

COUNT = 16


def sections(values):
    """What all loads give, or what all packed stores write."""
    return conversions.sections(values, COUNT)


def aligned(values):
    """The sections of vstorea_half: 3-vectors lie 4 elements apart."""
    three = np.zeros((COUNT, 4), values.dtype)
    three[:, :3] = values[: 3 * COUNT].reshape(COUNT, 3)
    return np.concatenate([values[: 2 * COUNT], three.reshape(-1)] + [values[: n * COUNT] for n in (4, 8, 16)])


def loaded(halves):
    values = conversions.convert(halves, "half", "float")
    three = values[: 4 * COUNT].reshape(COUNT, 4)[:, :3].reshape(-1)
    return np.concatenate([sections(values), values[: 2 * COUNT], three] + [values[: n * COUNT] for n in (4, 8, 16)])


def expected(launch, args):
    if launch.kernel == "sample_load":
        values = conversions.convert(args["in"], "half", "float")
        return {"out": values[:64], "out4": values}
    if launch.kernel.startswith("load"):
        return {"out": loaded(args["in"].view(np.float16))}

    def halves(mode, kind, values):
        return conversions.convert(values, kind, "half", mode)

    if launch.kernel == "sample_store":
        return {"out": halves("rtp", "float", args["in"][:64]), "out4": halves("rtz", "double", args["in4"])}
    if launch.kernel == "store_local":
        values = halves("rtp", "float", args["in"])
        return {"out": np.concatenate([sections(values), aligned(values)])}
    if launch.kernel == "store_private":
        out = np.zeros((COUNT, 64), np.float16)
        for row, values in zip(out, args["in"].reshape(COUNT, 16)):
            row[0] = halves("rtn", "double", values[:1])[0]
            row[1:4] = halves("rtz", "double", values[:3])
            row[4:8] = halves("rtp", "double", values[:4])
            row[8:16] = halves("rte", "double", values[:8])
            row[16:32] = halves("rte", "double", values)
        return {"out": out.reshape(-1)}
    _, kind, *mode = launch.kernel.split("_")
    values = halves(mode[0] if mode else "rte", kind, args["in"])
    return {"out": np.concatenate([sections(values), aligned(values)])}


def inputs():
    """Numbers about the halves of all binades, ties and range ends among them, and random ones."""
    rng = np.random.Generator(np.random.PCG64(5))
    exponents = np.arange(-26, 17)
    steps = np.array([0, 0.5, 0.25, 1.5, 0.4999999, 0.5000001, 511.5])
    near = np.ldexp(1.0 + np.add.outer(np.zeros(len(exponents)), steps) * 2.0**-10, exponents[:, None]).reshape(-1)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 65504, 65519.99, 65520, -65520, 65536, 1e30, -1e30, 1e-30, -1e-30]
    numbers = np.concatenate([special, near * rng.choice([-1.0, 1.0], near.size)])
    order = np.concatenate([np.arange(len(special)), len(special) + rng.permutation(near.size)])
    return numbers[order][: 16 * COUNT]


if __name__ == "__main__":
    folder = pathlib.Path(__file__).parent / "in"
    folder.mkdir(exist_ok=True)
    np.save(folder / "floats.npy", inputs().astype(np.float32))
    np.save(folder / "doubles.npy", inputs())
