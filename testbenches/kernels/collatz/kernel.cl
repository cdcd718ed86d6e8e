// Steps of the Collatz sequence until 1: a divergent loop with a different count in each work-item.

__kernel void collatz(__global const uint *start, __global uint *steps, uint limit)
{
    size_t gid = get_global_id(0);
    ulong n = start[gid];
    uint count = 0;
    while (n != 1 && count < limit) {
        if (n & 1)
            n = 3 * n + 1;
        else
            n >>= 1;
        count++;
    }
    steps[gid] = count;
}

// Largest value on the way, 64 bits wide.
__kernel void collatz_peak(__global const uint *start, __global ulong *peak)
{
    size_t gid = get_global_id(0);
    ulong n = start[gid], top = n;
    do {
        n = (n & 1) ? 3 * n + 1 : n / 2;
        top = max(top, n);
    } while (n > 1);
    peak[gid] = top;
}
