/*
 * Host runtime of clhls designs: opens a device, moves buffers, starts kernels.
 *
 * The typed functions of a design (`<design>.h`) stand on this. Everything returns CLHLS_SUCCESS (or a pointer) when it
 * worked; otherwise another clhls_status (or NULL), and clhls_error() says why. A device is used by one thread at a time.
 */
#ifndef CLHLS_H
#define CLHLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a call gives. The numbers are those of OpenCL's errors of the same meaning, where it has one. */
typedef enum {
    CLHLS_SUCCESS = 0,
    CLHLS_DEVICE_NOT_AVAILABLE = -2,      /* not there, not reachable, or gone */
    CLHLS_OUT_OF_DEVICE_MEMORY = -4,
    CLHLS_KERNEL_FAILED = -5,             /* it went wrong while it ran */
    CLHLS_OUT_OF_HOST_MEMORY = -6,
    CLHLS_INVALID_VALUE = -30,            /* text that names no device, a null pointer */
    CLHLS_INVALID_BUFFER = -38,           /* not created, or bytes outside it */
    CLHLS_INVALID_KERNEL = -48,           /* the design on the device does not have it */
    CLHLS_INVALID_ARG_SIZE = -51,         /* more local memory than the kernel was built with */
    CLHLS_INVALID_WORK_GROUP_SIZE = -54,
    CLHLS_INVALID_GLOBAL_OFFSET = -56,
    CLHLS_INVALID_BUFFER_SIZE = -61,
    CLHLS_INVALID_GLOBAL_WORK_SIZE = -63,
    CLHLS_TIMEOUT = -1000                 /* the kernel may still run: close the device */
} clhls_status;

/* What a host program was written for, as the generated code describes it. */
typedef struct {
    const char *name;   /* of the module: package/<name>.hw.xclbin */
    const char *folder; /* output directory of the build */
    unsigned baud;      /* speed of the board's serial link; 0: it has none */
} clhls_design;

/* A kernel of a design, as the generated code describes it. */
typedef struct {
    const char *name;        /* Verilog module, XRT's kernel name */
    uint32_t index;          /* number in the design */
    uint32_t words;          /* 32-bit words of arguments from register 0x10 on */
    uint32_t hidden;         /* word of work_dim; the other NDRange values follow in steps of two words */
    uint32_t max_group;      /* most work-items of a work-group */
    uint32_t default_local[3]; /* local size when the caller names none and it suits; 0: the kernel has none */
    int local_is_fixed;      /* default_local is the only one allowed */
    uint32_t sub_groups;     /* sub-groups that each work-group must have; 0: any number */
    uint32_t sub_group_size; /* work-items of a sub-group; 0 where any number is right */
    int non_uniform;         /* the last work-group of a dimension may be smaller */
    uint32_t lanes;          /* offset[0] and, of several work-groups, local[0] are multiples */
    uint32_t units;          /* copies of the datapath, which take the work-groups in turn */
} clhls_kernel;

/*
 * The work-items of a launch. Zero in `local[0]` means the local size that the kernel asks for, or one that divides the global size;
 * zero elsewhere in `global` and `local` means 1.
 */
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

/* What the last failing call of this thread was about: its status, and a sentence. */
clhls_status clhls_last_status(void);
const char *clhls_error(void);
/* The name of a status: "CLHLS_TIMEOUT". */
const char *clhls_status_name(int status);

/*
 * Opens the device that a text names; NULL: the text in the environment variable CLHLS_DEVICE, or "sim".
 *
 *   sim[:FOLDER]          the design simulated; FOLDER is the output directory of its build
 *   uart:PORT[:BAUD]      a board at a serial port, or its simulation at a pseudo-terminal
 *   xrt[:CARD][:FILE]     an Alveo card, 0 if not said, and its .xclbin
 *
 * What is left out is taken from `design`. `<design>_open` of the generated header calls this.
 */
clhls_device *clhls_open(const clhls_design *design, const char *device);

/* The hardware in the output directory of a build, simulated by `clhls serve`, a program of its own that ends with the device. The
 * command is $CLHLS, or clhls in the PATH. */
clhls_device *clhls_open_sim(const char *folder);
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
 * Runs a kernel and waits: clhls_start and clhls_wait. `registers` are its arguments (`kernel->words` words from register 0x10 on); the NDRange is put
 * in. `timeout_ms` 0 waits forever. `counters` may be NULL.
 */
int clhls_launch(clhls_device *device, const clhls_kernel *kernel, uint32_t *registers, const clhls_ndrange *range,
                 unsigned timeout_ms, clhls_counters *counters);

/*
 * Starts a kernel, which runs on by itself: kernels that pipes connect are all started before one of them is waited for. A kernel is
 * not started again before it has been waited for.
 */
int clhls_start(clhls_device *device, const clhls_kernel *kernel, uint32_t *registers, const clhls_ndrange *range);
/* Waits for the end of a kernel that has been started. */
int clhls_wait(clhls_device *device, const clhls_kernel *kernel, unsigned timeout_ms, clhls_counters *counters);

/* For generated code and further devices: remembers a status and a message, and returns the status. */
int clhls_fail(clhls_status status, const char *format, ...);

#ifdef __cplusplus
}
#endif

#endif
