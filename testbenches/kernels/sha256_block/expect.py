"""hashlib, of the message without its padding."""

import hashlib

import numpy as np


def expected(launch, args):
    block = args["block"].tobytes()
    message = block[: int.from_bytes(block[56:], "big") // 8]
    return {"digest": np.frombuffer(hashlib.sha256(message).digest(), ">u4").astype(np.uint32)}
