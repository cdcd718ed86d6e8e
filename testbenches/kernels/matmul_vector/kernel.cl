// C = A * B with tiles of both in local memory; a work-item computes four neighbours of a row. TILE divides K and the columns,
// ROWS the rows.
#pragma OPENCL FP_CONTRACT OFF

#define TILE 32
#define ROWS 8

__kernel __attribute__((reqd_work_group_size(TILE / 4, ROWS, 1)))
void matmul_int4(__global const int *restrict A, __global const int4 *restrict B, __global int4 *restrict C, int K, int N)
{
    __local int tile_a[ROWS][TILE];
    __local int4 tile_b[TILE][TILE / 4];
    int lx = get_local_id(0), ly = get_local_id(1);
    int col = get_global_id(0), row = get_global_id(1);
    int4 sum = 0;
    for (int base = 0; base < K; base += TILE) {
        for (int i = lx; i < TILE; i += TILE / 4)
            tile_a[ly][i] = A[row * K + base + i];
        for (int i = ly; i < TILE; i += ROWS)
            tile_b[i][lx] = B[(base + i) * (N / 4) + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += tile_a[ly][k] * tile_b[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[row * (N / 4) + col] = sum;
}

__kernel __attribute__((reqd_work_group_size(TILE / 4, ROWS, 1)))
void matmul_float4(__global const float *restrict A, __global const float4 *restrict B, __global float4 *restrict C, int K, int N)
{
    __local float tile_a[ROWS][TILE];
    __local float4 tile_b[TILE][TILE / 4];
    int lx = get_local_id(0), ly = get_local_id(1);
    int col = get_global_id(0), row = get_global_id(1);
    float4 sum = 0.0f;
    for (int base = 0; base < K; base += TILE) {
        for (int i = lx; i < TILE; i += TILE / 4)
            tile_a[ly][i] = A[row * K + base + i];
        for (int i = ly; i < TILE; i += ROWS)
            tile_b[i][lx] = B[(base + i) * (N / 4) + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += tile_a[ly][k] * tile_b[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[row * (N / 4) + col] = sum;
}
