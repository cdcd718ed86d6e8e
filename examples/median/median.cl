// Median filter: each pixel becomes the median of itself and its eight neighbours, channel by channel.
// Single wrong pixels go, edges stay.

static uchar4 middle(uchar4 a, uchar4 b, uchar4 c) { return max(min(a, b), min(max(a, b), c)); }

kernel void median(global const uchar4 *in, global uchar4 *out, int width, int height) {
  const int x = get_global_id(0), y = get_global_id(1);
  uchar4 low = 0, mid[3], high = 255;
  for (int k = 0; k < 3; k++) {
    const int column = clamp(x + k - 1, 0, width - 1);
    const uchar4 a = in[max(y - 1, 0) * width + column];
    const uchar4 b = in[y * width + column];
    const uchar4 c = in[min(y + 1, height - 1) * width + column];
    // of each column's smallest the largest, of the largest the smallest, and the middle ones
    low = max(low, min(min(a, b), c));
    mid[k] = middle(a, b, c);
    high = min(high, max(max(a, b), c));
  }
  out[y * width + x] = middle(low, middle(mid[0], mid[1], mid[2]), high);
}
