// cl_khr_subgroups: sub-groups of 16 work-items (the default), the last of a work-group smaller. Every function is reached by
// the whole work-group.

#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

__kernel void queries(__global uint *out)
{
    out += 7 * get_global_linear_id();
    out[0] = get_sub_group_size();
    out[1] = get_max_sub_group_size();
    out[2] = get_num_sub_groups();
    out[3] = get_enqueued_num_sub_groups();
    out[4] = get_sub_group_id();
    out[5] = get_sub_group_local_id();
    out[6] = get_local_linear_id();
}

#define SCANS(T, NAME) \
    __kernel void NAME(__global const T *in, __global T *out) \
    { \
        size_t at = get_global_linear_id(); \
        T x = in[at]; \
        out += 10 * at; \
        out[0] = sub_group_reduce_add(x); \
        out[1] = sub_group_reduce_min(x); \
        out[2] = sub_group_reduce_max(x); \
        out[3] = sub_group_scan_inclusive_add(x); \
        out[4] = sub_group_scan_inclusive_min(x); \
        out[5] = sub_group_scan_inclusive_max(x); \
        out[6] = sub_group_scan_exclusive_add(x); \
        out[7] = sub_group_scan_exclusive_min(x); \
        out[8] = sub_group_scan_exclusive_max(x); \
        out[9] = sub_group_broadcast(x, get_group_id(0) % get_sub_group_size()); \
    }

SCANS(int, all_int)
SCANS(float, all_float)
SCANS(ulong, all_ulong)

// Votes, and a sum of the whole group in two steps.
__kernel void votes(__global const int *in, __global int *out, __local int *sums)
{
    size_t at = get_global_id(0);
    int x = in[at];
    int sum = sub_group_reduce_add(x);
    if (get_sub_group_local_id() == 0)
        sums[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0;
    for (uint k = 0; k < get_num_sub_groups(); k++)
        sum += sums[k];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[3 * at] = sub_group_all(x > 0);
    out[3 * at + 1] = sub_group_any(x > 8);
    out[3 * at + 2] = sum;
}
