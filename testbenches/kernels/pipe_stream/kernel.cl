// Pipes that are connected: FIFOs beside the kernel. Single work-items that wait for packets and for room, one packet an
// iteration; several pipes at once, pipes in helpers, packets of all sizes; many work-items at one pipe; attempts that may fail.

#pragma OPENCL FP_CONTRACT OFF

typedef struct {
    int number;
    ushort parts[2];
    uchar tags[4];
} record; // 12 bytes, aligned to 4, without gaps

// Memory to pipe and pipe to memory.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void source(__global const int *in, __write_only pipe int out, uint n)
{
    for (uint k = 0; k < n; k++) {
        int x = in[k];
        while (write_pipe(out, &x) != 0);
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void sink(__read_only pipe int in, __global int *out, uint n)
{
    for (uint k = 0; k < n; k++) {
        int x;
        while (read_pipe(in, &x) != 0);
        out[k] = x;
    }
}

static void put(__write_only pipe int p, int x)
{
    while (write_pipe(p, &x));
}

static int get(__read_only pipe int p)
{
    int x;
    while (read_pipe(p, &x));
    return x;
}

// A packet an iteration from one pipe to another; how many fit is asked of both.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void scale(__read_only pipe int in, __write_only pipe int out, int factor, uint n, __global uint *most)
{
    most[0] = get_pipe_max_packets(in);
    most[1] = get_pipe_max_packets(out);
    for (uint k = 0; k < n; k++)
        put(out, get(in) * factor + (int)k);
}

// Between two other kernels.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void stage(__read_only pipe int in, __write_only pipe int out, int factor, uint n)
{
    for (uint k = 0; k < n; k++)
        put(out, get(in) * factor - (int)k);
}

// Odd numbers one way, even ones the other.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void divide(__read_only pipe int in, __write_only pipe int odd, __write_only pipe int even, uint n)
{
    for (uint k = 0; k < n; k++) {
        int x = get(in);
        if (x & 1)
            put(odd, x);
        else
            put(even, -x);
    }
}

// Takes from two pipes as the numbers of the first say; two reads of one pipe in an iteration.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void unite(__read_only pipe int a, __read_only pipe int b, __write_only pipe int out, uint n)
{
    int sum = 0;
    for (uint k = 0; k < n; k++) {
        int x = get(a);
        int y = get(a);
        if (x > y)
            sum += get(b);
        put(out, x - 3 * y + sum);
    }
}

// Sixteen numbers a packet.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void wide(__read_only pipe ulong16 in, __write_only pipe ulong16 out, uint n)
{
    for (uint k = 0; k < n; k++) {
        ulong16 x;
        while (read_pipe(in, &x) != 0);
        x = x.s123456789abcdef0 + (ulong16)(k);
        while (write_pipe(out, &x) != 0);
    }
}

// Packets whose size is no power of two.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void records(__read_only pipe uchar3 in, __write_only pipe record out, uint n)
{
    for (uint k = 0; k < n; k++) {
        uchar3 x;
        while (read_pipe(in, &x) != 0);
        record r = { x.y - 2 * x.z, { x.z, (ushort)(x.x * x.y) }, { x.x, 1, 2, x.y } };
        while (write_pipe(out, &r) != 0);
    }
}

// Each work-item takes one packet, whichever.
__kernel void many(__read_only pipe int in, __write_only pipe int out, __global const int *add)
{
    int x = get(in);
    put(out, x + add[get_local_id(0)]);
}

// Attempts that may fail: until as many packets have come, however often nothing is there.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void attempts(__read_only pipe int in, __write_only pipe int out, uint n, __global uint *state)
{
    uint got = 0, tries = 0;
    while (got < n) {
        int x;
        tries++;
        if (read_pipe(in, &x) == 0) {
            got++;
            while (write_pipe(out, &x) != 0)
                tries++;
        }
    }
    state[0] = got;
    state[1] = tries >= n;
    state[2] = get_pipe_num_packets(in);
}
