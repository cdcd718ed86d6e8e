// Private arrays whose index is data: permutations, counting sort, matrices of a work-item, a ring buffer.

#define N 12

// Number k of the permutations of N letters in lexicographic order (factorial number system).
__kernel void permutation(__global const uint *number, __global uchar *out)
{
    size_t gid = get_global_id(0);
    uchar left[N];
    uint factorial = 1;
    for (int i = 0; i < N; i++) {
        left[i] = 'a' + i;
        if (i > 0)
            factorial *= i;
    }
    uint k = number[gid] % (factorial * N);
    for (int i = 0; i < N; i++) {
        uint pick = k / factorial;
        k %= factorial;
        if (i < N - 1)
            factorial /= N - 1 - i;
        out[gid * N + i] = left[pick];
        for (int j = pick; j < N - 1 - i; j++)
            left[j] = left[j + 1];
    }
}

// Sorts 32 nibbles by counting.
__kernel void counting_sort(__global const uchar *in, __global uchar *out)
{
    size_t base = get_global_id(0) * 32;
    ushort count[16] = {0};
    for (int i = 0; i < 32; i++)
        count[in[base + i] & 15]++;
    int at = 0;
    for (int value = 0; value < 16; value++)
        for (int n = count[value]; n > 0; n--)
            out[base + at++] = value;
}

// Integer matrix power modulo 2^32 with matrices in private memory.
__kernel void matrix_power(__global const uint *in, __global uint *out, uint exponent)
{
    size_t base = get_global_id(0) * 9;
    uint power[3][3], result[3][3], product[3][3];
    for (int i = 0; i < 9; i++) {
        power[i / 3][i % 3] = in[base + i];
        result[i / 3][i % 3] = i % 4 == 0;
    }
    for (uint e = exponent; e != 0; e >>= 1) {
        for (int pass = (e & 1) ? 0 : 1; pass < 2; pass++) {
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    uint sum = 0;
                    for (int k = 0; k < 3; k++)
                        sum += power[i][k] * (pass ? power[k][j] : result[k][j]);
                    product[i][j] = sum;
                }
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    if (pass)
                        power[i][j] = product[i][j];
                    else
                        result[i][j] = product[i][j];
        }
    }
    for (int i = 0; i < 9; i++)
        out[base + i] = result[i / 3][i % 3];
}

// Echo: a delay line as a ring buffer in private memory.
__kernel void echo(__global const short *in, __global short *out, int length, int delay)
{
    size_t base = get_global_id(0) * length;
    short ring[64] = {0};
    int at = 0;
    for (int i = 0; i < length; i++) {
        short v = in[base + i] / 2 + ring[at] / 2;
        ring[at] = v;
        at = (at + 1) % delay;
        out[base + i] = v;
    }
}

// Four places of one array are written at once, and two of them read at once: no load may come before a store of its work-item.
__kernel void quads(__global const uint *in, __global uint *out)
{
    uint x = in[get_global_id(0)];
    uint parts[32];
    uint base = (x >> 4 & 7) * 4;
    parts[base] = x;
    parts[base + 1] = x * 3 + 1;
    parts[base + 2] = x ^ 0x5555;
    parts[base + 3] = ~x;
    uint one = x & 3, other = x >> 2 & 3;
    out[get_global_id(0)] = parts[base + one] - parts[base + other] * 7;
}
