// Conversions from and to bool: everything but 0 is true, NaN and subnormals too; true is 1.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define TO_BOOL(T)                                                                                                     \
    __kernel void T##_to_bool(__global const T *a, __global uchar *out, __global int *chosen)                          \
    {                                                                                                                  \
        size_t i = get_global_id(0);                                                                                   \
        bool b = a[i];                                                                                                 \
        out[i] = b;                                                                                                    \
        chosen[i] = b ? -5 : !a[i] + 7;                                                                                \
    }
TO_BOOL(char)
TO_BOOL(uchar)
TO_BOOL(short)
TO_BOOL(ushort)
TO_BOOL(int)
TO_BOOL(uint)
TO_BOOL(long)
TO_BOOL(ulong)
TO_BOOL(float)
TO_BOOL(double)

__kernel void bool_to_integers(__global const int *a, __global char *c, __global uchar *uc, __global short *s,
                               __global ushort *us, __global int *n, __global uint *un, __global long *l,
                               __global ulong *ul)
{
    size_t i = get_global_id(0);
    bool b = a[i] > 2;
    c[i] = b;
    uc[i] = (uchar)b;
    s[i] = (short)-b;
    us[i] = b;
    n[i] = b + b;
    un[i] = b;
    l[i] = -(long)b;
    ul[i] = b;
}

__kernel void bool_to_floats(__global const int *a, __global float *f, __global double *d, __global int4 *v)
{
    size_t i = get_global_id(0);
    bool b = a[i] > 2;
    f[i] = b;
    d[i] = -(double)b;
    v[i] = (int4)b; // all bits
}
