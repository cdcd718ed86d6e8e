// vload_half, vloada_half, vstore_half and vstorea_half: all lengths, roundings and address spaces, from float and double.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// Results of all lengths, one section after the other: `out` moves behind each.
#define LOADS(in)                                                                                                      \
    out[i] = vload_half(i, in);                                                                                        \
    vstore2(vload_half2(i, in), i, out + n);                                                                           \
    vstore3(vload_half3(i, in), i, out + 3 * n);                                                                       \
    vstore4(vload_half4(i, in), i, out + 6 * n);                                                                       \
    vstore8(vload_half8(i, in), i, out + 10 * n);                                                                      \
    vstore16(vload_half16(i, in), i, out + 18 * n);                                                                    \
    vstore2(vloada_half2(i, in), i, out + 34 * n);                                                                     \
    vstore3(vloada_half3(i, in), i, out + 36 * n);                                                                     \
    vstore4(vloada_half4(i, in), i, out + 39 * n);                                                                     \
    vstore8(vloada_half8(i, in), i, out + 43 * n);                                                                     \
    vstore16(vloada_half16(i, in), i, out + 51 * n);

__kernel void load_global(__global const half *in, __global float *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LOADS(in)
}

__kernel void load_constant(__constant half *in, __global float *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    LOADS(in)
}

__kernel void load_local(__global const ushort *in, __global float *out)
{
    __local ushort16 copy[16];
    size_t i = get_global_id(0), n = get_global_size(0);
    copy[i] = vload16(i, in);
    barrier(CLK_LOCAL_MEM_FENCE);
    LOADS((__local half *)copy)
}

__kernel void load_private(__global const ushort *in, __global float *out)
{
    ushort16 copy[16];
    size_t i = get_global_id(0), n = get_global_size(0);
    for (size_t k = 0; k < 16; k++)
        copy[k] = vload16(k, in);
    LOADS((half *)copy)
}

// Work-items are a multiple of 16, so that the sections of vstorea_half are aligned; its 3-vectors lie 4 elements apart.
#define STORES(mode, out)                                                                                              \
    vstore_half##mode(in[i], i, out);                                                                                  \
    vstore_half2##mode(vload2(i, in), i, out + n);                                                                     \
    vstore_half3##mode(vload3(i, in), i, out + 3 * n);                                                                 \
    vstore_half4##mode(vload4(i, in), i, out + 6 * n);                                                                 \
    vstore_half8##mode(vload8(i, in), i, out + 10 * n);                                                                \
    vstore_half16##mode(vload16(i, in), i, out + 18 * n);                                                              \
    vstorea_half2##mode(vload2(i, in), i, out + 34 * n);                                                               \
    vstorea_half3##mode(vload3(i, in), i, out + 36 * n);                                                               \
    vstorea_half4##mode(vload4(i, in), i, out + 40 * n);                                                               \
    vstorea_half8##mode(vload8(i, in), i, out + 44 * n);                                                               \
    vstorea_half16##mode(vload16(i, in), i, out + 52 * n);
#define STORE(T, mode)                                                                                                 \
    __kernel void store_##T##mode(__global const T *in, __global half *out)                                            \
    {                                                                                                                  \
        size_t i = get_global_id(0), n = get_global_size(0);                                                           \
        STORES(mode, out)                                                                                              \
    }

STORE(float, )
STORE(float, _rte)
STORE(float, _rtz)
STORE(float, _rtp)
STORE(float, _rtn)
STORE(double, )
STORE(double, _rte)
STORE(double, _rtz)
STORE(double, _rtp)
STORE(double, _rtn)

// To local and private memory: the fourth element of vstorea_half3 is not compared.
__kernel void store_local(__global const float *in, __global half *out)
{
    __local ushort16 copy[68];
    size_t i = get_global_id(0), n = get_global_size(0);
    for (size_t k = i; k < 68; k += n)
        copy[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    STORES(_rtp, (__local half *)copy)
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t k = i; k < 68; k += n)
        vstore16(copy[k], k, (__global ushort *)out);
}

__kernel void store_private(__global const double *in, __global half *out)
{
    ushort16 copy[4];
    size_t j = get_global_id(0);
    for (size_t k = 0; k < 4; k++)
        copy[k] = 0;
    in += 16 * j;
    half *p = (half *)copy;
    vstore_half_rtn(in[0], 0, p);
    vstore_half3_rtz(vload3(0, in), 0, p + 1);
    vstorea_half4_rtp(vload4(0, in), 1, p);
    vstore_half8(vload8(0, in), 1, p);
    vstorea_half16_rte(vload16(0, in), 1, p);
    for (size_t k = 0; k < 4; k++)
        vstore16(copy[k], 4 * j + k, (__global ushort *)out);
}

// Small enough to be simulated.
__kernel void sample_load(__global const half *in, __global float *out, __global float4 *out4)
{
    size_t i = get_global_id(0);
    out[i] = vload_half(i, in);
    out4[i] = vloada_half4(i, in);
}

__kernel void sample_store(__global const float *in, __global const double4 *in4, __global half *out,
                           __global half *out4)
{
    size_t i = get_global_id(0);
    vstore_half_rtp(in[i], i, out);
    vstorea_half4_rtz(in4[i], i, out4);
}
