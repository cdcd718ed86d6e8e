// Bitonic sorting networks: a whole block in local memory, and one global compare-exchange step.

__kernel void bitonic_local(__global int *data, __local int *block, int ascending)
{
    uint lid = get_local_id(0), size = get_local_size(0), n = 2 * size;
    uint base = get_group_id(0) * n;
    block[lid] = data[base + lid];
    block[lid + size] = data[base + lid + size];
    for (uint width = 2; width <= n; width <<= 1) {
        for (uint stride = width >> 1; stride > 0; stride >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint low = 2 * lid - (lid & (stride - 1));
            uint high = low + stride;
            int up = ((low & width) == 0) == (ascending != 0);
            int a = block[low], b = block[high];
            if ((a > b) == up) {
                block[low] = b;
                block[high] = a;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[base + lid] = block[lid];
    data[base + lid + size] = block[lid + size];
}

__kernel void bitonic_step(__global uint *data, uint width, uint stride)
{
    uint i = get_global_id(0);
    uint low = 2 * i - (i & (stride - 1));
    uint high = low + stride;
    bool up = (low & width) == 0;
    uint a = data[low], b = data[high];
    data[low] = up ? min(a, b) : max(a, b);
    data[high] = up ? max(a, b) : min(a, b);
}
