// OpenCL 2.0: votes, broadcasts, reductions and scans of a work-group, remainder groups included.

#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// Each work-item writes what it got from each function.
#define INTEGERS(T, NAME) \
    __kernel void NAME(__global const T *in, __global T *out) \
    { \
        size_t at = get_global_linear_id(); \
        T x = in[at]; \
        out += 9 * at; \
        out[0] = work_group_reduce_add(x); \
        out[1] = work_group_reduce_min(x); \
        out[2] = work_group_reduce_max(x); \
        out[3] = work_group_scan_inclusive_add(x); \
        out[4] = work_group_scan_inclusive_min(x); \
        out[5] = work_group_scan_inclusive_max(x); \
        out[6] = work_group_scan_exclusive_add(x); \
        out[7] = work_group_scan_exclusive_min(x); \
        out[8] = work_group_scan_exclusive_max(x); \
    }

INTEGERS(int, all_int)
INTEGERS(uint, all_uint)
INTEGERS(long, all_long)
INTEGERS(ulong, all_ulong)
INTEGERS(float, all_float)
INTEGERS(double, all_double)

// Broadcasts from a work-item in one, two and three dimensions, which each group chooses.
__kernel void broadcasts(__global const float *in, __global float *out)
{
    size_t at = get_global_linear_id();
    float x = in[at];
    size_t a = get_group_id(0) % get_local_size(0), b = get_group_id(0) / 2 % get_local_size(1);
    if (get_work_dim() == 1)
        out[at] = work_group_broadcast(x, a);
    else if (get_work_dim() == 2)
        out[at] = work_group_broadcast(x, a, b);
    else
        out[at] = work_group_broadcast(x, a, b, get_local_size(2) - 1);
}

// Votes in a loop that the whole group leaves together.
__kernel void votes(__global const int *in, __global int *out)
{
    size_t at = get_global_id(0);
    int x = in[at], rounds = 0;
    while (work_group_any(x > rounds) && !work_group_all(rounds > 12))
        rounds++;
    out[3 * at] = rounds;
    out[3 * at + 1] = work_group_all(x >= 2);
    out[3 * at + 2] = work_group_any(x == 3);
}

// Prefix sums of a whole buffer by one group: the scan of each block goes on from the last one's sum.
__kernel void prefix_sums(__global const int *in, __global int *out, uint n)
{
    uint size = get_local_size(0);
    int carried = 0;
    for (uint first = 0; first < n; first += size) {
        uint at = first + get_local_id(0);
        int x = at < n ? in[at] : 0;
        int sum = carried + work_group_scan_inclusive_add(x);
        if (at < n)
            out[at] = sum;
        carried = work_group_broadcast(sum, size - 1);
    }
}
