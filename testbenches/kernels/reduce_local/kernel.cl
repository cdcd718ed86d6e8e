// Tree reductions in local memory: one partial result per work-group.
#pragma OPENCL FP_CONTRACT OFF

// Any work-group size: an odd element in a round is left for the next one.
__kernel void reduce_sum(__global const int *data, __global int *partial, __local int *scratch, uint n)
{
    uint lid = get_local_id(0);
    uint i = get_global_id(0);
    scratch[lid] = i < n ? data[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = get_local_size(0); width > 1;) {
        uint half_width = (width + 1) / 2;
        if (lid < width / 2)
            scratch[lid] += scratch[lid + half_width];
        barrier(CLK_LOCAL_MEM_FENCE);
        width = half_width;
    }
    if (lid == 0)
        partial[get_group_id(0)] = scratch[0];
}

// Powers of two only, with static local memory.
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void reduce_fsum(__global const float *data, __global float *partial)
{
    __local float scratch[64];
    int lid = get_local_id(0);
    scratch[lid] = data[get_global_id(0)];
    for (int offset = 32; offset > 0; offset >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < offset)
            scratch[lid] += scratch[lid + offset];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        partial[get_group_id(0)] = scratch[0];
}
