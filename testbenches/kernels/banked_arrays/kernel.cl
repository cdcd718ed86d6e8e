// Arrays in private and local memory whose accesses go to different banks: columns, rows, low bits of an index, single words.

// A schedule of 16 words, stored at constant places and read at three that depend on the round.
__kernel void message_schedule(__global const uint *in, __global uint *out, uint rounds)
{
    size_t gid = get_global_id(0);
    uint w[16];
    for (int i = 0; i < 16; i++)
        w[i] = in[gid * 16 + i];
    uint hash = 0;
    for (uint i = 0; i < rounds; i++) {
        w[i & 15] += rotate(w[(i + 14) & 15], 15u) ^ w[(i + 9) & 15];
        hash = rotate(hash, 5u) + w[i & 15];
    }
    out[gid] = hash;
}

// Four rows of 24 columns and their sums: each work-item stores to all rows, and reads whole columns.
__kernel __attribute__((reqd_work_group_size(24, 1, 1)))
void rows_apart(__global const int *in, __global int *out, uint turn)
{
    __local int rows[4][24];
    int x = get_local_id(0), base = (int)get_group_id(0) * 96;
    for (int y = 0; y < 4; y++)
        rows[y][x] = in[base + y * 24 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint at = turn ? 23 - x : x;
    for (int y = 0; y < 4; y++)
        out[base + y * 24 + x] = rows[y][at] * (y + 1) + rows[(y + 1) & 3][x];
}

// Rows of 17 words, of which each work-item fills two columns and reads eight that are the same for all.
__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void padded_tile(__global const int *in, __global int *out)
{
    __local int tile[8][17];
    int x = get_local_id(0), y = get_local_id(1), base = (int)get_group_id(0) * 128 + y * 16;
    tile[y][x] = in[base + x];
    tile[y][x + 8] = in[base + 8 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int k = 0; k < 16; k += 2)
        sum += tile[x][k] * tile[y][k + 1];
    out[(int)get_group_id(0) * 64 + y * 8 + x] = sum;
}

// Counts of values in twelve ranges: a word each, which one work-item loads, adds to and stores in every iteration.
__kernel void twelve_bins(__global const uchar *in, __global uint *restrict out, int n)
{
    uint bins[12];
    for (int k = 0; k < 12; k++)
        bins[k] = 0;
    for (int i = 0; i < n; i++)
        bins[in[i] % 12] += in[i];
    for (int k = 0; k < 12; k++)
        out[k] = bins[k];
}

// Counts of pairs, in bytes: of a table that another loop reads in another order.
__kernel void byte_table(__global const uchar *in, __global uchar *restrict out, int n)
{
    uchar seen[16] = {0};
    for (int i = 0; i + 1 < n; i++)
        if (in[i] < in[i + 1])
            seen[in[i] & 15]++;
    for (int k = 0; k < 16; k++)
        out[k] = seen[15 - k];
}

// Words that one loop stores four at a time, and another loads four at a time, in another order.
__kernel void four_at_a_time(__global const int *restrict in, __global int *restrict out, int n)
{
    int ring[256];
    for (int i = 0; i < 64; i++) {
        ring[4 * i] = i;
        ring[4 * i + 1] = in[i];
        ring[4 * i + 2] = 2 * i;
        ring[4 * i + 3] = -i;
    }
    for (int i = 0; i < n; i++) {
        int at = 4 * (i & 63), back = 4 * ((i * 5 + 7) & 63);
        int a = ring[back], b = ring[at + 1], c = ring[back + 2], d = ring[back + 3];
        out[i] = a + 3 * b + 5 * c + 7 * d + ring[255 - at];
    }
}

// Stores at places that depend on the work-item, under conditions, and loads of either half: the array stays whole.
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void scattered(__global const uint *in, __global uint *out, uint mask)
{
    __local uint table[128];
    uint x = get_local_id(0), value = in[get_global_id(0)];
    table[x] = x;
    table[x + 64] = ~x;
    barrier(CLK_LOCAL_MEM_FENCE);
    // Different work-items, different places: 2 x + 1 is odd, so multiplication by it is one to one.
    uint place = (x * 37 + 11) & 63;
    if (value & mask)
        table[place] = value;
    if (!(value & 4))
        table[64 + ((place * 5) & 63)] = value >> 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = table[(x * 3) & 127] * 31 + table[(x * 3 + 1) & 127] * 17 + table[127 - x] * 5 + table[x ^ 2];
}

typedef struct { ushort low, high; } halves;

// Words that are written whole and read by halves.
__kernel void halves_of_words(__global const uint *in, __global uint *restrict out, int n)
{
    union { uint word[16]; halves pair[16]; } u;
    for (int k = 0; k < 16; k++)
        u.word[k] = k * 0x10001u;
    for (int i = 0; i < n; i++) {
        uint k = in[i] & 15;
        uint sum = u.pair[k].low + ((uint)u.pair[(k + 3) & 15].high << 1);
        u.word[(k + 1) & 15] = sum * 0x01010101u + in[i];
        u.pair[(k + 2) & 15].high = (ushort)sum;
        out[i] = sum;
    }
}

// A column that is nowhere: what is read behind the ends of rows stays in the array.
__kernel void over_the_edge(__global const int *in, __global int *out)
{
    int a[64];
    size_t gid = get_global_id(0);
    for (int i = 0; i < 16; i++) {
        a[4 * i] = in[gid * 16 + i];
        a[4 * i + 1] = i;
        a[4 * i + 2] = in[gid * 16 + (i ^ 5)];
        a[4 * i + 3] = 7 - i;
    }
    int sum = 0;
    for (int i = 1; i < 15; i++)
        sum = sum * 3 + a[4 * i - 1] + a[4 * i + 4] - a[4 * i + 1] * a[4 * i - 3] + a[63 - 4 * i];
    out[gid] = sum;
}
