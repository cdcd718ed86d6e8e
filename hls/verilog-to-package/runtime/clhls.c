/* Host runtime of clhls designs: see clhls.h. */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L

#include "clhls_device.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* ------------------------------------------------------------------ messages */

static _Thread_local char message[512] = "no error";

const char *clhls_error(void) { return message; }

int clhls_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return -1;
}

/* ------------------------------------------------------------------ registers and buffers */

#define REGISTER_ARGS 0x10u
#define REGISTER_COUNTERS 0xf00u
#define REGISTER_ERRORS 0xf20u
#define CTRL_START 1u
#define CTRL_DONE 2u

void clhls_close(clhls_device *device) {
    if (device) device->close(device);
}

int clhls_buffer_create(clhls_device *device, const clhls_kernel *kernel, unsigned xrt_arg, size_t size,
                        clhls_buffer *buffer) {
    memset(buffer, 0, sizeof *buffer);
    buffer->size = size;
    if (!device) return clhls_fail("no device");
    if (size == 0) return clhls_fail("a buffer must have at least one byte");
    buffer->device = device;
    return device->create(device, kernel, xrt_arg, buffer);
}

static int in_range(const clhls_buffer *buffer, size_t offset, size_t size) {
    if (!buffer->device) return clhls_fail("the buffer has not been created");
    if (offset > buffer->size || size > buffer->size - offset)
        return clhls_fail("bytes %zu to %zu are not in a buffer of %zu bytes", offset, offset + size, buffer->size);
    return 0;
}

int clhls_buffer_write(const clhls_buffer *buffer, size_t offset, const void *data, size_t size) {
    if (in_range(buffer, offset, size)) return -1;
    return size ? buffer->device->write(buffer, offset, data, size) : 0;
}

int clhls_buffer_read(const clhls_buffer *buffer, size_t offset, void *data, size_t size) {
    if (in_range(buffer, offset, size)) return -1;
    return size ? buffer->device->read(buffer, offset, data, size) : 0;
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

/* Checks a range and puts it into the hidden registers: work_dim, global, local, groups, offset. */
static int put_ndrange(const clhls_kernel *kernel, const clhls_ndrange *range, uint32_t *registers) {
    uint32_t values[13] = {1};
    uint64_t items = 1;
    for (int d = 0; d < 3; ++d) {
        uint64_t global = range->global[d] == 0 && d > 0 ? 1 : range->global[d];
        uint32_t local = range->local[d] ? range->local[d] : range->local[0] ? 1 : kernel->default_local[d];
        if (global == 0) return clhls_fail("%s: the global size is 0", kernel->name);
        if (global + range->offset[d] > (uint64_t)1 << 32 || global >> 32)
            return clhls_fail("%s: global size and offset of dimension %d exceed 32 bits", kernel->name, d);
        int chosen = range->local[0] || kernel->local_is_fixed || kernel->non_uniform;
        if (!chosen && global % local) local = 1;
        if (kernel->local_is_fixed && local != kernel->default_local[d])
            return clhls_fail("%s: the local size must be %u x %u x %u", kernel->name, kernel->default_local[0],
                              kernel->default_local[1], kernel->default_local[2]);
        if (global % local && !kernel->non_uniform)
            return clhls_fail("%s: the local size %u of dimension %d does not divide the global size %llu",
                              kernel->name, local, d, (unsigned long long)global);
        if (d == 0 && (range->offset[0] % kernel->lanes || (local % kernel->lanes && local < global)))
            return clhls_fail("%s: built for %u work-items at a time: the offset %u and the local size %u of dimension 0 "
                              "must be multiples of that", kernel->name, kernel->lanes, range->offset[0], local);
        items *= local;
        if (items > kernel->max_group)
            return clhls_fail("%s: at most %u work-items in a work-group", kernel->name, kernel->max_group);
        if (global > 1) values[0] = (uint32_t)d + 1;
        values[1 + d] = (uint32_t)global;
        values[4 + d] = local;
        values[7 + d] = (uint32_t)((global + local - 1) / local);
        values[10 + d] = range->offset[d];
    }
    for (uint32_t i = 0; i < 13; ++i) registers[kernel->hidden + 2 * i] = values[i];
    return 0;
}

int clhls_launch(clhls_device *device, const clhls_kernel *kernel, uint32_t *registers, const clhls_ndrange *range,
                 unsigned timeout_ms, clhls_counters *counters) {
    if (!device) return clhls_fail("no device");
    if (put_ndrange(kernel, range, registers)) return -1;
    if (device->write_registers(device, kernel, REGISTER_ARGS, registers, kernel->words)) return -1;
    uint32_t control = CTRL_START;
    if (device->write_registers(device, kernel, 0, &control, 1)) return -1;
    uint64_t start = now_ms();
    for (;;) {
        /* reading clears done */
        if (device->read_registers(device, kernel, 0, &control, 1)) return -1;
        if (control & CTRL_DONE) break;
        uint64_t waited = now_ms() - start;
        if (timeout_ms && waited > timeout_ms)
            return clhls_fail("%s: not done after %u ms", kernel->name, timeout_ms);
        if (waited > 10) usleep(200);
    }
    uint32_t errors;
    if (device->read_registers(device, kernel, REGISTER_ERRORS, &errors, 1)) return -1;
    if (counters) {
        uint32_t words[8];
        if (device->read_registers(device, kernel, REGISTER_COUNTERS, words, 8)) return -1;
        uint64_t *values[4] = {&counters->cycles, &counters->work_items, &counters->read_beats, &counters->write_beats};
        for (int i = 0; i < 4; ++i) *values[i] = words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
    }
    if (errors & 1) return clhls_fail("%s: not all work-items of a work-group reached a barrier", kernel->name);
    if (errors) return clhls_fail("%s: error flags 0x%x", kernel->name, errors);
    return 0;
}

/* ------------------------------------------------------------------ serial link: the UARTBone protocol */

#define UART_KERNELS 0x80000000u
#define UART_IDENT 0xf0000000u
#define UART_MAGIC 0x53484c43u
#define UART_BURST 255u          /* words of one request */
#define UART_ALIGN 64u
#define UART_FIRST 64u           /* address 0 stays free: a null pointer is no buffer */
#define UART_SILENCE_MS 5000

typedef struct {
    clhls_device base;
    int in, out, owned;
    uint32_t kernels;
    uint64_t size, top; /* memory: all, and the first free byte */
    unsigned live;      /* buffers */
} uart_device;

static int send_all(uart_device *uart, const uint8_t *data, size_t size) {
    while (size > 0) {
        ssize_t n = write(uart->out, data, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return clhls_fail("serial link: %s", n < 0 ? strerror(errno) : "closed");
        data += n;
        size -= (size_t)n;
    }
    return 0;
}

static int receive_all(uart_device *uart, uint8_t *data, size_t size) {
    while (size > 0) {
        struct pollfd wait = {uart->in, POLLIN, 0};
        int ready = poll(&wait, 1, UART_SILENCE_MS);
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0) return clhls_fail("serial link: no answer for %d ms", UART_SILENCE_MS);
        ssize_t n = ready < 0 ? -1 : read(uart->in, data, size);
        if (n <= 0) return clhls_fail("serial link: %s", n < 0 ? strerror(errno) : "closed");
        data += n;
        size -= (size_t)n;
    }
    return 0;
}

static void put_be32(uint8_t *to, uint32_t value) {
    for (int i = 0; i < 4; ++i) to[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* Writes words at a byte address (a multiple of 4). */
static int uart_put(uart_device *uart, uint32_t address, const uint32_t *words, size_t count) {
    uint8_t frame[6 + 4 * UART_BURST];
    while (count > 0) {
        size_t n = count < UART_BURST ? count : UART_BURST;
        frame[0] = 1;
        frame[1] = (uint8_t)n;
        put_be32(frame + 2, address / 4);
        for (size_t i = 0; i < n; ++i) put_be32(frame + 6 + 4 * i, words[i]);
        if (send_all(uart, frame, 6 + 4 * n)) return -1;
        words += n;
        count -= n;
        address += (uint32_t)(4 * n);
    }
    return 0;
}

/* Reads words at a byte address (a multiple of 4). */
static int uart_get(uart_device *uart, uint32_t address, uint32_t *words, size_t count) {
    uint8_t frame[4 * UART_BURST];
    while (count > 0) {
        size_t n = count < UART_BURST ? count : UART_BURST;
        frame[0] = 2;
        frame[1] = (uint8_t)n;
        put_be32(frame + 2, address / 4);
        if (send_all(uart, frame, 6) || receive_all(uart, frame, 4 * n)) return -1;
        for (size_t i = 0; i < n; ++i)
            words[i] = (uint32_t)frame[4 * i] << 24 | (uint32_t)frame[4 * i + 1] << 16 |
                       (uint32_t)frame[4 * i + 2] << 8 | frame[4 * i + 3];
        words += n;
        count -= n;
        address += (uint32_t)(4 * n);
    }
    return 0;
}

static uint32_t uart_register(const clhls_kernel *kernel, uint32_t offset) {
    return UART_KERNELS + kernel->index * 0x1000u + offset;
}

static int uart_check(uart_device *uart, const clhls_kernel *kernel) {
    if (kernel->index < uart->kernels) return 0;
    return clhls_fail("%s: the design on the board has only %u kernels", kernel->name, uart->kernels);
}

static int uart_write_registers(clhls_device *device, const clhls_kernel *kernel, uint32_t offset,
                                const uint32_t *words, uint32_t count) {
    uart_device *uart = (uart_device *)device;
    return uart_check(uart, kernel) ? -1 : uart_put(uart, uart_register(kernel, offset), words, count);
}

static int uart_read_registers(clhls_device *device, const clhls_kernel *kernel, uint32_t offset, uint32_t *words,
                               uint32_t count) {
    uart_device *uart = (uart_device *)device;
    return uart_check(uart, kernel) ? -1 : uart_get(uart, uart_register(kernel, offset), words, count);
}

/* A stack: memory comes back when the buffer on top of it, or the last one, goes. */
static int uart_create(clhls_device *device, const clhls_kernel *kernel, unsigned xrt_arg, clhls_buffer *buffer) {
    uart_device *uart = (uart_device *)device;
    (void)kernel;
    (void)xrt_arg;
    uint64_t free_bytes = uart->size - uart->top;
    if (buffer->size > free_bytes || buffer->size > uart->size) {
        buffer->device = NULL;
        return clhls_fail("no room for %zu bytes: %llu of the board's %llu are free", buffer->size,
                          (unsigned long long)free_bytes, (unsigned long long)uart->size);
    }
    buffer->address = uart->top;
    uint64_t next = uart->top + ((buffer->size + UART_ALIGN - 1) & ~(uint64_t)(UART_ALIGN - 1));
    uart->top = next < uart->size ? next : uart->size;
    ++uart->live;
    return 0;
}

static void uart_destroy(clhls_buffer *buffer) {
    uart_device *uart = (uart_device *)buffer->device;
    uint64_t end = buffer->address + ((buffer->size + UART_ALIGN - 1) & ~(uint64_t)(UART_ALIGN - 1));
    if (end >= uart->top) uart->top = buffer->address;
    if (--uart->live == 0) uart->top = UART_FIRST;
}

/* The words that hold `size` bytes at `address`; `first` gets the byte of the first word that is meant. */
static size_t word_span(uint64_t address, size_t size, size_t *first) {
    *first = (size_t)(address % 4);
    return (*first + size + 3) / 4;
}

static int uart_read(const clhls_buffer *buffer, size_t offset, void *data, size_t size) {
    uint64_t address = buffer->address + offset;
    size_t first, count = word_span(address, size, &first);
    uint32_t *words = malloc(4 * count);
    if (!words) return clhls_fail("out of memory");
    int result = uart_get((uart_device *)buffer->device, (uint32_t)(address - first), words, count);
    for (size_t i = 0; result == 0 && i < size; ++i)
        ((uint8_t *)data)[i] = (uint8_t)(words[(first + i) / 4] >> (8 * ((first + i) % 4)));
    free(words);
    return result;
}

static int uart_write(const clhls_buffer *buffer, size_t offset, const void *data, size_t size) {
    uart_device *uart = (uart_device *)buffer->device;
    uint64_t address = buffer->address + offset;
    size_t first, count = word_span(address, size, &first);
    uint32_t start = (uint32_t)(address - first);
    uint32_t *words = calloc(count, 4);
    if (!words) return clhls_fail("out of memory");
    /* the bus writes whole words: keep the bytes around */
    int result = 0;
    if (first) result = uart_get(uart, start, words, 1);
    if (result == 0 && (first + size) % 4 && (count > 1 || !first))
        result = uart_get(uart, start + (uint32_t)(4 * (count - 1)), words + count - 1, 1);
    for (size_t i = 0; result == 0 && i < size; ++i) {
        unsigned shift = (unsigned)(8 * ((first + i) % 4));
        uint32_t *word = &words[(first + i) / 4];
        *word = (*word & ~(0xffu << shift)) | (uint32_t)((const uint8_t *)data)[i] << shift;
    }
    if (result == 0) result = uart_put(uart, start, words, count);
    free(words);
    return result;
}

static void uart_close(clhls_device *device) {
    uart_device *uart = (uart_device *)device;
    if (uart->owned) close(uart->in);
    free(uart);
}

/* Reads the identification registers: is there a clhls design at the other end? */
static clhls_device *uart_open(int in, int out, int owned) {
    uart_device *uart = calloc(1, sizeof *uart);
    if (!uart) {
        clhls_fail("out of memory");
        if (owned) close(in);
        return NULL;
    }
    uart->base = (clhls_device){uart_close, uart_write_registers, uart_read_registers, uart_create,
                                uart_write, uart_read, uart_destroy};
    uart->in = in;
    uart->out = out;
    uart->owned = owned;
    uint32_t ident[4];
    int result = uart_get(uart, UART_IDENT, ident, 4);
    if (result == 0 && ident[0] != UART_MAGIC)
        result = clhls_fail("what answers on the serial link is no clhls design (identification 0x%08x)", ident[0]);
    if (result == 0 && ident[1] != 1)
        result = clhls_fail("the design's serial shell has version %u, this program knows version 1", ident[1]);
    if (result) {
        uart_close(&uart->base);
        return NULL;
    }
    uart->kernels = ident[2];
    uart->size = ident[3];
    uart->top = UART_FIRST;
    return &uart->base;
}

clhls_device *clhls_open_stream(int read_fd, int write_fd) { return uart_open(read_fd, write_fd, 0); }

static int speed_of(unsigned baud, speed_t *speed) {
    static const struct {
        unsigned baud;
        speed_t speed;
    } known[] = {{115200, B115200},
#ifdef B921600
                 {921600, B921600},
#endif
#ifdef B1000000
                 {1000000, B1000000},
#endif
#ifdef B2000000
                 {2000000, B2000000},
#endif
#ifdef B3000000
                 {3000000, B3000000},
#endif
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        if (known[i].baud == baud) {
            *speed = known[i].speed;
            return 0;
        }
    return clhls_fail("a serial link at %u bit/s is not possible here", baud);
}

clhls_device *clhls_open_uart(const char *path, unsigned baud) {
    speed_t speed = B115200;
    if (speed_of(baud, &speed)) return NULL;
    int fd = open(path, O_RDWR | O_NOCTTY);
    if (fd < 0) {
        clhls_fail("%s: %s", path, strerror(errno));
        return NULL;
    }
    struct termios line;
    if (tcgetattr(fd, &line)) {
        clhls_fail("%s: %s", path, strerror(errno));
        close(fd);
        return NULL;
    }
    cfmakeraw(&line);
    line.c_cflag |= CLOCAL | CREAD;
    cfsetispeed(&line, speed);
    cfsetospeed(&line, speed);
    if (tcsetattr(fd, TCSANOW, &line)) {
        clhls_fail("%s: %s", path, strerror(errno));
        close(fd);
        return NULL;
    }
    /* a command that an earlier program left unfinished is forgotten after 100 ms */
    usleep(120000);
    tcflush(fd, TCIOFLUSH);
    return uart_open(fd, fd, 1);
}
