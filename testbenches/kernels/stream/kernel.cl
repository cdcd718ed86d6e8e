// The four kernels of the STREAM benchmark: each work-item loads and stores elements at its global id.
#pragma OPENCL FP_CONTRACT OFF

__kernel void stream_copy(__global const double *a, __global double *c)
{
    size_t i = get_global_id(0);
    c[i] = a[i];
}

__kernel void stream_scale(__global const double *c, __global double *b, double scalar)
{
    size_t i = get_global_id(0);
    b[i] = scalar * c[i];
}

__kernel void stream_add(__global const double *a, __global const double *b, __global double *c)
{
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}

__kernel void stream_triad(__global const double *b, __global const double *c, __global double *a, double scalar)
{
    size_t i = get_global_id(0);
    a[i] = b[i] + scalar * c[i];
}
