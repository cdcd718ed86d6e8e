// Double precision: polynomials, division, square root, fused operations, and mixed precision.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

__constant double coefficient[8] = {1.0, -0.5, 0.1666666666666666574, 3.25, -1e-3, 0.75, 1e5, -2.0};

__kernel void horner(__global const double *x, __global double *y, int degree)
{
    size_t i = get_global_id(0);
    double v = x[i], sum = 0.0;
    for (int k = degree; k >= 0; k--)
        sum = sum * v + coefficient[k];
    y[i] = sum;
}

__kernel void horner_fma(__global const double *x, __global double *y)
{
    size_t i = get_global_id(0);
    double v = x[i], sum = coefficient[7];
#pragma unroll
    for (int k = 6; k >= 0; k--)
        sum = fma(sum, v, coefficient[k]);
    y[i] = sum;
}

// Roots of a x^2 + b x + c; none gives two NaNs.
__kernel void quadratic(__global const double *a, __global const double *b, __global const double *c,
                        __global double2 *roots)
{
    size_t i = get_global_id(0);
    double d = b[i] * b[i] - 4.0 * a[i] * c[i];
    double2 r = (double2)(NAN, NAN);
    if (d >= 0.0) {
        double s = sqrt(d);
        double q = -0.5 * (b[i] + (b[i] < 0.0 ? -s : s));
        r = (double2)(q / a[i], c[i] / q);
    }
    roots[i] = r;
}

// Float data, double accumulation, float result.
__kernel void norm(__global const float *x, __global float *out, int length)
{
    size_t i = get_global_id(0);
    double sum = 0.0;
    for (int k = 0; k < length; k++) {
        double v = x[i * length + k];
        sum += v * v;
    }
    out[i] = (float)sqrt(sum / length);
}

__kernel void basic(__global const double *a, __global const double *b, __global double *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    out[i] = a[i] + b[i];
    out[n + i] = a[i] - b[i];
    out[2 * n + i] = a[i] * b[i];
    out[3 * n + i] = a[i] / b[i];
    out[4 * n + i] = sqrt(a[i]);
    out[5 * n + i] = fma(a[i], b[i], a[i]);
}
