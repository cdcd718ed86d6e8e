// Least significant digit radix sort, 4 bits a pass, in three kernels: digit counts of each work-group's region,
// one scan over all counts, stable scatter. Keys are read four at a time.

#ifndef FPTYPE
#define FPTYPE uint
#endif
#define FPVECTYPE uint4
#define NUM_DIGITS 16
#define DIGIT(key, shift) (((key) >> (shift)) & (NUM_DIGITS - 1))

// Inclusive (exclusive == 0) or exclusive scan of one value a work-item. lmem has room for twice the work-group.
inline FPTYPE scanLocalMem(FPTYPE val, __local FPTYPE *lmem, int exclusive)
{
    int idx = get_local_id(0);
    lmem[idx] = 0;
    idx += get_local_size(0);
    lmem[idx] = val;
    barrier(CLK_LOCAL_MEM_FENCE);

    FPTYPE t;
    for (int i = 1; i < get_local_size(0); i *= 2) {
        t = lmem[idx - i];
        barrier(CLK_LOCAL_MEM_FENCE);
        lmem[idx] += t;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return lmem[idx - exclusive];
}

// isums: digit-major, NUM_DIGITS rows of one count a work-group.
__kernel void reduce(__global const FPTYPE *in, __global FPTYPE *isums, const int n,
                     __local FPTYPE *lmem, const unsigned int shift)
{
    int region_size = ((n / 4) / get_num_groups(0)) * 4;
    int block_start = get_group_id(0) * region_size;
    int block_stop = (get_group_id(0) == get_num_groups(0) - 1) ? n : block_start + region_size;

    int tid = get_local_id(0);
    int i = block_start + tid;

    int digit_counts[NUM_DIGITS] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };

    while (i < block_stop) {
        digit_counts[DIGIT(in[i], shift)]++;
        i += get_local_size(0);
    }

    for (int d = 0; d < NUM_DIGITS; d++) {
        lmem[tid] = digit_counts[d];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (unsigned int s = get_local_size(0) / 2; s > 0; s >>= 1) {
            if (tid < s)
                lmem[tid] += lmem[tid + s];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (tid == 0)
            isums[(d * get_num_groups(0)) + get_group_id(0)] = lmem[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// One work-group: exclusive scan of all counts, a digit at a time, carrying the sum from one to the next.
__kernel void top_scan(__global FPTYPE *isums, const int num_work_groups, __local FPTYPE *lmem)
{
    __local FPTYPE s_seed;
    if (get_local_id(0) == 0)
        s_seed = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    int last_thread = (get_local_id(0) < num_work_groups && (get_local_id(0) + 1) == num_work_groups) ? 1 : 0;

    for (int d = 0; d < NUM_DIGITS; d++) {
        FPTYPE val = 0;
        if (get_local_id(0) < num_work_groups)
            val = isums[(num_work_groups * d) + get_local_id(0)];
        FPTYPE res = scanLocalMem(val, lmem, 1);
        if (get_local_id(0) < num_work_groups)
            isums[(num_work_groups * d) + get_local_id(0)] = res + s_seed;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (last_thread)
            s_seed += res + val;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Needs n to be a multiple of four times the number of work-groups.
__kernel void bottom_scan(__global const FPTYPE *in, __global const FPTYPE *isums, __global FPTYPE *out,
                          const int n, __local FPTYPE *lmem, const unsigned int shift)
{
    __local FPTYPE l_scanned_seeds[NUM_DIGITS];
    __local FPTYPE l_block_counts[NUM_DIGITS];
    __private int histogram[NUM_DIGITS];

    __global FPVECTYPE *in4 = (__global FPVECTYPE *)in;
    int n4 = n / 4;
    int region_size = n4 / get_num_groups(0);
    int block_start = get_group_id(0) * region_size;
    int block_stop = (get_group_id(0) == get_num_groups(0) - 1) ? n4 : block_start + region_size;

    int i = block_start + get_local_id(0);
    int window = block_start;

    if (get_local_id(0) < NUM_DIGITS) {
        l_block_counts[get_local_id(0)] = 0;
        l_scanned_seeds[get_local_id(0)] = isums[(get_local_id(0) * get_num_groups(0)) + get_group_id(0)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    while (window < block_stop) {
        for (int q = 0; q < NUM_DIGITS; q++)
            histogram[q] = 0;
        FPVECTYPE val_4;
        FPVECTYPE key_4;

        if (i < block_stop) {
            val_4 = in4[i];
            key_4.x = DIGIT(val_4.x, shift);
            key_4.y = DIGIT(val_4.y, shift);
            key_4.z = DIGIT(val_4.z, shift);
            key_4.w = DIGIT(val_4.w, shift);
            histogram[key_4.x]++;
            histogram[key_4.y]++;
            histogram[key_4.z]++;
            histogram[key_4.w]++;
        }

        for (int digit = 0; digit < NUM_DIGITS; digit++) {
            histogram[digit] = scanLocalMem(histogram[digit], lmem, 1);
            barrier(CLK_LOCAL_MEM_FENCE);
        }

        if (i < block_stop) {
            int address;
            address = histogram[key_4.x] + l_scanned_seeds[key_4.x] + l_block_counts[key_4.x];
            out[address] = val_4.x;
            histogram[key_4.x]++;

            address = histogram[key_4.y] + l_scanned_seeds[key_4.y] + l_block_counts[key_4.y];
            out[address] = val_4.y;
            histogram[key_4.y]++;

            address = histogram[key_4.z] + l_scanned_seeds[key_4.z] + l_block_counts[key_4.z];
            out[address] = val_4.z;
            histogram[key_4.z]++;

            address = histogram[key_4.w] + l_scanned_seeds[key_4.w] + l_block_counts[key_4.w];
            out[address] = val_4.w;
            histogram[key_4.w]++;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        // The last work-item knows how many keys of each digit this round placed.
        if (get_local_id(0) == get_local_size(0) - 1) {
            for (int q = 0; q < NUM_DIGITS; q++)
                l_block_counts[q] += histogram[q];
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        window += get_local_size(0);
        i += get_local_size(0);
    }
}
