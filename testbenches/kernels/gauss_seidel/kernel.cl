// Red-black Gauss-Seidel for the Poisson equation: one colour per launch, or all sweeps by one work-group.
#pragma OPENCL FP_CONTRACT OFF

// The grid includes its border. Dimension 0 covers half the interior columns.
__kernel void sweep(__global float *u, __global const float *f, int width, int colour)
{
    int y = get_global_id(1) + 1;
    int x = 2 * get_global_id(0) + 1 + ((y + colour) & 1);
    if (x >= width - 1)
        return;
    int at = y * width + x;
    u[at] = 0.25f * (u[at - 1] + u[at + 1] + u[at - width] + u[at + width] - f[at]);
}

__kernel void solve_group(__global float *u, __global const float *f, int sweeps)
{
    int x = get_local_id(0) + 1, y = get_local_id(1) + 1;
    int width = get_local_size(0) + 2;
    int at = y * width + x;
    for (int i = 0; i < 2 * sweeps; i++) {
        if (((x + y + i) & 1) == 0)
            u[at] = 0.25f * (u[at - 1] + u[at + 1] + u[at - width] + u[at + width] - f[at]);
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
