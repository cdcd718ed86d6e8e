/* Host runtime of clhls designs: see clhls.h. */
#define _POSIX_C_SOURCE 200809L

#include "clhls_device.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------------------------ messages */

static _Thread_local char message[512] = "no error";
static _Thread_local clhls_status last = CLHLS_SUCCESS;

const char *clhls_error(void) { return message; }

clhls_status clhls_last_status(void) { return last; }

int clhls_fail(clhls_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    last = status;
    return status;
}

const char *clhls_status_name(int status) {
    switch (status) {
#define NAME(status) case status: return #status
    NAME(CLHLS_SUCCESS);
    NAME(CLHLS_DEVICE_NOT_AVAILABLE);
    NAME(CLHLS_OUT_OF_DEVICE_MEMORY);
    NAME(CLHLS_KERNEL_FAILED);
    NAME(CLHLS_OUT_OF_HOST_MEMORY);
    NAME(CLHLS_INVALID_VALUE);
    NAME(CLHLS_INVALID_BUFFER);
    NAME(CLHLS_INVALID_KERNEL);
    NAME(CLHLS_INVALID_ARG_SIZE);
    NAME(CLHLS_INVALID_WORK_GROUP_SIZE);
    NAME(CLHLS_INVALID_GLOBAL_OFFSET);
    NAME(CLHLS_INVALID_BUFFER_SIZE);
    NAME(CLHLS_INVALID_GLOBAL_WORK_SIZE);
    NAME(CLHLS_TIMEOUT);
#undef NAME
    }
    return "unknown status";
}

/* ------------------------------------------------------------------ devices by name */

/* What follows a device's kind in its name, "" if nothing does; NULL if it is of another kind. */
static const char *after(const char *device, const char *kind) {
    size_t length = strlen(kind);
    if (strncmp(device, kind, length)) return NULL;
    if (device[length] == ':') return device + length + 1;
    return device[length] ? NULL : "";
}

static clhls_device *open_uart(const clhls_design *design, const char *port) {
    char path[256];
    unsigned baud = design->baud ? design->baud : 115200;
    const char *speed = strrchr(port, ':');
    size_t length = speed ? (size_t)(speed - port) : strlen(port);
    if (speed) baud = (unsigned)strtoul(speed + 1, NULL, 10);
    if (length == 0 || length >= sizeof path) {
        clhls_fail(CLHLS_INVALID_VALUE, "uart:%s: a serial port is missing, such as uart:/dev/ttyUSB0", port);
        return NULL;
    }
    memcpy(path, port, length);
    path[length] = 0;
    return clhls_open_uart(path, baud);
}

static clhls_device *open_xrt(const clhls_design *design, const char *rest) {
    unsigned card = 0;
    char *end = (char *)rest;
    if (isdigit((unsigned char)*rest)) card = (unsigned)strtoul(rest, &end, 10);
    if (end != rest && (*end == ':' || *end == 0)) rest = *end ? end + 1 : end;
    else card = 0;
    if (*rest) return clhls_open_xrt(card, rest);
    size_t size = strlen(design->folder) + strlen(design->name) + sizeof "/package/.hw.xclbin";
    char *path = malloc(size);
    if (!path) {
        clhls_fail(CLHLS_OUT_OF_HOST_MEMORY, "out of memory");
        return NULL;
    }
    snprintf(path, size, "%s/package/%s.hw.xclbin", design->folder, design->name);
    clhls_device *opened = clhls_open_xrt(card, path);
    free(path);
    return opened;
}

clhls_device *clhls_open(const clhls_design *design, const char *device) {
    const char *rest;
    if (!device) device = getenv("CLHLS_DEVICE");
    if (!device || !*device) device = "sim";
    if ((rest = after(device, "sim"))) return clhls_open_sim(*rest ? rest : design->folder);
    if ((rest = after(device, "uart"))) return open_uart(design, rest);
    if ((rest = after(device, "xrt"))) return open_xrt(design, rest);
    clhls_fail(CLHLS_INVALID_VALUE, "no device \"%s\": sim[:FOLDER], uart:PORT[:BAUD] and xrt[:CARD][:FILE] are known", device);
    return NULL;
}

/* ------------------------------------------------------------------ registers and buffers */

#define REGISTER_ARGS 0x10u
#define REGISTER_COUNTERS 0xf00u
#define CTRL_START 1u
#define CTRL_DONE 2u

void clhls_close(clhls_device *device) {
    if (device) device->close(device);
}

int clhls_buffer_create(clhls_device *device, const clhls_kernel *kernel, unsigned xrt_arg, size_t size,
                        clhls_buffer *buffer) {
    memset(buffer, 0, sizeof *buffer);
    buffer->size = size;
    if (!device) return clhls_fail(CLHLS_INVALID_VALUE, "no device");
    if (size == 0) return clhls_fail(CLHLS_INVALID_BUFFER_SIZE, "a buffer must have at least one byte");
    buffer->device = device;
    return device->create(device, kernel, xrt_arg, buffer);
}

static int in_range(const clhls_buffer *buffer, size_t offset, size_t size) {
    if (!buffer->device) return clhls_fail(CLHLS_INVALID_BUFFER, "the buffer has not been created");
    if (offset > buffer->size || size > buffer->size - offset)
        return clhls_fail(CLHLS_INVALID_BUFFER, "%zu bytes from %zu on are not in a buffer of %zu bytes", size, offset,
                          buffer->size);
    return 0;
}

int clhls_buffer_write(const clhls_buffer *buffer, size_t offset, const void *data, size_t size) {
    int status = in_range(buffer, offset, size);
    return status || size == 0 ? status : buffer->device->write(buffer, offset, data, size);
}

int clhls_buffer_read(const clhls_buffer *buffer, size_t offset, void *data, size_t size) {
    int status = in_range(buffer, offset, size);
    return status || size == 0 ? status : buffer->device->read(buffer, offset, data, size);
}

void clhls_buffer_destroy(clhls_buffer *buffer) {
    if (buffer->device) buffer->device->destroy(buffer);
    memset(buffer, 0, sizeof *buffer);
}

/* ------------------------------------------------------------------ launch */

static uint64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* In each dimension the largest divisor of the global size for which there is room; the work-items of such a group. */
static uint64_t largest_local(const clhls_kernel *kernel, const uint64_t *global, uint64_t room, uint32_t *local) {
    uint64_t items = 1;
    for (int d = 0; d < 3; ++d) {
        uint64_t size = global[d] < room ? global[d] : room;
        while (size > 1 && (global[d] % size || (d == 0 && size % kernel->lanes && size < global[d]))) --size;
        local[d] = (uint32_t)size;
        items *= size;
        room /= size;
    }
    return items;
}

/* Work-items of a work-group that has another number of sub-groups than the kernel asks for: of a whole one, else of the smallest,
 * which is what is left at the ends. 0 if all have as many. */
static uint64_t sub_group_misfit(const clhls_kernel *kernel, const uint64_t *global, const uint32_t *local) {
    uint64_t whole = 1, smallest = 1, size = kernel->sub_group_size;
    if (kernel->sub_groups == 0) return 0;
    for (int d = 0; d < 3; ++d) {
        uint64_t rest = global[d] % local[d];
        whole *= local[d];
        smallest *= rest ? rest : local[d];
    }
    if ((whole + size - 1) / size != kernel->sub_groups) return whole;
    return (smallest + size - 1) / size != kernel->sub_groups ? smallest : 0;
}

/* Whether rows of so many work-items begin where they must. */
static int row_suits(const clhls_kernel *kernel, const uint64_t *global, uint64_t size) {
    return size % kernel->lanes == 0 || size == global[0];
}

/* A local size with which all work-groups have as many sub-groups as the kernel asks for: one that divides the global size, or any.
 * The largest in dimension 0 that is possible, then in dimension 1. Whether there is one. */
static int divided_local(const clhls_kernel *kernel, const uint64_t *global, int uniform, uint32_t *local) {
    const uint64_t most = kernel->max_group, least = (uint64_t)(kernel->sub_groups - 1) * kernel->sub_group_size + 1;
    for (uint64_t x = global[0] < most ? global[0] : most; x > 0; --x) {
        if (!row_suits(kernel, global, x) || (uniform && global[0] % x)) continue;
        for (uint64_t y = global[1] < most / x ? global[1] : most / x; y > 0; --y) {
            if (uniform && global[1] % y) continue;
            for (uint64_t z = global[2] < most / (x * y) ? global[2] : most / (x * y); z > 0 && x * y * z >= least; --z) {
                if (uniform && global[2] % z) continue;
                local[0] = (uint32_t)x;
                local[1] = (uint32_t)y;
                local[2] = (uint32_t)z;
                if (sub_group_misfit(kernel, global, local) == 0) return 1;
            }
        }
    }
    return 0;
}

/* The local size of a caller who names none: the kernel's own if it suits, else one with the sub-groups that the kernel asks for,
 * else in each dimension the largest divisor of the global size for which there is room. Several compute units get four groups each or more, unless only tiny ones divide the size. */
static int choose_local(const clhls_kernel *kernel, const uint64_t *global, uint32_t *local) {
    uint64_t items = 1;
    int suits = kernel->default_local[0] != 0;
    for (int d = 0; d < 3; ++d) {
        local[d] = kernel->default_local[d];
        items *= local[d];
        if (suits && global[d] % local[d] && !kernel->non_uniform) suits = 0;
    }
    if (suits && items <= kernel->max_group && sub_group_misfit(kernel, global, local)) suits = 0;
    if (kernel->local_is_fixed || (suits && items <= kernel->max_group)) return CLHLS_SUCCESS;
    if (kernel->sub_groups) {
        if (divided_local(kernel, global, 1, local)) return CLHLS_SUCCESS;
        if (kernel->non_uniform && divided_local(kernel, global, 0, local)) return CLHLS_SUCCESS;
        return clhls_fail(CLHLS_INVALID_WORK_GROUP_SIZE,
                          "%s: the global size does not divide into work-groups of %u sub-groups of %u work-items", kernel->name,
                          kernel->sub_groups, kernel->sub_group_size);
    }
    uint64_t room = kernel->max_group;
    if (kernel->units > 1) {
        uint64_t all = global[0] * global[1] * global[2], each = all / kernel->units;
        uint64_t most = all / (4 * (uint64_t)kernel->units), least = each < 64 ? each : 64;
        if (most < least) most = least;
        if (most < room) room = most ? most : 1;
    }
    int small = largest_local(kernel, global, room, local) < room / 4;
    if (small || (local[0] % kernel->lanes && local[0] < global[0])) largest_local(kernel, global, kernel->max_group, local);
    return CLHLS_SUCCESS;
}

static int check_local(const clhls_kernel *kernel, const uint64_t *global, const uint32_t *local, uint32_t offset) {
    uint64_t items = 1;
    for (int d = 0; d < 3; ++d) {
        if (kernel->local_is_fixed && local[d] != kernel->default_local[d])
            return clhls_fail(CLHLS_INVALID_WORK_GROUP_SIZE, "%s: the local size must be %u x %u x %u", kernel->name,
                              kernel->default_local[0], kernel->default_local[1], kernel->default_local[2]);
        if (global[d] % local[d] && !kernel->non_uniform)
            return clhls_fail(CLHLS_INVALID_WORK_GROUP_SIZE,
                              "%s: the local size %u of dimension %d does not divide the global size %llu",
                              kernel->name, local[d], d, (unsigned long long)global[d]);
        items *= local[d];
        if (items > kernel->max_group)
            return clhls_fail(CLHLS_INVALID_WORK_GROUP_SIZE, "%s: at most %u work-items in a work-group", kernel->name,
                              kernel->max_group);
    }
    uint64_t misfit = sub_group_misfit(kernel, global, local);
    if (misfit)
        return clhls_fail(CLHLS_INVALID_WORK_GROUP_SIZE,
                          "%s: work-groups must have %u sub-groups of %u work-items: the local size %u x %u x %u gives one of %llu "
                          "work-items", kernel->name, kernel->sub_groups, kernel->sub_group_size, local[0], local[1], local[2],
                          (unsigned long long)misfit);
    if (offset % kernel->lanes || (local[0] % kernel->lanes && local[0] < global[0]))
        return clhls_fail(CLHLS_INVALID_WORK_GROUP_SIZE,
                          "%s: built for %u work-items at a time: the offset %u and the local size %u of dimension 0 "
                          "must be multiples of that", kernel->name, kernel->lanes, offset, local[0]);
    return CLHLS_SUCCESS;
}

/* Checks a range and puts it into the hidden registers: work_dim, global, local, groups, offset. */
static int put_ndrange(const clhls_kernel *kernel, const clhls_ndrange *range, uint32_t *registers) {
    uint64_t global[3];
    uint32_t local[3], values[13] = {1};
    for (int d = 0; d < 3; ++d) {
        global[d] = range->global[d] == 0 && d > 0 ? 1 : range->global[d];
        local[d] = range->local[d] ? range->local[d] : 1;
        if (global[d] == 0 || global[d] >> 32)
            return clhls_fail(CLHLS_INVALID_GLOBAL_WORK_SIZE, "%s: the global size %llu of dimension %d is not 1 to 4294967295",
                              kernel->name, (unsigned long long)global[d], d);
        if (global[d] + range->offset[d] > (uint64_t)1 << 32)
            return clhls_fail(CLHLS_INVALID_GLOBAL_OFFSET, "%s: global size and offset of dimension %d exceed 32 bits",
                              kernel->name, d);
    }
    int status = range->local[0] == 0 ? choose_local(kernel, global, local) : CLHLS_SUCCESS;
    if (!status) status = check_local(kernel, global, local, range->offset[0]);
    if (status) return status;
    for (int d = 0; d < 3; ++d) {
        if (global[d] > 1) values[0] = (uint32_t)d + 1;
        values[1 + d] = (uint32_t)global[d];
        values[4 + d] = local[d];
        values[7 + d] = (uint32_t)((global[d] + local[d] - 1) / local[d]);
        values[10 + d] = range->offset[d];
    }
    for (uint32_t i = 0; i < 13; ++i) registers[kernel->hidden + 2 * i] = values[i];
    return CLHLS_SUCCESS;
}

int clhls_start(clhls_device *device, const clhls_kernel *kernel, uint32_t *registers, const clhls_ndrange *range) {
    if (!device || !range) return clhls_fail(CLHLS_INVALID_VALUE, "no %s", device ? "range" : "device");
    const uint32_t control = CTRL_START;
    int status = put_ndrange(kernel, range, registers);
    if (!status) status = device->write_registers(device, kernel, REGISTER_ARGS, registers, kernel->words);
    if (!status) status = device->write_registers(device, kernel, 0, &control, 1);
    return status;
}

/* Waits until a kernel is done. */
static int until_done(clhls_device *device, const clhls_kernel *kernel, unsigned timeout_ms) {
    const uint64_t start = now_ms();
    for (;;) {
        /* reading clears done */
        uint32_t control;
        int status = device->read_registers(device, kernel, 0, &control, 1);
        if (status || control & CTRL_DONE) return status;
        uint64_t waited = now_ms() - start;
        if (timeout_ms && waited > timeout_ms)
            return clhls_fail(CLHLS_TIMEOUT, "%s: not done after %u ms", kernel->name, timeout_ms);
        if (waited > 10) nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
}

int clhls_wait(clhls_device *device, const clhls_kernel *kernel, unsigned timeout_ms, clhls_counters *counters) {
    if (!device) return clhls_fail(CLHLS_INVALID_VALUE, "no device");
    int status = until_done(device, kernel, timeout_ms);
    /* the counters, 64 bits each, and the error flags behind them */
    uint32_t words[9];
    if (!status) status = device->read_registers(device, kernel, REGISTER_COUNTERS, words, 9);
    if (status) return status;
    if (counters) {
        uint64_t *values[4] = {&counters->cycles, &counters->work_items, &counters->read_beats, &counters->write_beats};
        for (int i = 0; i < 4; ++i) *values[i] = words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
    }
    if (words[8] & 1)
        return clhls_fail(CLHLS_KERNEL_FAILED, "%s: not all work-items of a work-group reached a barrier", kernel->name);
    return words[8] ? clhls_fail(CLHLS_KERNEL_FAILED, "%s: error flags 0x%x", kernel->name, words[8]) : CLHLS_SUCCESS;
}

int clhls_launch(clhls_device *device, const clhls_kernel *kernel, uint32_t *registers, const clhls_ndrange *range,
                 unsigned timeout_ms, clhls_counters *counters) {
    int status = clhls_start(device, kernel, registers, range);
    return status ? status : clhls_wait(device, kernel, timeout_ms, counters);
}
