/* Adds vectors, some of it with an offset; mistakes are refused with the status that the header promises. */
#include "vadd.h"

#include "../check.h"

enum { N = 400 };

int main(void) {
    clhls_device *device = vadd_open(NULL);
    must(device ? CLHLS_SUCCESS : (int)clhls_last_status());
    float a[N], b[N], c[N];
    for (int i = 0; i < N; ++i) {
        a[i] = (float)i / 3;
        b[i] = (float)(i * 7919 % 1000) / 7;
        c[i] = -1;
    }
    clhls_buffer da, db, dc;
    must(clhls_buffer_create(device, &vadd_kernel, vadd_arg_a, sizeof a, &da));
    must(clhls_buffer_create(device, &vadd_kernel, vadd_arg_b, sizeof b, &db));
    must(clhls_buffer_create(device, &vadd_kernel, vadd_arg_c, sizeof c, &dc));
    must(clhls_buffer_write(&da, 0, a, sizeof a));
    must(clhls_buffer_write(&db, 0, b, sizeof b));
    must(clhls_buffer_write(&dc, 0, c, sizeof c));

    /* the upper half, then with the lower one */
    clhls_counters counters;
    clhls_ndrange upper = {.global = {N / 2}, .offset = {N / 2}}, all = {.global = {N}, .local = {50}};
    must(vadd_launch(device, &upper, &da, &db, &dc, N, 60000, &counters));
    must(clhls_buffer_read(&dc, 0, c, sizeof c));
    for (int i = 0; i < N; ++i) check(c[i] == (i < N / 2 ? -1 : a[i] + b[i]));
    check(counters.work_items == N / 2 && counters.cycles > 0);
    must(vadd_launch(device, &all, &da, &db, &dc, N - 1, 0, NULL));
    must(clhls_buffer_read(&dc, 0, c, sizeof c));
    for (int i = 0; i < N; ++i) check(c[i] == a[i] + b[i]);

    clhls_ndrange uneven = {.global = {N}, .local = {64}};
    refused(CLHLS_INVALID_WORK_GROUP_SIZE, vadd_launch(device, &uneven, &da, &db, &dc, N, 0, NULL));
    refused(CLHLS_INVALID_BUFFER, clhls_buffer_read(&dc, 4, c, sizeof c));
    clhls_buffer none;
    refused(CLHLS_INVALID_BUFFER_SIZE, clhls_buffer_create(device, &vadd_kernel, vadd_arg_a, 0, &none));
    clhls_kernel other = vadd_kernel;
    other.index = 1;
    other.name = "other";
    uint32_t registers[64] = {0};
    refused(CLHLS_INVALID_KERNEL, clhls_launch(device, &other, registers, &all, 0, NULL));

    /* a null pointer: a simulation knows the access, of two work-items a token on 64-bit memory */
    if (is_simulated()) {
        refused(CLHLS_KERNEL_FAILED, vadd_launch(device, &all, &da, NULL, &dc, N, 60000, NULL));
        check(strstr(clhls_error(), "load of 8 bytes"));
    }

    clhls_close(device);
    refused(CLHLS_DEVICE_NOT_AVAILABLE, clhls_open_sim("/nonexistent") ? 0 : (int)clhls_last_status());
    refused(CLHLS_DEVICE_NOT_AVAILABLE, clhls_open_uart("/nonexistent", 115200) ? 0 : (int)clhls_last_status());
    puts("ok");
    return 0;
}
