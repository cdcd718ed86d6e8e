// y = alpha * x + y, product and sum rounded separately; and the same with one rounding.
#pragma OPENCL FP_CONTRACT OFF

__kernel void saxpy(float alpha, __global const float *restrict x, __global float *restrict y)
{
    int i = get_global_id(0);
    y[i] = alpha * x[i] + y[i];
}

__kernel void saxpy_fma(float alpha, __global const float *restrict x, __global float *restrict y)
{
    int i = get_global_id(0);
    y[i] = fma(alpha, x[i], y[i]);
}

// Four elements per work-item, as wide loads and stores.
__kernel void saxpy4(float alpha, __global const float4 *restrict x, __global float4 *restrict y)
{
    int i = get_global_id(0);
    y[i] = alpha * x[i] + y[i];
}
