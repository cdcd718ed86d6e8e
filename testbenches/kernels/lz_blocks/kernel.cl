// A byte-oriented LZ format with literal runs and overlapping matches: each work-item decodes, or encodes, one block.

typedef unsigned char BYTE;
typedef unsigned short U16;
typedef unsigned int U32;
typedef unsigned long U64;

#define ML_BITS 4
#define ML_MASK ((1U << ML_BITS) - 1)
#define RUN_MASK ((1U << (8 - ML_BITS)) - 1)
#define MINMATCH 4
#define LASTLITERALS 5
#define MFLIMIT 12
#define HASH_LOG 8
#define HASH_SIZE (1 << HASH_LOG)
#define MAX_DISTANCE 65535

enum { ERR_NONE = 0, ERR_INPUT = -1, ERR_OUTPUT = -2, ERR_OFFSET = -3 };

static inline U16 read_le16(__global const BYTE *p)
{
    return (U16)(p[0] | (p[1] << 8));
}

static inline U32 read32(__global const BYTE *p)
{
    return as_uint(vload4(0, p));
}

static void wild_copy(__global BYTE *d, __global const BYTE *s, __global BYTE *e)
{
    do {
        *d++ = *s++;
    } while (d < e);
}

static int decompress_block(__global const BYTE *src, __global BYTE *dst, int src_size, int capacity)
{
    __global const BYTE *ip = src;
    __global const BYTE *const iend = ip + src_size;
    __global BYTE *op = dst;
    __global BYTE *const oend = op + capacity;

    while (1) {
        if (ip >= iend)
            return ERR_INPUT;
        unsigned token = *ip++;
        size_t length = token >> ML_BITS;
        if (length == RUN_MASK) {
            unsigned s;
            do {
                if (ip >= iend)
                    return ERR_INPUT;
                s = *ip++;
                length += s;
            } while (s == 255);
        }
        if (length > (size_t)(iend - ip))
            return ERR_INPUT;
        if (length > (size_t)(oend - op))
            return ERR_OUTPUT;
        if (length) {
            wild_copy(op, ip, op + length);
            ip += length;
            op += length;
        }
        if (ip == iend)
            break;

        if (iend - ip < 2)
            return ERR_INPUT;
        size_t offset = read_le16(ip);
        ip += 2;
        if (offset == 0 || offset > (size_t)(op - dst))
            return ERR_OFFSET;
        __global BYTE *match = op - offset;

        length = token & ML_MASK;
        if (length == ML_MASK) {
            unsigned s;
            do {
                if (ip >= iend)
                    return ERR_INPUT;
                s = *ip++;
                length += s;
            } while (s == 255);
        }
        length += MINMATCH;
        if (length > (size_t)(oend - op))
            return ERR_OUTPUT;
        __global BYTE *cpy = op + length;
        wild_copy(op, match, cpy);
        op = cpy;
    }
    return (int)(op - dst);
}

__kernel void lz_decompress(__global const BYTE *src, __global const int2 *blocks, __global BYTE *dst,
                            __global int *result, const int capacity, const int nblocks)
{
    const int b = get_global_id(0);
    if (b >= nblocks)
        return;
    const int2 where = blocks[b];
    result[b] = decompress_block(src + where.x, dst + (size_t)b * capacity, where.y, capacity);
}

static inline U32 hash4(U32 sequence)
{
    return (sequence * 2654435761U) >> (32 - HASH_LOG);
}

static __global BYTE *put_length(__global BYTE *op, int len)
{
    for (; len >= 255; len -= 255)
        *op++ = 255;
    *op++ = (BYTE)len;
    return op;
}

// Greedy parsing with a table of the last place of each hash. The table is the work-item's row of a buffer of shorts.
__kernel void lz_compress(__global const BYTE *src, __global BYTE *dst, __global U16 *tables, __global int *csize,
                          const int size, const int bound, const int total)
{
    const int b = get_global_id(0);
    const int start = b * size;
    if (start >= total)
        return;
    const int len = min(size, total - start);
    __global const BYTE *const base = src + start;
    __global const BYTE *ip = base;
    __global const BYTE *anchor = base;
    __global const BYTE *const iend = base + len;
    __global const BYTE *const mflimit = iend - MFLIMIT;
    __global const BYTE *const matchlimit = iend - LASTLITERALS;
    __global BYTE *op = dst + b * bound;
    __global BYTE *token;
    __global U16 *const table = tables + b * HASH_SIZE;

    if (len > MFLIMIT) {
        for (int i = 0; i < HASH_SIZE; i++)
            table[i] = 0;
        table[hash4(read32(ip))] = 0;
        ip++;
        while (ip < mflimit) {
            const U32 seq = read32(ip);
            const U32 h = hash4(seq);
            __global const BYTE *ref = base + table[h];
            table[h] = (U16)(ip - base);
            if (read32(ref) != seq) {
                ip++;
                continue;
            }
            while (ip > anchor && ref > base && ip[-1] == ref[-1]) {
                ip--;
                ref--;
            }
            const int literals = (int)(ip - anchor);
            token = op++;
            if (literals >= (int)RUN_MASK) {
                *token = (RUN_MASK << ML_BITS);
                op = put_length(op, literals - RUN_MASK);
            } else
                *token = (BYTE)(literals << ML_BITS);
            for (int i = 0; i < literals; i++)
                *op++ = anchor[i];

            const U16 distance = (U16)(ip - ref);
            *op++ = (BYTE)distance;
            *op++ = (BYTE)(distance >> 8);
            ip += MINMATCH;
            ref += MINMATCH;
            anchor = ip;
            while (ip < matchlimit && *ip == *ref) {
                ip++;
                ref++;
            }
            const int ml = (int)(ip - anchor);
            if (ml >= (int)ML_MASK) {
                *token += ML_MASK;
                op = put_length(op, ml - ML_MASK);
            } else
                *token += (BYTE)ml;
            anchor = ip;
        }
    }
    const int last = (int)(iend - anchor);
    if (last >= (int)RUN_MASK) {
        *op++ = (RUN_MASK << ML_BITS);
        op = put_length(op, last - RUN_MASK);
    } else
        *op++ = (BYTE)(last << ML_BITS);
    for (int i = 0; i < last; i++)
        *op++ = anchor[i];
    csize[b] = (int)(op - (dst + b * bound));
}
