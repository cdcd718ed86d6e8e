"""Exact fractions, rounded by the definition of each mode. Written by testbenches/kernels/conversion-kernels."""

import conversions
import numpy as np

# kernel: type of the operand, of the result, and a section's input, rounding and saturation
KERNELS = {
    "from_char": ("char", "float", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "from_uchar": ("uchar", "float", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "from_short": ("short", "float", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "from_ushort": ("ushort", "float", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "from_int": ("int", "float", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "from_uint": ("uint", "float", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "from_long": ("long", "float", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "from_ulong": ("ulong", "float", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "from_float": ("float", "float", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "from_double": ("double", "float", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "sample": ("double", "float", [("any", "rtn")]),
}


def section(lengths, args, source, destination, operand, mode, saturate=False):
    random = args["random"] if mode == "sr" else None
    values = conversions.convert(args[operand], source, destination, mode, saturate, random)
    return conversions.sections(values, 6, lengths)


def expected(launch, args):
    source, destination, steps = KERNELS[launch.kernel]
    lengths = (4,) if launch.kernel == "sample" else (1, 2, 3, 4, 8, 16)
    return {"out": np.array([section(lengths, args, source, destination, *step) for step in steps])}
