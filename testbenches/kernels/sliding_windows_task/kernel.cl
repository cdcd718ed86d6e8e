// Windows that slide over data: private arrays that move on by an element in each iteration of a single work-item.
#pragma OPENCL FP_CONTRACT OFF
#define TASK __attribute__((reqd_work_group_size(1, 1, 1)))
#define COLUMNS 90

// Sums of 3 x 3 pixels: two rows and three pixels are kept. What has not three of each yet is not stored.
__kernel TASK void box(__global const uchar *restrict in, __global ushort *restrict out, int rows)
{
    uchar window[2 * COLUMNS + 3];
    for (int k = 0; k < 2 * COLUMNS + 3; k++) window[k] = 0;
    int column = 0, row = 0;
    for (int i = 0; i < rows * COLUMNS; i++) {
        #pragma unroll
        for (int k = 0; k < 2 * COLUMNS + 2; k++) window[k] = window[k + 1];
        window[2 * COLUMNS + 2] = in[i];
        if (row >= 2 && column >= 2) {
            ushort sum = 0;
            #pragma unroll
            for (int y = 0; y < 3; y++)
                #pragma unroll
                for (int x = 0; x < 3; x++) sum += window[y * COLUMNS + x] << (x == 1 && y == 1);
            out[i] = sum;
        }
        if (++column == COLUMNS) {
            column = 0;
            row++;
        }
    }
}

// An echo: what comes out goes in again, so the line is a recurrence of 150 iterations. It begins with a value of the launch.
__kernel TASK void echo(__global const float *restrict in, __global float *restrict out, float quiet, float again, int n)
{
    float line[150];
    #pragma unroll
    for (int k = 0; k < 150; k++) line[k] = quiet;
    for (int i = 0; i < n; i++) {
        float now = in[i] + again * line[149];
        #pragma unroll
        for (int k = 149; k > 0; k--) line[k] = line[k - 1];
        line[0] = now;
        out[i] = now + line[41];
    }
}

// Two delays in one window, as the exchanges between stages of an FFT are written, with elements of two words.
__kernel TASK void exchange(__global const int2 *restrict in, __global int2 *restrict out, int n)
{
    int2 window[17 + 81];
    for (int k = 0; k < 17 + 81; k++) window[k] = (int2)(k, -k);
    for (int i = 0; i < n; i++) {
        int2 a = in[2 * i], b = in[2 * i + 1];
        window[16] = b;
        b = window[0];
        if (i & 16) {
            int2 c = a;
            a = b;
            b = c;
        }
        window[17 + 80] = a;
        a = window[17];
        out[2 * i] = a;
        out[2 * i + 1] = b;
        #pragma unroll
        for (int k = 0; k < 17 + 80; k++) window[k] = window[k + 1];
    }
}

// A window that moves by two, and goes on from row to row; what it begins with comes from memory, and what is left is stored.
__kernel TASK void pairs(__global const short *restrict in, __global short *restrict left, __global int *restrict out, int rows, int columns)
{
    short window[24];
    #pragma unroll
    for (int k = 0; k < 24; k++) window[k] = left[k];
    for (int y = 0; y < rows; y++) {
        int sum = y;
        for (int x = 0; x < columns; x++) {
            int at = 2 * (y * columns + x);
            sum += window[0] * window[23] - window[5];
            #pragma unroll
            for (int k = 0; k < 22; k++) window[k] = window[k + 2];
            window[22] = in[at];
            window[23] = in[at + 1];
        }
        out[y] = sum;
    }
    #pragma unroll
    for (int k = 0; k < 24; k++) left[k] = window[k];
}

// A line that only some iterations move.
__kernel TASK void gaps(__global const uint *restrict in, __global uint *restrict out, int n)
{
    uint line[80];
    for (int k = 0; k < 80; k++) line[k] = 7;
    for (int i = 0; i < n; i++) {
        uint x = in[i];
        if (x & 4) {
            #pragma unroll
            for (int k = 0; k < 79; k++) line[k] = line[k + 1];
            line[79] = x;
        }
        out[i] = x ^ line[0] ^ (line[70] << 1);
    }
}
