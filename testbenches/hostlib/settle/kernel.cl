// Arguments of every kind that is not a plain number: a structure, vectors, local memory; variables of the program.
typedef struct {
    int scale;
    uchar tag[4];
    long base;
} settings;

__constant int weights[4] = {3, -5, 7, 11};

// Turns each work-group of `in` around, and computes with everything that the caller gives.
__kernel void settle(__global const int *in, settings s, float4 v, char c, __local int *scratch, short3 w,
                     __global long *out)
{
    size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    scratch[l] = in[i] * s.scale + s.tag[l & 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = scratch[n - 1 - l] + s.base + c + (int)v.y + w.z * weights[i & 3];
}
