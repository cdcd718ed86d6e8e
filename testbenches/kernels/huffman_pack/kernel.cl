// Huffman coding with a given code table: code lengths, bit packing of independent blocks, and decoding.

// Bits that each block needs.
__kernel void count_bits(__global const uchar *symbols, __constant uchar *code_length, int block, __global uint *bits)
{
    int gid = get_global_id(0);
    uint sum = 0;
    for (int i = 0; i < block; i++)
        sum += code_length[symbols[gid * block + i]];
    bits[gid] = sum;
}

// Packs a block, first bit into the most significant place, into whole words from word_start[block] on.
__kernel void pack(__global const uchar *symbols, __constant uchar *code_length, __constant ushort *code, int block,
                   __global const uint *word_start, __global uint *packed)
{
    int gid = get_global_id(0);
    uint at = word_start[gid];
    ulong pending = 0;
    int held = 0;
    for (int i = 0; i < block; i++) {
        uchar s = symbols[gid * block + i];
        int length = code_length[s];
        pending = pending << length | code[s];
        held += length;
        if (held >= 32) {
            held -= 32;
            packed[at++] = (uint)(pending >> held);
        }
    }
    if (held > 0)
        packed[at] = (uint)(pending << (32 - held));
}

// Canonical decoding bit by bit: first code and first symbol index of each length.
__kernel void unpack(__global const uint *packed, __global const uint *word_start, __constant ushort *first_code,
                     __constant ushort *count, __constant uchar *sorted_symbols, int block, __global uchar *symbols)
{
    int gid = get_global_id(0);
    uint word_at = word_start[gid], word = 0;
    int left = 0;
    for (int i = 0; i < block; i++) {
        int code = 0, index = 0, length = 0;
        for (;;) {
            if (left == 0) {
                word = packed[word_at++];
                left = 32;
            }
            code = code << 1 | (int)(word >> 31);
            word <<= 1;
            left--;
            length++;
            int offset = code - first_code[length];
            if (offset >= 0 && offset < count[length]) {
                index += offset;
                break;
            }
            index += count[length];
        }
        symbols[gid * block + i] = sorted_symbols[index];
    }
}
