/* Three connected kernels, started in two orders, each waited for in another one; one that waits for a packet that never comes. */
#include "chain.h"

#include "../check.h"

enum { N = 300, FACTOR = 7 };

static int in[N], out[N];

static void results(const clhls_buffer *to) {
    must(clhls_buffer_read(to, 0, out, sizeof out));
    for (int k = 0; k < N; ++k) check(out[k] == in[k] * FACTOR - k);
    memset(out, 0, sizeof out);
    must(clhls_buffer_write(to, 0, out, sizeof out));
}

int main(void) {
    clhls_device *device = chain_open(NULL);
    must(device ? CLHLS_SUCCESS : (int)clhls_last_status());
    for (int k = 0; k < N; ++k) in[k] = k * 7919 % 1000 - 500;
    clhls_buffer from, to;
    must(clhls_buffer_create(device, &source_kernel, source_arg_in, sizeof in, &from));
    must(clhls_buffer_create(device, &sink_kernel, sink_arg_out, sizeof out, &to));
    must(clhls_buffer_write(&from, 0, in, sizeof in));
    must(clhls_buffer_write(&to, 0, out, sizeof out));
    const clhls_ndrange one = {.global = {1}};
    clhls_counters counters;

    must(source_start(device, &one, &from, N));
    must(stage_start(device, &one, FACTOR, N));
    must(sink_start(device, &one, &to, N));
    must(sink_wait(device, 60000, &counters));
    check(counters.work_items == 1 && counters.cycles > N);
    results(&to);
    must(source_wait(device, 60000, NULL));
    must(stage_wait(device, 60000, &counters));
    check(counters.work_items == 1);

    must(sink_start(device, &one, &to, N));
    must(stage_start(device, &one, FACTOR, N));
    /* nobody has sent anything: it is still waiting, and that is no mistake */
    refused(CLHLS_TIMEOUT, sink_wait(device, 50, NULL));
    must(source_start(device, &one, &from, N));
    must(source_wait(device, 0, NULL));
    must(stage_wait(device, 0, NULL));
    must(sink_wait(device, 0, NULL));
    results(&to);

    clhls_close(device);
    puts("ok");
    return 0;
}
