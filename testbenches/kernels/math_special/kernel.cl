// Error and gamma functions, and remainders: these are loops in hardware.

__kernel void gammas(__global const float *x, __global float *out, __global int *signs)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    float v = x[i];
    int s;
    out[i] = erf(v);
    out[n + i] = erfc(v);
    out[2 * n + i] = tgamma(v);
    float logarithm = lgamma_r(v, &s);
    out[3 * n + i] = logarithm;
    // At poles OpenCL leaves the sign open.
    signs[i] = isfinite(logarithm) ? s : 0;
}

__kernel void remainders(__global const float *x, __global const float *y, __global float *out, __global int *quotients)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    int q;
    out[i] = fmod(x[i], y[i]);
    out[n + i] = remainder(x[i], y[i]);
    out[2 * n + i] = remquo(x[i], y[i], &q);
    quotients[i] = q;
}

__kernel void remainders_double(__global const double *x, __global const double *y, __global double *out, __global int *quotients)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    int q;
    out[i] = fmod(x[i], y[i]);
    out[n + i] = remquo(x[i], y[i], &q);
    quotients[i] = q;
}

// Four divisions of different lengths in one loop.
__kernel void remainders_vector(__global const float4 *x, __global const float4 *y, __global float4 *out)
{
    size_t i = get_global_id(0);
    out[i] = fmod(x[i], y[i]) + remainder(y[i], x[i]);
}
