/* Launches a kernel with every kind of argument on a device that only prints what it is told. */
#include <stdio.h>
#include <string.h>

#include "clhls_device.h"
#include "many.h"

static int write_registers(clhls_device *d, const clhls_kernel *k, uint32_t offset, const uint32_t *words, uint32_t n) {
    (void)d;
    (void)k;
    for (uint32_t i = 0; i < n; ++i)
        if (words[i]) printf("%03x %08x\n", offset + 4 * i, words[i]);
    return 0;
}

static int read_registers(clhls_device *d, const clhls_kernel *k, uint32_t offset, uint32_t *words, uint32_t n) {
    (void)d;
    (void)k;
    for (uint32_t i = 0; i < n; ++i) words[i] = offset == 0 ? 2 : 0;
    return 0;
}

int main(void) {
    clhls_device device = {.write_registers = write_registers, .read_registers = read_registers};
    clhls_buffer y = {.address = 0x1122334455667788u}, program = {.address = 0xabcdu};
    float v[3] = {1, 2, 3};
    unsigned char s[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    clhls_ndrange range = {.global = {12, 5}, .local = {4, 5}, .offset = {7}};
    if (many_launch(&device, &range, &y, NULL, -2, 0x3c00, 1000, v, s, -3, &program, 0, NULL)) {
        printf("%s\n", clhls_error());
        return 1;
    }
    /* more local memory than there is */
    if (many_launch(&device, &range, &y, NULL, 0, 0, 2000, v, s, 0, &program, 0, NULL) == 0) return 1;
    printf("%s\n", clhls_error());
    /* an offset that several work-items at a time do not allow */
    clhls_kernel lanes = many_kernel;
    lanes.lanes = 4;
    uint32_t registers[64] = {0};
    if (clhls_launch(&device, &lanes, registers, &range, 0, NULL) == 0) return 1;
    printf("%s\n", clhls_error());
    return 0;
}
