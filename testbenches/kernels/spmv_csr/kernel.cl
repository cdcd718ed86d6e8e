// Sparse matrix (compressed rows) times vector: a row per work-item, and a row per work-group.
#pragma OPENCL FP_CONTRACT OFF

__kernel void spmv_scalar(__global const int *row_start, __global const int *column, __global const float *value,
                          __global const float *x, __global float *y, int rows)
{
    int row = get_global_id(0);
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int i = row_start[row]; i < row_start[row + 1]; i++)
        sum += value[i] * x[column[i]];
    y[row] = sum;
}

#define LANES 8

__kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
void spmv_vector(__global const int *restrict row_start, __global const int *restrict column,
                 __global const float *restrict value, __global const float *restrict x, __global float *restrict y)
{
    __local float sums[LANES];
    int lane = get_local_id(0), row = get_group_id(0);
    int end = row_start[row + 1];
    float sum = 0.0f;
    for (int i = row_start[row] + lane; i < end; i += LANES)
        sum += value[i] * x[column[i]];
    sums[lane] = sum;
    for (int step = LANES / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < step)
            sums[lane] += sums[lane + step];
    }
    if (lane == 0)
        y[row] = sums[0];
}
