// Rows whose pitch is an argument: accesses of consecutive work-items follow one another, but begin anywhere.

#pragma OPENCL FP_CONTRACT OFF

// The outermost pixels of each row and column are not computed: work-items are offset by 1.
__kernel void sobel(__global const uchar *in, __global uchar *out, uint pitch)
{
    __global const uchar *p = in + get_global_id(1) * pitch + get_global_id(0);
    int a = p[-(int)pitch - 1], b = p[-(int)pitch], c = p[-(int)pitch + 1];
    int d = p[-1], f = p[1];
    int g = p[pitch - 1], h = p[pitch], i = p[pitch + 1];
    int dx = c + 2 * f + i - a - 2 * d - g;
    int dy = g + 2 * h + i - a - 2 * b - c;
    out[get_global_id(1) * pitch + get_global_id(0)] = convert_uchar_sat((int)(abs(dx) + abs(dy)));
}

// Neither `const` nor `restrict`: a load may see what an earlier store of another launch wrote, not of another work-item.
__kernel void blend(__global float *a, __global float *b, __global float *out, uint pitch, float share)
{
    size_t at = get_global_id(1) * pitch + get_global_id(0);
    out[at] = a[at] * share + b[at] * (1.0f - share);
}

// A load behind a store to what may be the same buffer.
__kernel void shift_twice(__global const int *in, __global int *middle, __global int *out, uint pitch)
{
    size_t at = get_global_id(1) * pitch + get_global_id(0);
    middle[at] = in[at + 1] * 3;
    out[at] = middle[at] + 1;
}

// In place, with a border of the row left alone.
__kernel void clamp_rows(__global short *rows, uint pitch, uint width, short most)
{
    size_t x = get_global_id(0);
    size_t at = get_global_id(1) * pitch + x;
    if (x > 0 && x + 1 < width)
        rows[at] = min(rows[at], most);
}

__kernel void triple(__global const double *in, __global double *out, ulong first, ulong pitch)
{
    size_t at = first + get_global_id(1) * pitch + get_global_id(0);
    out[at] = 3.0 * in[at];
}

// Vectors at element alignment.
__kernel void unaligned_vectors(__global const int *in, __global int *out, __global const uchar *bytes, __global uchar *far)
{
    size_t i = get_global_id(0);
    vstore4(vload4(0, in + 5 * i + 1) * 2, 0, out + 5 * i + 3);
    vstore8(vload8(0, bytes + 9 * i) ^ (uchar)0x5a, 0, far + 11 * i + 2);
}

// What a vector of 3 and a packed structure leave out is not touched.
typedef struct __attribute__((packed)) {
    uchar tag;
    uint value;
    ushort rest;
} Packed;

__kernel void packed_records(__global const Packed *in, __global Packed *out, __global const short *from, __global short *to)
{
    size_t i = get_global_id(0);
    Packed p = in[i];
    p.value = p.value * 7 + p.tag;
    p.rest ^= p.tag;
    out[i].value = p.value;
    out[i].rest = p.rest;
    vstore3(vload3(i, from + 1) + (short)1, i, to + 2);
}

// One work-item: windows that overlap, each the one before and one more.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void sliding_task(__global const float *restrict in, __global float *restrict out, uint n)
{
    for (uint i = 0; i < n; i++) {
        float4 w = vload4(0, in + i);
        out[i] = (w.x + w.y) + (w.z + w.w);
    }
}

// Indices and sizes in `int`, as most kernels have them; what is past the edges of the picture is left out. Rows of `in` have a border.
__kernel void int_rows(__global const float *in, __global float *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        out[y * width + x] = in[(y + 1) * (width + 2) + x + 1] * 2.0f - in[(y + 1) * (width + 2) + x] - in[y * (width + 2) + x + 1];
}

__kernel void int_bytes(__global const uchar *in, __global uchar *out, int pitch, int rows)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (y < rows)
        out[y * pitch + x] = 255 - in[(rows - 1 - y) * pitch + x];
}

// The element before, in `uint`: of the first work-item there is none, and the sum that is its index wraps.
__kernel void element_before(__global const int *in, __global int *out, uint pitch)
{
    uint x = get_global_id(0), i = get_global_id(1) * pitch + x - 1;
    if (i < 0x80000000u)
        out[i] = in[i] + 1;
}
