// Single work-item kernels whose iterations meet in memory: at distances that are known, only known at run time, or never.
#pragma OPENCL FP_CONTRACT OFF

#define TASK __kernel __attribute__((reqd_work_group_size(1, 1, 1)))

// What an iteration stores, the one that many behind it loads.
TASK void distances(__global uint *a, __global uint *b, __global uint *c, __global uint *d, __global float *f, int n)
{
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] * 3 + i;
    for (int i = 2; i < n; i++)
        b[i] = b[i - 2] * 5 + b[i - 1];
    for (int i = 3; i < n; i++)
        c[i] = c[i - 3] ^ (c[i] << 1);
    for (int i = 4; i < n; i++)
        d[i] = d[i - 4] + 7 * i;
    for (int i = 4; i < n; i++)
        f[i] = f[i - 4] * 0.5f + f[i];
}

// Longer than what is carried beside memory, and around its limit.
TASK void far(__global uint *a, __global uint *b, __global uint *c, int n)
{
    for (int i = 16; i < n; i++)
        a[i] = a[i - 16] * 3 + 1;
    for (int i = 17; i < n; i++)
        b[i] = b[i - 17] * 3 + 1;
    for (int i = 100; i < n; i++)
        c[i] = c[i - 100] * 3 + 1;
}

// Downwards, with strides, and with indices that count down while the loop counts up.
TASK void backwards(__global uint *a, __global uint *b, __global uint *c, __global uint *d, int n)
{
    for (int i = n - 1; i >= 3; i--)
        a[i - 3] = a[i] * 5 + 1;
    for (int i = 2; 3 * i < n; i++)
        b[3 * i] = b[3 * i - 6] + b[3 * i - 1];
    for (int i = 0; i < n - 2; i++)
        c[n - 3 - i] = c[n - 1 - i] * 9 + c[n - 3 - i];
    for (int i = 5; i < n - 1; i += 2)
        d[i] = d[i - 4] + d[i + 1] * 3;
}

// Loads of what a later iteration stores, alone and beside one of what an earlier one stored.
TASK void ahead(__global uint *a, __global uint *b, int n)
{
    for (int i = 0; i < n - 2; i++)
        a[i] = a[i + 2] + 1;
    for (int i = 3; i < n - 2; i++)
        b[i] = b[i - 3] * 3 + b[i + 2];
}

// A value is stored, and another store comes before it is loaded; stores of parts of what is loaded.
TASK void overwritten(__global uint *a, __global uint *b, __global uint *c, int n)
{
    for (int i = 2; i < n; i++) {
        uint t = a[i - 2];
        a[i] = t + 1;
        a[i - 1] = t * 5;
    }
    for (int i = 2; i < n; i++) {
        uint t = b[i - 2];
        b[i] = t * 3;
        ((__global uchar *)b)[4 * i - 1] = (uchar)i;
    }
    for (int i = 1; i < n; i++) {
        uint t = c[i - 1];
        ((__global uchar *)c)[4 * i] = (uchar)(t >> 3);
        ((__global uchar *)c)[4 * i + 2] = (uchar)(t + i);
    }
}

// Two indices; the inner loop's iterations meet at a distance, those of the outer one too.
TASK void grid(__global uint *a, __global uint *b, int rows, int width)
{
    for (int y = 1; y < rows; y++)
        for (int x = 0; x < width; x++)
            a[y * width + x] = a[(y - 1) * width + x] * 3 + x;
    for (int y = 0; y < rows; y++)
        for (int x = 2; x < width; x++)
            b[y * width + x] = b[y * width + x - 2] + b[y * width + x];
}

// How far apart they are only the host knows.
TASK void shifted(__global uint *a, int n, int d)
{
    __global uint *p = a + d;
    for (int i = 0; i < n; i++)
        p[i] = a[i] * 3 + 1;
}

// Which buffer it is only the host knows.
TASK void chosen(__global uint *a, __global uint *b, int n, int same)
{
    __global uint *q = same ? a : b;
    for (int i = 0; i < n - 1; i++)
        q[i + 1] = a[i] * 3 + 1;
}

// Indices that come round again, of local and private memory and of a buffer.
TASK void rings(__global const uint *restrict in, __global uint *restrict out, __global uint *a, int n, int m)
{
    __local uint w[64];
    for (int i = 0; i < 64; i++)
        w[i] = i;
    for (int i = 0; i < n; i++) {
        uint t = w[(i + 61) & 63] + in[i];
        w[i & 63] = t;
        out[i] = t;
    }
    uchar k = 250;
    for (int i = 0; i < n; i++) {
        a[k] = a[(uchar)(k - 3)] + i;
        k++;
    }
    uint h[32];
    for (int i = 0; i < 32; i++)
        h[i] = 0;
    for (int i = 0; i < n; i++)
        h[in[i] & 31] += i;
    for (int i = 0; i < n; i++)
        h[i % m] = h[(i + 1) % m] * 3 + 1;
    for (int i = 0; i < 32; i++)
        a[256 + i] = h[i];
}

// On the chip at fixed distances.
TASK void on_chip(__global const uint *restrict in, __global uint *restrict out, int n)
{
    __local uint w[256];
    uint v[256];
    for (int i = 0; i < 256; i++)
        w[i] = v[i] = in[i];
    for (int i = 3; i < n; i++)
        w[i] = w[i - 3] * w[i - 1];
    for (int i = n - 1; i >= 2; i--)
        v[i - 2] = v[i] + v[i - 1];
    for (int i = 40; i < n; i++)
        v[i] = v[i - 40] * 3;
    for (int i = 0; i < 256; i++)
        out[i] = w[i] ^ v[i];
}

// Sums in memory; and such of which one is chosen by data.
TASK void sums(__global const int *in, __global int *one, __global int *two, int n)
{
    for (int i = 0; i < n; i++)
        one[0] += in[i] * 3;
    for (int i = 0; i < n; i++)
        two[in[i] & 1] += in[i];
}

// Stores and loads that only some iterations execute.
TASK void some(__global const int *restrict when, __global uint *a, __global uint *b, int n)
{
    for (int i = 2; i < n; i++)
        if (when[i] > 0)
            a[i] = a[i - 2] + 1;
    for (int i = 2; i < n; i++)
        b[i] = when[i] > 0 ? b[i - 2] * 3 : i;
}

// Even and odd places, halves, and every third: they never meet.
TASK void apart(__global uint *a, __global uint *b, __global uint *c, int n)
{
    for (int i = 0; i < n; i++)
        a[2 * i] = a[2 * i + 1] * 3 + 1;
    for (int i = 0; i < 64; i++)
        b[i] = b[i + 64] + 1;
    for (int i = 0; i < n / 2; i++)
        c[3 * i] = c[3 * i + 2] * 3 + c[3 * i + 1];
}

// Several iterations in one.
TASK void unrolled(__global uint *a, __global uint *b, int n)
{
#pragma unroll 2
    for (int i = 3; i < n; i++)
        a[i] = a[i - 3] * 5 + 1;
#pragma unroll 4
    for (int i = 5; i < n; i++)
        b[i] = b[i - 5] + b[i - 2] * 3;
}

// Fewer iterations than the distance is long, again and again.
TASK void short_runs(__global uint *a, int n, int run)
{
    for (int r = 4; r + run <= n; r += run)
        for (int i = 0; i < run; i++)
            a[r + i] = a[r + i - 4] * 3 + 1;
}
