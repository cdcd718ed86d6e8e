"""Exact fractions, rounded by the definition of each mode. Written by testbenches/kernels/conversion-kernels."""

import conversions
import numpy as np

# kernel: type of the operand, of the result, and a section's input, rounding and saturation
KERNELS = {
    "from_char": ("char", "short", [("fit", ""), ("fit", "rte"), ("fit", "rtz"), ("fit", "rtp"), ("fit", "rtn"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True)]),
    "from_uchar": ("uchar", "short", [("fit", ""), ("fit", "rte"), ("fit", "rtz"), ("fit", "rtp"), ("fit", "rtn"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True)]),
    "from_short": ("short", "short", [("fit", ""), ("fit", "rte"), ("fit", "rtz"), ("fit", "rtp"), ("fit", "rtn"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True)]),
    "from_ushort": ("ushort", "short", [("fit", ""), ("fit", "rte"), ("fit", "rtz"), ("fit", "rtp"), ("fit", "rtn"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True)]),
    "from_int": ("int", "short", [("fit", ""), ("fit", "rte"), ("fit", "rtz"), ("fit", "rtp"), ("fit", "rtn"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True)]),
    "from_uint": ("uint", "short", [("fit", ""), ("fit", "rte"), ("fit", "rtz"), ("fit", "rtp"), ("fit", "rtn"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True)]),
    "from_long": ("long", "short", [("fit", ""), ("fit", "rte"), ("fit", "rtz"), ("fit", "rtp"), ("fit", "rtn"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True)]),
    "from_ulong": ("ulong", "short", [("fit", ""), ("fit", "rte"), ("fit", "rtz"), ("fit", "rtp"), ("fit", "rtn"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True)]),
    "from_float": ("float", "short", [("fit", ""), ("fit", "rte"), ("fit", "rtz"), ("fit", "rtp"), ("fit", "rtn"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True)]),
    "from_double": ("double", "short", [("fit", ""), ("fit", "rte"), ("fit", "rtz"), ("fit", "rtp"), ("fit", "rtn"), ("any", "", True), ("any", "rte", True), ("any", "rtz", True), ("any", "rtp", True), ("any", "rtn", True)]),
    "sample": ("float", "short", [("any", "rtp", True)]),
}


def section(lengths, args, source, destination, operand, mode, saturate=False):
    random = args["random"] if mode == "sr" else None
    values = conversions.convert(args[operand], source, destination, mode, saturate, random)
    return conversions.sections(values, 6, lengths)


def expected(launch, args):
    source, destination, steps = KERNELS[launch.kernel]
    lengths = (4,) if launch.kernel == "sample" else (1, 2, 3, 4, 8, 16)
    return {"out": np.array([section(lengths, args, source, destination, *step) for step in steps])}
