// Wide products, high halves, division and remainder at every width.

__kernel void high_products(__global const long *a, __global const long *b, __global long *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = mul_hi(a[i], b[i]);
    out[n + i] = (long)mul_hi((ulong)a[i], (ulong)b[i]);
    out[2 * n + i] = (long)((ulong)a[i] * (ulong)b[i]);
    out[3 * n + i] = mad_hi(a[i], b[i], (long)1);
    out[4 * n + i] = mul_hi((int)a[i], (int)b[i]);
    out[5 * n + i] = mul_hi((uint)a[i], (uint)b[i]);
    out[6 * n + i] = mul_hi((short)a[i], (short)b[i]);
    out[7 * n + i] = mul_hi((uchar)a[i], (uchar)b[i]);
}

// The dividend times 2^64 plus another word, by schoolbook division in base 2^32: 128-bit arithmetic by hand.
__kernel void product128(__global const ulong *a, __global const ulong *b, __global ulong2 *out)
{
    size_t i = get_global_id(0);
    ulong x = a[i], y = b[i];
    ulong low = (x & 0xffffffff) * (y & 0xffffffff);
    ulong middle1 = (x >> 32) * (y & 0xffffffff), middle2 = (x & 0xffffffff) * (y >> 32);
    ulong carry = (low >> 32) + (uint)middle1 + (uint)middle2;
    out[i] = (ulong2)(low & 0xffffffff | carry << 32, (x >> 32) * (y >> 32) + (middle1 >> 32) + (middle2 >> 32) + (carry >> 32));
}

__kernel void divide_long(__global const long *a, __global const long *b, __global long *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = a[i] / b[i];
    out[n + i] = a[i] % b[i];
    out[2 * n + i] = (long)((ulong)a[i] / (ulong)b[i]);
    out[3 * n + i] = (long)((ulong)a[i] % (ulong)b[i]);
}

__kernel void divide_int(__global const int *a, __global const int *b, __global int *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = a[i] / b[i];
    out[n + i] = a[i] % b[i];
    out[2 * n + i] = (uint)a[i] / (uint)b[i];
    out[3 * n + i] = (uint)a[i] % (uint)b[i];
    out[4 * n + i] = a[i] / 7;
    out[5 * n + i] = a[i] % 10;
    out[6 * n + i] = a[i] / -16;
    out[7 * n + i] = (uint)a[i] / 641u;
}

__kernel void divide_narrow(__global const char4 *a, __global const char4 *b, __global const ushort2 *c,
                            __global const ushort2 *d, __global char4 *out, __global ushort2 *wide)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = a[i] / b[i];
    out[n + i] = a[i] % b[i];
    wide[i] = c[i] / d[i];
    wide[n + i] = c[i] % d[i];
}

// Greatest common divisor by remainders, and powers modulo a prime by repeated squaring.
__kernel void number_theory(__global const ulong *a, __global const ulong *b, __global ulong *gcd, __global ulong *power)
{
    size_t i = get_global_id(0);
    ulong x = a[i], y = b[i];
    while (y != 0) {
        ulong r = x % y;
        x = y;
        y = r;
    }
    gcd[i] = x;
    const ulong prime = 4294967291;
    ulong base = a[i] % prime, result = 1;
    for (uint e = (uint)b[i] & 0xffff; e != 0; e >>= 1) {
        if (e & 1)
            result = result * base % prime;
        base = base * base % prime;
    }
    power[i] = result;
}
