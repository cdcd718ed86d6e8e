// 2-D stencils over a tile of local memory that many loads of a work-item read: each waits for none of the others.
#pragma OPENCL FP_CONTRACT OFF

#define SIDE 16
#define WIDE (SIDE + 2)

// Five-point step inside of blocks, whose edges are repeated: one load and one store of device memory a work-item, no condition.
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void stencil5(__global const float *restrict in, __global float *restrict out, int width, float rate)
{
    __local float tile[SIDE][SIDE];
    int lx = get_local_id(0), ly = get_local_id(1);
    int at = (int)get_global_id(1) * width + (int)get_global_id(0);
    tile[ly][lx] = in[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    int left = max(lx - 1, 0), right = min(lx + 1, SIDE - 1), up = max(ly - 1, 0), down = min(ly + 1, SIDE - 1);
    float centre = tile[ly][lx];
    float around = tile[ly][left] + tile[ly][right] + tile[up][lx] + tile[down][lx];
    out[at] = centre + rate * (around - 4.0f * centre);
}

// Nine weights on a tile with its halo: one store of every work-item, two more of those at the sides.
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void stencil9(__global const int *restrict in, __global int *restrict out, int width, int height)
{
    __local int tile[WIDE][WIDE];
    int lx = get_local_id(0), ly = get_local_id(1);
    int left = get_group_id(0) * SIDE - 1, top = get_group_id(1) * SIDE - 1;
    int x = get_global_id(0), y = get_global_id(1);
    tile[ly][lx] = in[clamp(top + ly, 0, height - 1) * width + clamp(left + lx, 0, width - 1)];
    if (lx < 2)
        tile[ly][SIDE + lx] = in[clamp(top + ly, 0, height - 1) * width + clamp(left + SIDE + lx, 0, width - 1)];
    if (ly < 2)
        tile[SIDE + ly][lx] = in[clamp(top + SIDE + ly, 0, height - 1) * width + clamp(left + lx, 0, width - 1)];
    if (lx < 2 && ly < 2)
        tile[SIDE + ly][SIDE + lx] =
            in[clamp(top + SIDE + ly, 0, height - 1) * width + clamp(left + SIDE + lx, 0, width - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = tile[ly][lx] + 2 * tile[ly][lx + 1] + tile[ly][lx + 2];
    sum += 2 * tile[ly + 1][lx] + 4 * tile[ly + 1][lx + 1] + 2 * tile[ly + 1][lx + 2];
    sum += tile[ly + 2][lx] + 2 * tile[ly + 2][lx + 1] + tile[ly + 2][lx + 2];
    if (x < width && y < height)
        out[y * width + x] = sum >> 4;
}

// Groups overlap by the border of their tiles of bytes, four of which make a word: other work-items store those beside what one loads.
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void median5(__global const uchar *restrict in, __global uchar *restrict out, int width, int height)
{
    __local uchar tile[SIDE][SIDE];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = (int)get_group_id(0) * (SIDE - 2) + lx - 1, y = (int)get_group_id(1) * (SIDE - 2) + ly - 1;
    tile[ly][lx] = in[clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lx == 0 || lx == SIDE - 1 || ly == 0 || ly == SIDE - 1 || x >= width || y >= height)
        return;
    uchar a = tile[ly][lx - 1], b = tile[ly][lx + 1], c = tile[ly - 1][lx], d = tile[ly + 1][lx], e = tile[ly][lx];
    uchar low = max(min(a, b), min(c, d)), high = min(max(a, b), max(c, d));
    out[y * width + x] = max(min(low, high), min(max(low, high), e));
}
