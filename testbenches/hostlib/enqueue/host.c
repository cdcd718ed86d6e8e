/* Kernels that enqueue others: in which order those run and with what, what is wrong with some, and that the next launch knows
 * nothing of it. */
#include "enqueue.h"

#include "clhls_enqueue.h"

#include "../check.h"

enum { QUEUE = CLHLS_DEFAULT_QUEUE, ORDER = 16, WORDS = 8, SHAPE = 126, LEVELS = 20, TIMEOUT = 120000 };

static clhls_device *device;
static clhls_buffer program;
static const clhls_ndrange one = {.global = {1}};

static clhls_buffer make(size_t size) {
    clhls_buffer buffer;
    static const uint8_t zeros[1024];
    must(clhls_buffer_create(device, &steps_kernel, steps_arg_order, size, &buffer));
    must(clhls_buffer_write(&buffer, 0, zeros, size));
    return buffer;
}

static void steps(void) {
    static const uint32_t expected[6] = {6, 1, 2, 4, 3, 5};
    const uint32_t first = 1;
    uint32_t order[6];
    int32_t codes[2];
    clhls_counters counters;
    clhls_buffer to = make(4 * ORDER), code = make(sizeof codes);
    /* two launches behind one another */
    for (int launch = 0; launch < 2; ++launch) {
        must(clhls_buffer_write(&to, 0, &first, sizeof first));
        must(steps_launch(device, &one, QUEUE, &to, &code, &program, TIMEOUT, &counters));
        must(clhls_buffer_read(&to, 0, order, sizeof order));
        must(clhls_buffer_read(&code, 0, codes, sizeof codes));
        check(!memcmp(order, expected, sizeof order));
        check(codes[0] == 0 && codes[1] == 3);
        check(counters.work_items == 6 && counters.cycles > 0);
    }
    clhls_buffer_destroy(&code);
    clhls_buffer_destroy(&to);
}

static void groups(void) {
    int32_t in[2 * WORDS], out[2 * WORDS];
    uint32_t shape[SHAPE];
    clhls_counters counters;
    clhls_buffer from = make(4 * 200), to = make(4 * 200), shapes = make(sizeof shape);
    for (int k = 0; k < 2 * WORDS; ++k) in[k] = k * k - 7;
    must(clhls_buffer_write(&from, 0, in, sizeof in));
    int status = groups_launch(device, &one, QUEUE, &from, &to, &shapes, 100, &program, TIMEOUT, NULL);
    check(status == CLHLS_INVALID_ARG_SIZE);
    printf("%d: %s\n", status, clhls_error());
    must(groups_launch(device, &one, QUEUE, &from, &to, &shapes, WORDS, &program, TIMEOUT, &counters));
    must(clhls_buffer_read(&to, 0, out, sizeof out));
    must(clhls_buffer_read(&shapes, 0, shape, sizeof shape));
    for (int k = 0; k < 2 * WORDS; ++k) check(out[k] == in[k / WORDS * WORDS + WORDS - 1 - k % WORDS]);
    /* 12 x 10 work-items are one group; the space has two dimensions, also where both are 1; 5 in groups of 2 from 7 on */
    for (int k = 0; k < SHAPE; ++k) check(shape[k] == (k < 120 ? 21012u : k == 120 ? 20101u : k < 125 ? 710102u : 710101u));
    check(counters.work_items == 1 + 2 * WORDS + 120 + 1 + 5);
    clhls_buffer_destroy(&shapes);
    clhls_buffer_destroy(&to);
    clhls_buffer_destroy(&from);
}

static void wrong(void) {
    const uint32_t first = 1;
    uint32_t order[2];
    int32_t code;
    clhls_counters counters;
    clhls_buffer to = make(4 * ORDER), codes = make(8);
    /* the kernel gets the codes of functions that fail: CLK_INVALID_NDRANGE, CLK_INVALID_QUEUE */
    must(wrong_launch(device, &one, QUEUE, &to, &codes, 1, &program, TIMEOUT, &counters));
    must(clhls_buffer_read(&codes, 0, &code, sizeof code));
    check(code == -160 && counters.work_items == 1);
    must(wrong_launch(device, &one, 0, &to, &codes, 4, &program, TIMEOUT, NULL));
    must(clhls_buffer_read(&codes, 0, &code, sizeof code));
    check(code == -102);
    /* what does not wait runs, and the launch fails */
    for (uint32_t how = 2; how < 4; ++how) {
        must(clhls_buffer_write(&to, 0, &first, sizeof first));
        int status = wrong_launch(device, &one, QUEUE, &to, &codes, how, &program, TIMEOUT, NULL);
        check(status == CLHLS_KERNEL_FAILED);
        printf("%d: %s\n", status, clhls_error());
        must(clhls_buffer_read(&to, 0, order, sizeof order));
        check(order[0] == 2 && order[1] == 7);
    }
    clhls_ndrange none = {.global = {0}};
    refused(CLHLS_INVALID_GLOBAL_WORK_SIZE, wrong_launch(device, &none, QUEUE, &to, &codes, 1, &program, TIMEOUT, NULL));
    clhls_buffer_destroy(&codes);
    clhls_buffer_destroy(&to);
}

static void timed(void) {
    int32_t out[2];
    uint64_t times[2];
    const char *name = getenv("CLHLS_DEVICE");
    /* into a buffer it is not possible on cards */
    if (name && !strncmp(name, "xrt", 3)) return;
    clhls_buffer order = make(4 * ORDER), to = make(sizeof out), at = make(sizeof times);
    must(timed_launch(device, &one, QUEUE, &order, &to, &at, &program, TIMEOUT, NULL));
    must(clhls_buffer_read(&to, 0, out, sizeof out));
    must(clhls_buffer_read(&at, 0, times, sizeof times));
    check(out[0] == 1 && out[1] == 1);
    check(times[0] > 0 && times[1] >= times[0]);
    clhls_buffer_destroy(&at);
    clhls_buffer_destroy(&to);
    clhls_buffer_destroy(&order);
}

static void chain(void) {
    uint32_t out[LEVELS + 1];
    int status;
    clhls_counters counters;
    clhls_buffer to = make(sizeof out);
    must(chain_start(device, &one, &to, LEVELS, &program));
    while ((status = chain_wait(device, &program, TIMEOUT, &counters)) == CLHLS_TIMEOUT) continue;
    must(status);
    must(clhls_buffer_read(&to, 0, out, sizeof out));
    for (uint32_t k = 0; k <= LEVELS; ++k) check(out[k] == k + 1);
    check(counters.work_items == LEVELS + 1);
    clhls_buffer_destroy(&to);
}

/* An image of 3 x 2 texels of one int32_t each, and a pipe for 4 packets of as many bytes. */
static void captured(void) {
    static const int32_t texels[8] = {1, 2, 3, 40, -50, 60};
    static const uint32_t room = 4;
    uint8_t image[captured_size_image] = {0}, pipe[captured_size_numbers] = {0};
    int32_t packets[32 + 3]; /* behind the object's counters */
    clhls_buffer picture = make(sizeof texels), object = make(384 + 128);
    const uint64_t begin = (object.address + 127) / 128 * 128;
    const uint32_t fields[8] = {12, 3, 2, 1, 0x10b0, 0x10d9, 0x364072, 1}, numbers[2] = {room, 4};
    const uint64_t slice = 24;
    memcpy(image, &picture.address, 8);
    memcpy(image + 8, &slice, 8);
    memcpy(image + 16, fields, sizeof fields);
    memcpy(pipe, &begin, 8);
    memcpy(pipe + 8, numbers, sizeof numbers);
    must(clhls_buffer_write(&picture, 0, texels, sizeof texels));
    must(clhls_buffer_write(&object, begin - object.address, &room, sizeof room));
    must(captured_launch(device, &one, QUEUE, image, pipe, 3, &program, TIMEOUT, NULL));
    must(clhls_buffer_read(&object, begin - object.address, packets, sizeof packets));
    check(!memcmp(packets + 32, texels + 3, 12));
    /* of another format than the block was built for, and with other packets */
    uint32_t other = 0x10b1;
    memcpy(image + 32, &other, 4);
    int status = captured_launch(device, &one, QUEUE, image, pipe, 3, &program, TIMEOUT, NULL);
    check(status == CLHLS_INVALID_VALUE);
    printf("%d: %s\n", status, clhls_error());
    memcpy(image + 32, fields + 4, 4);
    other = 8;
    memcpy(pipe + 12, &other, 4);
    status = captured_launch(device, &one, QUEUE, image, pipe, 3, &program, TIMEOUT, NULL);
    check(status == CLHLS_INVALID_VALUE);
    printf("%d: %s\n", status, clhls_error());
    clhls_buffer_destroy(&object);
    clhls_buffer_destroy(&picture);
}

/* Events that a kernel releases, and some that it does not: they are given back at the end of the launch. */
static void events(void) {
    static const uint32_t launches[3][2] = {{20, 0}, {5, 5}, {20, 3}};
    uint32_t valid;
    clhls_buffer to = make(4);
    for (int k = 0; k < 3; ++k) {
        must(events_launch(device, &one, &to, launches[k][0], launches[k][1], &program, TIMEOUT, NULL));
        must(clhls_buffer_read(&to, 0, &valid, sizeof valid));
        check(valid == launches[k][0]);
    }
    clhls_buffer_destroy(&to);
}

int main(void) {
    device = enqueue_open(NULL);
    must(device ? CLHLS_SUCCESS : (int)clhls_last_status());
    must(steps_create_program_memory(device, &program));
    steps();
    groups();
    wrong();
    timed();
    chain();
    captured();
    events();
    steps();
    clhls_buffer_destroy(&program);
    clhls_close(device);
    puts("ok");
    return 0;
}
