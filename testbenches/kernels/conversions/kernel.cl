// Conversions in the default rounding: between integer widths, integers and floats, and float formats.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void int_to_float(__global const int *a, __global const uint *b, __global const long *c,
                           __global const ulong *d, __global float *out, __global double *wide)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = a[i];
    out[n + i] = b[i];
    out[2 * n + i] = c[i];
    out[3 * n + i] = d[i];
    out[4 * n + i] = (char)a[i];
    out[5 * n + i] = (ushort)b[i];
    wide[i] = a[i];
    wide[n + i] = b[i];
    wide[2 * n + i] = c[i];
    wide[3 * n + i] = d[i];
}

// Values in range: plain casts round towards zero.
__kernel void float_to_int(__global const float *a, __global const double *b, __global int *out, __global long *wide)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = (int)a[i];
    out[n + i] = (int)(uint)fabs(a[i]);
    out[2 * n + i] = (short)(a[i] / 65536.0f);
    out[3 * n + i] = (int)b[i];
    wide[i] = (long)a[i];
    wide[n + i] = (long)b[i];
    wide[2 * n + i] = (long)(ulong)fabs(b[i] * 4294967296.0);
}

// Any value: saturated conversions give the nearest representable one, and 0 for NaN.
__kernel void saturated(__global const float *a, __global const double *b, __global int *out, __global char *narrow,
                        __global long *wide)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = convert_int_sat(a[i]);
    out[n + i] = (int)convert_uint_sat(a[i]);
    out[2 * n + i] = convert_int_sat(b[i]);
    out[3 * n + i] = convert_short_sat(a[i]);
    narrow[i] = convert_char_sat(a[i]);
    narrow[n + i] = (char)convert_uchar_sat(b[i]);
    wide[i] = convert_long_sat(a[i]);
    wide[n + i] = (long)convert_ulong_sat(b[i]);
}

__kernel void float_to_float(__global const float *a, __global const double *b, __global double *wide,
                             __global float *narrow)
{
    size_t i = get_global_id(0);
    wide[i] = a[i];
    narrow[i] = b[i];
}

__kernel void integers(__global const int *a, __global const long *b, __global uchar *bytes, __global short *shorts,
                       __global long *wide)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    bytes[i] = (uchar)a[i];
    bytes[n + i] = convert_uchar_sat(a[i]);
    bytes[2 * n + i] = (uchar)convert_char_sat(b[i]);
    shorts[i] = (short)b[i];
    shorts[n + i] = convert_short_sat(a[i]);
    shorts[2 * n + i] = (short)convert_ushort_sat(b[i]);
    shorts[3 * n + i] = (char)a[i];
    wide[i] = a[i];
    wide[n + i] = (uint)a[i];
    wide[2 * n + i] = convert_uint_sat(b[i]);
    wide[3 * n + i] = as_long((double)a[i]) ^ as_int((float)a[i]);
}
