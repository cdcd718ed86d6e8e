// Accesses of one work-item to neighbouring places, which become one: fields, rows, copies of unrolled loops.

#pragma OPENCL FP_CONTRACT OFF

typedef struct {
    float x, y, z;
} Point;

typedef struct {
    char tag;
    short count;
    int sum;
    float weight;
    uchar rest[4];
} Entry;

// Two of three fields are read; `weight` and one of `rest` are not touched. Nothing is behind the last one.
__kernel void fields(__global const Point *restrict points, __global Entry *restrict out)
{
    size_t i = get_global_id(0);
    float x = points[i].x, z = points[i].z;
    out[i].rest[1] = 1;
    out[i].rest[3] = 3;
    out[i].sum = (int)(x * 100.0f);
    out[i].tag = x < z ? 1 : -1;
    out[i].count = (short)z;
    out[i].rest[0] = 0;
}

// In place, where a field says so.
__kernel void in_place(__global int *p)
{
    size_t i = 3 * get_global_id(0);
    if (p[i] > 0) {
        p[i + 1] += p[i];
        p[i + 2] ^= p[i + 1];
    }
}

// A row each; another work-item's begins behind it. The offset is an int that may be negative.
__kernel void rows(__global const float *in, __global float *out, int first)
{
    int y = (int)get_global_id(0) + first;
    __global const float *middle = in + 64;
    float sum = 0.0f;
    for (int x = 0; x < 16; x++)
        sum = sum * 0.5f + middle[y * 16 + x];
    out[get_global_id(0)] = sum;
}

// Unrolled by the compiler, with a rest.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void unrolled(__global const int *restrict in, __global int *restrict out, __global short *both, int n)
{
    #pragma unroll 4
    for (int i = 0; i < n; i++)
        out[i] = in[i] * 3 + 1;
    #pragma unroll 8
    for (int i = 0; i < n; i++)
        both[i] = both[i] * 5 + (short)i;
}

// A store between two loads may change what the second one reads.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void between(__global int *p, __global const int *restrict where, __global int *restrict out, uint n)
{
    for (uint i = 0; i < n; i++) {
        int first = p[4 * i];
        p[where[i]] = first + 7;
        int second = p[4 * i + 1];
        out[i] = first * 3 + second;
    }
}

// In any order, one place twice, and what is stored is read again.
__kernel void any_order(__global const uchar *restrict in, __global uchar *restrict out)
{
    size_t i = 4 * get_global_id(0);
    uchar c = in[i + 2], a = in[i], d = in[i + 3], b = in[i + 1];
    out[i + 3] = a;
    out[i] = d;
    out[i + 1] = c;
    uchar again = out[i + 1];
    out[i + 2] = b;
    out[i + 1] = again + a;
}

// In place; ahead of what is stored; behind it, where each iteration but the first five needs an earlier one.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void iterations(__global int *p, __global int *q, __global int *r, ulong n)
{
    for (ulong i = 0; i < n; i++)
        p[2 * i + 1] = p[2 * i + 1] * 3 + p[2 * i];
    for (ulong i = 0; i < n; i++)
        q[i] = q[i + 3] + 1;
    for (ulong i = 0; i < n; i++)
        r[i + 5] = r[i] * 2 + 1;
}
