// Jacobi iterations: a dense linear system, and the Laplace equation on a volume (three dimensions).
#pragma OPENCL FP_CONTRACT OFF

__kernel void jacobi_dense(__global const float *a, __global const float *b, __global const float *x,
                           __global float *next, int n)
{
    int i = get_global_id(0);
    float sum = b[i];
    for (int j = 0; j < n; j++)
        if (j != i)
            sum -= a[i * n + j] * x[j];
    next[i] = sum / a[i * n + i];
}

// Interior points only: launched with offset (1, 1, 1). `change` is the largest absolute change of the whole grid,
// as the bit pattern of a non-negative float, which orders like an integer.
__kernel void jacobi_volume(__global const float *in, __global float *out, __global uint *change, int nx, int ny)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int row = nx, plane = nx * ny, at = z * plane + y * row + x;
    float sum = in[at - 1] + in[at + 1] + in[at - row] + in[at + row] + in[at - plane] + in[at + plane];
    float value = sum / 6.0f;
    out[at] = value;
    atomic_max(change, as_uint(fabs(value - in[at])));
}
