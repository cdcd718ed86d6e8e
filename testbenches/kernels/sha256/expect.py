"""hashlib."""

import hashlib

import numpy as np


def expected(launch, args):
    length = int(args["length"].texts[0])
    data = args["messages"].tobytes()
    digests = b"".join(hashlib.sha256(data[i * length : (i + 1) * length]).digest() for i in range(launch.global_size[0]))
    return {"digests": np.frombuffer(digests, np.uint8).reshape(-1, 32)}
