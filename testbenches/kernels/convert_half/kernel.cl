// Conversions from and to half, of every length, in every rounding.
// Written by testbenches/kernels/conversion-kernels.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// The function called name, N, suffix with scalars and vectors of `in`: 34 results a work-item.
#define LENGTHS(name, suffix, in)                                                                                      \
    out[i] = name##suffix(in[i]);                                                                                      \
    vstore2(name##2##suffix(vload2(i, in)), i, out + n);                                                               \
    vstore3(name##3##suffix(vload3(i, in)), i, out + 3 * n);                                                           \
    vstore4(name##4##suffix(vload4(i, in)), i, out + 6 * n);                                                           \
    vstore8(name##8##suffix(vload8(i, in)), i, out + 10 * n);                                                          \
    vstore16(name##16##suffix(vload16(i, in)), i, out + 18 * n);                                                       \
    out += 34 * n;
#define MODES(name, saturation, in)                                                                                    \
    LENGTHS(name, saturation, in)                                                                                      \
    LENGTHS(name, saturation##_rte, in)                                                                                \
    LENGTHS(name, saturation##_rtz, in)                                                                                \
    LENGTHS(name, saturation##_rtp, in)                                                                                \
    LENGTHS(name, saturation##_rtn, in)

__kernel void from_char(__global const char *any, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_half, , any)
}

__kernel void from_uchar(__global const uchar *any, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_half, , any)
}

__kernel void from_short(__global const short *any, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_half, , any)
}

__kernel void from_ushort(__global const ushort *any, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_half, , any)
}

__kernel void from_int(__global const int *any, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_half, , any)
}

__kernel void from_uint(__global const uint *any, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_half, , any)
}

__kernel void from_long(__global const long *any, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_half, , any)
}

__kernel void from_ulong(__global const ulong *any, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_half, , any)
}

__kernel void from_float(__global const float *any, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_half, , any)
}

__kernel void from_double(__global const double *any, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_half, , any)
}

__kernel void to_char(__global const half *any, __global const half *fit, __global char *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_char, , fit)
    MODES(convert_char, _sat, any)
}

__kernel void to_uchar(__global const half *any, __global const half *fit, __global uchar *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_uchar, , fit)
    MODES(convert_uchar, _sat, any)
}

__kernel void to_short(__global const half *any, __global const half *fit, __global short *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_short, , fit)
    MODES(convert_short, _sat, any)
}

__kernel void to_ushort(__global const half *any, __global const half *fit, __global ushort *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_ushort, , fit)
    MODES(convert_ushort, _sat, any)
}

__kernel void to_int(__global const half *any, __global const half *fit, __global int *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_int, , fit)
    MODES(convert_int, _sat, any)
}

__kernel void to_uint(__global const half *any, __global const half *fit, __global uint *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_uint, , fit)
    MODES(convert_uint, _sat, any)
}

__kernel void to_long(__global const half *any, __global const half *fit, __global long *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_long, , fit)
    MODES(convert_long, _sat, any)
}

__kernel void to_ulong(__global const half *any, __global const half *fit, __global ulong *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_ulong, , fit)
    MODES(convert_ulong, _sat, any)
}

__kernel void to_float(__global const half *any, __global float *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_float, , any)
}

__kernel void to_double(__global const half *any, __global double *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_double, , any)
}

__kernel void sample(__global const float4 *any, __global half4 *out)
{
    size_t i = get_global_id(0);
    out[i] = convert_half4_rtp(any[i]);
}
