"""numpy structured types. `python expect.py` writes an array of records in in/."""

import numpy as np

from launches import number

RECORD = np.dtype({"names": ["a", "b", "c", "d", "e", "f"], "formats": ["i4", "i1", "i2", "i8", ("f4", 3), "u1"],
                   "offsets": [0, 4, 6, 8, 16, 28], "itemsize": 32})
NESTED = np.dtype({"names": ["inner", "weights", "number", "tint"], "formats": [(RECORD, 2), ("f4", 4), "f4", ("u1", 2)],
                   "offsets": [0, 64, 80, 84], "itemsize": 96})
SCALARS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64]


def expected(launch, args):
    if launch.kernel == "members":
        r = np.frombuffer(args["r"].data, RECORD)[0]
        return {"out": np.array([r["a"], r["b"], r["c"], r["d"], int(r["e"][2]), r["f"]], np.int64)}
    if launch.kernel == "scalars":
        return {"out": np.array([float(number(args[n].texts[0], t)) for n, t in zip("abcdefghij", SCALARS)])}
    if launch.kernel == "nested_value":
        n = np.frombuffer(args["n"].data, NESTED)[0]
        table = args["table"]
        table = table.tobytes() if isinstance(table, np.ndarray) else table.data
        table = np.frombuffer(table, RECORD)
        w, (red, green) = n["weights"], n["tint"].astype(np.float32)
        out = [n["inner"][i & 1]["e"][i % 3] * w[1] + w[3] + -n["number"] + table[i]["e"][2]
               + red * np.float32(8) + green for i in range(launch.global_size[0])]
        return {"out": np.array(out, np.float32)}
    return {}  # the padding bytes of a copied structure, and the order of additions, are PoCL's


if __name__ == "__main__":
    import pathlib

    folder = pathlib.Path(__file__).parent / "in"
    folder.mkdir(exist_ok=True)
    random = np.random.default_rng(3)
    records = np.zeros(29, RECORD)
    for name in "abcf":
        records[name] = random.integers(0, 100, 29)
    records["d"] = random.integers(-(2**60), 2**60, 29)
    records["e"] = random.integers(-1000, 1000, (29, 3)) / 8
    np.save(folder / "records.npy", records.view(np.uint8).reshape(29, 32))
