// Stencils that load a tile and its halo into local memory first.
#pragma OPENCL FP_CONTRACT OFF

#define RADIUS 3

// 1-D weighted stencil, clamped at the ends; the tile has room for local size + 2 * RADIUS elements.
__kernel void stencil1d(__global const int *in, __global int *out, __local int *tile, int n)
{
    int gid = get_global_id(0);
    int lid = get_local_id(0);
    int size = get_local_size(0);
    int base = get_group_id(0) * size - RADIUS;
    for (int i = lid; i < size + 2 * RADIUS; i += size)
        tile[i] = in[clamp(base + i, 0, n - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += tile[lid + RADIUS + k] * (RADIUS + 1 - (k < 0 ? -k : k));
    if (gid < n)
        out[gid] = sum;
}

#define BLOCK 8

// Five-point heat step on an interior; the border of the grid keeps its values.
__kernel __attribute__((reqd_work_group_size(BLOCK, BLOCK, 1)))
void heat2d(__global const float *in, __global float *out, int width, int height, float rate)
{
    __local float tile[BLOCK + 2][BLOCK + 2];
    int x = get_global_id(0), y = get_global_id(1);
    int lx = get_local_id(0) + 1, ly = get_local_id(1) + 1;
    int cx = min(x, width - 1), cy = min(y, height - 1);
    tile[ly][lx] = in[cy * width + cx];
    if (lx == 1)
        tile[ly][0] = in[cy * width + max(cx - 1, 0)];
    if (lx == BLOCK)
        tile[ly][BLOCK + 1] = in[cy * width + min(cx + 1, width - 1)];
    if (ly == 1)
        tile[0][lx] = in[max(cy - 1, 0) * width + cx];
    if (ly == BLOCK)
        tile[BLOCK + 1][lx] = in[min(cy + 1, height - 1) * width + cx];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x >= width || y >= height)
        return;
    float centre = tile[ly][lx];
    float value = centre;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
        float around = tile[ly][lx - 1] + tile[ly][lx + 1] + tile[ly - 1][lx] + tile[ly + 1][lx];
        value = centre + rate * (around - 4.0f * centre);
    }
    out[y * width + x] = value;
}
