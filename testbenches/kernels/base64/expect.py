"""Python's base64 module."""

import base64

import numpy as np


def expected(launch, args):
    data = args["in"].tobytes()
    if launch.kernel == "encode":
        return {"out": np.frombuffer(base64.b64encode(data), np.int8)}
    alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    out, bad = args["out"].copy(), args["bad"].copy()
    for group in range(len(data) // 4):
        text = data[4 * group : 4 * group + 4]
        wrong = sum(c not in alphabet for c in text)
        bad[0] += wrong
        if not wrong:
            out[3 * group : 3 * group + 3] = list(base64.b64decode(text))
    return {"out": out, "bad": bad}
