// Arithmetic around the smallest normal numbers, compiled with -cl-denorms-are-zero.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

kernel void single_precision(global const float *restrict x, global const float *restrict y, global float *restrict out) {
    size_t i = get_global_id(0);
    float a = x[i], b = y[i];
    out[6 * i] = a + b;
    out[6 * i + 1] = a - b;
    out[6 * i + 2] = a * b;
    out[6 * i + 3] = a / b;
    out[6 * i + 4] = fma(a, b, a);
    out[6 * i + 5] = sqrt(a);
}

kernel void double_precision(global const double *restrict x, global const double *restrict y, global double *restrict out) {
    size_t i = get_global_id(0);
    double2 v = (double2)(x[i], y[i]);
    vstore2(v + v.yx, 2 * i, out);
    vstore2(v * v.yx, 2 * i + 1, out);
}
