// CRC-32 (IEEE 802.3, reflected): bit by bit, and by a table that the work-group builds in local memory.

#define POLYNOMIAL 0xedb88320u

__kernel void crc32_bitwise(__global const uchar *data, uint length, __global uint *crc)
{
    uint gid = get_global_id(0);
    uint c = ~0u;
    for (uint i = 0; i < length; i++) {
        c ^= data[gid * length + i];
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? (c >> 1) ^ POLYNOMIAL : c >> 1;
    }
    crc[gid] = ~c;
}

__kernel void crc32_table(__global const uchar *data, uint length, __global uint *crc)
{
    __local uint table[256];
    for (uint n = get_local_id(0); n < 256; n += get_local_size(0)) {
        uint c = n;
#pragma unroll
        for (int bit = 0; bit < 8; bit++)
            c = (c >> 1) ^ (-(c & 1) & POLYNOMIAL);
        table[n] = c;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint gid = get_global_id(0);
    __global const uchar *p = data + (size_t)gid * length;
    uint c = ~0u;
    while (length-- > 0)
        c = table[(c ^ *p++) & 0xff] ^ (c >> 8);
    crc[gid] = ~c;
}
