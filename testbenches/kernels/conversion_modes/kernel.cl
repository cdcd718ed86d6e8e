// Conversions with an explicit rounding mode.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void float_to_int_modes(__global const float *a, __global const double *b, __global int *out,
                                 __global long *wide)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = convert_int_rte(a[i]);
    out[n + i] = convert_int_rtz(a[i]);
    out[2 * n + i] = convert_int_rtp(a[i]);
    out[3 * n + i] = convert_int_rtn(a[i]);
    out[4 * n + i] = convert_short_sat_rte(a[i]);
    wide[i] = convert_long_rte(b[i]);
    wide[n + i] = convert_long_rtp(b[i]);
    wide[2 * n + i] = convert_long_rtn(b[i]);
}

__kernel void int_to_float_modes(__global const int *a, __global const ulong *b, __global float *out,
                                 __global double *wide)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = convert_float_rtz(a[i]);
    out[n + i] = convert_float_rtp(a[i]);
    out[2 * n + i] = convert_float_rtn(a[i]);
    out[3 * n + i] = convert_float_rte(b[i]);
    out[4 * n + i] = convert_float_rtp(b[i]);
    wide[i] = convert_double_rtz(b[i]);
    wide[n + i] = convert_double_rtp(b[i]);
}

__kernel void narrow_modes(__global const double *a, __global float *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = convert_float_rte(a[i]);
    out[n + i] = convert_float_rtz(a[i]);
    out[2 * n + i] = convert_float_rtp(a[i]);
    out[3 * n + i] = convert_float_rtn(a[i]);
}
