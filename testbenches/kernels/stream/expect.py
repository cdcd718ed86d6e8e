"""The four kernels of STREAM in numpy."""

import numpy as np

from launches import number


def expected(launch, args):
    first = (launch.offset or [0])[0]
    here = slice(first, first + launch.global_size[0])
    result = {"stream_copy": "c", "stream_scale": "b", "stream_add": "c", "stream_triad": "a"}[launch.kernel]
    scalar = number(args["scalar"].texts[0], np.float64) if "scalar" in args else None
    with np.errstate(all="ignore"):
        value = {
            "stream_copy": lambda: args["a"],
            "stream_scale": lambda: scalar * args["c"],
            "stream_add": lambda: args["a"] + args["b"],
            "stream_triad": lambda: args["b"] + scalar * args["c"],
        }[launch.kernel]()
    out = args[result].copy()
    out[here] = value[here]
    return {result: out}
