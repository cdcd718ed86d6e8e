"""numpy's comparisons. `python expect.py` writes all pairs of edge values in in/."""

import numpy as np


def expected(launch, args):
    if launch.kernel == "extremes":
        a, b, c, d = (args[n] for n in "abcd")
        return {"out": np.stack([np.fmin(a, b), np.fmax(a, b), np.where(a < b, a, b), np.abs(a), -a]),
                "wide": np.stack([np.fmin(c, d), np.fmax(c, d), np.abs(d)])}
    x, y = args["a"], args["b"]
    if launch.kernel == "roots":
        return {"root": np.sqrt(x), "quotient": x / y}
    unordered = np.isnan(x) | np.isnan(y)
    flags = [x == y, x != y, x < y, x <= y, x > y, x >= y]
    if launch.kernel == "compare_double":
        flags += [~(x <= y), ~(x > y), unordered, np.isnan(y), np.isinf(y)]
    else:
        normal = np.isfinite(x) & (np.abs(x) >= np.finfo(np.float32).tiny)
        flags += [~(x < y), ~(x >= y), x < y, (x < y) | (x > y), unordered, ~unordered, np.isnan(x), np.isinf(x),
                  np.isfinite(y), normal, np.signbit(x)]
    return {"flags": sum(f.astype(np.uint32) << np.uint32(bit) for bit, f in enumerate(flags))}


if __name__ == "__main__":
    import pathlib

    folder = pathlib.Path(__file__).parent / "in"
    folder.mkdir(exist_ok=True)
    for bits, least, largest in ((32, 1e-45, 3.4028235e38), (64, 5e-324, 1.7976931348623157e308)):
        edges = [0.0, -0.0, least, -least, 1.0, -1.0, 2.0, largest, -largest, np.inf, -np.inf, np.nan]
        a, b = np.meshgrid(np.array(edges, f"f{bits // 8}"), np.array(edges, f"f{bits // 8}"))
        np.save(folder / f"a{bits}.npy", a.reshape(-1))
        np.save(folder / f"b{bits}.npy", b.reshape(-1))
