"""Packing as text of 0 and 1. `python expect.py` writes code tables, blocks and packed words in in/."""

import pathlib

import numpy as np

LENGTHS = [1, 3, 3, 4, 4, 5, 5, 5, 6, 7, 8, 9, 10, 11, 12, 12]  # a complete code: the sum of 2^-length is 1


def canonical():
    codes, code, previous = [], 0, LENGTHS[0]
    for length in LENGTHS:
        code <<= length - previous
        codes.append(code)
        code, previous = code + 1, length
    return codes


def bit_text(symbols):
    codes = canonical()
    return "".join(format(codes[s], f"0{LENGTHS[s]}b") for s in symbols)


def words(symbols):
    text = bit_text(symbols)
    text += "0" * (-len(text) % 32)
    return [int(text[i : i + 32], 2) for i in range(0, len(text), 32)]


def expected(launch, args):
    if launch.kernel == "unpack":
        return {"symbols": np.load(pathlib.Path(__file__).parent / "in" / "symbols.npy")}
    rows = args["symbols"].reshape(launch.global_size[0], -1)
    if launch.kernel == "count_bits":
        return {"bits": np.array([len(bit_text(row)) for row in rows], np.uint32)}
    packed = args["packed"].copy()
    for row, start in zip(rows, args["word_start"]):
        block = words(row)
        packed[start : start + len(block)] = block
    return {"packed": packed}


if __name__ == "__main__":
    folder = pathlib.Path(__file__).parent / "in"
    folder.mkdir(exist_ok=True)
    codes = canonical()
    assert sum(2.0**-n for n in LENGTHS) == 1
    random = np.random.default_rng(1)
    symbols = np.minimum(random.geometric(0.35, (64, 48)) - 1, 15).astype(np.uint8)
    blocks = [words(row) for row in symbols]
    starts = np.cumsum([0] + [len(b) for b in blocks])
    first = [next((c for c, n in zip(codes, LENGTHS) if n == length), 0) for length in range(16)]
    packed = np.array([w for b in blocks for w in b], np.uint32)
    assert packed.size <= 700
    for name, array in {
        "code_length": np.array(LENGTHS, np.uint8), "code": np.array(codes, np.uint16), "symbols": symbols,
        "word_start": starts[:-1].astype(np.uint32), "packed": packed, "first_code": np.array(first, np.uint16),
        "count": np.array([LENGTHS.count(n) for n in range(16)], np.uint16),
        "sorted_symbols": np.arange(16, dtype=np.uint8),
    }.items():
        np.save(folder / f"{name}.npy", array)
