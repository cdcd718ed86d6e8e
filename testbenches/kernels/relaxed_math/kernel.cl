// Functions with relaxed bounds, by name and by option.
#pragma OPENCL FP_CONTRACT OFF

kernel void by_name(global const float *restrict x, global const float *restrict y, global float *restrict out) {
    size_t i = get_global_id(0);
    float a = x[i], b = y[i];
    out[8 * i] = native_divide(a, b);
    out[8 * i + 1] = half_divide(a, b);
    out[8 * i + 2] = native_sqrt(b) + native_rsqrt(b);
    out[8 * i + 3] = half_sqrt(b) + half_rsqrt(b);
    out[8 * i + 4] = native_exp(a) + native_log(b + 2.0f);
    out[8 * i + 5] = half_exp2(a) + half_log10(b);
    out[8 * i + 6] = native_recip(b);
    out[8 * i + 7] = half_recip(b);
}

kernel void by_option(global const float *restrict x, global const float *restrict y, global float *restrict out) {
    size_t i = get_global_id(0);
    float a = x[i], b = y[i];
    out[4 * i] = a / b;
    out[4 * i + 1] = 1.0f / b;
    out[4 * i + 2] = sqrt(b);
    out[4 * i + 3] = exp(a);
}

kernel void circular(global const float *restrict x, global float *restrict out) {
    size_t i = get_global_id(0);
    out[2 * i] = sin(x[i]) + native_cos(x[i]);
    out[2 * i + 1] = half_tan(x[i]);
}
