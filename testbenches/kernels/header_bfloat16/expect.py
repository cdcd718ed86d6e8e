"""Exact fractions, rounded by the definition of each mode. Written by testbenches/kernels/conversion-kernels."""

import conversions
import numpy as np

# kernel: type of the operand, of the result, and a section's input, rounding and saturation
KERNELS = {
    "bfloat16_from_char": ("char", "bfloat16", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz")]),
    "bfloat16_from_uchar": ("uchar", "bfloat16", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz")]),
    "bfloat16_from_short": ("short", "bfloat16", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz")]),
    "bfloat16_from_ushort": ("ushort", "bfloat16", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz")]),
    "bfloat16_from_int": ("int", "bfloat16", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz")]),
    "bfloat16_from_uint": ("uint", "bfloat16", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz")]),
    "bfloat16_from_long": ("long", "bfloat16", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz")]),
    "bfloat16_from_ulong": ("ulong", "bfloat16", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz")]),
    "bfloat16_from_float": ("float", "bfloat16", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz"), ("any", "sr")]),
    "bfloat16_from_double": ("double", "bfloat16", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz"), ("any", "sr")]),
    "char_from_bfloat16": ("bfloat16", "char", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True), ("any", "rhaz", True)]),
    "uchar_from_bfloat16": ("bfloat16", "uchar", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True), ("any", "rhaz", True)]),
    "short_from_bfloat16": ("bfloat16", "short", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True), ("any", "rhaz", True)]),
    "ushort_from_bfloat16": ("bfloat16", "ushort", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True), ("any", "rhaz", True)]),
    "int_from_bfloat16": ("bfloat16", "int", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True), ("any", "rhaz", True)]),
    "uint_from_bfloat16": ("bfloat16", "uint", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True), ("any", "rhaz", True)]),
    "long_from_bfloat16": ("bfloat16", "long", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True), ("any", "rhaz", True)]),
    "ulong_from_bfloat16": ("bfloat16", "ulong", [("any", ""), ("any", "rte"), ("any", "rtz"), ("any", "rtp"), ("any", "rtn"), ("any", "rhaz"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True), ("any", "rhaz", True)]),
    "float_from_bfloat16": ("bfloat16", "float", [("any", "")]),
    "double_from_bfloat16": ("bfloat16", "double", [("any", "")]),
    "char_from_float": ("float", "char", [("any", "rhaz"), ("any", "rhaz", True)]),
    "float_from_char": ("char", "float", [("any", "rhaz")]),
    "char_from_double": ("double", "char", [("any", "rhaz"), ("any", "rhaz", True)]),
    "double_from_char": ("char", "double", [("any", "rhaz")]),
    "uchar_from_float": ("float", "uchar", [("any", "rhaz"), ("any", "rhaz", True)]),
    "float_from_uchar": ("uchar", "float", [("any", "rhaz")]),
    "uchar_from_double": ("double", "uchar", [("any", "rhaz"), ("any", "rhaz", True)]),
    "double_from_uchar": ("uchar", "double", [("any", "rhaz")]),
    "short_from_float": ("float", "short", [("any", "rhaz"), ("any", "rhaz", True)]),
    "float_from_short": ("short", "float", [("any", "rhaz")]),
    "short_from_double": ("double", "short", [("any", "rhaz"), ("any", "rhaz", True)]),
    "double_from_short": ("short", "double", [("any", "rhaz")]),
    "ushort_from_float": ("float", "ushort", [("any", "rhaz"), ("any", "rhaz", True)]),
    "float_from_ushort": ("ushort", "float", [("any", "rhaz")]),
    "ushort_from_double": ("double", "ushort", [("any", "rhaz"), ("any", "rhaz", True)]),
    "double_from_ushort": ("ushort", "double", [("any", "rhaz")]),
    "int_from_float": ("float", "int", [("any", "rhaz"), ("any", "rhaz", True)]),
    "float_from_int": ("int", "float", [("any", "rhaz")]),
    "int_from_double": ("double", "int", [("any", "rhaz"), ("any", "rhaz", True)]),
    "double_from_int": ("int", "double", [("any", "rhaz")]),
    "uint_from_float": ("float", "uint", [("any", "rhaz"), ("any", "rhaz", True)]),
    "float_from_uint": ("uint", "float", [("any", "rhaz")]),
    "uint_from_double": ("double", "uint", [("any", "rhaz"), ("any", "rhaz", True)]),
    "double_from_uint": ("uint", "double", [("any", "rhaz")]),
    "long_from_float": ("float", "long", [("any", "rhaz"), ("any", "rhaz", True)]),
    "float_from_long": ("long", "float", [("any", "rhaz")]),
    "long_from_double": ("double", "long", [("any", "rhaz"), ("any", "rhaz", True)]),
    "double_from_long": ("long", "double", [("any", "rhaz")]),
    "ulong_from_float": ("float", "ulong", [("any", "rhaz"), ("any", "rhaz", True)]),
    "float_from_ulong": ("ulong", "float", [("any", "rhaz")]),
    "ulong_from_double": ("double", "ulong", [("any", "rhaz"), ("any", "rhaz", True)]),
    "double_from_ulong": ("ulong", "double", [("any", "rhaz")]),
    "float_from_double": ("double", "float", [("any", "rhaz"), ("any", "sr")]),
    "sample": ("float", "bfloat16", [("any", "rhaz"), ("any", "sr")]),
}


def section(lengths, args, source, destination, operand, mode, saturate=False):
    random = args["random"] if mode == "sr" else None
    values = conversions.convert(args[operand], source, destination, mode, saturate, random)
    return conversions.sections(values, 6, lengths)


def expected(launch, args):
    source, destination, steps = KERNELS[launch.kernel]
    lengths = (4,) if launch.kernel == "sample" else (1, 2, 3, 4, 8, 16)
    return {"out": np.array([section(lengths, args, source, destination, *step) for step in steps])}
