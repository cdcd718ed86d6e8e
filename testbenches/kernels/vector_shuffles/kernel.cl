// Vectors of every length: swizzles, shuffles by index, loads and stores of packed vectors, structures of vectors.
#pragma OPENCL FP_CONTRACT OFF

typedef struct {
    float4 position;
    uchar16 name;
    int4 cell;
    uchar4 colour;
    short2 texture;
    float2 size;
} vertex;

// Component traffic between the members of a structure.
__kernel void vertices(__global const vertex *in, __global vertex *out)
{
    size_t i = get_global_id(0);
    vertex v = in[i];
    v.position = v.position.wzyx;
    v.colour.xz = v.colour.zx;
    v.texture = (short2)(v.texture.y, v.texture.x - v.texture.y);
    v.cell.xyz = convert_int3(convert_uint3(v.cell.zxy) + (uint3)(1, 2, 3));
    v.name.lo = v.name.hi ^ v.name.s13579bdf;
    out[i] = v;
}

__kernel void swizzle(__global const int8 *in, __global int8 *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    int8 v = in[i];
    out[i] = v.s76543210;
    out[n + i] = (int8)(v.even, v.odd);
    out[2 * n + i] = (int8)(v.lo.hi, v.hi.lo, v.s0, v.s7, v.s33);
    int8 w = v;
    w.s02 = v.s75;
    w.hi.odd += v.lo.even;
    out[3 * n + i] = w;
}

// Permutations whose indices are data.
__kernel void by_index(__global const ushort16 *in, __global const ushort16 *mask, __global ushort16 *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    ushort16 v = in[i], m = mask[i];
    out[i] = shuffle(v, m);
    out[n + i] = shuffle2(v.lo, v.hi, m);
    ushort component[16];
    vstore16(v, 0, component);
    ushort16 picked = v;
    picked.s5 = component[m.s0 & 15];
    picked.sa = component[m.sf & 15];
    out[2 * n + i] = picked;
}

// Three-component vectors: 16 bytes apart as elements, 12 bytes apart through vload3 and vstore3.
__kernel void three(__global const float3 *padded, __global const float *packed, __global float *sums)
{
    size_t i = get_global_id(0);
    float3 v = padded[i] + vload3(i, packed);
    vstore3(v.zxy, i, sums);
}

// Vector loads at addresses aligned to one element only.
__kernel void unaligned(__global const int *in, __global int *out, int shift)
{
    size_t i = get_global_id(0);
    int4 v = vload4(i, in + shift);
    vstore2(v.xy + v.zw, i, out + 1);
}

// Comparisons, selection and logic on vectors.
__kernel void masks(__global const float4 *a, __global const float4 *b, __global float4 *larger, __global int4 *mask,
                    __global int2 *flags)
{
    size_t i = get_global_id(0);
    int4 m = a[i] > b[i];
    larger[i] = select(b[i], a[i], m);
    mask[i] = (m & 0xff) | (~m & 0x100);
    flags[i] = (int2)(any(m), all(m));
}

__kernel void transpose4x4(__global const float16 *in, __global float16 *out)
{
    float16 m = in[get_global_id(0)];
    out[get_global_id(0)] = (float16)(m.s048c, m.s159d, m.s26ae, m.s37bf);
}
