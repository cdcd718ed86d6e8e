// Floats that do not fit an integer type, without saturation: the nearest integer, and 0 for NaN (docs/arith.md).
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

__kernel void char_from_half(__global const half *any, __global char *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_char, , any)
}

__kernel void uchar_from_half(__global const half *any, __global uchar *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_uchar, , any)
}

__kernel void short_from_half(__global const half *any, __global short *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_short, , any)
}

__kernel void ushort_from_half(__global const half *any, __global ushort *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_ushort, , any)
}

__kernel void int_from_half(__global const half *any, __global int *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_int, , any)
}

__kernel void uint_from_half(__global const half *any, __global uint *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_uint, , any)
}

__kernel void long_from_half(__global const half *any, __global long *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_long, , any)
}

__kernel void ulong_from_half(__global const half *any, __global ulong *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_ulong, , any)
}

__kernel void char_from_float(__global const float *any, __global char *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_char, , any)
}

__kernel void uchar_from_float(__global const float *any, __global uchar *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_uchar, , any)
}

__kernel void short_from_float(__global const float *any, __global short *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_short, , any)
}

__kernel void ushort_from_float(__global const float *any, __global ushort *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_ushort, , any)
}

__kernel void int_from_float(__global const float *any, __global int *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_int, , any)
}

__kernel void uint_from_float(__global const float *any, __global uint *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_uint, , any)
}

__kernel void long_from_float(__global const float *any, __global long *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_long, , any)
}

__kernel void ulong_from_float(__global const float *any, __global ulong *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_ulong, , any)
}

__kernel void char_from_double(__global const double *any, __global char *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_char, , any)
}

__kernel void uchar_from_double(__global const double *any, __global uchar *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_uchar, , any)
}

__kernel void short_from_double(__global const double *any, __global short *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_short, , any)
}

__kernel void ushort_from_double(__global const double *any, __global ushort *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_ushort, , any)
}

__kernel void int_from_double(__global const double *any, __global int *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_int, , any)
}

__kernel void uint_from_double(__global const double *any, __global uint *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_uint, , any)
}

__kernel void long_from_double(__global const double *any, __global long *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_long, , any)
}

__kernel void ulong_from_double(__global const double *any, __global ulong *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_ulong, , any)
}

__kernel void sample(__global const float4 *any, __global short4 *out)
{
    size_t i = get_global_id(0);
    out[i] = convert_short4(any[i]);
}
