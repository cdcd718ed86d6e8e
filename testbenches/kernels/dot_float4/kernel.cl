// Dot product by a single work-item: four sums, which are added at the end. n counts vectors.
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void dot_float4(__global const float4 *restrict a, __global const float4 *restrict b, __global float *restrict result, int n)
{
    float4 sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    float2 half_sum = sum.lo + sum.hi;
    *result = half_sum.x + half_sum.y;
}
