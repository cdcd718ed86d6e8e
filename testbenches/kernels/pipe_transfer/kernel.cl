// read_pipe and write_pipe of one packet: many work-items at once, full and empty pipes, packets of all sizes, several call
// sites, pipes handed to functions, the queries. The order of packets is that of their reservation, which only single
// work-items have in their hands.

#pragma OPENCL FP_CONTRACT OFF

typedef struct {
    char tag;
    int number;
    ushort parts[3];
} record; // 16 bytes, aligned to 4

// Packets are written by every work-item; those for which there is no room are counted.
__kernel void produce(__global const int *in, __write_only pipe int out, __global uint *refused)
{
    int x = in[get_global_id(0)] * 3 - 1;
    if (write_pipe(out, &x) != 0)
        atomic_inc(refused);
}

// Counts each number that comes (0 to 63), and the reads that find nothing.
__kernel void consume(__read_only pipe int in, __global uint *seen, __global uint *nothing)
{
    int x = -1;
    int result = read_pipe(in, &x);
    if (result == 0)
        atomic_inc(&seen[x & 63]);
    else if (result < 0 && x == -1)
        atomic_inc(nothing);
}

// From one pipe to another; what is refused is counted.
__kernel void forward_wide(__read_only pipe ulong16 in, __write_only pipe ulong16 out, __global uint *refused)
{
    ulong16 x;
    if (read_pipe(in, &x) != 0)
        return;
    x = x * 5 + (ulong16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    if (write_pipe(out, &x) != 0)
        atomic_inc(refused);
}

// A helper with a pipe of its own, called from two places.
static int put(__write_only pipe record out, int number, char tag)
{
    record r;
    r.tag = tag;
    r.number = number;
    for (int k = 0; k < 3; k++)
        r.parts[k] = (ushort)(number + k);
    return write_pipe(out, &r);
}

__kernel void records_out(__global const int *in, __write_only pipe record out, __global uint *refused)
{
    size_t i = get_global_id(0);
    int done = 0;
    if (i & 1)
        done = put(out, in[i], 1);
    else
        done = put(out, -in[i], 2);
    if (done != 0)
        atomic_inc(refused);
}

// Straight into a buffer: where a record goes follows from its number.
__kernel void records_in(__read_only pipe record in, __global record *out, __global uint *bad)
{
    record r;
    if (read_pipe(in, &r) != 0)
        return;
    uint at = abs(r.number);
    for (int k = 0; k < 3; k++)
        if (r.parts[k] != (ushort)(r.number + k))
            atomic_inc(bad);
    out[at] = r;
}

// One work-item: packets come and go in order, until there are none. Three bytes a packet.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void running_sums(__read_only pipe uchar3 in, __write_only pipe int out, __global uint *counts)
{
    int sum = 0;
    uint taken = 0, given = 0;
    uchar3 x;
    while (read_pipe(in, &x) == 0) {
        taken++;
        sum += x.x + 256 * x.y - x.z;
        given += write_pipe(out, &sum) == 0;
    }
    counts[0] = taken;
    counts[1] = given;
}

// What the queries say before and after each packet of one work-item.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void queries(__read_only pipe short in, __write_only pipe double out, __global uint *counts, uint n)
{
    counts[0] = get_pipe_max_packets(in);
    counts[1] = get_pipe_max_packets(out);
    for (uint k = 0; k < n; k++) {
        short x = 0;
        int got = read_pipe(in, &x);
        counts[2 + 4 * k] = got == 0;
        counts[3 + 4 * k] = get_pipe_num_packets(in);
        double y = x * 0.5;
        counts[4 + 4 * k] = write_pipe(out, &y) == 0;
        counts[5 + 4 * k] = get_pipe_num_packets(out);
    }
}
