// 3x3 filter with a zero border: a work-item goes down a column, and keeps the three rows of its window.

__kernel void conv3x3(__global const int *restrict in, __constant int *filter, __global int *restrict out, int width, int height)
{
    int x = get_global_id(0);
    int3 top = (int3)(filter[0], filter[1], filter[2]);
    int3 middle = (int3)(filter[3], filter[4], filter[5]);
    int3 bottom = (int3)(filter[6], filter[7], filter[8]);
    int3 above = 0, here = (int3)(x > 0 ? in[x - 1] : 0, in[x], x < width - 1 ? in[x + 1] : 0);
    for (int y = 0; y < height; y++) {
        int3 below = 0;
        if (y < height - 1) {
            int at = (y + 1) * width + x;
            below = (int3)(x > 0 ? in[at - 1] : 0, in[at], x < width - 1 ? in[at + 1] : 0);
        }
        int3 sum = above * top + here * middle + below * bottom;
        out[y * width + x] = sum.x + sum.y + sum.z;
        above = here;
        here = below;
    }
}
