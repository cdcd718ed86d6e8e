// Prefix sums inside a work-group: Hillis-Steele (inclusive, any size) and Blelloch (exclusive, powers of two).

__kernel void scan_inclusive(__global const int *in, __global int *out, __local int *front, __local int *back)
{
    uint lid = get_local_id(0), size = get_local_size(0);
    __local int *src = front, *dst = back;
    src[lid] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < size; step <<= 1) {
        dst[lid] = lid >= step ? src[lid] + src[lid - step] : src[lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        __local int *swap = src;
        src = dst;
        dst = swap;
    }
    out[get_global_id(0)] = src[lid];
}

// Each work-item owns two elements; group totals go to `totals`.
__kernel void scan_exclusive(__global const uint *in, __global uint *out, __global uint *totals, __local uint *temp)
{
    uint lid = get_local_id(0), pairs = get_local_size(0), n = 2 * pairs;
    uint base = get_group_id(0) * n;
    temp[2 * lid] = in[base + 2 * lid];
    temp[2 * lid + 1] = in[base + 2 * lid + 1];
    uint offset = 1;
    for (uint d = n >> 1; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < d)
            temp[offset * (2 * lid + 2) - 1] += temp[offset * (2 * lid + 1) - 1];
        offset <<= 1;
    }
    if (lid == 0) {
        totals[get_group_id(0)] = temp[n - 1];
        temp[n - 1] = 0;
    }
    for (uint d = 1; d < n; d <<= 1) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < d) {
            uint low = offset * (2 * lid + 1) - 1, high = offset * (2 * lid + 2) - 1;
            uint moved = temp[low];
            temp[low] = temp[high];
            temp[high] += moved;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + 2 * lid] = temp[2 * lid];
    out[base + 2 * lid + 1] = temp[2 * lid + 1];
}
