// Structures, arrays and vectors by value, and structures in memory.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

typedef struct {
    int a;
    char b;
    short c;
    long d;
    float e[3];
    uchar f;
} record;

typedef struct {
    record inner[2];
    float4 weights;
    union {
        uint bits;
        float number;
    } u;
    struct {
        uchar red, green;
    } tint;
} nested;

// Every member of a structure by value, once with a constant and once with a variable index.
__kernel void members(record r, __global long *out, int k)
{
    out[0] = r.a;
    out[1] = r.b;
    out[2] = r.c;
    out[3] = r.d;
    out[4] = (long)r.e[k % 3];
    out[5] = r.f;
}

__kernel void nested_value(nested n, __global float *out, __global const record *table)
{
    size_t i = get_global_id(0);
    record r = n.inner[i & 1];
    float value = r.e[i % 3] * n.weights.y + n.weights.w;
    n.u.bits ^= 0x80000000u;                       // flips the sign
    out[i] = value + n.u.number + table[i].e[2] + n.tint.red * 8 + n.tint.green;
}

// Vectors by value, a three-component one among them.
__kernel void vectors(uchar4 a, short2 b, int3 c, float4 d, ulong2 e, char16 f, __global float *out)
{
    size_t i = get_global_id(0);
    out[i] = a.x + a.w + b.y + c.z + d.z + (float)e.y + f.sf + f.s3 + i;
}

// All scalar types by value.
__kernel void scalars(char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h, float i, double j,
                      __global double *out)
{
    out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e;
    out[5] = f; out[6] = g; out[7] = h; out[8] = i; out[9] = j;
}

// Structures copied and changed in global memory.
__kernel void update(__global const record *in, __global record *out)
{
    size_t i = get_global_id(0);
    record r = in[i];
    r.d += r.a;
    r.b = -r.b;
    r.e[r.f % 3] = (float)r.c;
    out[i] = r;
    out[i].c ^= (short)r.f;
}
