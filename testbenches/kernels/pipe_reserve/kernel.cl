// Reservations: by work-items, by work-groups and by sub-groups, of one and of many packets, committed in other orders than they
// were made. Packets of a reservation stand together, and packets become visible in the order of their reservations.

#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

// Every work-item writes n packets: its number, and which of them it is.
__kernel void write_runs(__write_only pipe int2 out, uint n, __global uint *refused)
{
    int i = get_global_id(0);
    reserve_id_t id = reserve_write_pipe(out, n);
    if (!is_valid_reserve_id(id)) {
        atomic_inc(refused);
        return;
    }
    for (uint k = n; k-- > 0;) {
        int2 x = (int2)(i, (int)k);
        write_pipe(out, id, k, &x);
    }
    commit_write_pipe(out, id);
}

// Every work-item takes n packets, which must be one such run.
__kernel void read_runs(__read_only pipe int2 in, uint n, __global uint *seen, __global uint *bad)
{
    reserve_id_t id = reserve_read_pipe(in, n);
    if (!is_valid_reserve_id(id))
        return;
    int2 first;
    read_pipe(in, id, 0, &first);
    for (uint k = 0; k < n; k++) {
        int2 x = (int2)(-1, -1);
        if (read_pipe(in, id, k, &x) != 0 || x.x != first.x || x.y != (int)k)
            atomic_inc(bad);
    }
    if (first.x >= 0)
        atomic_inc(&seen[first.x]);
    commit_read_pipe(in, id);
}

// Work-items of a group commit one after the other, the last first, whatever the order in which they have reserved.
__kernel void late_commits(__write_only pipe uint out, __global uint *counts)
{
    uint lid = get_local_id(0), size = get_local_size(0);
    uint x = (uint)get_global_id(0);
    reserve_id_t id = reserve_write_pipe(out, 1);
    if (is_valid_reserve_id(id))
        write_pipe(out, id, 0, &x);
    for (uint turn = size; turn-- > 0;) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (turn == lid && is_valid_reserve_id(id)) {
            commit_write_pipe(out, id);
            atomic_inc(&counts[get_group_id(0)]);
        }
    }
}

// Readers likewise give their packets back, the last first.
__kernel void late_frees(__read_only pipe uint in, __global uint *seen)
{
    uint lid = get_local_id(0), size = get_local_size(0);
    uint x = 0;
    reserve_id_t id = reserve_read_pipe(in, 1);
    if (is_valid_reserve_id(id) && read_pipe(in, id, 0, &x) == 0)
        atomic_inc(&seen[x]);
    for (uint turn = size; turn-- > 0;) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (turn == lid && is_valid_reserve_id(id))
            commit_read_pipe(in, id);
    }
}

// One work-item: what is visible after each commit, and what can be reserved.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void in_order(__write_only pipe int out, __global uint *counts)
{
    reserve_id_t a = reserve_write_pipe(out, 2);
    reserve_id_t b = reserve_write_pipe(out, 3);
    reserve_id_t c = reserve_write_pipe(out, 1);
    reserve_id_t none = reserve_write_pipe(out, 3); // 2 are left
    reserve_id_t zero = reserve_write_pipe(out, 0);
    reserve_id_t all = reserve_write_pipe(out, 0xffffffff);
    reserve_id_t null = CLK_NULL_RESERVE_ID;
    counts[0] = is_valid_reserve_id(a) + 2 * is_valid_reserve_id(b) + 4 * is_valid_reserve_id(c);
    counts[1] = is_valid_reserve_id(none) + 2 * is_valid_reserve_id(zero) + 4 * is_valid_reserve_id(all)
        + 8 * is_valid_reserve_id(null);
    int x[6] = { 10, 11, 12, 13, 14, 15 };
    counts[2] = write_pipe(out, c, 0, &x[5]) == 0;
    commit_write_pipe(out, c);
    counts[3] = get_pipe_num_packets(out);
    write_pipe(out, b, 2, &x[4]);
    write_pipe(out, b, 0, &x[2]);
    write_pipe(out, b, 1, &x[3]);
    write_pipe(out, a, 0, &x[0]);
    write_pipe(out, a, 1, &x[1]);
    commit_write_pipe(out, a);
    counts[4] = get_pipe_num_packets(out);
    int more = 16;
    counts[5] = write_pipe(out, &more) == 0; // behind the three that are not committed
    counts[6] = get_pipe_num_packets(out);
    commit_write_pipe(out, b);
    counts[7] = get_pipe_num_packets(out);
}

// One work-item: what is read twice, out of order, and what is there afterwards.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void out_of_order(__read_only pipe int in, __global int *out)
{
    reserve_id_t a = reserve_read_pipe(in, 2);
    reserve_id_t b = reserve_read_pipe(in, 2);
    out[0] = get_pipe_num_packets(in);
    out[1] = is_valid_reserve_id(reserve_read_pipe(in, 2));
    commit_read_pipe(in, b); // its packets are gone, but not read: allowed
    int x = 0;
    read_pipe(in, a, 1, &x);
    out[2] = x;
    read_pipe(in, a, 0, &x);
    out[3] = x;
    read_pipe(in, a, 1, &x);
    out[4] = x;
    commit_read_pipe(in, a);
    x = -5;
    out[5] = read_pipe(in, &x) == 0;
    out[6] = x;
    out[7] = read_pipe(in, &x) == 0;
}

// A reservation for the group; the last group of a launch may be smaller.
__kernel void group_write(__global const float4 *in, __write_only pipe float4 out, __global uint *refused)
{
    reserve_id_t id = work_group_reserve_write_pipe(out, (uint)get_local_size(0));
    if (is_valid_reserve_id(id)) {
        float4 x = in[get_global_id(0)] * 2.0f;
        write_pipe(out, id, (uint)get_local_id(0), &x);
        work_group_commit_write_pipe(out, id);
    } else if (get_local_id(0) == 0)
        atomic_inc(refused);
}

// Two reservations in a row for the group: each work-item reads a packet of the other end than its own.
__kernel void group_read(__read_only pipe float4 in, __global float4 *out)
{
    uint size = (uint)get_local_size(0), lid = (uint)get_local_id(0);
    reserve_id_t first = work_group_reserve_read_pipe(in, size);
    reserve_id_t second = work_group_reserve_read_pipe(in, size);
    float4 x = 0, y = 0;
    if (is_valid_reserve_id(first) && is_valid_reserve_id(second)) {
        read_pipe(in, first, size - 1 - lid, &x);
        read_pipe(in, second, lid, &y);
        work_group_commit_read_pipe(in, second);
        work_group_commit_read_pipe(in, first);
    }
    out[2 * get_global_id(0)] = x;
    out[2 * get_global_id(0) + 1] = y;
}

// A reservation for each sub-group: its number, and the place in it.
__kernel void sub_group_write(__write_only pipe uint2 out)
{
    uint first = (uint)(get_global_id(0) - get_sub_group_local_id());
    reserve_id_t id = sub_group_reserve_write_pipe(out, get_sub_group_size());
    if (is_valid_reserve_id(id)) {
        uint2 x = (uint2)(first, get_sub_group_local_id());
        write_pipe(out, id, get_sub_group_local_id(), &x);
    }
    sub_group_commit_write_pipe(out, id);
}

// Sub-groups find whole runs of theirs.
__kernel void sub_group_read(__read_only pipe uint2 in, __global uint *seen, __global uint *bad)
{
    reserve_id_t id = sub_group_reserve_read_pipe(in, get_sub_group_size());
    uint2 x = (uint2)(0, 99), first = (uint2)(0, 99);
    if (is_valid_reserve_id(id)) {
        read_pipe(in, id, get_sub_group_local_id(), &x);
        read_pipe(in, id, 0, &first);
        if (x.y != get_sub_group_local_id() || x.x != first.x)
            atomic_inc(bad);
        atomic_inc(&seen[x.x + x.y]);
    }
    sub_group_commit_read_pipe(in, id);
}
