/*
 * Runs vadd on the simulated board: the serial line is a socket on file descriptor 3. Exit status 0 when all is right.
 * Prints the counters of the last launch.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vadd.h"

static void must(int result, const char *what) {
    if (result == 0) return;
    fprintf(stderr, "%s: %s\n", what, clhls_error());
    exit(1);
}

static uint32_t hash(uint32_t x) { return (x ^ 0x9e3779b9u) * 2654435761u; }

int main(void) {
    clhls_device *board = clhls_open_stream(3, 3);
    must(board ? 0 : -1, "open");
    enum { N = 301 };
    uint32_t a[N], b[N], c[N + 2], expect[N];
    for (uint32_t i = 0; i < N; ++i) {
        a[i] = hash(i);
        b[i] = hash(i + 1000);
        expect[i] = a[i] + b[i] + 77;
    }
    clhls_buffer da, db, dc;
    must(clhls_buffer_create(board, &vadd_kernel, vadd_arg_a, sizeof a, &da), "create a");
    must(clhls_buffer_create(board, &vadd_kernel, vadd_arg_b, sizeof b, &db), "create b");
    must(clhls_buffer_create(board, &vadd_kernel, vadd_arg_c, sizeof c, &dc), "create c");
    memset(c, 0xee, sizeof c);
    must(clhls_buffer_write(&da, 0, a, sizeof a), "write a");
    /* in pieces that begin and end inside words */
    must(clhls_buffer_write(&db, 0, b, 10), "write b");
    must(clhls_buffer_write(&db, 10, (char *)b + 10, 1), "write b");
    must(clhls_buffer_write(&db, 11, (char *)b + 11, sizeof b - 11), "write b");
    must(clhls_buffer_write(&dc, 0, c, sizeof c), "write c");
    clhls_ndrange range = {.global = {N}};
    clhls_counters counters;
    must(vadd_launch(board, &range, &da, &db, &dc, 77, 10000, &counters), "launch");
    must(clhls_buffer_read(&dc, 0, c, sizeof c), "read c");
    for (int i = 0; i < N; ++i)
        if (c[i] != expect[i]) {
            fprintf(stderr, "c[%d] is %08x, not %08x\n", i, c[i], expect[i]);
            return 1;
        }
    if (c[N] != 0xeeeeeeeeu || c[N + 1] != 0xeeeeeeeeu) {
        fprintf(stderr, "written beyond the end\n");
        return 1;
    }
    /* 3 bytes from inside a word */
    unsigned char three[3];
    must(clhls_buffer_read(&dc, 6, three, 3), "read 3 bytes");
    if (memcmp(three, (char *)expect + 6, 3)) {
        fprintf(stderr, "three bytes are wrong\n");
        return 1;
    }
    /* a buffer outside the memory: the shell answers with an error, the kernel reports it */
    clhls_buffer outside = dc;
    outside.address = (uint64_t)1 << 40;
    if (vadd_launch(board, &range, &da, &db, &outside, 0, 10000, NULL) == 0) {
        fprintf(stderr, "a write outside the memory was not noticed\n");
        return 1;
    }
    /* mistakes are refused before anything happens */
    clhls_ndrange wrong = {.global = {10}, .local = {3}};
    if (vadd_launch(board, &wrong, &da, &db, &dc, 0, 10000, NULL) == 0) return 1;
    if (clhls_buffer_create(board, &vadd_kernel, vadd_arg_a, 1u << 30, &outside) == 0) return 1;
    if (clhls_buffer_read(&da, sizeof a, three, 1) == 0) return 1;
    clhls_buffer_destroy(&dc);
    clhls_buffer_destroy(&db);
    clhls_buffer_destroy(&da);
    printf("%llu %llu %llu %llu\n", (unsigned long long)counters.cycles, (unsigned long long)counters.work_items,
           (unsigned long long)counters.read_beats, (unsigned long long)counters.write_beats);
    clhls_close(board);
    return 0;
}
