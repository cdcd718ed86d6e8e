// Every type but half as every other one of its size.
// Written by testbenches/kernels/as-kernels.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// x as type D, written behind what is there; a quarter of it is cleared if the fourth element is not defined.
#define AS(D)                                                                                                          \
    *(__global D *)out = as_##D(x);                                                                                    \
    CLEAR                                                                                                              \
    out += step;
#define AS3(E)                                                                                                         \
    vstore3(as_##E##3(x), 0, (__global E *)out);                                                                       \
    out += step;
#define BEGIN(S, E, bytes)                                                                                             \
    __kernel void from_##S(__global const uchar *in, __global uchar *out)                                              \
    {                                                                                                                  \
        const size_t i = get_global_id(0), size = bytes, step = size * get_global_size(0);                             \
        S x = LOAD(S, E);                                                                                              \
        out += i * size;

#define LOAD(S, E) *(__global const S *)(in + i * size)
#define CLEAR
BEGIN(char, char, 1) AS(char) AS(uchar) }
BEGIN(uchar, uchar, 1) AS(char) AS(uchar) }
BEGIN(short, short, 2) AS(short) AS(ushort) AS(char2) AS(uchar2) }
BEGIN(ushort, ushort, 2) AS(short) AS(ushort) AS(char2) AS(uchar2) }
BEGIN(char2, char, 2) AS(short) AS(ushort) AS(char2) AS(uchar2) }
BEGIN(uchar2, uchar, 2) AS(short) AS(ushort) AS(char2) AS(uchar2) }
BEGIN(int, int, 4) AS(int) AS(uint) AS(float) AS(short2) AS(ushort2) AS3(char) AS3(uchar) AS(char4) AS(uchar4) }
BEGIN(uint, uint, 4) AS(int) AS(uint) AS(float) AS(short2) AS(ushort2) AS3(char) AS3(uchar) AS(char4) AS(uchar4) }
BEGIN(float, float, 4) AS(int) AS(uint) AS(float) AS(short2) AS(ushort2) AS3(char) AS3(uchar) AS(char4) AS(uchar4) }
BEGIN(short2, short, 4) AS(int) AS(uint) AS(float) AS(short2) AS(ushort2) AS3(char) AS3(uchar) AS(char4) AS(uchar4) }
BEGIN(ushort2, ushort, 4) AS(int) AS(uint) AS(float) AS(short2) AS(ushort2) AS3(char) AS3(uchar) AS(char4) AS(uchar4) }
BEGIN(char4, char, 4) AS(int) AS(uint) AS(float) AS(short2) AS(ushort2) AS3(char) AS3(uchar) AS(char4) AS(uchar4) }
BEGIN(uchar4, uchar, 4) AS(int) AS(uint) AS(float) AS(short2) AS(ushort2) AS3(char) AS3(uchar) AS(char4) AS(uchar4) }
BEGIN(long, long, 8) AS(long) AS(ulong) AS(double) AS(int2) AS(uint2) AS(float2) AS3(short) AS3(ushort) AS(short4) AS(ushort4) AS(char8) AS(uchar8) }
BEGIN(ulong, ulong, 8) AS(long) AS(ulong) AS(double) AS(int2) AS(uint2) AS(float2) AS3(short) AS3(ushort) AS(short4) AS(ushort4) AS(char8) AS(uchar8) }
BEGIN(double, double, 8) AS(long) AS(ulong) AS(double) AS(int2) AS(uint2) AS(float2) AS3(short) AS3(ushort) AS(short4) AS(ushort4) AS(char8) AS(uchar8) }
BEGIN(int2, int, 8) AS(long) AS(ulong) AS(double) AS(int2) AS(uint2) AS(float2) AS3(short) AS3(ushort) AS(short4) AS(ushort4) AS(char8) AS(uchar8) }
BEGIN(uint2, uint, 8) AS(long) AS(ulong) AS(double) AS(int2) AS(uint2) AS(float2) AS3(short) AS3(ushort) AS(short4) AS(ushort4) AS(char8) AS(uchar8) }
BEGIN(float2, float, 8) AS(long) AS(ulong) AS(double) AS(int2) AS(uint2) AS(float2) AS3(short) AS3(ushort) AS(short4) AS(ushort4) AS(char8) AS(uchar8) }
BEGIN(short4, short, 8) AS(long) AS(ulong) AS(double) AS(int2) AS(uint2) AS(float2) AS3(short) AS3(ushort) AS(short4) AS(ushort4) AS(char8) AS(uchar8) }
BEGIN(ushort4, ushort, 8) AS(long) AS(ulong) AS(double) AS(int2) AS(uint2) AS(float2) AS3(short) AS3(ushort) AS(short4) AS(ushort4) AS(char8) AS(uchar8) }
BEGIN(char8, char, 8) AS(long) AS(ulong) AS(double) AS(int2) AS(uint2) AS(float2) AS3(short) AS3(ushort) AS(short4) AS(ushort4) AS(char8) AS(uchar8) }
BEGIN(uchar8, uchar, 8) AS(long) AS(ulong) AS(double) AS(int2) AS(uint2) AS(float2) AS3(short) AS3(ushort) AS(short4) AS(ushort4) AS(char8) AS(uchar8) }
BEGIN(long2, long, 16) AS(long2) AS(ulong2) AS(double2) AS3(int) AS3(uint) AS3(float) AS(int4) AS(uint4) AS(float4) AS(short8) AS(ushort8) AS(char16) AS(uchar16) }
BEGIN(ulong2, ulong, 16) AS(long2) AS(ulong2) AS(double2) AS3(int) AS3(uint) AS3(float) AS(int4) AS(uint4) AS(float4) AS(short8) AS(ushort8) AS(char16) AS(uchar16) }
BEGIN(double2, double, 16) AS(long2) AS(ulong2) AS(double2) AS3(int) AS3(uint) AS3(float) AS(int4) AS(uint4) AS(float4) AS(short8) AS(ushort8) AS(char16) AS(uchar16) }
BEGIN(int4, int, 16) AS(long2) AS(ulong2) AS(double2) AS3(int) AS3(uint) AS3(float) AS(int4) AS(uint4) AS(float4) AS(short8) AS(ushort8) AS(char16) AS(uchar16) }
BEGIN(uint4, uint, 16) AS(long2) AS(ulong2) AS(double2) AS3(int) AS3(uint) AS3(float) AS(int4) AS(uint4) AS(float4) AS(short8) AS(ushort8) AS(char16) AS(uchar16) }
BEGIN(float4, float, 16) AS(long2) AS(ulong2) AS(double2) AS3(int) AS3(uint) AS3(float) AS(int4) AS(uint4) AS(float4) AS(short8) AS(ushort8) AS(char16) AS(uchar16) }
BEGIN(short8, short, 16) AS(long2) AS(ulong2) AS(double2) AS3(int) AS3(uint) AS3(float) AS(int4) AS(uint4) AS(float4) AS(short8) AS(ushort8) AS(char16) AS(uchar16) }
BEGIN(ushort8, ushort, 16) AS(long2) AS(ulong2) AS(double2) AS3(int) AS3(uint) AS3(float) AS(int4) AS(uint4) AS(float4) AS(short8) AS(ushort8) AS(char16) AS(uchar16) }
BEGIN(char16, char, 16) AS(long2) AS(ulong2) AS(double2) AS3(int) AS3(uint) AS3(float) AS(int4) AS(uint4) AS(float4) AS(short8) AS(ushort8) AS(char16) AS(uchar16) }
BEGIN(uchar16, uchar, 16) AS(long2) AS(ulong2) AS(double2) AS3(int) AS3(uint) AS3(float) AS(int4) AS(uint4) AS(float4) AS(short8) AS(ushort8) AS(char16) AS(uchar16) }
BEGIN(long4, long, 32) AS3(long) AS3(ulong) AS3(double) AS(long4) AS(ulong4) AS(double4) AS(int8) AS(uint8) AS(float8) AS(short16) AS(ushort16) }
BEGIN(ulong4, ulong, 32) AS3(long) AS3(ulong) AS3(double) AS(long4) AS(ulong4) AS(double4) AS(int8) AS(uint8) AS(float8) AS(short16) AS(ushort16) }
BEGIN(double4, double, 32) AS3(long) AS3(ulong) AS3(double) AS(long4) AS(ulong4) AS(double4) AS(int8) AS(uint8) AS(float8) AS(short16) AS(ushort16) }
BEGIN(int8, int, 32) AS3(long) AS3(ulong) AS3(double) AS(long4) AS(ulong4) AS(double4) AS(int8) AS(uint8) AS(float8) AS(short16) AS(ushort16) }
BEGIN(uint8, uint, 32) AS3(long) AS3(ulong) AS3(double) AS(long4) AS(ulong4) AS(double4) AS(int8) AS(uint8) AS(float8) AS(short16) AS(ushort16) }
BEGIN(float8, float, 32) AS3(long) AS3(ulong) AS3(double) AS(long4) AS(ulong4) AS(double4) AS(int8) AS(uint8) AS(float8) AS(short16) AS(ushort16) }
BEGIN(short16, short, 32) AS3(long) AS3(ulong) AS3(double) AS(long4) AS(ulong4) AS(double4) AS(int8) AS(uint8) AS(float8) AS(short16) AS(ushort16) }
BEGIN(ushort16, ushort, 32) AS3(long) AS3(ulong) AS3(double) AS(long4) AS(ulong4) AS(double4) AS(int8) AS(uint8) AS(float8) AS(short16) AS(ushort16) }
BEGIN(long8, long, 64) AS(long8) AS(ulong8) AS(double8) AS(int16) AS(uint16) AS(float16) }
BEGIN(ulong8, ulong, 64) AS(long8) AS(ulong8) AS(double8) AS(int16) AS(uint16) AS(float16) }
BEGIN(double8, double, 64) AS(long8) AS(ulong8) AS(double8) AS(int16) AS(uint16) AS(float16) }
BEGIN(int16, int, 64) AS(long8) AS(ulong8) AS(double8) AS(int16) AS(uint16) AS(float16) }
BEGIN(uint16, uint, 64) AS(long8) AS(ulong8) AS(double8) AS(int16) AS(uint16) AS(float16) }
BEGIN(float16, float, 64) AS(long8) AS(ulong8) AS(double8) AS(int16) AS(uint16) AS(float16) }
BEGIN(long16, long, 128) AS(long16) AS(ulong16) AS(double16) }
BEGIN(ulong16, ulong, 128) AS(long16) AS(ulong16) AS(double16) }
BEGIN(double16, double, 128) AS(long16) AS(ulong16) AS(double16) }

#undef LOAD
#undef CLEAR
#define LOAD(S, E) vload3(0, (__global const E *)(in + i * size))
#define CLEAR                                                                                                          \
    for (size_t k = 3 * size / 4; k < size; k++)                                                                       \
        out[k] = 0;
BEGIN(char3, char, 4) AS(int) AS(uint) AS(float) AS(short2) AS(ushort2) AS3(char) AS3(uchar) AS(char4) AS(uchar4) }
BEGIN(uchar3, uchar, 4) AS(int) AS(uint) AS(float) AS(short2) AS(ushort2) AS3(char) AS3(uchar) AS(char4) AS(uchar4) }
BEGIN(short3, short, 8) AS(long) AS(ulong) AS(double) AS(int2) AS(uint2) AS(float2) AS3(short) AS3(ushort) AS(short4) AS(ushort4) AS(char8) AS(uchar8) }
BEGIN(ushort3, ushort, 8) AS(long) AS(ulong) AS(double) AS(int2) AS(uint2) AS(float2) AS3(short) AS3(ushort) AS(short4) AS(ushort4) AS(char8) AS(uchar8) }
BEGIN(int3, int, 16) AS(long2) AS(ulong2) AS(double2) AS3(int) AS3(uint) AS3(float) AS(int4) AS(uint4) AS(float4) AS(short8) AS(ushort8) AS(char16) AS(uchar16) }
BEGIN(uint3, uint, 16) AS(long2) AS(ulong2) AS(double2) AS3(int) AS3(uint) AS3(float) AS(int4) AS(uint4) AS(float4) AS(short8) AS(ushort8) AS(char16) AS(uchar16) }
BEGIN(float3, float, 16) AS(long2) AS(ulong2) AS(double2) AS3(int) AS3(uint) AS3(float) AS(int4) AS(uint4) AS(float4) AS(short8) AS(ushort8) AS(char16) AS(uchar16) }
BEGIN(long3, long, 32) AS3(long) AS3(ulong) AS3(double) AS(long4) AS(ulong4) AS(double4) AS(int8) AS(uint8) AS(float8) AS(short16) AS(ushort16) }
BEGIN(ulong3, ulong, 32) AS3(long) AS3(ulong) AS3(double) AS(long4) AS(ulong4) AS(double4) AS(int8) AS(uint8) AS(float8) AS(short16) AS(ushort16) }
BEGIN(double3, double, 32) AS3(long) AS3(ulong) AS3(double) AS(long4) AS(ulong4) AS(double4) AS(int8) AS(uint8) AS(float8) AS(short16) AS(ushort16) }
