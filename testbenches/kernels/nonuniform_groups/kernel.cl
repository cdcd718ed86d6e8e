// OpenCL 2.0: work-groups at the edge that are smaller than the others, and the work-item functions about them.

#define FIELDS 8

__kernel void edges(__global uint *out)
{
    size_t at = get_global_linear_id() * FIELDS;
    out[at] = get_local_size(0);
    out[at + 1] = get_local_size(1);
    out[at + 2] = get_enqueued_local_size(0);
    out[at + 3] = get_enqueued_local_size(1);
    out[at + 4] = get_local_linear_id();
    out[at + 5] = get_num_groups(0) + 1000 * get_num_groups(1);
    out[at + 6] = get_group_id(0) + 1000 * get_group_id(1);
    out[at + 7] = get_global_id(0) + 1000 * get_global_id(1) + 1000000 * get_global_id(2);
}

// Sum over each work-group, whose size is its actual one.
__kernel void group_sums(__global const int *in, __global int *sums, __local int *scratch)
{
    uint lid = get_local_linear_id();
    uint size = get_local_size(0) * get_local_size(1) * get_local_size(2);
    scratch[lid] = in[get_global_linear_id()];
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = size; width > 1; width = (width + 1) / 2) {
        if (lid < width / 2)
            scratch[lid] += scratch[lid + (width + 1) / 2];
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        sums[(get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0)] = scratch[0];
}

// By global ids only: tokens of several work-items are then cut by global id, whatever the groups and the offset.
#define PITCH 64

__kernel void padded_rows(__global const int *in, __global int *out)
{
    size_t at = get_global_id(1) * PITCH + get_global_id(0);
    out[at] = 3 * in[at] + get_group_id(0) + 10 * get_group_id(1) + 100 * get_local_size(0);
}
