// FIR filters as single work-item kernels: a shift register in private memory.
#pragma OPENCL FP_CONTRACT OFF

#define TAPS 8

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fir_int(__global const short *restrict in, __constant short *coeff, __global int *restrict out, int n)
{
    short window[TAPS];
    for (int t = 0; t < TAPS; t++)
        window[t] = 0;
    for (int i = 0; i < n; i++) {
        for (int t = TAPS - 1; t > 0; t--)
            window[t] = window[t - 1];
        window[0] = in[i];
        int sum = 0;
        for (int t = 0; t < TAPS; t++)
            sum += window[t] * coeff[t];
        out[i] = sum;
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fir_float(__global const float *restrict in, __constant float *coeff, __global float *restrict out, int n)
{
    float window[TAPS] = {0.0f};
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int t = TAPS - 1; t > 0; t--)
            window[t] = window[t - 1];
        window[0] = in[i];
        float sum = 0.0f;
#pragma unroll
        for (int t = 0; t < TAPS; t++)
            sum += window[t] * coeff[t];
        out[i] = sum;
    }
}
