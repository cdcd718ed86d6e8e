// Copies by a whole work-group between buffers and local memory, and waiting for them.

#pragma OPENCL FP_CONTRACT OFF

// Each group turns its elements around in local memory; the last group may have fewer.
__kernel void reverse(__global const int *in, __global int *out, __local int *tile, uint n)
{
    uint size = get_local_size(0), first = get_group_id(0) * size, lid = get_local_id(0);
    uint count = min(size, n - first);
    event_t event = async_work_group_copy(tile, in + first, count, 0);
    wait_group_events(1, &event);
    int value = lid < count ? tile[count - 1 - lid] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[lid] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    event = async_work_group_copy(out + first, tile, count, 0);
    wait_group_events(1, &event);
}

// Columns of a matrix as rows: strided reads, strided writes, several copies under one event.
__kernel void columns(__global const ushort *in, __global ushort *out, __local ushort *tile, uint rows, uint width)
{
    uint column = 2 * get_group_id(0);
    event_t event = async_work_group_strided_copy(tile, in + column, rows, width, 0);
    event = async_work_group_strided_copy(tile + rows, in + column + 1, rows, width, event);
    wait_group_events(1, &event);
    event_t events[2];
    events[0] = async_work_group_strided_copy(out + column + 1, tile, rows, width, 0);
    events[1] = async_work_group_strided_copy(out + column, tile + rows, rows, width, 0);
    wait_group_events(2, events);
}

// Elements of all sizes; a 3-vector is as large as one of four elements.
#define COPY(T, NAME) \
    __kernel void NAME(__global const T *in, __global T *out, __local T *tile, uint n) \
    { \
        event_t event = async_work_group_copy(tile, in, n, 0); \
        prefetch(in, n); \
        wait_group_events(1, &event); \
        event = async_work_group_strided_copy(out, tile, n, 2, 0); \
        wait_group_events(1, &event); \
    }

COPY(char, copy_char)
COPY(uchar2, copy_uchar2)
COPY(short3, copy_short3)
COPY(float, copy_float)
COPY(float3, copy_float3)
COPY(long2, copy_long2)
COPY(float16, copy_float16)

// Two halves of local memory take turns: the next block is fetched while this one is summed.
__kernel void double_buffer(__global const int *in, __global int *sums, __local int *tiles, uint blocks)
{
    uint size = get_local_size(0), lid = get_local_id(0);
    in += get_group_id(0) * blocks * size;
    event_t event = async_work_group_copy(tiles, in, size, 0);
    int sum = 0;
    for (uint k = 0; k < blocks; k++) {
        wait_group_events(1, &event);
        if (k + 1 < blocks)
            event = async_work_group_copy(tiles + (k + 1) % 2 * size, in + (k + 1) * size, size, 0);
        sum = sum * 3 + tiles[k % 2 * size + (size - 1 - lid)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sums[get_global_id(0)] = sum;
}
