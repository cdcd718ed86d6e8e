// C = A * B for row-major square or oblong matrices: one work-item per element of C.
#pragma OPENCL FP_CONTRACT OFF

// A is M x K, B is K x N. A launch covers N columns (dimension 0) and M rows (dimension 1).
__kernel void matmul(__global const float *A, __global const float *B, __global float *C, int K, int N)
{
    int col = get_global_id(0);
    int row = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

__kernel void matmul_int(__global const int *A, __global const int *B, __global int *C, int K, int N)
{
    int col = get_global_id(0);
    int row = get_global_id(1);
    int sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}
