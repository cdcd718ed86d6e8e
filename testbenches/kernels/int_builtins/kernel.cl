// Integer built-in functions on all widths and on vectors.

__kernel void bits_uint(__global const uint *a, __global const uint *b, __global uint *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    uint x = a[i], y = b[i];
    out[i] = clz(x >> (y & 31));
    out[n + i] = popcount(x);
    out[2 * n + i] = rotate(x, y);
    out[3 * n + i] = bitselect(x, y, 0x0ff0a5a5u);
    out[4 * n + i] = mul24((int)(x & 0xfff), (int)(y & 0xffff));
    out[5 * n + i] = mad24(x & 0xffffff, y & 0xff, x);
    out[6 * n + i] = mad_hi(x, y, x);
    out[7 * n + i] = clamp(x, min(y, 1000000000u), max(y, 1000000000u));
    out[8 * n + i] = upsample((ushort)x, (ushort)y);
    out[9 * n + i] = abs((int)x) + abs_diff(x, y);
}

__kernel void bits_long(__global const long *a, __global const long *b, __global long *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    long x = a[i], y = b[i];
    out[i] = clz(x >> (y & 63));
    out[n + i] = popcount((ulong)x);
    out[2 * n + i] = rotate(x, y);
    out[3 * n + i] = hadd(x, y);
    out[4 * n + i] = rhadd(x, y);
    out[5 * n + i] = (long)abs_diff(x, y);
    out[6 * n + i] = max(x, y) ^ min(x, y);
    out[7 * n + i] = upsample((int)x, (uint)y);
    out[8 * n + i] = x << (y & 63) | (long)((ulong)y >> (x & 63));
    out[9 * n + i] = select(x, y, (long)(x < y));
}

__kernel void bits_narrow(__global const uchar *a, __global const uchar *b, __global const short *c,
                          __global const short *d, __global uchar *out, __global short *wide)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = clz(a[i]);
    out[n + i] = popcount(a[i]);
    out[2 * n + i] = rotate(a[i], b[i]);
    out[3 * n + i] = max(a[i], b[i]) - min(a[i], b[i]);
    out[4 * n + i] = a[i] << (b[i] & 7) | a[i] >> (8 - (b[i] & 7));
    wide[i] = rotate(c[i], d[i]);
    wide[n + i] = clz(c[i]);
    wide[2 * n + i] = upsample((char)c[i], (uchar)d[i]);
    wide[3 * n + i] = clamp(c[i], (short)-100, (short)1000);
    wide[4 * n + i] = (short)(~c[i] - (d[i] ^ 0x5555));
}

__kernel void bits_vector(__global const int4 *a, __global const int4 *b, __global int4 *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = max(a[i], b[i]) - min(a[i] >> 1, b[i] >> 1) / 4;
    out[n + i] = rotate(a[i], b[i]) + popcount(a[i]);
    out[2 * n + i] = convert_int4(abs(a[i] >> 3)) + clz(b[i]);
    out[3 * n + i] = mul_hi(a[i], b[i]) ^ (a[i] << (b[i] & 31));
}
