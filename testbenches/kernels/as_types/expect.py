"""The same bytes. Written by testbenches/kernels/as-kernels."""

import numpy as np

COUNT = 5
# kernel: bytes of the type, whether it is a 3-vector, and for each type written whether that is one
KERNELS = {
    "from_char": (1, False, [False, False]),
    "from_uchar": (1, False, [False, False]),
    "from_short": (2, False, [False, False, False, False]),
    "from_ushort": (2, False, [False, False, False, False]),
    "from_char2": (2, False, [False, False, False, False]),
    "from_uchar2": (2, False, [False, False, False, False]),
    "from_int": (4, False, [False, False, False, False, False, True, True, False, False]),
    "from_uint": (4, False, [False, False, False, False, False, True, True, False, False]),
    "from_float": (4, False, [False, False, False, False, False, True, True, False, False]),
    "from_short2": (4, False, [False, False, False, False, False, True, True, False, False]),
    "from_ushort2": (4, False, [False, False, False, False, False, True, True, False, False]),
    "from_char4": (4, False, [False, False, False, False, False, True, True, False, False]),
    "from_uchar4": (4, False, [False, False, False, False, False, True, True, False, False]),
    "from_long": (8, False, [False, False, False, False, False, False, True, True, False, False, False, False]),
    "from_ulong": (8, False, [False, False, False, False, False, False, True, True, False, False, False, False]),
    "from_double": (8, False, [False, False, False, False, False, False, True, True, False, False, False, False]),
    "from_int2": (8, False, [False, False, False, False, False, False, True, True, False, False, False, False]),
    "from_uint2": (8, False, [False, False, False, False, False, False, True, True, False, False, False, False]),
    "from_float2": (8, False, [False, False, False, False, False, False, True, True, False, False, False, False]),
    "from_short4": (8, False, [False, False, False, False, False, False, True, True, False, False, False, False]),
    "from_ushort4": (8, False, [False, False, False, False, False, False, True, True, False, False, False, False]),
    "from_char8": (8, False, [False, False, False, False, False, False, True, True, False, False, False, False]),
    "from_uchar8": (8, False, [False, False, False, False, False, False, True, True, False, False, False, False]),
    "from_long2": (16, False, [False, False, False, True, True, True, False, False, False, False, False, False, False]),
    "from_ulong2": (16, False, [False, False, False, True, True, True, False, False, False, False, False, False, False]),
    "from_double2": (16, False, [False, False, False, True, True, True, False, False, False, False, False, False, False]),
    "from_int4": (16, False, [False, False, False, True, True, True, False, False, False, False, False, False, False]),
    "from_uint4": (16, False, [False, False, False, True, True, True, False, False, False, False, False, False, False]),
    "from_float4": (16, False, [False, False, False, True, True, True, False, False, False, False, False, False, False]),
    "from_short8": (16, False, [False, False, False, True, True, True, False, False, False, False, False, False, False]),
    "from_ushort8": (16, False, [False, False, False, True, True, True, False, False, False, False, False, False, False]),
    "from_char16": (16, False, [False, False, False, True, True, True, False, False, False, False, False, False, False]),
    "from_uchar16": (16, False, [False, False, False, True, True, True, False, False, False, False, False, False, False]),
    "from_long4": (32, False, [True, True, True, False, False, False, False, False, False, False, False]),
    "from_ulong4": (32, False, [True, True, True, False, False, False, False, False, False, False, False]),
    "from_double4": (32, False, [True, True, True, False, False, False, False, False, False, False, False]),
    "from_int8": (32, False, [True, True, True, False, False, False, False, False, False, False, False]),
    "from_uint8": (32, False, [True, True, True, False, False, False, False, False, False, False, False]),
    "from_float8": (32, False, [True, True, True, False, False, False, False, False, False, False, False]),
    "from_short16": (32, False, [True, True, True, False, False, False, False, False, False, False, False]),
    "from_ushort16": (32, False, [True, True, True, False, False, False, False, False, False, False, False]),
    "from_long8": (64, False, [False, False, False, False, False, False]),
    "from_ulong8": (64, False, [False, False, False, False, False, False]),
    "from_double8": (64, False, [False, False, False, False, False, False]),
    "from_int16": (64, False, [False, False, False, False, False, False]),
    "from_uint16": (64, False, [False, False, False, False, False, False]),
    "from_float16": (64, False, [False, False, False, False, False, False]),
    "from_long16": (128, False, [False, False, False]),
    "from_ulong16": (128, False, [False, False, False]),
    "from_double16": (128, False, [False, False, False]),
    "from_char3": (4, True, [False, False, False, False, False, True, True, False, False]),
    "from_uchar3": (4, True, [False, False, False, False, False, True, True, False, False]),
    "from_short3": (8, True, [False, False, False, False, False, False, True, True, False, False, False, False]),
    "from_ushort3": (8, True, [False, False, False, False, False, False, True, True, False, False, False, False]),
    "from_int3": (16, True, [False, False, False, True, True, True, False, False, False, False, False, False, False]),
    "from_uint3": (16, True, [False, False, False, True, True, True, False, False, False, False, False, False, False]),
    "from_float3": (16, True, [False, False, False, True, True, True, False, False, False, False, False, False, False]),
    "from_long3": (32, True, [True, True, True, False, False, False, False, False, False, False, False]),
    "from_ulong3": (32, True, [True, True, True, False, False, False, False, False, False, False, False]),
    "from_double3": (32, True, [True, True, True, False, False, False, False, False, False, False, False]),
}


def expected(launch, args):
    size, three, results = KERNELS[launch.kernel]
    values = args["in"].reshape(COUNT, size)
    out = np.zeros((len(results), COUNT, size), np.uint8)
    for section, result in enumerate(results):
        defined = 3 * size // 4 if three or result else size
        out[section, :, :defined] = values[:, :defined]
    return {"out": out.reshape(-1)}
