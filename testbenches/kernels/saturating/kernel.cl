// Saturating arithmetic on narrow integers: what signal-processing code does with char and short.

__kernel void saturate_char(__global const char *a, __global const char *b, __global char *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = add_sat(a[i], b[i]);
    out[n + i] = sub_sat(a[i], b[i]);
    out[2 * n + i] = hadd(a[i], b[i]);
    out[3 * n + i] = rhadd(a[i], b[i]);
    out[4 * n + i] = (char)abs_diff(a[i], b[i]);
    out[5 * n + i] = convert_char_sat(a[i] * b[i]);
}

__kernel void saturate_ushort(__global const ushort *a, __global const ushort *b, __global ushort *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = add_sat(a[i], b[i]);
    out[n + i] = sub_sat(a[i], b[i]);
    out[2 * n + i] = hadd(a[i], b[i]);
    out[3 * n + i] = rhadd(a[i], b[i]);
    out[4 * n + i] = abs_diff(a[i], b[i]);
    out[5 * n + i] = convert_ushort_sat((uint)a[i] * b[i]);
}

// A 16-bit mixing desk: two channels with gains in 1.15 fixed point, eight samples at a time.
__kernel void mix_channels(__global const short8 *left, __global const short8 *right, __global short8 *out, short gain_left,
                  short gain_right)
{
    size_t i = get_global_id(0);
    int8 l = convert_int8(left[i]) * gain_left, r = convert_int8(right[i]) * gain_right;
    out[i] = add_sat(convert_short8_sat(l >> 15), convert_short8_sat(r >> 15));
}

__kernel void saturate_wide(__global const int *a, __global const int *b, __global const long *c,
                            __global const long *d, __global int *out, __global long *wide)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = add_sat(a[i], b[i]);
    out[n + i] = sub_sat(a[i], b[i]);
    out[2 * n + i] = mad_sat(a[i] >> 12, b[i] >> 18, a[i]);
    out[3 * n + i] = (int)add_sat((uint)a[i], (uint)b[i]);
    out[4 * n + i] = (int)sub_sat((uint)a[i], (uint)b[i]);
    wide[i] = add_sat(c[i], d[i]);
    wide[n + i] = sub_sat(c[i], d[i]);
    wide[2 * n + i] = (long)add_sat((ulong)c[i], (ulong)d[i]);
    wide[3 * n + i] = (long)sub_sat((ulong)c[i], (ulong)d[i]);
}
