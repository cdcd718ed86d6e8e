// Dot products: one value per work-group (float), one atomic per work-group (int), and as a task.
#pragma OPENCL FP_CONTRACT OFF

__kernel void dot_groups(__global const float *a, __global const float *b, __global float *partial,
                         __local float *products, uint n)
{
    uint lid = get_local_id(0), size = get_local_size(0);
    float sum = 0.0f;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        sum += a[i] * b[i];
    products[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
        float total = 0.0f;
        for (uint i = 0; i < size; i++)
            total += products[i];
        partial[get_group_id(0)] = total;
    }
}

__kernel void dot_atomic(__global const int4 *a, __global const int4 *b, __global int *result)
{
    __local int total;
    if (get_local_id(0) == 0)
        total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int4 p = a[get_global_id(0)] * b[get_global_id(0)];
    atomic_add(&total, p.x + p.y + p.z + p.w);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_add(result, total);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void dot_task(__global const int *restrict a, __global const int *restrict b, __global long *restrict result, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += (long)a[i] * b[i];
    *result = sum;
}
