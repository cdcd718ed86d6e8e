"""In double precision, with the normal distribution of the standard library's error function where the kernel has a series."""

import math

import numpy as np


def expected(launch, args):
    s, x, t = (args[name].astype(np.float64) for name in ("price", "strike", "years"))
    rate, volatility = (float(np.float32(args[name].texts[0])) for name in ("rate", "volatility"))
    spread = volatility * np.sqrt(t)
    d1 = (np.log(s / x) + (rate + 0.5 * volatility**2) * t) / spread
    n1, n2 = normal(d1), normal(d1 - spread)
    discounted = x * np.exp(-rate * t)
    return {"call": (s * n1 - discounted * n2).astype(np.float32),
            "put": (discounted * (1 - n2) - s * (1 - n1)).astype(np.float32)}


def normal(x):
    return np.array([0.5 * (1 + math.erf(v / math.sqrt(2))) for v in x])
