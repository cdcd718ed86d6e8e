// Divisions and square roots of a single work-item, most of which come by seldom enough for a loop of steps.
#pragma OPENCL FP_CONTRACT OFF

// The recurrence through a product and two sums is longer than the division, which is not part of it.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void scaled_filter(__global const float *restrict in, __global const float *restrict gain, __global float *restrict out, int n, float4 c)
{
    float y1 = 0.0f, y2 = 0.0f;
    for (int i = 0; i < n; i++) {
        float y = c.x * (in[i] / gain[i]) + c.y * y1 + c.z * y2;
        y2 = y1;
        y1 = y;
        out[i] = y;
    }
}

// Two products of 64 bits in the recurrence, two divisions of integers beside it.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void mixed_sum(__global const int *restrict a, __global const int *restrict b, __global ulong *restrict out, int n)
{
    ulong h = 0xcbf29ce484222325UL;
    for (int i = 0; i < n; i++) {
        uint q = (uint)(a[i] / b[i]) ^ ((uint)a[i] % ((uint)b[i] | 1u));
        h = (h ^ q) * 0x9e3779b97f4a7c15UL;
        h = (h ^ (h >> 29)) * (h | 1);
    }
    out[0] = h;
}

// The division is the recurrence.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void continued_fraction(__global const float *restrict a, __global float *restrict out, int n)
{
    float x = 1.0f;
    for (int i = 0; i < n; i++)
        x = a[i] + 1.0f / x;
    out[0] = x;
}

// The remainder is the recurrence and the condition.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void common_divisors(__global const uint *restrict a, __global const uint *restrict b, __global uint *restrict out, int n)
{
    for (int i = 0; i < n; i++) {
        uint x = a[i], y = b[i];
        while (y != 0) {
            uint r = x % y;
            x = y;
            y = r;
        }
        out[i] = x;
    }
}

// A quotient and a root behind each row.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void row_deviation(__global const float *restrict in, __global float *restrict out, int rows, int columns)
{
    for (int r = 0; r < rows; r++) {
        float sum = 0.0f;
        for (int k = 0; k < columns; k++) {
            float x = in[r * columns + k];
            sum += x * x;
        }
        out[r] = sqrt(sum / (float)columns);
    }
}

// Straight-line code: once a launch, some of it before the first work-item.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void once(__global const double *restrict in, __global double *restrict out, double scale, long p, long q)
{
    double step = 1.0 / scale;
    out[0] = sqrt(in[0] / in[1]) * step;
    out[1] = (double)(p / q) + (double)(p % q);
    out[2] = (double)((long)in[2] / (long)in[3]);
}
