// Histogram of bytes: each work-group counts in local memory and adds its counts to the global bins.

#define BINS 64

__kernel void histogram_local(__global const uchar *data, __global uint *bins, uint n)
{
    __local uint counts[BINS];
    uint lid = get_local_id(0), size = get_local_size(0);
    for (uint i = lid; i < BINS; i += size)
        counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&counts[data[i] >> 2]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = lid; i < BINS; i += size)
        if (counts[i] != 0)
            atomic_add(&bins[i], counts[i]);
}

// Every 32-bit atomic on local memory; the results of a group do not depend on the order within it.
__kernel void local_atomics(__global const int *data, __global int *out)
{
    __local int cells[10];
    int lid = get_local_id(0);
    if (lid == 0) {
        cells[0] = 0; cells[1] = 0; cells[2] = INT_MAX; cells[3] = INT_MIN; cells[4] = 0;
        cells[5] = -1; cells[6] = 0; cells[7] = 0; cells[8] = 0; cells[9] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = data[get_global_id(0)];
    atomic_add(&cells[0], v);
    atomic_sub(&cells[1], v);
    atomic_min(&cells[2], v);
    atomic_max(&cells[3], v);
    atomic_or(&cells[4], v);
    atomic_and(&cells[5], v);
    atomic_xor(&cells[6], v);
    atomic_inc(&cells[7]);
    atomic_dec(&cells[8]);
    // Compare-and-swap loop: a sum of squares modulo 2^32.
    uint square = (uint)v * (uint)v;
    int seen = cells[9], before;
    do {
        before = seen;
        seen = atomic_cmpxchg(&cells[9], before, (int)((uint)before + square));
    } while (seen != before);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 10)
        out[get_group_id(0) * 10 + lid] = atomic_xchg(&cells[lid], 0);
}
