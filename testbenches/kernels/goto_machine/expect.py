"""Regular expressions for the texts, a state variable for the loop. `python expect.py` writes the texts in in/."""

import re

import numpy as np

KINDS = [(3, rb"-?\d+(\.\d*)?e-?\d+"), (2, rb"-?\d+\.\d*"), (1, rb"-?\d+")]


def expected(launch, args):
    if launch.kernel == "two_entries":
        return {"out": np.array([walk(int(x), int(args["rounds"].texts[0])) for x in args["in"]], np.uint32).reshape(args["out"].shape)}
    if launch.kernel == "classify":
        rows = args["text"].reshape(launch.global_size[0], -1)
        kinds = [next((kind for kind, form in KINDS if re.fullmatch(form, row.tobytes())), 0) for row in rows]
        return {"kind": np.array(kinds, np.int32)}
    out, kept = args["out"].copy(), []
    for row, target in zip(args["in"], out):
        text = re.sub(rb"/\*.*?(\*/|$)", b"", row.tobytes(), flags=re.S)
        target[: len(text)] = np.frombuffer(text, np.int8)
        kept.append(len(text))
    return {"out": out, "kept": np.array(kept, np.int32)}


def walk(x, rounds):
    trace, odd = 1, x & 1
    for _ in range(rounds):
        if odd:
            x, trace, odd = (x * 5 + 1) % 2**32, (trace * 3 + 1) % 2**32, 0
        else:
            x, trace = (x >> 1) ^ (x << 7) % 2**32, (trace * 7 + 2) % 2**32
            odd = not x & 2
    return x, trace


if __name__ == "__main__":
    import pathlib

    folder = pathlib.Path(__file__).parent / "in"
    folder.mkdir(exist_ok=True)
    random = np.random.default_rng(5)

    def field():
        form = random.integers(0, 6)
        a, b = (str(random.integers(0, 10**7)) for _ in range(2))
        text = [a, "-" + a, a[:3] + "." + b, a[:2] + "e" + b, "-" + a[:1] + "." + b[:2] + "e-" + b, a[:4] + "x"][form]
        return (text + b + "0" * 7)[:7] if form < 5 else (text + "1234567")[:7]

    np.save(folder / "numbers.npy", np.frombuffer("".join(field() for _ in range(300)).encode(), np.int8).reshape(300, 7))
    letters = np.frombuffer(b"ab*/", np.int8)
    np.save(folder / "comments.npy", letters[random.choice(4, (128, 40), p=[0.3, 0.2, 0.25, 0.25])])
