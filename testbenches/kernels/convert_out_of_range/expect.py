"""Exact fractions, rounded by the definition of each mode. Written by testbenches/kernels/conversion-kernels."""

import conversions
import numpy as np

POCL = False  # OpenCL leaves these results open; PoCL's are other ones

# kernel: type of the operand, of the result, and a section's input, rounding and saturation
KERNELS = {
    "char_from_half": ("half", "char", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "uchar_from_half": ("half", "uchar", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "short_from_half": ("half", "short", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "ushort_from_half": ("half", "ushort", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "int_from_half": ("half", "int", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "uint_from_half": ("half", "uint", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "long_from_half": ("half", "long", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "ulong_from_half": ("half", "ulong", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "char_from_float": ("float", "char", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "uchar_from_float": ("float", "uchar", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "short_from_float": ("float", "short", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "ushort_from_float": ("float", "ushort", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "int_from_float": ("float", "int", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "uint_from_float": ("float", "uint", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "long_from_float": ("float", "long", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "ulong_from_float": ("float", "ulong", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "char_from_double": ("double", "char", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "uchar_from_double": ("double", "uchar", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "short_from_double": ("double", "short", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "ushort_from_double": ("double", "ushort", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "int_from_double": ("double", "int", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "uint_from_double": ("double", "uint", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "long_from_double": ("double", "long", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "ulong_from_double": ("double", "ulong", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "sample": ("float", "short", [("any", "")]),
}


def section(lengths, args, source, destination, operand, mode, saturate=False):
    random = args["random"] if mode == "sr" else None
    values = conversions.convert(args[operand], source, destination, mode, saturate, random)
    return conversions.sections(values, 6, lengths)


def expected(launch, args):
    source, destination, steps = KERNELS[launch.kernel]
    lengths = (4,) if launch.kernel == "sample" else (1, 2, 3, 4, 8, 16)
    return {"out": np.array([section(lengths, args, source, destination, *step) for step in steps])}
