/* Boards with a serial link, which speaks the UARTBone protocol. See clhls.h. */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L

#include "clhls_device.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define UART_KERNELS 0x80000000u
#define UART_IDENT 0xf0000000u
#define UART_MAGIC 0x53484c43u
#define UART_BURST 255u          /* words of one request */
#define UART_ALIGN 64u
#define UART_FIRST 64u           /* address 0 stays free: a null pointer is no buffer */
#define UART_SILENCE_MS 25000    /* a simulated board takes seconds for what is in its input */

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
        if (n <= 0) return clhls_fail(CLHLS_DEVICE_NOT_AVAILABLE, "serial link: %s", n < 0 ? strerror(errno) : "closed");
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
        if (ready == 0) return clhls_fail(CLHLS_DEVICE_NOT_AVAILABLE, "serial link: no answer for %d ms", UART_SILENCE_MS);
        ssize_t n = ready < 0 ? -1 : read(uart->in, data, size);
        if (n <= 0) return clhls_fail(CLHLS_DEVICE_NOT_AVAILABLE, "serial link: %s", n < 0 ? strerror(errno) : "closed");
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
        int status = send_all(uart, frame, 6 + 4 * n);
        if (status) return status;
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
        int status = send_all(uart, frame, 6);
        if (!status) status = receive_all(uart, frame, 4 * n);
        if (status) return status;
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
    return clhls_fail(CLHLS_INVALID_KERNEL, "%s: the design on the board has only %u kernels", kernel->name, uart->kernels);
}

static int uart_write_registers(clhls_device *device, const clhls_kernel *kernel, uint32_t offset,
                                const uint32_t *words, uint32_t count) {
    uart_device *uart = (uart_device *)device;
    int status = uart_check(uart, kernel);
    return status ? status : uart_put(uart, uart_register(kernel, offset), words, count);
}

static int uart_read_registers(clhls_device *device, const clhls_kernel *kernel, uint32_t offset, uint32_t *words,
                               uint32_t count) {
    uart_device *uart = (uart_device *)device;
    int status = uart_check(uart, kernel);
    return status ? status : uart_get(uart, uart_register(kernel, offset), words, count);
}

/* A stack: memory comes back when the buffer on top of it, or the last one, goes. */
static int uart_create(clhls_device *device, const clhls_kernel *kernel, unsigned xrt_arg, clhls_buffer *buffer) {
    uart_device *uart = (uart_device *)device;
    (void)kernel;
    (void)xrt_arg;
    uint64_t free_bytes = uart->size - uart->top;
    if (buffer->size > free_bytes || buffer->size > uart->size) {
        buffer->device = NULL;
        return clhls_fail(CLHLS_OUT_OF_DEVICE_MEMORY, "no room for %zu bytes: %llu of the board's %llu are free",
                          buffer->size, (unsigned long long)free_bytes, (unsigned long long)uart->size);
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
    if (!words) return clhls_fail(CLHLS_OUT_OF_HOST_MEMORY, "out of memory");
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
    if (!words) return clhls_fail(CLHLS_OUT_OF_HOST_MEMORY, "out of memory");
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
        clhls_fail(CLHLS_OUT_OF_HOST_MEMORY, "out of memory");
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
        result = clhls_fail(CLHLS_DEVICE_NOT_AVAILABLE, "what answers on the serial link is no clhls design (identification 0x%08x)", ident[0]);
    if (result == 0 && ident[1] != 1)
        result = clhls_fail(CLHLS_DEVICE_NOT_AVAILABLE, "the design's serial shell has version %u, this program knows version 1", ident[1]);
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
    return clhls_fail(CLHLS_INVALID_VALUE, "a serial link at %u bit/s is not possible here", baud);
}

clhls_device *clhls_open_uart(const char *path, unsigned baud) {
    speed_t speed = B115200;
    if (speed_of(baud, &speed)) return NULL;
    int fd = open(path, O_RDWR | O_NOCTTY);
    if (fd < 0) {
        clhls_fail(CLHLS_DEVICE_NOT_AVAILABLE, "%s: %s", path, strerror(errno));
        return NULL;
    }
    struct termios line;
    if (tcgetattr(fd, &line)) {
        clhls_fail(CLHLS_DEVICE_NOT_AVAILABLE, "%s: %s", path, strerror(errno));
        close(fd);
        return NULL;
    }
    cfmakeraw(&line);
    line.c_cflag |= CLOCAL | CREAD;
    cfsetispeed(&line, speed);
    cfsetospeed(&line, speed);
    if (tcsetattr(fd, TCSANOW, &line)) {
        clhls_fail(CLHLS_DEVICE_NOT_AVAILABLE, "%s: %s", path, strerror(errno));
        close(fd);
        return NULL;
    }
    /* a command that an earlier program left unfinished is forgotten after 100 ms */
    usleep(120000);
    tcflush(fd, TCIOFLUSH);
    return uart_open(fd, fd, 1);
}
