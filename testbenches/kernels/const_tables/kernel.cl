// Tables with initialisers in constant memory: arrays of several dimensions, structures, strings, pointers into tables.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef struct {
    char name[6];
    ushort cost;
    uchar operands[3];
    float scale;
} instruction;

__constant instruction table[4] = {
    {"add", 1, {1, 2, 3}, 1.0f}, {"mul", 3, {4, 5, 6}, 0.5f}, {"div", 20, {7}, -2.0f}, {"halt", 0, {0}, 0.0f}};
__constant short spacing[3][4] = {{0, 1, 2, 3}, {10, 11, 12, 13}, {-100, -200, -300, -400}};
__constant ulong large[5] = {0xfedcba9876543210UL, 1, 1UL << 63, 0, ~0UL};
__constant float4 colours[2] = {(float4)(0.25f, 0.5f, 0.75f, 1.0f), (float4)(1.0f, 2.0f, 4.0f, 8.0f)};
__constant char text[] = "the quick brown fox jumps over the lazy dog";
__constant double half_value = 0.5;
__constant int zeros[16] = {0};

__kernel void lookup(__global const uint *index, __global int *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    uint k = index[i];
    __constant instruction *entry = &table[k & 3];
    out[i] = entry->name[k % 5] * 1000 + entry->cost;
    out[n + i] = entry->operands[k % 3] + (int)(entry->scale * 8.0f);
    out[2 * n + i] = spacing[k % 3][(k >> 4) & 3];
    out[3 * n + i] = (int)(large[k % 5] >> (k & 31));
    out[4 * n + i] = text[k % 43] + zeros[k & 15];
}

// A row of a table as an argument of a function, and a table that the host passes.
int row_sum(__constant short *row, int n)
{
    int sum = 0;
    while (n--)
        sum += *row++;
    return sum;
}

__kernel void rows(__constant short *extra, __global int *out, __global float4 *tint)
{
    size_t i = get_global_id(0);
    __constant short *row = i % 4 == 3 ? extra : spacing[i % 4];
    out[i] = row_sum(row, 4);
    tint[i] = colours[i & 1] * (float)half_value;
}

// Parts of tables that begin anywhere: six bytes in steps of six, four bytes and three shorts from any place.
__constant uchar steps[72] = {
    0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1,
    1, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41};
__kernel void windows(__global const uint *index, __global int *out, __global uchar4 *bytes, __global short4 *shorts)
{
    size_t i = get_global_id(0);
    uint k = index[i], e = k % 12, at = (k >> 8) % 41, from = (k >> 16) % 10;
    __constant short *first = spacing[0];
    out[i] = steps[e * 6] + 3 * steps[e * 6 + 1] + 9 * steps[e * 6 + 2] + 27 * steps[e * 6 + 3] + 81 * steps[e * 6 + 4]
        + 243 * steps[e * 6 + 5];
    bytes[i] = vload4(0, (__constant uchar *)text + at);
    shorts[i] = (short4)(vload3(0, first + from), first[from + 1]);
}

__constant int digits[64] = {
    3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5,
    0, 2, 8, 8, 4, 1, 9, 7, 1, 6, 9, 3, 9, 9, 3, 7, 5, 1, 0, 5, 8, 2, 0, 9, 7, 4, 9, 4, 4, 5, 9, 2};

// A table beside the index space, for some work-items: side by side they read one word of it, some parts of which are left out.
__kernel void guarded(__global const uint *index, __global int *out)
{
    size_t i = get_global_id(0);
    int found = -1;
    if (index[i] & 1)
        found = digits[i];
    out[i] = found;
}
