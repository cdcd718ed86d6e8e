// Sums and products of a single work-item whose order does not matter (-cl-fast-relaxed-math), and those where it does. All results
// are exact, whatever the order.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define TASK __attribute__((reqd_work_group_size(1, 1, 1)))

__kernel TASK void dot_task(__global const short *restrict a, __global const short *restrict b, __global float *restrict out, int n)
{
    float sum = 1.0f;
    for (int i = 0; i < n; i++)
        sum += (float)a[i] * (float)b[i];
    *out = sum;
}

__kernel TASK void double_task(__global const int *restrict a, __global double *restrict out, int n)
{
    double sum = 0.0, left = 5.0;
    for (int i = 0; i < n; i++) {
        sum += (double)a[i];
        left -= (double)(a[i] & 15);
    }
    out[0] = sum;
    out[1] = left;
}

// Powers of two.
__kernel TASK void product_task(__global const uchar *restrict a, __global float *restrict out, __global uint *restrict whole, int n)
{
    float product = 3.0f;
    uint integers = 1;
    int i = 0;
    do {
        product *= (a[i] & 1) ? -1.0f : (i & 1) ? 2.0f : 0.5f;
        integers *= a[i] | 1;
        i++;
    } while (i < n);
    out[0] = product;
    *whole = integers;
}

// Left in the middle, and the sum of the iteration before is asked for.
__kernel TASK void until_task(__global const short *restrict a, __global float *restrict out, int n)
{
    float sum = 0.0f, before = 0.0f;
    for (int i = 0; i < n; i++) {
        float x = a[i];
        if (x == 77.0f) break;
        before = sum;
        sum += x;
    }
    out[0] = sum;
    out[1] = before;
}

// Each sum is stored, and rows are short: one after the other.
__kernel TASK void running_task(__global const short *restrict a, __global float *restrict out, __global float *restrict rows, int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        sum += a[i];
        out[i] = sum;
    }
    for (int r = 0; r < 4; r++) {
        float row = 0.0f;
        for (int i = r; i < n; i += 4)
            row += a[i];
        rows[r] = row;
    }
}
