"""The same format, decoded and encoded in Python. `python expect.py` writes text and packed blocks in in/."""

import pathlib

import numpy as np

FOLDER = pathlib.Path(__file__).parent / "in"
INPUT, OUTPUT, OFFSET = -1, -2, -3


def decode(data, capacity):
    """(bytes written, result): the error codes of the kernel, with what was written before."""
    out, k = bytearray(), 0

    def extended(length):
        nonlocal k
        while True:
            if k >= len(data):
                return None
            k += 1
            length += data[k - 1]
            if data[k - 1] != 255:
                return length

    while True:
        if k >= len(data):
            return out, INPUT
        token = data[k]
        k += 1
        literals = extended(15) if token >> 4 == 15 else token >> 4
        if literals is None or literals > len(data) - k:
            return out, INPUT
        if literals > capacity - len(out):
            return out, OUTPUT
        out += data[k : k + literals]
        k += literals
        if k == len(data):
            return out, len(out)
        if len(data) - k < 2:
            return out, INPUT
        offset = data[k] | data[k + 1] << 8
        k += 2
        if not 0 < offset <= len(out):
            return out, OFFSET
        length = extended(15) if token & 15 == 15 else token & 15
        if length is None:
            return out, INPUT
        if length + 4 > capacity - len(out):
            return out, OUTPUT
        for _ in range(length + 4):
            out.append(out[-offset])


def lengths(n):
    return bytes([255] * (n // 255) + [n % 255]) if n >= 0 else b""


def sequence(literals, match=None):
    """One token with its literals and (offset, length)."""
    low = 0 if match is None else min(match[1] - 4, 15)
    out = bytes([min(len(literals), 15) << 4 | low]) + lengths(len(literals) - 15) + literals
    if match is not None:
        out += match[0].to_bytes(2, "little") + lengths(match[1] - 19)
    return out


def encode(data, table):
    """Greedy, with one place a hash; fills the table."""
    out, anchor, k = b"", 0, 1

    def hashed(at):
        return int.from_bytes(data[at : at + 4], "little") * 2654435761 % (1 << 32) >> 24

    if len(data) > 12:
        table[:] = 0
        while k < len(data) - 12:
            h = hashed(k)
            at, table[h] = int(table[h]), k
            if data[at : at + 4] != data[k : k + 4]:
                k += 1
                continue
            while k > anchor and at > 0 and data[k - 1] == data[at - 1]:
                k, at = k - 1, at - 1
            n = 4
            while k + n < len(data) - 5 and data[k + n] == data[at + n]:
                n += 1
            out += sequence(data[anchor:k], (k - at, n))
            k = anchor = k + n
    return out + sequence(data[anchor:])


def expected(launch, args):
    dst, src = args["dst"].copy(), args["src"].tobytes()
    if launch.kernel == "lz_compress":
        size = int(args["size"].texts[0])
        tables, csize = args["tables"].copy(), args["csize"].copy()
        for k, start in enumerate(range(0, len(src), size)):
            packed = encode(src[start : start + size], tables[k])
            dst[k, : len(packed)] = list(packed)
            csize[k] = len(packed)
        return {"dst": dst, "tables": tables, "csize": csize}
    result = args["result"].copy()
    for k, (start, size) in enumerate(args["blocks"]):
        data, result[k] = decode(src[start : start + size], dst.shape[1])
        dst[k, : len(data)] = list(data)
    return {"dst": dst, "result": result}


def texts():
    random = np.random.default_rng(4)
    words = [bytes(random.integers(97, 103, n, dtype=np.uint8)) for n in (2, 3, 4, 5, 7)]
    prose = b" ".join(words[k] for k in random.integers(0, 5, 240))
    noise = bytes(random.integers(0, 256, 256, dtype=np.uint8))
    return (prose[:900] + bytes(400) + noise)[:1541]


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    text = texts()
    assert len(text) == 1541
    np.save(FOLDER / "text.npy", np.frombuffer(text, np.uint8))
    table = np.zeros(256, np.uint16)
    good = [encode(text[k : k + 160], table) for k in range(0, 1541, 160)]
    blocks = good + [
        sequence(b"ab", (1, 193)) + sequence(b"xyzzy"),  # a long run, all but full
        sequence(b"abc", (3, 190)) + sequence(b"12345678"),  # no room for the last literals
        sequence(b"ab", (3, 4)) + sequence(b""),  # offset before the beginning
        sequence(b"q", (1, 19)),  # ends after a match
        good[0][:-3],
        b"\xf0\xff\xff",
    ]
    starts = np.cumsum([0] + [len(b) for b in blocks])
    np.save(FOLDER / "packed.npy", np.frombuffer(b"".join(blocks), np.uint8))
    np.save(FOLDER / "blocks.npy", np.array([(s, len(b)) for s, b in zip(starts, blocks)], np.int32))
