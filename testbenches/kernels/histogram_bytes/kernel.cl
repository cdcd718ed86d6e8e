// Histogram of bytes by one work-group: each byte of a vector is counted in a table of its own. n counts vectors.

#define BINS 256

__kernel __attribute__((reqd_work_group_size(BINS, 1, 1)))
void histogram_bytes(__global const uchar4 *restrict data, __global uint *restrict bins, int n)
{
    __local uint first[BINS], second[BINS], third[BINS], fourth[BINS];
    int bin = get_local_id(0);
    first[bin] = second[bin] = third[bin] = fourth[bin] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = bin; i < n; i += BINS) {
        uchar4 bytes = data[i];
        atomic_inc(&first[bytes.x]);
        atomic_inc(&second[bytes.y]);
        atomic_inc(&third[bytes.z]);
        atomic_inc(&fourth[bytes.w]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    bins[bin] = first[bin] + second[bin] + third[bin] + fourth[bin];
}
