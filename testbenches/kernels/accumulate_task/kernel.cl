// Single work-item recurrences: float and integer sums, a running maximum, an IIR filter, a linear congruence.
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void sum_float(__global const float *restrict in, __global float *restrict out, int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += in[i];
    out[0] = sum;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void sum_int(__global const int *restrict in, __global long *restrict out, int n)
{
    long sum = 0, squares = 0;
    int largest = INT_MIN;
    for (int i = 0; i < n; i++) {
        sum += in[i];
        squares += (long)in[i] * in[i];
        largest = max(largest, in[i]);
    }
    out[0] = sum;
    out[1] = squares;
    out[2] = largest;
}

// Second-order filter: the recurrence goes through two multiplications and additions.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void iir(__global const float *restrict in, __global float *restrict out, int n, float4 c)
{
    float y1 = 0.0f, y2 = 0.0f;
    for (int i = 0; i < n; i++) {
        float y = c.x * in[i] + c.y * y1 + c.z * y2;
        y2 = y1;
        y1 = y;
        out[i] = y;
    }
}

__kernel void congruence(ulong seed, __global ulong *out, int n)
{
    ulong x = seed;
    for (int i = 0; i < n; i++) {
        x = x * 6364136223846793005UL + 1442695040888963407UL;
        out[i] = x;
    }
}

// Prefix sums through memory: each iteration reads what the one before wrote.
__kernel void prefix(__global int *data, int n)
{
    for (int i = 1; i < n; i++)
        data[i] += data[i - 1];
}
