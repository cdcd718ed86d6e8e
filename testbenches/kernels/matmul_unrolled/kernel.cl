// C = A * B with tiles of both operands in local memory and the loop over a tile unrolled: TILE loads of each tile in an iteration.
#pragma OPENCL FP_CONTRACT OFF

#define TILE 16

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul_unrolled(__global const float *restrict A, __global const float *restrict B, __global float *restrict C, int K, int N)
{
    __local float tile_a[TILE][TILE];
    __local float tile_b[TILE][TILE];
    int lx = get_local_id(0), ly = get_local_id(1);
    int col = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int base = 0; base < K; base += TILE) {
        tile_a[ly][lx] = A[row * K + base + lx];
        tile_b[ly][lx] = B[(base + ly) * N + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        __attribute__((opencl_unroll_hint(TILE)))
        for (int k = 0; k < TILE; k++)
            sum += tile_a[ly][k] * tile_b[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[row * N + col] = sum;
}
