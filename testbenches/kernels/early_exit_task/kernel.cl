// Single work-item kernels whose loops end by what they find: iterations begin before it is known whether there are any.
#pragma OPENCL FP_CONTRACT OFF

#define TASK __kernel __attribute__((reqd_work_group_size(1, 1, 1)))

// Nothing but the loads and the condition; the last byte may be the buffer's.
TASK void length_of(__global const uchar *restrict s, __global uint *restrict out)
{
    uint i = 0;
    while (s[i] & 63)
        i++;
    out[0] = i;
}

// A loop with two exits.
TASK void find(__global const int *restrict a, int n, int key, __global int *restrict out)
{
    int at = -1;
    for (int i = 0; i < n; i++)
        if ((a[i] & 255) == key) {
            at = i;
            break;
        }
    out[0] = at;
}

// Stores that iterations ahead must not do, with and without a condition of their own.
TASK void copy_until(__global const uchar *restrict s, __global uchar *restrict d, __global uint *restrict odd)
{
    uint i = 0, n = 0;
    uchar c;
    do {
        c = s[i];
        d[i] = c ^ 0x5a;
        if (c & 1)
            odd[1 + n++] = i;
        i++;
    } while (c & 31);
    odd[0] = n;
}

// Entered again and again, while iterations of the row before may still be on their way.
TASK void rows(__global const uint *restrict a, uint n, uint pitch, __global uint *restrict out)
{
    for (uint r = 0; r < n; r++) {
        uint i = 0, sum = 0, v;
        while ((v = a[r * pitch + i]) & 7) {
            sum += v;
            i++;
        }
        out[2 * r] = sum;
        out[2 * r + 1] = i;
    }
}

// Atomic operations, which happen once for each iteration that there is.
TASK void votes(__global const uint *restrict a, __global uint *restrict votes, uint limit)
{
    uint sum = 0, i = 0;
    while (sum < limit) {
        uint v = a[i++] & 1023;
        sum += v;
        atomic_add(&votes[v & 3], v);
    }
    votes[4] = i;
}

// Memory on the chip that the loop writes, and a condition in memory on the chip.
TASK void bins(__global const uchar *restrict in, uint n, __global uint *restrict out)
{
    uint bin[16];
    uchar text[64];
    for (uint i = 0; i < 16; i++)
        bin[i] = 0;
    for (uint i = 0; i < 64; i++)
        text[i] = in[i];
    for (uint k = 0; k < n; k++) {
        uint i = k;
        while (text[i & 63] & 7)
            bin[text[i++ & 63] & 15]++;
        bin[15] += i - k;
    }
    for (uint i = 0; i < 16; i++)
        out[i] = bin[i];
}

// A condition that takes many cycles of arithmetic, of a value that takes few.
TASK void settle(__global float *restrict x, uint n, float limit)
{
    for (uint k = 0; k < n; k++) {
        float v = x[k];
        uint steps = 0;
        do {
            v *= 0.75f;
            steps++;
        } while (v * v * v / (v + 1.0f) > limit);
        x[k] = v + (float)steps;
    }
}

// What iterations store is what the fourth behind them takes, in loops that are entered again.
TASK void echoes(__global const uint *restrict a, __global uint *restrict d, uint n, uint pitch)
{
    for (uint r = 0; r < n; r++) {
        uint i = 4;
        do {
            d[r * pitch + i] = d[r * pitch + i - 4] * 3 + a[r * pitch + i];
            i++;
        } while (a[r * pitch + i] & 7);
    }
}

// Exits before and behind the stores of an iteration.
TASK void compare(__global const uchar *restrict a, __global const uchar *restrict b, uint n, __global uint *restrict out)
{
    uint i;
    for (i = 0; i < n; i++) {
        if ((a[i] ^ b[i]) & 0x83)
            break;
        out[1 + i] = a[i] * b[i];
    }
    out[0] = i;
}

TASK void triples(__global const int *restrict a, int n, int key, __global int *restrict out)
{
    int i;
    for (i = 0; i < n; i++) {
        int v = a[i] >> 24;
        if (v == key) {
            out[1] = v;
            break;
        }
        if (v < 0)
            continue;
        out[2 + i] = v * 3;
    }
    out[0] = i;
}

// Runs of equal values, as many as the loop inside finds.
TASK void runs(__global const uchar *restrict a, uint n, __global uchar *restrict out)
{
    uint to = 0, i = 0;
    while (i < n) {
        uchar v = a[i] & 1;
        uint length = 1;
        while (i + length < n && (a[i + length] & 1) == v && length < 5)
            length++;
        out[to++] = v;
        out[to++] = length;
        i += length;
    }
}

// Work-items one after the other.
TASK void row_of_each(__global const uint *restrict a, uint pitch, __global uint *restrict out)
{
    uint r = get_global_id(0), i = 0, sum = 0, v;
    while ((v = a[r * pitch + i]) & 7) {
        sum ^= v * 3;
        i++;
    }
    out[2 * r] = sum;
    out[2 * r + 1] = i;
}
