/* Filters an image of random numbers, and compares with the filter in C. */
#include "conv2d.h"

#include "../check.h"

enum { WIDTH = 37, HEIGHT = 20, RADIUS = 1, SIDE = 2 * RADIUS + 1 };

static float in[HEIGHT * WIDTH], filter[SIDE * SIDE], out[HEIGHT * WIDTH];

static float expected(int x, int y) {
    float sum = 0;
    for (int dy = -RADIUS; dy <= RADIUS; ++dy)
        for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
            int sx = x + dx, sy = y + dy;
            if (sx >= 0 && sy >= 0 && sx < WIDTH && sy < HEIGHT)
                sum += in[sy * WIDTH + sx] * filter[(dy + RADIUS) * SIDE + dx + RADIUS];
        }
    return sum;
}

int main(void) {
    for (int i = 0; i < WIDTH * HEIGHT; ++i) in[i] = (float)(i * 2654435761u >> 8) / 1e6f;
    for (int i = 0; i < SIDE * SIDE; ++i) filter[i] = (float)(i - 4) / 9;
    clhls_device *device = conv2d_open(NULL);
    must(device ? CLHLS_SUCCESS : (int)clhls_last_status());
    clhls_buffer din, dfilter, dout;
    must(clhls_buffer_create(device, &convolve_kernel, convolve_arg_in, sizeof in, &din));
    must(clhls_buffer_create(device, &convolve_kernel, convolve_arg_filter, sizeof filter, &dfilter));
    must(clhls_buffer_create(device, &convolve_kernel, convolve_arg_out, sizeof out, &dout));
    must(clhls_buffer_write(&din, 0, in, sizeof in));
    must(clhls_buffer_write(&dfilter, 0, filter, sizeof filter));
    clhls_ndrange range = {.global = {WIDTH, HEIGHT}};
    clhls_counters counters;
    must(convolve_launch(device, &range, &din, &dfilter, &dout, WIDTH, HEIGHT, RADIUS, 0, &counters));
    must(clhls_buffer_read(&dout, 0, out, sizeof out));
    for (int y = 0; y < HEIGHT; ++y)
        for (int x = 0; x < WIDTH; ++x) check(out[y * WIDTH + x] == expected(x, y));
    check(counters.work_items == WIDTH * HEIGHT);
    clhls_buffer_destroy(&dout);
    clhls_buffer_destroy(&dfilter);
    clhls_buffer_destroy(&din);
    clhls_close(device);
    puts("ok");
    return 0;
}
