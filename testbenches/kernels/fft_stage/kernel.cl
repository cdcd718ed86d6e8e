// One radix-2 decimation-in-time butterfly stage; the twiddle factors are an argument.
#pragma OPENCL FP_CONTRACT OFF

float2 complex_mul(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__kernel void fft_stage(__global float2 *data, __global const float2 *twiddle, uint half_size, uint twiddle_step)
{
    uint i = get_global_id(0);
    uint k = i & (half_size - 1);
    uint top = ((i & ~(half_size - 1)) << 1) | k;
    uint bottom = top + half_size;
    float2 a = data[top];
    float2 b = complex_mul(data[bottom], twiddle[k * twiddle_step]);
    data[top] = a + b;
    data[bottom] = a - b;
}

// A whole 16-point transform in private memory with a table of twiddle factors.
__constant float2 table[8] = {
    (float2)(1.0f, 0.0f), (float2)(0.9238795f, -0.38268343f),
    (float2)(0.70710678f, -0.70710678f), (float2)(0.38268343f, -0.9238795f),
    (float2)(0.0f, -1.0f), (float2)(-0.38268343f, -0.9238795f),
    (float2)(-0.70710678f, -0.70710678f), (float2)(-0.9238795f, -0.38268343f)};

__constant uchar bit_reversed[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};

__kernel void fft16(__global const float2 *in, __global float2 *out)
{
    float2 v[16];
    uint base = get_global_id(0) * 16;
    for (uint i = 0; i < 16; i++)
        v[bit_reversed[i]] = in[base + i];
    for (uint half_size = 1; half_size < 16; half_size <<= 1)
        for (uint i = 0; i < 8; i++) {
            uint k = i & (half_size - 1);
            uint top = ((i & ~(half_size - 1)) << 1) | k;
            float2 b = complex_mul(v[top + half_size], table[k * (8 / half_size)]);
            float2 a = v[top];
            v[top] = a + b;
            v[top + half_size] = a - b;
        }
    for (uint i = 0; i < 16; i++)
        out[base + i] = v[i];
}
