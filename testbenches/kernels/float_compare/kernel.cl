// Comparisons with every combination of NaN, infinity and signed zero; minima and maxima; classification.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void compare_float(__global const float *a, __global const float *b, __global uint *flags)
{
    size_t i = get_global_id(0);
    float x = a[i], y = b[i];
    uint f = 0;
    f |= (x == y) << 0;
    f |= (x != y) << 1;
    f |= (x < y) << 2;
    f |= (x <= y) << 3;
    f |= (x > y) << 4;
    f |= (x >= y) << 5;
    f |= !(x < y) << 6;
    f |= !(x >= y) << 7;
    f |= isless(x, y) << 8;
    f |= islessgreater(x, y) << 9;
    f |= isunordered(x, y) << 10;
    f |= isordered(x, y) << 11;
    f |= isnan(x) << 12;
    f |= isinf(x) << 13;
    f |= isfinite(y) << 14;
    f |= isnormal(x) << 15;
    f |= (signbit(x) != 0) << 16;
    flags[i] = f;
}

__kernel void compare_double(__global const double *a, __global const double *b, __global uint *flags)
{
    size_t i = get_global_id(0);
    double x = a[i], y = b[i];
    flags[i] = (x == y) | (x != y) << 1 | (x < y) << 2 | (x <= y) << 3 | (x > y) << 4 | (x >= y) << 5
             | !(x <= y) << 6 | !(x > y) << 7 | isunordered(x, y) << 8 | isnan(y) << 9 | isinf(y) << 10;
}

__kernel void extremes(__global const float *a, __global const float *b, __global const double *c,
                       __global const double *d, __global float *out, __global double *wide)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = fmin(a[i], b[i]);
    out[n + i] = fmax(a[i], b[i]);
    out[2 * n + i] = a[i] < b[i] ? a[i] : b[i];
    out[3 * n + i] = fabs(a[i]);
    out[4 * n + i] = -a[i];
    wide[i] = fmin(c[i], d[i]);
    wide[n + i] = fmax(c[i], d[i]);
    wide[2 * n + i] = fabs(d[i]);
}

// Square roots and quotients of anything.
__kernel void roots(__global const float *a, __global const float *b, __global float *root, __global float *quotient)
{
    size_t i = get_global_id(0);
    root[i] = sqrt(a[i]);
    quotient[i] = a[i] / b[i];
}
