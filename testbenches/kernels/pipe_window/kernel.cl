// Reservations of pipes that are connected: packets of a reservation in any order, commits in another order than the reservations,
// reservations of work-items, of work-groups and of sub-groups, beside packets without reservation. Whoever needs one repeats the
// attempt: in a FIFO packets come later. Pipes whose depth follows from what is written before what is read.

#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

static reserve_id_t some_packets(__read_only pipe int p, uint n)
{
    reserve_id_t id;
    do
        id = reserve_read_pipe(p, n);
    while (!is_valid_reserve_id(id));
    return id;
}

static reserve_id_t some_room(__write_only pipe int p, uint n)
{
    reserve_id_t id;
    do
        id = reserve_write_pipe(p, n);
    while (!is_valid_reserve_id(id));
    return id;
}

// Runs of n packets, each run the other way round.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void reverse(__read_only pipe int in, __write_only pipe int out, uint n, uint runs)
{
    for (uint r = 0; r < runs; r++) {
        reserve_id_t from = some_packets(in, n);
        reserve_id_t to = some_room(out, n);
        for (uint k = 0; k < n; k++) {
            int x;
            read_pipe(in, from, n - 1 - k, &x);
            write_pipe(out, to, k, &x);
        }
        commit_read_pipe(in, from);
        commit_write_pipe(out, to);
    }
}

// What can be reserved, what is visible before an earlier commit, and that packets stand where they were reserved.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void places(__write_only pipe int out, __global uint *state)
{
    reserve_id_t a = reserve_write_pipe(out, 2);
    reserve_id_t b = reserve_write_pipe(out, 3);
    reserve_id_t c = reserve_write_pipe(out, 1);
    reserve_id_t much = reserve_write_pipe(out, 3); // 2 are left
    reserve_id_t zero = reserve_write_pipe(out, 0);
    reserve_id_t all = reserve_write_pipe(out, 0xffffffff);
    reserve_id_t null = CLK_NULL_RESERVE_ID;
    state[0] = is_valid_reserve_id(a) + 2 * is_valid_reserve_id(b) + 4 * is_valid_reserve_id(c);
    state[1] = is_valid_reserve_id(much) + 2 * is_valid_reserve_id(zero) + 4 * is_valid_reserve_id(all)
        + 8 * is_valid_reserve_id(null);
    int x[6] = { 10, 11, 12, 13, 14, 15 };
    state[2] = write_pipe(out, c, 0, &x[5]) == 0;
    state[3] = write_pipe(out, c, 1, &x[0]) == 0; // it has one packet
    state[4] = write_pipe(out, null, 0, &x[0]) == 0;
    commit_write_pipe(out, c);
    state[5] = get_pipe_num_packets(out);
    write_pipe(out, b, 2, &x[4]);
    write_pipe(out, b, 0, &x[2]);
    write_pipe(out, a, 1, &x[3]);
    write_pipe(out, b, 1, &x[3]);
    write_pipe(out, a, 0, &x[0]);
    write_pipe(out, a, 1, &x[1]); // instead of the one before
    commit_write_pipe(out, b);
    state[6] = get_pipe_num_packets(out);
    int more = 16;
    state[7] = write_pipe(out, &more) == 0; // behind them all
    commit_write_pipe(out, a);
    state[8] = get_pipe_max_packets(out);
}

// The same for a reader: a packet twice, a reservation that is given back unread.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void takes(__read_only pipe int in, __global int *out)
{
    reserve_id_t a = some_packets(in, 2), b = some_packets(in, 2);
    out[0] = is_valid_reserve_id(reserve_read_pipe(in, 7));
    commit_read_pipe(in, b);
    int x = 0;
    read_pipe(in, a, 1, &x);
    out[1] = x;
    read_pipe(in, a, 0, &x);
    out[2] = x;
    x = -1;
    read_pipe(in, a, 1, &x);
    out[3] = x;
    out[4] = read_pipe(in, a, 2, &x) == 0;
    commit_read_pipe(in, a);
    while (read_pipe(in, &x) != 0);
    out[5] = x;
}

// Every work-item writes two packets, the second first: its number, and which of them it is.
__kernel void write_pairs(__write_only pipe int2 out)
{
    int i = (int)get_global_id(0);
    reserve_id_t id;
    do
        id = reserve_write_pipe(out, 2);
    while (!is_valid_reserve_id(id));
    int2 second = (int2)(i, 1), first = (int2)(i, 0);
    write_pipe(out, id, 1, &second);
    write_pipe(out, id, 0, &first);
    commit_write_pipe(out, id);
}

// Every work-item takes two packets, which must be such a pair.
__kernel void read_pairs(__read_only pipe int2 in, __global uint *seen, __global uint *bad)
{
    reserve_id_t id;
    do
        id = reserve_read_pipe(in, 2);
    while (!is_valid_reserve_id(id));
    int2 x, y;
    read_pipe(in, id, 1, &y);
    read_pipe(in, id, 0, &x);
    commit_read_pipe(in, id);
    if (x.x != y.x || x.y != 0 || y.y != 1)
        atomic_inc(bad);
    atomic_inc(&seen[x.x]);
}

// A reservation for the group at either end; each work-item moves a packet to the mirrored place.
__kernel void group_mirror(__read_only pipe ulong4 in, __write_only pipe ulong4 out)
{
    uint size = (uint)get_local_size(0), lid = (uint)get_local_id(0);
    reserve_id_t from, to;
    do
        from = work_group_reserve_read_pipe(in, size);
    while (!is_valid_reserve_id(from));
    do
        to = work_group_reserve_write_pipe(out, size);
    while (!is_valid_reserve_id(to));
    ulong4 x;
    read_pipe(in, from, lid, &x);
    x.w = lid;
    write_pipe(out, to, size - 1 - lid, &x);
    work_group_commit_write_pipe(out, to);
    work_group_commit_read_pipe(in, from);
}

// All of one pipe, then all of another; who reads them wants the second first. So the first pipe has to be as deep.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void split(__global const int *in, __write_only pipe int a, __write_only pipe int b)
{
    for (int k = 0; k < 200; k++) {
        int x = in[k];
        while (write_pipe(b, &x) != 0);
    }
    for (int k = 0; k < 200; k++) {
        int x = in[k] * 3;
        while (write_pipe(a, &x) != 0);
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void join(__read_only pipe int a, __read_only pipe int b, __global int *out)
{
    int sums[200];
    for (int k = 0; k < 200; k++) {
        int x;
        while (read_pipe(a, &x) != 0);
        sums[k] = x;
    }
    for (int k = 0; k < 200; k++) {
        int x;
        while (read_pipe(b, &x) != 0);
        out[k] = sums[k] + x;
    }
}

// A reservation for each sub-group, which is there at once: the pipe holds all of them.
__kernel void sub_groups(__write_only pipe uint2 out)
{
    uint first = (uint)(get_global_id(0) - get_sub_group_local_id());
    reserve_id_t id = sub_group_reserve_write_pipe(out, get_sub_group_size());
    if (is_valid_reserve_id(id)) {
        uint2 x = (uint2)(first, get_sub_group_local_id());
        write_pipe(out, id, get_sub_group_local_id(), &x);
    }
    sub_group_commit_write_pipe(out, id);
}
