"""Exact fractions, rounded by the definition of each mode. Written by testbenches/kernels/conversion-kernels."""

import conversions
import numpy as np

POCL = False  # PoCL has no cl_khr_fp16 here

# kernel: type of the operand, of the result, and a section's input, rounding and saturation
KERNELS = {
    "bfloat16_from_half": ("half", "bfloat16", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz"), ("any", "sr")]),
    "half_from_bfloat16": ("bfloat16", "half", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz"), ("any", "sr")]),
    "char_from_half": ("half", "char", [("any", "rhaz"), ("any", "rhaz", True)]),
    "half_from_char": ("char", "half", [("any", "rhaz")]),
    "uchar_from_half": ("half", "uchar", [("any", "rhaz"), ("any", "rhaz", True)]),
    "half_from_uchar": ("uchar", "half", [("any", "rhaz")]),
    "short_from_half": ("half", "short", [("any", "rhaz"), ("any", "rhaz", True)]),
    "half_from_short": ("short", "half", [("any", "rhaz")]),
    "ushort_from_half": ("half", "ushort", [("any", "rhaz"), ("any", "rhaz", True)]),
    "half_from_ushort": ("ushort", "half", [("any", "rhaz")]),
    "int_from_half": ("half", "int", [("any", "rhaz"), ("any", "rhaz", True)]),
    "half_from_int": ("int", "half", [("any", "rhaz")]),
    "uint_from_half": ("half", "uint", [("any", "rhaz"), ("any", "rhaz", True)]),
    "half_from_uint": ("uint", "half", [("any", "rhaz")]),
    "long_from_half": ("half", "long", [("any", "rhaz"), ("any", "rhaz", True)]),
    "half_from_long": ("long", "half", [("any", "rhaz")]),
    "ulong_from_half": ("half", "ulong", [("any", "rhaz"), ("any", "rhaz", True)]),
    "half_from_ulong": ("ulong", "half", [("any", "rhaz")]),
    "half_from_float": ("float", "half", [("any", "rhaz"), ("any", "sr")]),
    "half_from_double": ("double", "half", [("any", "rhaz"), ("any", "sr")]),
    "sample": ("double", "half", [("any", "rhaz"), ("any", "sr")]),
}


def section(lengths, args, source, destination, operand, mode, saturate=False):
    random = args["random"] if mode == "sr" else None
    values = conversions.convert(args[operand], source, destination, mode, saturate, random)
    return conversions.sections(values, 6, lengths)


def expected(launch, args):
    source, destination, steps = KERNELS[launch.kernel]
    lengths = (4,) if launch.kernel == "sample" else (1, 2, 3, 4, 8, 16)
    return {"out": np.array([section(lengths, args, source, destination, *step) for step in steps])}
