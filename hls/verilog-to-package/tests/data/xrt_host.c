/* The generated host code on XRT's emulation without a device: buffers keep their contents, and a launch fails cleanly. */
#include <stdio.h>
#include <string.h>

#include "vadd.h"

static int fail(const char *what) {
    printf("%s: %s\n", what, clhls_error());
    return 1;
}

int main(void) {
    /* XRT may not survive the exit of a program that failed: say it first */
    setvbuf(stdout, NULL, _IONBF, 0);
    clhls_device *card = clhls_open_xrt(0, "vadd.xclbin");
    if (!card) return fail("open");
    clhls_buffer a, b, c;
    if (clhls_buffer_create(card, &vadd_kernel, vadd_arg_a, 10000, &a)) return fail("create");
    if (clhls_buffer_create(card, &vadd_kernel, vadd_arg_b, 10000, &b)) return fail("create");
    if (clhls_buffer_create(card, &vadd_kernel, vadd_arg_c, 10000, &c)) return fail("create");
    char text[] = "sixteen letters!", back[17] = "";
    if (clhls_buffer_write(&a, 4090, text, 16)) return fail("write");
    if (clhls_buffer_read(&a, 4090, back, 16)) return fail("read");
    if (strcmp(text, back)) return fail("contents");
    /* this emulation has buffers but no registers */
    clhls_ndrange range = {.global = {100}};
    if (vadd_launch(card, &range, &a, &b, &c, 1, 20, NULL) == 0) return fail("launch");
    printf("%s\n", clhls_error());
    clhls_buffer_destroy(&c);
    clhls_buffer_destroy(&b);
    clhls_buffer_destroy(&a);
    clhls_close(card);
    card = clhls_open_xrt(0, "missing.xclbin");
    if (card) return fail("a file that is not there");
    printf("%s\n", clhls_error());
    return 0;
}
