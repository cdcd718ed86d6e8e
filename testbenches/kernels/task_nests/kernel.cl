// Nests of loops, and loops with branches, of a single work-item.
#pragma OPENCL FP_CONTRACT OFF
#define TASK __attribute__((reqd_work_group_size(1, 1, 1)))

__kernel TASK void row_sums(__global const int *restrict m, __global int *restrict out, int rows, int cols)
{
    for (int r = 0; r < rows; r++) {
        int sum = 0;
        for (int c = 0; c < cols; c++)
            sum += m[r * cols + c];
        out[r] = sum;
    }
}

__kernel TASK void float_rows(__global const float *restrict m, __global float *restrict out, int rows, int cols)
{
    for (int r = 0; r < rows; r++) {
        float sum = 0.0f;
        for (int c = 0; c < cols; c++)
            sum += m[r * cols + c];
        out[r] = sum;
    }
}

__kernel TASK void product(__global const int *restrict a, __global const int *restrict b, __global int *restrict out, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            out[i * n + j] = sum;
        }
}

// The loop inside begins with what the one around it loads, and is sometimes skipped.
__kernel TASK void triangle(__global const uint *restrict in, __global uint *restrict out, int n)
{
    for (int i = 0; i < n; i++) {
        uint sum = in[i] * 2 + 1;
        for (int j = 0; j < i; j++)
            sum ^= in[j] + j;
        out[i] = sum;
    }
}

__kernel TASK void compact(__global const int *restrict in, __global int *restrict out, __global int *restrict count, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (in[i] > 0)
            out[kept++] = in[i];
    *count = kept;
}

// Left from the middle of the loop inside, by a value that was computed and not loaded.
__kernel TASK void sequence(__global ushort *restrict out, uint seed, int rows, int cols)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            seed = (seed << 3) ^ (seed >> 5) ^ (uint)c;
            if (seed % 256 == 77)
                return;
            out[r * cols + c] = (ushort)seed;
        }
}

// How long the loop inside takes is loaded.
__kernel TASK void sparse(__global const int *restrict start, __global const int *restrict column, __global const int *restrict value,
                          __global const int *restrict x, __global int *restrict y, int rows)
{
    for (int r = 0; r < rows; r++) {
        int sum = 0;
        for (int k = start[r]; k < start[r + 1]; k++)
            sum += value[k] * x[column[k]];
        y[r] = sum;
    }
}
