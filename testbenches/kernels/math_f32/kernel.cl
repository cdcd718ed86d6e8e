// The mathematical functions of single precision.

__kernel void exponentials(__global const float *x, __global float *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    float v = x[i];
    out[i] = exp(v);
    out[n + i] = exp2(v);
    out[2 * n + i] = exp10(v);
    out[3 * n + i] = expm1(v);
}

__kernel void logarithms(__global const float *x, __global float *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    float v = x[i];
    out[i] = log(v);
    out[n + i] = log2(v);
    out[2 * n + i] = log10(v);
    out[3 * n + i] = log1p(v);
}

__kernel void circular(__global const float *x, __global float *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    float v = x[i], cosine;
    out[i] = sincos(v, &cosine);
    out[n + i] = cosine;
    out[2 * n + i] = tan(v);
}

__kernel void half_turns(__global const float *x, __global float *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    float v = x[i];
    out[i] = sinpi(v);
    out[n + i] = cospi(v);
    out[2 * n + i] = tanpi(v);
}

// Exact functions: exponents, whole parts.
__kernel void parts(__global const float *x, __global const int *k, __global float *out, __global int *exponents)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    float v = x[i], whole, floored;
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

// On vectors, and the functions with fewer guarantees.
__kernel void vectors(__global const float4 *x, __global float4 *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    float4 v = x[i];
    out[i] = exp(v) + log(fabs(v));
    out[n + i] = sin(v) * cos(v);
}

__kernel void arcs(__global const float *x, __global float *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    float v = x[i];
    out[i] = asin(v);
    out[n + i] = acos(v);
    out[2 * n + i] = atan(v);
    out[3 * n + i] = asinpi(v);
    out[4 * n + i] = acospi(v);
    out[5 * n + i] = atanpi(v);
}

__kernel void hyperbolics(__global const float *x, __global float *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    float v = x[i];
    out[i] = sinh(v);
    out[n + i] = cosh(v);
    out[2 * n + i] = tanh(v);
    out[3 * n + i] = asinh(v);
    out[4 * n + i] = acosh(v);
    out[5 * n + i] = atanh(v);
}

__kernel void two_operands(__global const float *x, __global const float *y, __global float *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    float v = x[i], w = y[i];
    out[i] = atan2(v, w);
    out[n + i] = atan2pi(v, w);
    out[2 * n + i] = hypot(v, w);
    out[3 * n + i] = pow(v, w);
    out[4 * n + i] = powr(fabs(v), w);
}

__kernel void roots_and_powers(__global const float *x, __global const int *k, __global float *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    float v = x[i];
    out[i] = cbrt(v);
    out[n + i] = rsqrt(v);
    out[2 * n + i] = pown(v, k[i]);
    out[3 * n + i] = rootn(v, k[i]);
}

__kernel void geometry(__global const float4 *a, __global const float4 *b, __global float *out, __global float4 *unit)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = length(a[i]);
    out[n + i] = distance(a[i].xyz, b[i].xyz);
    unit[i] = normalize(a[i]);
}
