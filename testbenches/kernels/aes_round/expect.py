"""AES from its definition over GF(2^8). `python expect.py` writes the key schedule of FIPS 197's example in in/."""

import numpy as np


def multiply(a, b):
    product = 0
    while b:
        if b & 1:
            product ^= a
        a = (a << 1) ^ (0x11B if a & 0x80 else 0)
        b >>= 1
    return product


def substitute(a):
    inverse = next((b for b in range(256) if multiply(a, b) == 1), 0)
    rotations = [(inverse << n | inverse >> (8 - n)) & 255 for n in range(5)]
    return rotations[0] ^ rotations[1] ^ rotations[2] ^ rotations[3] ^ rotations[4] ^ 0x63


SBOX = [substitute(a) for a in range(256)]


def aes_round(state, key, last):
    shifted = [SBOX[state[4 * ((c + r) % 4) + r]] for c in range(4) for r in range(4)]
    if not last:
        matrix = [2, 3, 1, 1]
        shifted = [
            multiply(shifted[4 * c], matrix[-r % 4]) ^ multiply(shifted[4 * c + 1], matrix[(1 - r) % 4])
            ^ multiply(shifted[4 * c + 2], matrix[(2 - r) % 4]) ^ multiply(shifted[4 * c + 3], matrix[(3 - r) % 4])
            for c in range(4) for r in range(4)]
    return [a ^ int(b) for a, b in zip(shifted, key)]


def expected(launch, args):
    out = []
    for block in args["in"]:
        state = [int(b) for b in block]
        if launch.kernel == "single_round":
            state = aes_round(state, args["key"], args["last"].texts[0] == "1")
        else:
            keys = args["round_keys"].reshape(11, 16)
            state = [a ^ int(b) for a, b in zip(state, keys[0])]
            for number in range(1, 11):
                state = aes_round(state, keys[number], number == 10)
        out.append(state)
    out = np.array(out, np.uint8)
    if launch.name == "fips197":
        assert out.tobytes().hex() == "3925841d02dc09fbdc118597196a0b32"
    return {"out": out}


def key_schedule(key):
    words, rcon = [list(key[i : i + 4]) for i in range(0, 16, 4)], 1
    for i in range(4, 44):
        word = words[-1]
        if i % 4 == 0:
            word = [SBOX[b] for b in word[1:] + word[:1]]
            word[0] ^= rcon
            rcon = multiply(rcon, 2)
        words.append([a ^ b for a, b in zip(words[-4], word)])
    return [b for word in words for b in word]


if __name__ == "__main__":
    import pathlib

    folder = pathlib.Path(__file__).parent / "in"
    folder.mkdir(exist_ok=True)
    schedule = key_schedule(bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"))
    np.save(folder / "fips197_keys.npy", np.array(schedule, np.uint8))
