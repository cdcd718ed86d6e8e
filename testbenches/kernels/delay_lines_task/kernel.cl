// Values that are needed several iterations later: delay lines in registers, of a single work-item.
#pragma OPENCL FP_CONTRACT OFF
#define TASK __attribute__((reqd_work_group_size(1, 1, 1)))
#define TAPS 9

// Partial sums: each is added to every ninth iteration, so that nine additions can be under way.
__kernel TASK void partial_sums(__global const float *restrict in, __global float *restrict out, int n)
{
    float line[TAPS];
    #pragma unroll
    for (int k = 0; k < TAPS; k++) line[k] = 0.0f;
    for (int i = 0; i < n; i++) {
        float sum = line[TAPS - 1] + in[i];
        #pragma unroll
        for (int k = TAPS - 1; k > 0; k--) line[k] = line[k - 1];
        line[0] = sum;
    }
    float all = 0.0f;
    #pragma unroll
    for (int k = 0; k < TAPS; k++) all += line[k];
    *out = all;
}

// The line begins with values of its own, and what is in it at the end is stored.
__kernel TASK void lagged(__global const uint *restrict start, __global uint *restrict out, __global uint *restrict left, int n)
{
    uint line[17];
    #pragma unroll
    for (int k = 0; k < 17; k++) line[k] = start[k];
    for (int i = 0; i < n; i++) {
        uint x = line[16] * 5 + (line[4] >> 3);
        out[i] = x;
        #pragma unroll
        for (int k = 16; k > 0; k--) line[k] = line[k - 1];
        line[0] = x;
    }
    #pragma unroll
    for (int k = 0; k < 17; k++) left[k] = line[k];
}

// A recursive filter: the newest value and the one before it.
__kernel TASK void biquad(__global const float *restrict in, __global float *restrict out, float a1, float a2, int n)
{
    float y1 = 0.0f, y2 = 0.0f;
    for (int i = 0; i < n; i++) {
        float y = in[i] + a1 * y1 + a2 * y2;
        out[i] = y;
        y2 = y1;
        y1 = y;
    }
}

// Three values change places, and nothing new comes in; beside them a line of two that is only looked at behind the loop.
__kernel TASK void turns(__global const ushort *restrict in, __global uint *restrict out, ushort a, ushort b, ushort c, int n)
{
    uint sum = 1, before = 2, earlier = 3;
    for (int i = 0; i < n; i++) {
        earlier = before;
        before = sum;
        sum = sum * 3 + a * in[i];
        ushort t = a;
        a = b;
        b = c;
        c = t;
    }
    out[0] = sum;
    out[1] = before;
    out[2] = earlier;
    out[3] = a;
}
