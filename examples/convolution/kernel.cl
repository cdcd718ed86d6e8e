// Edges of a grey photo: a 5x5 Gaussian blur, then the Sobel operator. Borders are clamped.

// One row of the Gaussian; the filter is its outer product, 256 in sum.
__constant int gauss[5] = {1, 4, 6, 4, 1};

// 5x5 Gaussian, rounded to nearest.
__kernel void blur(__global const uchar *restrict in, __global uchar *restrict out, int width, int height)
{
    const int x = get_global_id(0), y = get_global_id(1);
    int sum = 128;
    #pragma unroll
    for (int dy = -2; dy <= 2; dy++) {
        const int row = clamp(y + dy, 0, height - 1) * width;
        #pragma unroll
        for (int dx = -2; dx <= 2; dx++)
            sum += gauss[dy + 2] * gauss[dx + 2] * in[row + clamp(x + dx, 0, width - 1)];
    }
    out[y * width + x] = (uchar)(sum >> 8);
}

// Strength of the edge at each pixel: |horizontal| + |vertical| gradient, at most 255.
__kernel void edges(__global const uchar *restrict in, __global uchar *restrict out, int width, int height)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const int left = max(x - 1, 0), right = min(x + 1, width - 1);
    const int up = max(y - 1, 0) * width, here = y * width, down = min(y + 1, height - 1) * width;

    const int nw = in[up + left], n = in[up + x], ne = in[up + right];
    const int w = in[here + left], e = in[here + right];
    const int sw = in[down + left], s = in[down + x], se = in[down + right];

    const int across = (ne + 2 * e + se) - (nw + 2 * w + sw);
    const int along = (sw + 2 * s + se) - (nw + 2 * n + ne);
    out[here + x] = convert_uchar_sat(abs(across) + abs(along));
}
