// 2-D convolutions: a float filter with zero border, and 8-bit image filters with clamped edges.
#pragma OPENCL FP_CONTRACT OFF

// Filter of (2 * radius + 1) squared coefficients; outside the image is zero.
__kernel void convolve(__global const float *in, __constant float *filter, __global float *out,
                       int width, int height, int radius)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int dy = -radius; dy <= radius; dy++) {
        for (int dx = -radius; dx <= radius; dx++) {
            int sx = x + dx, sy = y + dy;
            if (sx < 0 || sy < 0 || sx >= width || sy >= height)
                continue;
            sum += in[sy * width + sx] * filter[(dy + radius) * (2 * radius + 1) + dx + radius];
        }
    }
    out[y * width + x] = sum;
}

__constant int sobel_x[9] = {-1, 0, 1, -2, 0, 2, -1, 0, 1};
__constant int sobel_y[9] = {-1, -2, -1, 0, 0, 0, 1, 2, 1};

// Edge strength of a grey image; edges are clamped.
__kernel void sobel(__global const uchar *in, __global uchar *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    int gx = 0, gy = 0;
    for (int i = 0; i < 9; i++) {
        int sx = clamp(x + i % 3 - 1, 0, width - 1);
        int sy = clamp(y + i / 3 - 1, 0, height - 1);
        int v = in[sy * width + sx];
        gx += v * sobel_x[i];
        gy += v * sobel_y[i];
    }
    out[y * width + x] = convert_uchar_sat(abs(gx) + abs(gy));
}

// 3x3 binomial blur of RGBA pixels.
__kernel void blur_rgba(__global const uchar4 *in, __global uchar4 *out, int width, int height)
{
    const int x = get_global_id(0), y = get_global_id(1);
    uint4 sum = (uint4)(8);
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int2 at = clamp((int2)(x + dx, y + dy), (int2)(0), (int2)(width - 1, height - 1));
            uint weight = (2 - abs(dx)) * (2 - abs(dy));
            sum += convert_uint4(in[at.y * width + at.x]) * weight;
        }
    out[y * width + x] = convert_uchar4(sum >> 4);
}
