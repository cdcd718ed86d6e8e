/*
 * Host runtime of clhls designs: opens a board, moves buffers, starts kernels.
 *
 * The typed functions of a design (`<design>.h`) stand on this. Everything returns 0 (or a pointer) when it worked;
 * otherwise -1 (or NULL), and clhls_error() says why. A device is used by one thread at a time.
 */
#ifndef CLHLS_H
#define CLHLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel of a design, as the generated code describes it. */
typedef struct {
    const char *name;        /* Verilog module, XRT's kernel name */
    uint32_t index;          /* number in the design */
    uint32_t words;          /* 32-bit words of arguments from register 0x10 on */
    uint32_t hidden;         /* word of work_dim; the other NDRange values follow in steps of two words */
    uint32_t max_group;      /* most work-items of a work-group */
    uint32_t default_local[3]; /* local size when the caller names none */
    int local_is_fixed;      /* default_local is the only one allowed */
    int non_uniform;         /* the last work-group of a dimension may be smaller */
    uint32_t lanes;          /* work-items at a time: offset[0] and, of several work-groups, local[0] are multiples */
} clhls_kernel;

/* The work-items of a launch. Zero in `local` means the kernel's default; zero in `global[1]`, `global[2]` means 1. */
typedef struct {
    uint64_t global[3];
    uint32_t local[3];
    uint32_t offset[3];
} clhls_ndrange;

/* Results of the hardware's counters after a launch. */
typedef struct {
    uint64_t cycles;
    uint64_t work_items;
    uint64_t read_beats;
    uint64_t write_beats;
} clhls_counters;

typedef struct clhls_device clhls_device;

/* Memory on the device. `address` is what kernels see. */
typedef struct {
    clhls_device *device;
    uint64_t address;
    size_t size;
    void *handle;
} clhls_buffer;

/* What the last failing call of this thread was about. */
const char *clhls_error(void);

/* A board with a serial link: `path` is its port (/dev/ttyUSB0), `baud` its speed. */
clhls_device *clhls_open_uart(const char *path, unsigned baud);
/* The same protocol over two file descriptors (pipes, a socket twice): a simulation. They stay the caller's. */
clhls_device *clhls_open_stream(int read_fd, int write_fd);
/* An Alveo card through XRT, loaded at run time: card number and .xclbin file. Also XRT's emulation. */
clhls_device *clhls_open_xrt(unsigned card, const char *xclbin);
/* Closes the device. Buffers of it must not be used any more. */
void clhls_close(clhls_device *device);

/* Allocates `size` bytes that argument `xrt_arg` (number in kernel.xml) of `kernel` can be given. */
int clhls_buffer_create(clhls_device *device, const clhls_kernel *kernel, unsigned xrt_arg, size_t size,
                        clhls_buffer *buffer);
int clhls_buffer_write(const clhls_buffer *buffer, size_t offset, const void *data, size_t size);
int clhls_buffer_read(const clhls_buffer *buffer, size_t offset, void *data, size_t size);
/* Gives the memory back. On serial boards it is reused once all buffers created later are gone too. */
void clhls_buffer_destroy(clhls_buffer *buffer);

/*
 * Runs a kernel and waits. `registers` are its arguments (`kernel->words` words from register 0x10 on); the NDRange is put
 * in. `timeout_ms` 0 waits forever. `counters` may be NULL.
 */
int clhls_launch(clhls_device *device, const clhls_kernel *kernel, uint32_t *registers, const clhls_ndrange *range,
                 unsigned timeout_ms, clhls_counters *counters);

/* For generated code: remembers a message for clhls_error() and returns -1. */
int clhls_fail(const char *format, ...);

#ifdef __cplusplus
}
#endif

#endif
