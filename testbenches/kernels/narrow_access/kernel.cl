// Loads and stores of every size: neighbouring bytes from different work-items, mixed widths on one buffer, bytes of
// words, booleans, copies.

// Byte and short stores of neighbours share a word and a bus line; nobody may lose a byte.
__kernel void neighbours(__global const uchar *in, __global uchar *bytes, __global ushort *shorts, __global ulong *words)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    bytes[n - 1 - i] = in[i] + 1;
    shorts[i ^ 1] = in[i] * 257;
    words[i] = (ulong)in[i] << (i & 56);
}

// The same memory as bytes and as words: every store must be seen by the later load of another width.
__kernel void mixed(__global uchar *buffer, __global uint *out)
{
    size_t i = get_global_id(0);
    __global uchar *mine = buffer + 8 * i;
    __global uint *word = (__global uint *)mine;
    uint before = word[0];
    mine[1] = 0xab;
    uint seen = word[0];
    word[1] = seen ^ before;
    ushort half_word = ((__global ushort *)mine)[2];
    *(__global ushort *)(mine + 6) = half_word + mine[1];
    out[i] = word[0] + word[1] + mine[7];
}

// Every second, third, ... byte: partial lines.
__kernel void strided(__global const char *in, __global char *out, int stride)
{
    size_t i = get_global_id(0);
    out[i * stride] = -in[i * stride];
}

// Structures copied as bytes, 11 bytes each: no alignment at all.
typedef struct __attribute__((packed)) {
    uchar tag;
    int value;
    short pair[3];
} packed_record;

__kernel void packed_copy(__global const packed_record *in, __global packed_record *out, __global int *sums)
{
    size_t i = get_global_id(0);
    packed_record r = in[i];
    r.value += r.tag;
    r.pair[r.tag % 3] = -1;
    out[i] = r;
    sums[i] = in[i].value + in[i].pair[2];
}

// Wide vectors, and results of comparisons as bytes.
__kernel void wide(__global const long8 *in, __global long8 *out, __global uchar *any_negative)
{
    size_t i = get_global_id(0);
    long8 v = in[i];
    out[i] = (v >> 3) ^ v.s76543210;
    bool negative = v.s0 < 0 || v.s3 < 0 || v.s7 < 0;
    any_negative[i] = negative;
}
