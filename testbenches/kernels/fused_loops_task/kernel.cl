// Single work-item kernels whose loops stand one behind the other and go round equally often: such that may run as one, and such that look like it.

#define TASK __kernel __attribute__((reqd_work_group_size(1, 1, 1)))
#define CHUNK 64

// Load, compute and store by chunks, as kernels for FPGAs are written: the arrays between are values in the end.
TASK void staged(__global const uint *restrict a, __global const uint *restrict b, __global uint *restrict c, int n, uint add)
{
    uint x[CHUNK], y[CHUNK];
    for (int i = 0; i < n; i += CHUNK) {
        int chunk = n - i < CHUNK ? n - i : CHUNK;
        for (int j = 0; j < chunk; j++)
            x[j] = a[i + j] ^ add;
        for (int j = 0; j < chunk; j++)
            y[j] = x[j] * b[i + j] + add;
        for (int j = 0; j < chunk; j++)
            c[i + j] = y[j] + 1;
    }
}

// A row in local memory. What the loop over rows does between, needs nothing of the one before.
TASK void rows(__global const uint *restrict a, __global const uint *restrict scale, __global uint *restrict c, int n)
{
    __local uint factors[16], row[48];
    for (int i = 0; i < 16; i++)
        factors[i] = scale[i] + 1;
    for (int r = 0; r < n; r++) {
        for (int j = 0; j < 48; j++)
            row[j] = a[r * 48 + j] + 1;
        uint offset = scale[0] * r;
        for (int j = 0; j < 48; j++)
            c[r * 48 + j] = row[j] * factors[j & 15] + offset;
    }
}

// Results of both, used behind both; one counter goes down.
TASK void sums(__global const uint *restrict a, __global uint *restrict out, int n)
{
    uint sum = 0, most = 0, odd = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    uint begin = n * 3;
    most = begin;
    for (int i = 0; i < n; i++)
        most = max(most, a[i] ^ begin);
    for (int i = n; i > 0; i--)
        odd += a[i - 1] & 1;
    out[0] = sum;
    out[1] = most;
    out[2] = odd;
    out[3] = sum ^ most;
}

// What the second loop reads, the first has written in the same iteration and in those before.
TASK void earlier_places(__global const uint *restrict a, __global uint *restrict c, int n)
{
    uint x[256];
    x[0] = 7;
    x[1] = 11;
    for (int j = 2; j < n; j++)
        x[j] = a[j] * 5;
    for (int j = 2; j < n; j++)
        c[j] = x[j] + 3 * x[j - 1] + 9 * x[j - 2];
}

// The second loop reads what later iterations of the first write.
TASK void later_places(__global const uint *restrict a, __global uint *restrict c, __global uint *restrict d, int n)
{
    uint x[256];
    for (int j = 0; j < 256; j++)
        x[j] = j;
    for (int j = 0; j < n; j++)
        x[j] = a[j] ^ 5;
    for (int j = 0; j < n; j++)
        c[j] = x[j + 1] + x[j];
    for (int j = 0; j < n; j++)
        x[j] = c[j] * 3;
    for (int j = 0; j < n; j++)
        d[j] = x[n - 1 - j];
}

// The second loop overwrites what the first reads: behind it (b), and before it would if they were one (c).
TASK void overwritten(__global uint *restrict b, __global uint *restrict c, __global uint *restrict d, int n)
{
    for (int j = 0; j < n; j++)
        d[j] = b[j + 1] + 1;
    for (int j = 0; j < n; j++)
        b[j] = j;
    for (int j = 1; j < n; j++)
        d[j] += c[j - 1];
    for (int j = 1; j < n; j++)
        c[j] = j * 3;
}

// The second loop needs what the first one found.
TASK void needs_sum(__global const uint *restrict a, __global uint *restrict c, int n)
{
    uint sum = 0;
    for (int j = 0; j < n; j++)
        sum += a[j];
    for (int j = 0; j < n; j++)
        c[j] = a[j] - sum;
    uint last = 0;
    for (int j = 0; j < n; j++)
        last = c[j] * 2 + last;
    for (int j = 0; j < n; j++) {
        c[j] ^= last;
        last = last * 5 + 1;
    }
}

// Only who launches it knows how far apart the places are.
TASK void apart(__global uint *a, int n, int d)
{
    for (int j = 0; j < n; j++)
        a[j] = a[j] * 3;
    for (int j = 0; j < n; j++)
        a[n + j] = a[j + d] + 1;
}

// Counts that differ: by an argument, by a constant, by the step.
TASK void counts(__global const uint *restrict a, __global uint *restrict c, int n, int m)
{
    uint x[256];
    for (int j = 0; j < 256; j++)
        x[j] = 5;
    for (int j = 0; j < n; j++)
        x[j] = a[j];
    for (int j = 0; j < m; j++)
        c[j] = x[j];
    for (int j = 0; j <= n; j++)
        c[m + j] = x[j] * 3;
    for (int j = 0; j < n; j += 2)
        x[j] = 9;
    for (int j = 0; j < n; j++)
        c[m + n + 1 + j] = x[j];
}

// Stores that only some iterations do, over what a loop before has set.
TASK void sometimes(__global const uint *restrict a, __global uint *restrict c, int n)
{
    uint x[256];
    for (int j = 0; j < n; j++)
        x[j] = j;
    for (int j = 0; j < n; j++)
        if (a[j] & 1)
            x[j] = a[j];
    for (int j = 0; j < n; j++)
        c[j] = x[j] + 1;
}

// Two nests, one behind the other, with the same bounds.
TASK void nests(__global const uint *restrict a, __global uint *restrict c, int rows, int width)
{
    uint x[256];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < width; j++)
            x[i * 16 + j] = a[i * width + j] + 1;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < width; j++)
            c[i * width + j] = x[i * 16 + j] * x[i * 16 + j];
}

// Copies, which compilers make from loops that only move words: in words, though their number is known at run time only.
TASK void copies(__global const uint *restrict a, __global const ushort *restrict h, __global uint *restrict c, __global ushort *restrict d, int n)
{
    uint x[64];
    ushort y[64];
    for (int i = 0; i < n; i += 64) {
        int chunk = n - i < 64 ? n - i : 64;
        for (int j = 0; j < chunk; j++)
            x[j] = a[i + j];
        for (int j = 0; j < chunk; j++)
            c[i + j] = x[chunk - 1 - j];
        for (int j = 0; j < chunk; j++)
            y[j] = h[i + j];
        for (int j = 0; j < chunk; j++)
            d[i + j] = y[j];
    }
}

// The bytes of a word are stored apart and read together.
TASK void bytes(__global const uchar *restrict a, __global uint *restrict c, int n)
{
    union { uchar b[256]; uint w[64]; } x;
    for (int j = 0; j < n; j++)
        x.b[j] = a[j] + 1;
    for (int j = 0; j < n; j++)
        c[j] = x.w[j & 7];
}
