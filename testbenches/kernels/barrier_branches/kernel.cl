// Barriers in loops, in branches that the whole group takes, and with both fences; data moves between work-items.

// Rotates through local memory; the number of rounds is an argument, and even groups take another way.
__kernel void rotate_group(__global const int *in, __global int *out, __local int *cells, int rounds)
{
    uint lid = get_local_id(0), size = get_local_size(0);
    int value = in[get_global_id(0)];
    if (get_group_id(0) % 2 == 0) {
        for (int r = 0; r < rounds; r++) {
            cells[lid] = value + r;
            barrier(CLK_LOCAL_MEM_FENCE);
            value = cells[(lid + 1) % size];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    } else {
        cells[lid] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        value = cells[size - 1 - lid] * 2;
    }
    out[get_global_id(0)] = value;
}

// The group agrees on the number of rounds through local memory: a loop with a barrier and a break.
__kernel void until_settled(__global int *data, __global int *rounds_taken, int limit)
{
    __local int changed;
    uint lid = get_local_id(0), size = get_local_size(0);
    __global int *mine = data + get_group_id(0) * size;
    int rounds = 0;
    for (;;) {
        if (lid == 0)
            changed = 0;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        // Odd-even transposition sort: one phase per round.
        uint low = 2 * (lid / 2) + (rounds & 1);
        if ((lid & 1) == 0 && low + 1 < size && mine[low] > mine[low + 1]) {
            int t = mine[low];
            mine[low] = mine[low + 1];
            mine[low + 1] = t;
            atomic_or(&changed, 1);
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        int again = changed;
        barrier(CLK_LOCAL_MEM_FENCE);
        rounds++;
        if ((!again && rounds % 2 == 0 && rounds >= (int)size) || rounds >= limit)
            break;
    }
    if (lid == 0)
        rounds_taken[get_group_id(0)] = rounds;
}

// Global memory as a mailbox between the work-items of a group.
__kernel void mailbox(__global int *box, __global int *out)
{
    uint lid = get_local_id(0), size = get_local_size(0), base = get_group_id(0) * size;
    int sum = 0;
    for (uint step = 1; step < size; step += step) {
        box[base + lid] = (lid + 1) * step + sum % 1000;
        barrier(CLK_GLOBAL_MEM_FENCE);
        sum += box[base + (lid ^ step) % size];
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    out[base + lid] = sum;
}

// Nested loops with barriers at both levels, on a two-dimensional group.
__kernel void sweep_tile(__global const int *in, __global int *out, int rounds)
{
    __local int tile[4][8];
    int x = get_local_id(0), y = get_local_id(1);
    size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    tile[y][x] = in[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = 0; r < rounds; r++) {
        for (int d = 0; d < 2; d++) {
            int neighbour = d ? tile[(y + 1) & 3][x] : tile[y][(x + 1) & 7];
            barrier(CLK_LOCAL_MEM_FENCE);
            tile[y][x] = (tile[y][x] + neighbour) & 0xffff;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (r == 1)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[at] = tile[y][x];
}
