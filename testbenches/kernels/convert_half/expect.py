"""Exact fractions, rounded by the definition of each mode. Written by testbenches/kernels/conversion-kernels."""

import conversions
import numpy as np

POCL = False  # PoCL has no cl_khr_fp16 here

# kernel: type of the operand, of the result, and a section's input, rounding and saturation
KERNELS = {
    "from_char": ("char", "half", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "from_uchar": ("uchar", "half", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "from_short": ("short", "half", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "from_ushort": ("ushort", "half", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "from_int": ("int", "half", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "from_uint": ("uint", "half", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "from_long": ("long", "half", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "from_ulong": ("ulong", "half", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "from_float": ("float", "half", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "from_double": ("double", "half", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "to_char": ("half", "char", [("fit", ""), ("fit", "rte"), ("fit", "rtz"), ("fit", "rtp"), ("fit", "rtn"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True)]),
    "to_uchar": ("half", "uchar", [("fit", ""), ("fit", "rte"), ("fit", "rtz"), ("fit", "rtp"), ("fit", "rtn"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True)]),
    "to_short": ("half", "short", [("fit", ""), ("fit", "rte"), ("fit", "rtz"), ("fit", "rtp"), ("fit", "rtn"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True)]),
    "to_ushort": ("half", "ushort", [("fit", ""), ("fit", "rte"), ("fit", "rtz"), ("fit", "rtp"), ("fit", "rtn"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True)]),
    "to_int": ("half", "int", [("fit", ""), ("fit", "rte"), ("fit", "rtz"), ("fit", "rtp"), ("fit", "rtn"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True)]),
    "to_uint": ("half", "uint", [("fit", ""), ("fit", "rte"), ("fit", "rtz"), ("fit", "rtp"), ("fit", "rtn"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True)]),
    "to_long": ("half", "long", [("fit", ""), ("fit", "rte"), ("fit", "rtz"), ("fit", "rtp"), ("fit", "rtn"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True)]),
    "to_ulong": ("half", "ulong", [("fit", ""), ("fit", "rte"), ("fit", "rtz"), ("fit", "rtp"), ("fit", "rtn"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True)]),
    "to_float": ("half", "float", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "to_double": ("half", "double", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn")]),
    "sample": ("float", "half", [("any", "rtp")]),
}


def section(lengths, args, source, destination, operand, mode, saturate=False):
    random = args["random"] if mode == "sr" else None
    values = conversions.convert(args[operand], source, destination, mode, saturate, random)
    return conversions.sections(values, 6, lengths)


def expected(launch, args):
    source, destination, steps = KERNELS[launch.kernel]
    lengths = (4,) if launch.kernel == "sample" else (1, 2, 3, 4, 8, 16)
    return {"out": np.array([section(lengths, args, source, destination, *step) for step in steps])}
