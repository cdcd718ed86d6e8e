// The mathematical functions of double precision.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void exponentials(__global const double *x, __global double *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    double v = x[i];
    out[i] = exp(v);
    out[n + i] = exp2(v);
    out[2 * n + i] = exp10(v);
    out[3 * n + i] = expm1(v);
}

__kernel void logarithms(__global const double *x, __global double *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    double v = x[i];
    out[i] = log(v);
    out[n + i] = log2(v);
    out[2 * n + i] = log10(v);
    out[3 * n + i] = log1p(v);
}

__kernel void circular(__global const double *x, __global double *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    double v = x[i], cosine;
    out[i] = sincos(v, &cosine);
    out[n + i] = cosine;
    out[2 * n + i] = tan(v);
}

__kernel void half_turns(__global const double *x, __global double *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    double v = x[i];
    out[i] = sinpi(v);
    out[n + i] = cospi(v);
    out[2 * n + i] = tanpi(v);
}

__kernel void arcs(__global const double *x, __global double *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    double v = x[i];
    out[i] = asin(v);
    out[n + i] = acos(v);
    out[2 * n + i] = atan(v);
}

__kernel void arc_turns(__global const double *x, __global double *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    double v = x[i];
    out[i] = asinpi(v);
    out[n + i] = acospi(v);
    out[2 * n + i] = atanpi(v);
}

__kernel void hyperbolics(__global const double *x, __global double *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    double v = x[i];
    out[i] = sinh(v);
    out[n + i] = cosh(v);
    out[2 * n + i] = tanh(v);
}

__kernel void inverse_hyperbolics(__global const double *x, __global double *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    double v = x[i];
    out[i] = asinh(v);
    out[n + i] = acosh(v);
    out[2 * n + i] = atanh(v);
}

__kernel void angles(__global const double *x, __global const double *y, __global double *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    double v = x[i], w = y[i];
    out[i] = atan2(v, w);
    out[n + i] = atan2pi(v, w);
    out[2 * n + i] = hypot(v, w);
}

__kernel void powers(__global const double *x, __global const double *y, __global double *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    double v = x[i], w = y[i];
    out[i] = pow(v, w);
    out[n + i] = powr(fabs(v), w);
}

__kernel void roots(__global const double *x, __global const int *k, __global double *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    double v = x[i];
    out[i] = cbrt(v);
    out[n + i] = rsqrt(v);
    out[2 * n + i] = pown(v, k[i]);
    out[3 * n + i] = rootn(v, k[i]);
}

// On vectors.
__kernel void vectors(__global const double2 *x, __global double2 *out)
{
    size_t i = get_global_id(0);
    out[i] = exp(x[i]);
}

// Exact functions: exponents, whole parts.
__kernel void parts(__global const double *x, __global const int *k, __global double *out, __global int *exponents)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    double v = x[i], whole, floored;
    int e;
    out[i] = frexp(v, &e);
    out[n + i] = modf(v, &whole);
    out[2 * n + i] = whole;
    out[3 * n + i] = fract(v, &floored);
    out[4 * n + i] = floored;
    out[5 * n + i] = ldexp(v, k[i]);
    out[6 * n + i] = logb(v);
    exponents[i] = e;
    exponents[n + i] = ilogb(v);
}

__kernel void geometry(__global const double4 *a, __global const double4 *b, __global double *out, __global double4 *unit)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = length(a[i]);
    out[n + i] = distance(a[i].xyz, b[i].xyz);
    unit[i] = normalize(a[i]);
}
