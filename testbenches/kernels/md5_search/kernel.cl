// Dictionary attack on MD5: words of up to 27 bytes in a packed pool, a salt, a suffix mask appended on the device,
// a bitmap before the list of digests.

typedef uchar u8;
typedef uint u32;
typedef ulong u64;

#define BITMAP_BITS 10

typedef struct pw_idx {
    u32 off;
    u32 len;
} pw_idx_t;

typedef struct digest {
    u32 digest_buf[4];
} digest_t;

typedef struct plain {
    u32 gidvid;
    u32 il_pos;
    u32 digest_pos;
} plain_t;

typedef union vconv32 {
    u32 v32;
    struct {
        ushort a;
        ushort b;
    } v16;
    struct {
        u8 a;
        u8 b;
        u8 c;
        u8 d;
    } v8;
} vconv32_t;

#define MD5_H(x, y, z) ((x) ^ (y) ^ (z))
#define MD5_I(x, y, z) ((y) ^ ((x) | ~(z)))
#define MD5_Fo(x, y, z) (bitselect((z), (y), (x)))
#define MD5_Go(x, y, z) (bitselect((y), (x), (z)))

#define MD5_STEP(f, a, b, c, d, x, K, s) \
    {                                    \
        a += K;                          \
        a += x;                          \
        a += f(b, c, d);                 \
        a = rotate(a, (u32)s);           \
        a += b;                          \
    }

__constant u32 k_md5[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

inline u32 hc_bytealign(const u32 hi, const u32 lo, const int c)
{
    const u64 both = upsample(hi, lo);
    return (u32)(both >> (8 * (c & 3)));
}

// Appends the bytes of app (len of them, at most 4) to w after offset bytes.
inline void append_word(u32 *w, const u32 offset, const u32 app)
{
    const u32 sh = (offset & 3) * 8;
    const u32 lo = app << sh;
    const u32 hi = sh ? app >> (32 - sh) : 0;
    switch (offset / 4) {
    case 0: w[0] |= lo; w[1] |= hi; break;
    case 1: w[1] |= lo; w[2] |= hi; break;
    case 2: w[2] |= lo; w[3] |= hi; break;
    case 3: w[3] |= lo; w[4] |= hi; break;
    case 4: w[4] |= lo; w[5] |= hi; break;
    case 5: w[5] |= lo; w[6] |= hi; break;
    case 6: w[6] |= lo; w[7] |= hi; break;
    case 7: w[7] |= lo; w[8] |= hi; break;
    }
}

void md5_transform(const u32 *w, u32 *digest)
{
    u32 a = digest[0];
    u32 b = digest[1];
    u32 c = digest[2];
    u32 d = digest[3];
    #pragma unroll
    for (int i = 0; i < 16; i += 4) {
        MD5_STEP(MD5_Fo, a, b, c, d, w[i + 0], k_md5[i + 0], 7);
        MD5_STEP(MD5_Fo, d, a, b, c, w[i + 1], k_md5[i + 1], 12);
        MD5_STEP(MD5_Fo, c, d, a, b, w[i + 2], k_md5[i + 2], 17);
        MD5_STEP(MD5_Fo, b, c, d, a, w[i + 3], k_md5[i + 3], 22);
    }
    #pragma unroll
    for (int i = 0; i < 16; i += 4) {
        MD5_STEP(MD5_Go, a, b, c, d, w[(1 + 5 * (i + 0)) & 15], k_md5[16 + i + 0], 5);
        MD5_STEP(MD5_Go, d, a, b, c, w[(1 + 5 * (i + 1)) & 15], k_md5[16 + i + 1], 9);
        MD5_STEP(MD5_Go, c, d, a, b, w[(1 + 5 * (i + 2)) & 15], k_md5[16 + i + 2], 14);
        MD5_STEP(MD5_Go, b, c, d, a, w[(1 + 5 * (i + 3)) & 15], k_md5[16 + i + 3], 20);
    }
    #pragma unroll
    for (int i = 0; i < 16; i += 4) {
        MD5_STEP(MD5_H, a, b, c, d, w[(5 + 3 * (i + 0)) & 15], k_md5[32 + i + 0], 4);
        MD5_STEP(MD5_H, d, a, b, c, w[(5 + 3 * (i + 1)) & 15], k_md5[32 + i + 1], 11);
        MD5_STEP(MD5_H, c, d, a, b, w[(5 + 3 * (i + 2)) & 15], k_md5[32 + i + 2], 16);
        MD5_STEP(MD5_H, b, c, d, a, w[(5 + 3 * (i + 3)) & 15], k_md5[32 + i + 3], 23);
    }
    #pragma unroll
    for (int i = 0; i < 16; i += 4) {
        MD5_STEP(MD5_I, a, b, c, d, w[(7 * (i + 0)) & 15], k_md5[48 + i + 0], 6);
        MD5_STEP(MD5_I, d, a, b, c, w[(7 * (i + 1)) & 15], k_md5[48 + i + 1], 10);
        MD5_STEP(MD5_I, c, d, a, b, w[(7 * (i + 2)) & 15], k_md5[48 + i + 2], 15);
        MD5_STEP(MD5_I, b, c, d, a, w[(7 * (i + 3)) & 15], k_md5[48 + i + 3], 21);
    }
    digest[0] += a;
    digest[1] += b;
    digest[2] += c;
    digest[3] += d;
}

inline int hash_comp(const u32 *d1, __global const u32 *d2)
{
    if (d1[3] > d2[3]) return (1);
    if (d1[3] < d2[3]) return (-1);
    if (d1[2] > d2[2]) return (1);
    if (d1[2] < d2[2]) return (-1);
    if (d1[1] > d2[1]) return (1);
    if (d1[1] < d2[1]) return (-1);
    if (d1[0] > d2[0]) return (1);
    if (d1[0] < d2[0]) return (-1);
    return (0);
}

inline int find_hash(const u32 *digest, const u32 digests_cnt, __global const digest_t *digests_buf)
{
    for (u32 l = 0, r = digests_cnt; r; r >>= 1) {
        const u32 m = r >> 1;
        const u32 c = l + m;
        const int cmp = hash_comp(digest, digests_buf[c].digest_buf);
        if (cmp > 0) {
            l += m + 1;
            r--;
        }
        if (cmp == 0)
            return (c);
    }
    return (-1);
}

inline u32 check_bitmap(__global const u32 *bitmap, const u32 digest)
{
    const u32 bit = digest & ((1 << BITMAP_BITS) - 1);
    return (bitmap[bit >> 5] >> (bit & 31)) & 1;
}

// pws_comp: words of the pool, pws_idx: where each password starts (in words) and its length in bytes.
// words_buf_r: suffixes of up to four bytes, the length in the top three bits of suffix_len.
// d_return_buf[0] counts, d_shown marks each digest once, plains_buf[digest_pos] is what was found.
__kernel void m00010_sxx(__global const u32 *restrict pws_comp, __global const pw_idx_t *restrict pws_idx,
                         __constant u32 *words_buf_r, __global const u8 *restrict suffix_len,
                         __global const u32 *restrict bitmap, __global const digest_t *restrict digests_buf,
                         __global u32 *d_shown, __global plain_t *plains_buf, __global u32 *d_return_buf,
                         const uint digests_cnt, const uint salt, const uint salt_len, const uint il_cnt, const ulong gid_max)
{
    const u64 gid = get_global_id(0);
    if (gid >= gid_max) return;

    const u32 off = pws_idx[gid].off;
    const u32 len = pws_idx[gid].len;

    u32 w0[16] = { 0 };
    for (u32 i = 0, idx = 0; idx < len; i += 1, idx += 4)
        w0[i] = pws_comp[off + i];

    for (u32 il_pos = 0; il_pos < il_cnt; il_pos++) {
        const u32 slen = suffix_len[il_pos];
        u32 w[16];
        for (int i = 0; i < 16; i++) w[i] = w0[i];
        append_word(w, len, words_buf_r[il_pos]);
        append_word(w, len + slen, salt);
        const u32 total = len + slen + salt_len;
        append_word(w, total, 0x80);
        w[14] = total * 8;
        w[15] = 0;

        u32 digest[4] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };
        md5_transform(w, digest);

        if (check_bitmap(bitmap, digest[0]) == 0) continue;

        const int digest_pos = find_hash(digest, digests_cnt, digests_buf);
        if (digest_pos != -1) {
            if (atomic_inc(&d_shown[digest_pos]) == 0) {
                plains_buf[digest_pos].gidvid = (u32)gid;
                plains_buf[digest_pos].il_pos = il_pos;
                plains_buf[digest_pos].digest_pos = digest_pos;
                atomic_inc(d_return_buf);
            }
        }
    }
}

// Upper-cases every word of the pool in place where the mask's byte says so, swaps bytes into big endian for display.
__kernel void amplify(__global u32 *pws_comp, __global u32 *shown, const uint mask, const ulong gid_max)
{
    const u64 gid = get_global_id(0);
    if (gid >= gid_max) return;
    vconv32_t v;
    v.v32 = pws_comp[gid];
    if ((mask & 1) && v.v8.a >= 'a' && v.v8.a <= 'z') v.v8.a ^= 0x20;
    if ((mask & 2) && v.v8.b >= 'a' && v.v8.b <= 'z') v.v8.b ^= 0x20;
    if ((mask & 4) && v.v8.c >= 'a' && v.v8.c <= 'z') v.v8.c ^= 0x20;
    if ((mask & 8) && v.v8.d >= 'a' && v.v8.d <= 'z') v.v8.d ^= 0x20;
    pws_comp[gid] = v.v32;
    shown[gid] = as_uint(as_uchar4(v.v32).wzyx) + hc_bytealign(v.v32, gid, v.v8.d) * v.v16.b;
}
