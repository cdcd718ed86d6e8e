// Shuffles, ballots, votes, non-uniform and clustered arithmetic of sub-groups: what cl_khr_subgroup_shuffle and its relatives
// add. The last sub-group of a work-group may be smaller; where the specification leaves a result open, because no work-item has
// the local id asked for, the kernels put the work-item's own value.

#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define SHUFFLES(T, NAME) \
    __kernel void NAME(__global const T *in, __global T *out) \
    { \
        size_t at = get_global_linear_id(); \
        uint id = get_sub_group_local_id(), n = get_sub_group_size(), k = get_group_id(0); \
        T x = in[at]; \
        out += 6 * at; \
        out[0] = sub_group_shuffle(x, (7 * id + 3) % n); \
        T y = sub_group_shuffle_xor(x, k % 8); \
        out[1] = (id ^ k % 8) < n ? y : x; \
        y = sub_group_shuffle_up(x, 3); \
        out[2] = id >= 3 ? y : x; \
        y = sub_group_shuffle_down(x, k + 1); \
        out[3] = id + k + 1 < n ? y : x; \
        out[4] = sub_group_non_uniform_broadcast(x, n - 1); \
        out[5] = sub_group_broadcast_first(x); \
    }

SHUFFLES(char, shuffles_char)
SHUFFLES(ushort, shuffles_ushort)
SHUFFLES(int, shuffles_int)
SHUFFLES(ulong, shuffles_ulong)
SHUFFLES(half, shuffles_half)
SHUFFLES(float, shuffles_float)
SHUFFLES(double, shuffles_double)

__kernel void vectors(__global const float4 *in, __global float4 *out, __global const char *bytes, __global char *bytes_out)
{
    size_t at = get_global_id(0);
    out[at] = sub_group_non_uniform_broadcast(in[at], get_group_id(0) % get_sub_group_size());
    vstore3(sub_group_non_uniform_broadcast(vload3(at, bytes), 0), at, bytes_out);
}

__kernel void votes(__global const int *in, __global const float *floats, __global int *out)
{
    size_t at = get_global_id(0);
    int x = in[at];
    out += 6 * at;
    out[0] = sub_group_elect();
    out[1] = sub_group_non_uniform_all(x > 0);
    out[2] = sub_group_non_uniform_any(x > 8);
    out[3] = sub_group_non_uniform_all_equal(x / 11);
    out[4] = sub_group_non_uniform_all_equal((ulong)(x < 0) << 40);
    out[5] = sub_group_non_uniform_all_equal(floats[at]);
}

__kernel void ballots(__global const int *in, __global uint *out)
{
    size_t at = get_global_id(0);
    uint4 v = sub_group_ballot(in[at] & 1), all = sub_group_ballot(1);
    out += 20 * at;
    vstore4(v, 0, out);
    out[4] = sub_group_inverse_ballot(v);
    out[5] = sub_group_ballot_bit_extract(v, (get_sub_group_local_id() * 5 + 1) % get_sub_group_size());
    out[6] = sub_group_ballot_bit_count(v);
    out[7] = sub_group_ballot_inclusive_scan(v);
    out[8] = sub_group_ballot_exclusive_scan(v);
    // Without a bit the two are left open.
    int any = sub_group_ballot_bit_count(v) != 0;
    uint lsb = sub_group_ballot_find_lsb(v), msb = sub_group_ballot_find_msb(v);
    out[9] = any ? lsb : 99;
    out[10] = any ? msb : 99;
    out[11] = all.x;
    // Only bits of local ids that a sub-group can have count.
    out[12] = sub_group_ballot_bit_count((uint4)(0xffffffff));
    out[13] = sub_group_ballot_find_msb((uint4)(0xffffffff));
    out[14] = get_sub_group_eq_mask().x;
    out[15] = get_sub_group_ge_mask().x;
    out[16] = get_sub_group_gt_mask().x;
    out[17] = get_sub_group_le_mask().x;
    out[18] = get_sub_group_lt_mask().x;
    out[19] = get_sub_group_ge_mask().y + get_sub_group_gt_mask().w;
}

#define REDUCE_AND_SCAN(OP, K) \
    out[3 * K] = sub_group_non_uniform_reduce_##OP(x); \
    out[3 * K + 1] = sub_group_non_uniform_scan_inclusive_##OP(x); \
    out[3 * K + 2] = sub_group_non_uniform_scan_exclusive_##OP(x);

#define NUMBERS(T, NAME, REST, N) \
    __kernel void NAME(__global const T *in, __global T *out) \
    { \
        T x = in[get_global_id(0)]; \
        out += N * get_global_id(0); \
        REDUCE_AND_SCAN(add, 0) \
        REDUCE_AND_SCAN(mul, 1) \
        REDUCE_AND_SCAN(min, 2) \
        REDUCE_AND_SCAN(max, 3) \
        REST \
    }
#define BITS REDUCE_AND_SCAN(and, 4) REDUCE_AND_SCAN(or, 5) REDUCE_AND_SCAN(xor, 6)

NUMBERS(uchar, arithmetic_uchar, BITS, 21)
NUMBERS(short, arithmetic_short, BITS, 21)
NUMBERS(int, arithmetic_int, BITS, 21)
NUMBERS(uint, arithmetic_uint, BITS, 21)
NUMBERS(long, arithmetic_long, BITS, 21)
NUMBERS(half, arithmetic_half, , 12)
NUMBERS(float, arithmetic_float, , 12)
NUMBERS(double, arithmetic_double, , 12)

__kernel void logical(__global const int *in, __global int *out)
{
    int x = in[get_global_id(0)] > 0;
    out += 12 * get_global_id(0);
    REDUCE_AND_SCAN(logical_and, 0)
    REDUCE_AND_SCAN(logical_or, 1)
    REDUCE_AND_SCAN(logical_xor, 2)
    out[9] = sub_group_clustered_reduce_logical_and(x, 2);
    out[10] = sub_group_clustered_reduce_logical_or(x, 4);
    out[11] = sub_group_clustered_reduce_logical_xor(x, 8);
}

#define CLUSTERED(T, NAME, REST, N) \
    __kernel void NAME(__global const T *in, __global T *out) \
    { \
        T x = in[get_global_id(0)]; \
        out += N * get_global_id(0); \
        out[0] = sub_group_clustered_reduce_add(x, 4); \
        out[1] = sub_group_clustered_reduce_mul(x, 2); \
        out[2] = sub_group_clustered_reduce_min(x, 8); \
        out[3] = sub_group_clustered_reduce_max(x, 1); \
        REST \
    }
#define CLUSTERED_BITS \
    out[4] = sub_group_clustered_reduce_and(x, 2); \
    out[5] = sub_group_clustered_reduce_or(x, 4); \
    out[6] = sub_group_clustered_reduce_xor(x, 8);

CLUSTERED(char, clustered_char, CLUSTERED_BITS, 7)
CLUSTERED(uint, clustered_uint, CLUSTERED_BITS, 7)
CLUSTERED(float, clustered_float, , 4)

int sum_of_neighbours(int x, uint far)
{
    int y = sub_group_shuffle_xor(x, far);
    return (get_sub_group_local_id() ^ far) < get_sub_group_size() ? x + y : x;
}

// Control flow that is the same for all work-items: a loop of n steps, an argument, a group's id, memory that is only read; and
// branches that are not, around and beside the calls.
__kernel void steps(__global const int *in, __constant int *limits, __global int *out, int n, int twice)
{
    size_t at = get_global_id(0);
    int x = in[at];
    for (uint far = 1; far < get_max_sub_group_size(); far *= 2)
        x = sum_of_neighbours(x, far);
    for (int k = 0; k < n; k++) {
        if (x & 1)
            x += k;
        if (get_group_id(0) % 2 == 0 && twice)
            x += sub_group_clustered_reduce_max(x, 4);
        else if (limits[k] > 4)
            x ^= sub_group_ballot(x > limits[k]).x;
        if (get_sub_group_local_id() < 3)
            for (int j = 0; j < x % 5; j++)
                x += j;
    }
    out[at] = x;
}
