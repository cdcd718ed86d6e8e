/* Prints the local sizes that the runtime chooses, and what it says of ranges that are not possible. */
#include <stdio.h>

#include "clhls_device.h"
#include "many.h"

static int write_registers(clhls_device *d, const clhls_kernel *k, uint32_t offset, const uint32_t *words, uint32_t n) {
    (void)d;
    (void)n;
    const uint32_t *local = words + k->hidden + 8;
    if (offset) printf("%u %u %u\n", local[0], local[2], local[4]);
    return 0;
}

static int read_registers(clhls_device *d, const clhls_kernel *k, uint32_t offset, uint32_t *words, uint32_t n) {
    (void)d;
    (void)k;
    for (uint32_t i = 0; i < n; ++i) words[i] = offset == 0 ? 2 : 0;
    return 0;
}

static void launch(uint32_t lanes, clhls_ndrange range) {
    clhls_device device = {.write_registers = write_registers, .read_registers = read_registers};
    clhls_kernel kernel = many_kernel;
    kernel.lanes = lanes;
    kernel.non_uniform = 0;
    uint32_t registers[64] = {0};
    int status = clhls_launch(&device, &kernel, registers, &range, 0, NULL);
    if (status) printf("%d: %s\n", status, clhls_error());
}

/* Two sub-groups of 16, of at most 30 work-items. */
static void divided(int non_uniform, clhls_ndrange range) {
    clhls_device device = {.write_registers = write_registers, .read_registers = read_registers};
    clhls_kernel kernel = many_kernel;
    kernel.max_group = 30;
    kernel.sub_groups = 2;
    kernel.sub_group_size = 16;
    kernel.non_uniform = non_uniform;
    uint32_t registers[64] = {0};
    int status = clhls_launch(&device, &kernel, registers, &range, 0, NULL);
    if (status) printf("%d: %s\n", status, clhls_error());
}

int main(void) {
    launch(1, (clhls_ndrange){.global = {1000}});
    launch(1, (clhls_ndrange){.global = {10, 50}});
    launch(1, (clhls_ndrange){.global = {1}});
    launch(4, (clhls_ndrange){.global = {300}});
    launch(4, (clhls_ndrange){.global = {1028}});
    launch(1, (clhls_ndrange){.global = {0, 1, 1}});
    launch(1, (clhls_ndrange){.global = {(uint64_t)1 << 32, 1, 1}});
    launch(1, (clhls_ndrange){.global = {16, 1, 1}, .offset = {0xfffffff1u}});
    launch(1, (clhls_ndrange){.global = {16, 1, 1}, .local = {5, 1, 1}});
    launch(1, (clhls_ndrange){.global = {512, 1, 1}, .local = {512, 1, 1}});
    launch(4, (clhls_ndrange){.global = {16, 1, 1}, .local = {2, 1, 1}});
    divided(0, (clhls_ndrange){.global = {1000}});
    divided(0, (clhls_ndrange){.global = {3, 26}});
    divided(0, (clhls_ndrange){.global = {2, 2, 35}});
    divided(0, (clhls_ndrange){.global = {37}});
    divided(1, (clhls_ndrange){.global = {54}});
    divided(1, (clhls_ndrange){.global = {37}});
    divided(1, (clhls_ndrange){.global = {47}, .local = {30}});
    divided(1, (clhls_ndrange){.global = {46}, .local = {30}});
    divided(0, (clhls_ndrange){.global = {32}, .local = {16}});
    const clhls_design design = {.name = "many", .folder = "."};
    if (!clhls_open(&design, "simulator")) printf("%d: %s\n", clhls_last_status(), clhls_error());
    return 0;
}
