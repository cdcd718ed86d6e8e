/* What the programs compute: arguments, index space, and what must come out. */
#ifndef WORK_H
#define WORK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000, WIDTH = 25, HEIGHT = 40, SIDE = 3, FILTER = SIDE * SIDE };

/* Both kernels have three buffers, then these numbers, then the NDRange as a task's arguments: work_dim, global size, local size,
 * work-groups, offset. */
typedef struct {
    int items[3];      /* numbers of the buffers */
    int scalars;       /* arguments after the buffers */
    unsigned values[3];
    unsigned range[13];
} work;

static inline work work_of(const char *kernel) {
    static const work vadd = {{COUNT, COUNT, COUNT}, 1, {COUNT}, {1, COUNT, 1, 1, 50, 1, 1, COUNT / 50, 1, 1, 0, 0, 0}};
    static const work convolve = {{WIDTH * HEIGHT, FILTER, WIDTH * HEIGHT}, 3, {WIDTH, HEIGHT, 1},
                                  {2, WIDTH, HEIGHT, 1, 5, 8, 1, WIDTH / 5, HEIGHT / 8, 1, 0, 0, 0}};
    if (!strcmp(kernel, "vadd")) return vadd;
    if (!strcmp(kernel, "convolve")) return convolve;
    fprintf(stderr, "%s: not a kernel of this program\n", kernel);
    exit(1);
}

/* Number i of buffer b. */
static inline float input(int b, int i) {
    return b == 0 ? (float)(i * 7919 % 1000) / 7 : b == 1 ? (float)(i - 4) / 3 : -1;
}

static inline float expected(const char *kernel, int i) {
    if (!strcmp(kernel, "vadd")) return input(0, i) + input(1, i);
    float sum = 0;
    for (int k = 0; k < FILTER; ++k) {
        int x = i % WIDTH + k % SIDE - 1, y = i / WIDTH + k / SIDE - 1;
        if (x >= 0 && y >= 0 && x < WIDTH && y < HEIGHT) sum += input(0, y * WIDTH + x) * input(1, k);
    }
    return sum;
}

/* Prints ok, or what is wrong; the exit code. */
static inline int verdict(const char *kernel, const float *out) {
    for (int i = 0; i < COUNT; ++i)
        if (out[i] != expected(kernel, i)) {
            printf("%s: number %d is %g, not %g\n", kernel, i, (double)out[i], (double)expected(kernel, i));
            return 1;
        }
    puts("ok");
    return 0;
}

#endif
