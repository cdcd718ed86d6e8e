// Vectors of half as every other type of their size and back; half and bool.
// Written by testbenches/kernels/as-kernels.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

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
BEGIN(half, half, 2) AS(half) AS(short) AS(ushort) AS(char2) AS(uchar2) }
BEGIN(short, short, 2) AS(half) }
BEGIN(ushort, ushort, 2) AS(half) }
BEGIN(char2, char, 2) AS(half) }
BEGIN(uchar2, uchar, 2) AS(half) }
BEGIN(int, int, 4) AS(half2) }
BEGIN(uint, uint, 4) AS(half2) }
BEGIN(float, float, 4) AS(half2) }
BEGIN(half2, half, 4) AS(int) AS(uint) AS(float) AS(half2) AS(short2) AS(ushort2) AS3(char) AS3(uchar) AS(char4) AS(uchar4) }
BEGIN(short2, short, 4) AS(half2) }
BEGIN(ushort2, ushort, 4) AS(half2) }
BEGIN(char4, char, 4) AS(half2) }
BEGIN(uchar4, uchar, 4) AS(half2) }
BEGIN(long, long, 8) AS3(half) AS(half4) }
BEGIN(ulong, ulong, 8) AS3(half) AS(half4) }
BEGIN(double, double, 8) AS3(half) AS(half4) }
BEGIN(int2, int, 8) AS3(half) AS(half4) }
BEGIN(uint2, uint, 8) AS3(half) AS(half4) }
BEGIN(float2, float, 8) AS3(half) AS(half4) }
BEGIN(half4, half, 8) AS(long) AS(ulong) AS(double) AS(int2) AS(uint2) AS(float2) AS3(half) AS3(short) AS3(ushort) AS(half4) AS(short4) AS(ushort4) AS(char8) AS(uchar8) }
BEGIN(short4, short, 8) AS3(half) AS(half4) }
BEGIN(ushort4, ushort, 8) AS3(half) AS(half4) }
BEGIN(char8, char, 8) AS3(half) AS(half4) }
BEGIN(uchar8, uchar, 8) AS3(half) AS(half4) }
BEGIN(long2, long, 16) AS(half8) }
BEGIN(ulong2, ulong, 16) AS(half8) }
BEGIN(double2, double, 16) AS(half8) }
BEGIN(int4, int, 16) AS(half8) }
BEGIN(uint4, uint, 16) AS(half8) }
BEGIN(float4, float, 16) AS(half8) }
BEGIN(half8, half, 16) AS(long2) AS(ulong2) AS(double2) AS3(int) AS3(uint) AS3(float) AS(int4) AS(uint4) AS(float4) AS(half8) AS(short8) AS(ushort8) AS(char16) AS(uchar16) }
BEGIN(short8, short, 16) AS(half8) }
BEGIN(ushort8, ushort, 16) AS(half8) }
BEGIN(char16, char, 16) AS(half8) }
BEGIN(uchar16, uchar, 16) AS(half8) }
BEGIN(long4, long, 32) AS(half16) }
BEGIN(ulong4, ulong, 32) AS(half16) }
BEGIN(double4, double, 32) AS(half16) }
BEGIN(int8, int, 32) AS(half16) }
BEGIN(uint8, uint, 32) AS(half16) }
BEGIN(float8, float, 32) AS(half16) }
BEGIN(half16, half, 32) AS3(long) AS3(ulong) AS3(double) AS(long4) AS(ulong4) AS(double4) AS(int8) AS(uint8) AS(float8) AS(half16) AS(short16) AS(ushort16) }
BEGIN(short16, short, 32) AS(half16) }
BEGIN(ushort16, ushort, 32) AS(half16) }

#undef LOAD
#undef CLEAR
#define LOAD(S, E) vload3(0, (__global const E *)(in + i * size))
#define CLEAR                                                                                                          \
    for (size_t k = 3 * size / 4; k < size; k++)                                                                       \
        out[k] = 0;
BEGIN(char3, char, 4) AS(half2) }
BEGIN(uchar3, uchar, 4) AS(half2) }
BEGIN(half3, half, 8) AS(long) AS(ulong) AS(double) AS(int2) AS(uint2) AS(float2) AS3(half) AS3(short) AS3(ushort) AS(half4) AS(short4) AS(ushort4) AS(char8) AS(uchar8) }
BEGIN(short3, short, 8) AS3(half) AS(half4) }
BEGIN(ushort3, ushort, 8) AS3(half) AS(half4) }
BEGIN(int3, int, 16) AS(half8) }
BEGIN(uint3, uint, 16) AS(half8) }
BEGIN(float3, float, 16) AS(half8) }
BEGIN(long3, long, 32) AS(half16) }
BEGIN(ulong3, ulong, 32) AS(half16) }
BEGIN(double3, double, 32) AS(half16) }

__kernel void half_to_bool(__global const half *a, __global int *out)
{
    size_t i = get_global_id(0);
    out[i] = (bool)a[i];
}

__kernel void bool_to_half(__global const int *a, __global half *out)
{
    size_t i = get_global_id(0);
    out[i] = (half)(bool)a[i];
}
