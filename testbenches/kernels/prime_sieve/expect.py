"""Trial division."""

import numpy as np


def factor(n):
    return next((f for f in range(2, int(n**0.5) + 1) if n % f == 0), n)


def expected(launch, args):
    if launch.kernel == "smallest_factor":
        return {"factor": np.array([factor(int(n)) for n in args["numbers"]], np.uint32)}
    prime = np.array([n > 1 and factor(n) == n for n in range(args["bits"].size * 32)])
    return {"bits": np.packbits(prime, bitorder="little").view(np.uint32), "count": np.array([prime.sum()], np.uint32)}
