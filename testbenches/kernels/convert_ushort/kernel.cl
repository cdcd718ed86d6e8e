// Conversions to ushort: from every type but half, of every length, in every rounding.
// Written by testbenches/kernels/conversion-kernels.
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

__kernel void from_char(__global const char *any, __global const char *fit, __global ushort *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_ushort, , fit)
    MODES(convert_ushort, _sat, any)
}

__kernel void from_uchar(__global const uchar *any, __global const uchar *fit, __global ushort *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_ushort, , fit)
    MODES(convert_ushort, _sat, any)
}

__kernel void from_short(__global const short *any, __global const short *fit, __global ushort *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_ushort, , fit)
    MODES(convert_ushort, _sat, any)
}

__kernel void from_ushort(__global const ushort *any, __global const ushort *fit, __global ushort *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_ushort, , fit)
    MODES(convert_ushort, _sat, any)
}

__kernel void from_int(__global const int *any, __global const int *fit, __global ushort *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_ushort, , fit)
    MODES(convert_ushort, _sat, any)
}

__kernel void from_uint(__global const uint *any, __global const uint *fit, __global ushort *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_ushort, , fit)
    MODES(convert_ushort, _sat, any)
}

__kernel void from_long(__global const long *any, __global const long *fit, __global ushort *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_ushort, , fit)
    MODES(convert_ushort, _sat, any)
}

__kernel void from_ulong(__global const ulong *any, __global const ulong *fit, __global ushort *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_ushort, , fit)
    MODES(convert_ushort, _sat, any)
}

__kernel void from_float(__global const float *any, __global const float *fit, __global ushort *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_ushort, , fit)
    MODES(convert_ushort, _sat, any)
}

__kernel void from_double(__global const double *any, __global const double *fit, __global ushort *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    MODES(convert_ushort, , fit)
    MODES(convert_ushort, _sat, any)
}

__kernel void sample(__global const float4 *any, __global ushort4 *out)
{
    size_t i = get_global_id(0);
    out[i] = convert_ushort4_sat_rtp(any[i]);
}
