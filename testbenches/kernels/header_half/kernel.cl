// The functions of clhls.h that take or give half.
// Written by testbenches/kernels/conversion-kernels.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#include <clhls.h>
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
#define ALL_MODES(name, saturation, in)                                                                                \
    MODES(name, saturation, in)                                                                                        \
    LENGTHS(name, saturation##_rhaz, in)

// With random bits.
#define LENGTHS_SR(name, in)                                                                                           \
    out[i] = name##_sr(in[i], random[i]);                                                                              \
    vstore2(name##2_sr(vload2(i, in), vload2(i, random)), i, out + n);                                                 \
    vstore3(name##3_sr(vload3(i, in), vload3(i, random)), i, out + 3 * n);                                             \
    vstore4(name##4_sr(vload4(i, in), vload4(i, random)), i, out + 6 * n);                                             \
    vstore8(name##8_sr(vload8(i, in), vload8(i, random)), i, out + 10 * n);                                            \
    vstore16(name##16_sr(vload16(i, in), vload16(i, random)), i, out + 18 * n);                                        \
    out += 34 * n;

// From the bits of a bfloat16: clhls_convert_as_bfloat16N_TN.
#define AS_LENGTHS(T, suffix, in)                                                                                      \
    out[i] = clhls_convert_as_bfloat16_##T##suffix(in[i]);                                                             \
    vstore2(clhls_convert_as_bfloat162_##T##2##suffix(vload2(i, in)), i, out + n);                                     \
    vstore3(clhls_convert_as_bfloat163_##T##3##suffix(vload3(i, in)), i, out + 3 * n);                                 \
    vstore4(clhls_convert_as_bfloat164_##T##4##suffix(vload4(i, in)), i, out + 6 * n);                                 \
    vstore8(clhls_convert_as_bfloat168_##T##8##suffix(vload8(i, in)), i, out + 10 * n);                                \
    vstore16(clhls_convert_as_bfloat1616_##T##16##suffix(vload16(i, in)), i, out + 18 * n);                            \
    out += 34 * n;
#define AS_MODES(T, saturation, in)                                                                                    \
    AS_LENGTHS(T, saturation, in)                                                                                      \
    AS_LENGTHS(T, saturation##_rte, in)                                                                                \
    AS_LENGTHS(T, saturation##_rtz, in)                                                                                \
    AS_LENGTHS(T, saturation##_rtp, in)                                                                                \
    AS_LENGTHS(T, saturation##_rtn, in)                                                                                \
    AS_LENGTHS(T, saturation##_rhaz, in)
#define AS_SR(T, in)                                                                                                   \
    out[i] = clhls_convert_as_bfloat16_##T##_sr(in[i], random[i]);                                                     \
    vstore2(clhls_convert_as_bfloat162_##T##2_sr(vload2(i, in), vload2(i, random)), i, out + n);                       \
    vstore3(clhls_convert_as_bfloat163_##T##3_sr(vload3(i, in), vload3(i, random)), i, out + 3 * n);                   \
    vstore4(clhls_convert_as_bfloat164_##T##4_sr(vload4(i, in), vload4(i, random)), i, out + 6 * n);                   \
    vstore8(clhls_convert_as_bfloat168_##T##8_sr(vload8(i, in), vload8(i, random)), i, out + 10 * n);                  \
    vstore16(clhls_convert_as_bfloat1616_##T##16_sr(vload16(i, in), vload16(i, random)), i, out + 18 * n);             \
    out += 34 * n;

__kernel void bfloat16_from_half(__global const half *any, __global const uint *random, __global ushort *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    ALL_MODES(clhls_convert_bfloat16, , any)
    LENGTHS_SR(clhls_convert_bfloat16, any)
}

__kernel void half_from_bfloat16(__global const ushort *any, __global const uint *random, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    AS_MODES(half, , any)
    AS_SR(half, any)
}

__kernel void char_from_half(__global const half *any, __global char *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LENGTHS(clhls_convert_char, _rhaz, any)
    LENGTHS(clhls_convert_char, _sat_rhaz, any)
}

__kernel void half_from_char(__global const char *any, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LENGTHS(clhls_convert_half, _rhaz, any)
}

__kernel void uchar_from_half(__global const half *any, __global uchar *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LENGTHS(clhls_convert_uchar, _rhaz, any)
    LENGTHS(clhls_convert_uchar, _sat_rhaz, any)
}

__kernel void half_from_uchar(__global const uchar *any, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LENGTHS(clhls_convert_half, _rhaz, any)
}

__kernel void short_from_half(__global const half *any, __global short *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LENGTHS(clhls_convert_short, _rhaz, any)
    LENGTHS(clhls_convert_short, _sat_rhaz, any)
}

__kernel void half_from_short(__global const short *any, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LENGTHS(clhls_convert_half, _rhaz, any)
}

__kernel void ushort_from_half(__global const half *any, __global ushort *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LENGTHS(clhls_convert_ushort, _rhaz, any)
    LENGTHS(clhls_convert_ushort, _sat_rhaz, any)
}

__kernel void half_from_ushort(__global const ushort *any, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LENGTHS(clhls_convert_half, _rhaz, any)
}

__kernel void int_from_half(__global const half *any, __global int *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LENGTHS(clhls_convert_int, _rhaz, any)
    LENGTHS(clhls_convert_int, _sat_rhaz, any)
}

__kernel void half_from_int(__global const int *any, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LENGTHS(clhls_convert_half, _rhaz, any)
}

__kernel void uint_from_half(__global const half *any, __global uint *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LENGTHS(clhls_convert_uint, _rhaz, any)
    LENGTHS(clhls_convert_uint, _sat_rhaz, any)
}

__kernel void half_from_uint(__global const uint *any, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LENGTHS(clhls_convert_half, _rhaz, any)
}

__kernel void long_from_half(__global const half *any, __global long *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LENGTHS(clhls_convert_long, _rhaz, any)
    LENGTHS(clhls_convert_long, _sat_rhaz, any)
}

__kernel void half_from_long(__global const long *any, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LENGTHS(clhls_convert_half, _rhaz, any)
}

__kernel void ulong_from_half(__global const half *any, __global ulong *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LENGTHS(clhls_convert_ulong, _rhaz, any)
    LENGTHS(clhls_convert_ulong, _sat_rhaz, any)
}

__kernel void half_from_ulong(__global const ulong *any, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LENGTHS(clhls_convert_half, _rhaz, any)
}

__kernel void half_from_float(__global const float *any, __global const uint *random, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LENGTHS(clhls_convert_half, _rhaz, any)
    LENGTHS_SR(clhls_convert_half, any)
}

__kernel void half_from_double(__global const double *any, __global const uint *random, __global half *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LENGTHS(clhls_convert_half, _rhaz, any)
    LENGTHS_SR(clhls_convert_half, any)
}

__kernel void sample(__global const double4 *any, __global const uint4 *random, __global half4 *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = clhls_convert_half4_rhaz(any[i]);
    out[n + i] = clhls_convert_half4_sr(any[i], random[i]);
}
