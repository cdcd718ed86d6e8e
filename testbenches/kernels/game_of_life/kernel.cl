// Conway's game of life on a torus: one byte a cell, and 64 cells in a word with bit-sliced counting.

__kernel __attribute__((work_group_size_hint(16, 8, 1)))
void step_bytes(__global const uchar *restrict in, __global uchar *restrict out)
{
    int x = get_global_id(0), y = get_global_id(1);
    int width = get_global_size(0), height = get_global_size(1);
    int left = x > 0 ? x - 1 : width - 1, right = x < width - 1 ? x + 1 : 0;
    int up = (y > 0 ? y - 1 : height - 1) * width, down = (y < height - 1 ? y + 1 : 0) * width;
    int row = y * width;
    int around = in[up + left] + in[up + x] + in[up + right] + in[row + left] + in[row + right]
               + in[down + left] + in[down + x] + in[down + right];
    out[row + x] = around == 3 || (around == 2 && in[row + x]);
}

// Adds three one-bit numbers at 64 places at once: sum and carry.
void full_add(ulong a, ulong b, ulong c, ulong *sum, ulong *carry)
{
    *sum = a ^ b ^ c;
    *carry = (a & b) | (c & (a ^ b));
}

// A column of words; each word is a row of 64 cells that wraps around by rotation.
__kernel __attribute__((vec_type_hint(ulong)))
void step_words(__global const ulong *restrict in, __global ulong *restrict out, uint rows)
{
    uint y = get_global_id(0);
    ulong a = in[(y + rows - 1) % rows], b = in[y], c = in[(y + 1) % rows];
    ulong a0, a1, b0, b1, c0, c1, s0, t1, s1, u2, v2;
    full_add(rotate(a, 1UL), a, rotate(a, 63UL), &a0, &a1);
    full_add(rotate(b, 1UL), 0, rotate(b, 63UL), &b0, &b1);
    full_add(rotate(c, 1UL), c, rotate(c, 63UL), &c0, &c1);
    full_add(a0, b0, c0, &s0, &t1);
    full_add(a1, b1, c1, &s1, &u2);
    v2 = s1 & t1;
    s1 ^= t1;
    // Two or three neighbours: bit 1 set, bits 2 and 3 clear.
    ulong two_or_three = s1 & ~(u2 | v2);
    out[y] = two_or_three & (s0 | b);
}
