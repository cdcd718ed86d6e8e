"""The same bytes. Written by testbenches/kernels/as-kernels."""

import numpy as np

POCL = False  # PoCL has no cl_khr_fp16 here

COUNT = 5
# kernel: bytes of the type, whether it is a 3-vector, and for each type written whether that is one
KERNELS = {
    "from_half": (2, False, [False, False, False, False, False]),
    "from_short": (2, False, [False]),
    "from_ushort": (2, False, [False]),
    "from_char2": (2, False, [False]),
    "from_uchar2": (2, False, [False]),
    "from_int": (4, False, [False]),
    "from_uint": (4, False, [False]),
    "from_float": (4, False, [False]),
    "from_half2": (4, False, [False, False, False, False, False, False, True, True, False, False]),
    "from_short2": (4, False, [False]),
    "from_ushort2": (4, False, [False]),
    "from_char4": (4, False, [False]),
    "from_uchar4": (4, False, [False]),
    "from_long": (8, False, [True, False]),
    "from_ulong": (8, False, [True, False]),
    "from_double": (8, False, [True, False]),
    "from_int2": (8, False, [True, False]),
    "from_uint2": (8, False, [True, False]),
    "from_float2": (8, False, [True, False]),
    "from_half4": (8, False, [False, False, False, False, False, False, True, True, True, False, False, False, False, False]),
    "from_short4": (8, False, [True, False]),
    "from_ushort4": (8, False, [True, False]),
    "from_char8": (8, False, [True, False]),
    "from_uchar8": (8, False, [True, False]),
    "from_long2": (16, False, [False]),
    "from_ulong2": (16, False, [False]),
    "from_double2": (16, False, [False]),
    "from_int4": (16, False, [False]),
    "from_uint4": (16, False, [False]),
    "from_float4": (16, False, [False]),
    "from_half8": (16, False, [False, False, False, True, True, True, False, False, False, False, False, False, False, False]),
    "from_short8": (16, False, [False]),
    "from_ushort8": (16, False, [False]),
    "from_char16": (16, False, [False]),
    "from_uchar16": (16, False, [False]),
    "from_long4": (32, False, [False]),
    "from_ulong4": (32, False, [False]),
    "from_double4": (32, False, [False]),
    "from_int8": (32, False, [False]),
    "from_uint8": (32, False, [False]),
    "from_float8": (32, False, [False]),
    "from_half16": (32, False, [True, True, True, False, False, False, False, False, False, False, False, False]),
    "from_short16": (32, False, [False]),
    "from_ushort16": (32, False, [False]),
    "from_char3": (4, True, [False]),
    "from_uchar3": (4, True, [False]),
    "from_half3": (8, True, [False, False, False, False, False, False, True, True, True, False, False, False, False, False]),
    "from_short3": (8, True, [True, False]),
    "from_ushort3": (8, True, [True, False]),
    "from_int3": (16, True, [False]),
    "from_uint3": (16, True, [False]),
    "from_float3": (16, True, [False]),
    "from_long3": (32, True, [False]),
    "from_ulong3": (32, True, [False]),
    "from_double3": (32, True, [False]),
}


def expected(launch, args):
    if launch.kernel == "half_to_bool":
        return {"out": (args["a"] != 0).astype(np.int32)}
    if launch.kernel == "bool_to_half":
        return {"out": (args["a"] != 0).astype(np.float16)}
    size, three, results = KERNELS[launch.kernel]
    values = args["in"].reshape(COUNT, size)
    out = np.zeros((len(results), COUNT, size), np.uint8)
    for section, result in enumerate(results):
        defined = 3 * size // 4 if three or result else size
        out[section, :, :defined] = values[:, :defined]
    return {"out": out.reshape(-1)}
