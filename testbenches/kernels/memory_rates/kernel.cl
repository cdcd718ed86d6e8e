// One access of a kind for each work-item or iteration, at places that data decides: what memory units reach, not datapaths.

__kernel void gather(__global const uint *restrict index, __global const uint *restrict table, __global uint *restrict out)
{
    size_t i = get_global_id(0);
    out[i] = table[index[i]];
}

__kernel void scatter(__global const uint *restrict index, __global uint *restrict out)
{
    size_t i = get_global_id(0);
    out[index[i] ^ 5] = i;
}

#define BINS 1024
__kernel void count_global(__global const uint *restrict in, __global uint *restrict bins)
{
    atomic_inc(&bins[in[get_global_id(0)] % BINS]);
}

#define LOCAL_BINS 256
#define ROUNDS 64
__kernel __attribute__((reqd_work_group_size(LOCAL_BINS, 1, 1)))
void count_local(__global const uint *restrict in, __global uint *restrict bins)
{
    __local uint counts[LOCAL_BINS];
    size_t lid = get_local_id(0);
    counts[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int round = 0; round < ROUNDS; round++)
        atomic_inc(&counts[in[(get_group_id(0) * ROUNDS + round) * LOCAL_BINS + lid] % LOCAL_BINS]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[lid], counts[lid]);
}
