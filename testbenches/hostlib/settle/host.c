/* Gives a kernel a structure, vectors and local memory, and does in C what it must do with them. */
#include "settle.h"

#include "../check.h"

typedef struct {
    int32_t scale;
    uint8_t tag[4];
    int64_t base;
} settings;

_Static_assert(sizeof(settings) == settle_size_s, "the structure as OpenCL C lays it out");

enum { N = 96, LOCAL = 32 };

int main(void) {
    static const int weights[4] = {3, -5, 7, 11};
    clhls_device *device = settle_open(NULL);
    must(device ? CLHLS_SUCCESS : (int)clhls_last_status());
    int32_t in[N];
    int64_t out[N];
    for (int i = 0; i < N; ++i) in[i] = i * 1000003;
    settings s = {-7, {1, 20, 255, 128}, 1ll << 40};
    float v[4] = {1, -1234.5f, 2, 3};
    int16_t w[3] = {1, 2, -300};
    clhls_buffer din, dout, program;
    must(clhls_buffer_create(device, &settle_kernel, settle_arg_in, sizeof in, &din));
    must(clhls_buffer_create(device, &settle_kernel, settle_arg_out, sizeof out, &dout));
    must(clhls_buffer_write(&din, 0, in, sizeof in));
    must(settle_create_program_memory(device, &program));
    clhls_ndrange range = {.global = {N}, .local = {LOCAL}};
    must(settle_launch(device, &range, &din, &s, v, -5, LOCAL * sizeof(int32_t), w, &dout, &program, 60000, NULL));
    must(clhls_buffer_read(&dout, 0, out, sizeof out));
    for (int i = 0; i < N; ++i) {
        int l = LOCAL - 1 - i % LOCAL, from = i - i % LOCAL + l;
        int32_t turned = (int32_t)((uint32_t)in[from] * (uint32_t)s.scale + s.tag[l & 3]);
        check(out[i] == turned + s.base - 5 - 1234 + -300 * weights[i & 3]);
    }
    refused(CLHLS_INVALID_ARG_SIZE, settle_launch(device, &range, &din, &s, v, 0, 1u << 30, w, &dout, &program, 0, NULL));
    clhls_close(device);
    puts("ok");
    return 0;
}
