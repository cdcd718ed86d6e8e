// Functions of sub-groups that only some sub-groups (core functions), or only some work-items (non-uniform ones), come to: the
// result is that of those that call. Where the specification leaves a result open, because the work-item asked for does not
// call, the kernels put the work-item's own value.

#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

int of_caller(int x, uint id)
{
    uint callers = sub_group_ballot(1).x;
    int y = sub_group_shuffle(x, id);
    return callers >> id & 1 ? y : x;
}

__kernel void branches(__global const int *in, __global int *out)
{
    size_t at = get_global_linear_id();
    uint id = get_sub_group_local_id();
    int x = in[at];
    out += 16 * at;
    if (get_sub_group_id() % 2 == 1) {
        out[0] = sub_group_reduce_add(x);
        out[1] = sub_group_broadcast(x, get_sub_group_size() - 1);
        out[2] = sub_group_scan_exclusive_max(x);
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
        out[3] = sub_group_any(x > 95) + 2 * sub_group_all(x > 5);
    }
    if (x & 1) {
        out[4] = sub_group_non_uniform_reduce_add(x);
        out[5] = sub_group_elect();
        if (x % 3 == 0) {
            out[6] = sub_group_ballot(x > 20).x;
            out[7] = sub_group_non_uniform_scan_exclusive_mul(x);
        } else if (id < 7) {
            out[6] = sub_group_non_uniform_all_equal(x / 50);
            out[7] = sub_group_broadcast_first(x);
        }
    } else {
        out[8] = sub_group_non_uniform_scan_exclusive_min(x);
        out[9] = of_caller(x, id ^ 2);
        out[10] = of_caller(x, 3);
        out[11] = sub_group_clustered_reduce_max(x, 4);
        out[12] = sub_group_non_uniform_scan_inclusive_xor(x);
        out[13] = sub_group_non_uniform_all(x > 10) + 2 * sub_group_non_uniform_any(x > 90);
    }
    out[14] = sub_group_ballot(x > 50).x;
    out[15] = sub_group_elect();
}

// Loops that work-items go round a different number of times, one in the other, rounds that some skip the rest of, and a way out.
__kernel void rounds(__global const int *in, __global int *out)
{
    size_t at = get_global_id(0);
    int x = in[at], sum = 0, k;
    for (k = 0; k < (x & 7); k++) {
        if ((x + k) % 3 == 0) {
            sum += sub_group_non_uniform_reduce_add(x + k);
            if (sum & 1)
                continue;
        }
        for (int j = 0; j < (x >> 3 & 3); j++)
            sum ^= sub_group_ballot((x + j) & 1).x << j;
        if (sum % 11 == 5)
            break;
        sum = 3 * sum + sub_group_non_uniform_scan_inclusive_add(1);
    }
    out[3 * at] = sum;
    out[3 * at + 1] = k;
    out[3 * at + 2] = sub_group_non_uniform_reduce_max(k);
}

// One call in a loop, which is the end of a round, too.
__kernel void one_call(__global const int *in, __global int *out)
{
    size_t at = get_global_id(0);
    int x = in[at], n = x % 5;
    do {
        x += sub_group_non_uniform_reduce_min(x) + 1;
    } while (n-- > 0);
    out[at] = x;
}

int in_three_ways(int x)
{
    switch (x % 5) {
    case 0:
        return sub_group_non_uniform_reduce_min(x);
    case 1:
        x = sub_group_non_uniform_reduce_or(x);
        // goes on
    case 2:
        x += sub_group_non_uniform_reduce_add(1);
        break;
    case 3:
        return -x;
    }
    return x + sub_group_non_uniform_reduce_max(x);
}

// Work-items that are over early.
__kernel void left(__global const int *in, __global int *out, int n)
{
    size_t at = get_global_id(0);
    int x = in[at];
    if (x % 4 == 0) {
        out[3 * at] = -1;
        return;
    }
    out[3 * at] = in_three_ways(x);
    if (at >= n)
        return;
    out[3 * at + 1] = sub_group_ballot(x > 30).x;
    if (x > 70)
        return;
    out[3 * at + 2] = sub_group_non_uniform_scan_exclusive_add(x);
}

// Places in a list for each remainder: one atomic operation for all that want one; and what is in local memory.
__kernel void effects(__global const int *in, __global uint *counts, __global int *lists, __global int *out, __local int *most)
{
    uint at = get_global_id(0);
    uint first = at - get_sub_group_local_id();
    int x = in[at], kept[5] = {1, 2, 3, 4, 5};
    if (get_local_id(0) < 5)
        most[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 5; k++) {
        if (x % 5 != k)
            continue;
        uint number = sub_group_non_uniform_scan_exclusive_add(1u);
        uint count = sub_group_ballot_bit_count(sub_group_ballot(1));
        uint place = 0;
        if (sub_group_elect()) {
            place = atomic_add(&counts[5 * (first / 16) + k], count);
            atomic_max(&most[k], (int)count);
        }
        place = sub_group_broadcast_first(place) + number;
        lists[16 * (5 * (first / 16) + k) + place] = x;
        kept[x & 3] = place;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = most[x % 5] + 100 * kept[x % 4] + 10000 * kept[4];
}

// Exact sums of floats, whose scans begin with 0, infinity and -infinity.
__kernel void floats(__global const float *in, __global float *out)
{
    size_t at = get_global_id(0);
    float x = in[at];
    out += 9 * at;
    if (x < 0.5f) {
        out[0] = sub_group_non_uniform_reduce_add(-x);
        out[1] = sub_group_non_uniform_reduce_min(x);
        out[2] = sub_group_non_uniform_reduce_max(x);
        out[3] = sub_group_non_uniform_scan_inclusive_add(x);
        out[4] = sub_group_non_uniform_scan_inclusive_mul(x);
        out[5] = sub_group_non_uniform_scan_exclusive_add(-x);
        out[6] = sub_group_non_uniform_scan_exclusive_min(x);
        out[7] = sub_group_non_uniform_scan_exclusive_max(x);
        out[8] = sub_group_clustered_reduce_add(x, 8);
    }
}

// Vectors that are handed on in two parts.
__kernel void wide(__global const long16 *in, __global long16 *out)
{
    size_t at = get_global_id(0);
    long16 x = in[at];
    if (x.s0 & 1)
        x = sub_group_non_uniform_broadcast(x, sub_group_ballot_find_lsb(sub_group_ballot(1)));
    out[at] = x;
}

// All work-items of a group take the same way, but nobody can know: there are barriers and functions of the work-group, too.
__kernel void beside_barriers(__global int *ways, __global const int *in, __global int *out, __local int *mem)
{
    uint at = get_global_id(0), me = get_local_id(0), n = get_local_size(0);
    int x = in[at];
    if (ways[get_group_id(0)] > 0) {
        mem[me] = x;
        if (x & 1)
            x = sub_group_non_uniform_reduce_add(x);
        barrier(CLK_LOCAL_MEM_FENCE);
        x += mem[n - 1 - me];
        x += work_group_reduce_max(x);
        x += sub_group_reduce_add(x);
    }
    out[at] = x;
    ways[get_num_groups(0) + at] = x;
}
