// Histogram with atomics on global memory.

__kernel void histogram(__global const uchar *data, __global uint *bins, uint n)
{
    uint stride = get_global_size(0);
    for (uint i = get_global_id(0); i < n; i += stride)
        atomic_inc(&bins[data[i]]);
}

// Minimum, maximum, sum, or, and, xor of a signed sequence, each with its own atomic.
__kernel void atomic_summary(__global const int *data, __global int *summary)
{
    int v = data[get_global_id(0)];
    atomic_min(&summary[0], v);
    atomic_max(&summary[1], v);
    atomic_add(&summary[2], v);
    atomic_or(&summary[3], v);
    atomic_and(&summary[4], v);
    atomic_xor(&summary[5], v);
    atomic_sub(&summary[6], v);
    atomic_max((volatile __global uint *)&summary[7], (uint)v);
}

// Tickets: each work-item takes a number; every number is taken exactly once whatever the order.
__kernel void tickets(__global int *counter, __global uchar *taken)
{
    int ticket = atomic_add(counter, 1);
    taken[ticket] += 1;
}

// Counters that nothing else touches, and that end in the middle of a bus line.
__kernel void count(__global uint *counters, uint n)
{
    atomic_inc(&counters[get_global_id(0) % n]);
}
