/*
 * Kernels that kernels enqueue (OpenCL C 2.0, enqueue_kernel): the host launches them when their parent is over.
 *
 * For generated code: `<kernel>_start`, `<kernel>_wait` and `<kernel>_launch` of kernels that may enqueue call this. What a kernel
 * enqueues is part of its launch, which waits for all of it. Launches that use the same program memory run one after the other.
 */
#ifndef CLHLS_ENQUEUE_H
#define CLHLS_ENQUEUE_H

#include "clhls.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The queue that get_default_queue() gives, and what a kernel takes for an argument queue_t; 0 is the null queue. */
#define CLHLS_DEFAULT_QUEUE 1u

/* What an argument of a block is. */
typedef enum { CLHLS_BLOCK_LOCAL, CLHLS_BLOCK_IMAGE, CLHLS_BLOCK_PIPE } clhls_block_kind;

/* An argument of a block behind the block's data. */
typedef struct {
    const char *name;
    clhls_block_kind kind;
    uint32_t word;  /* first of the words of an image or a pipe, counted from register 0x10 */
    uint32_t bytes; /* of local memory: as many as there are; of the packets of a pipe, 0: any */
    uint32_t order; /* channel order of the only images that there may be, as OpenCL numbers it; 0: any */
    uint32_t type;  /* and their channel data type */
} clhls_block_arg;

/* A kernel made of a block, which only kernels enqueue. Its first argument are the block's data. */
typedef struct {
    const clhls_kernel *kernel;
    uint32_t data; /* bytes of the block's data */
    const clhls_block_arg *args;
    uint32_t arg_count;
    int has_program;  /* it uses program-scope variables */
    uint32_t program; /* first word of their address */
} clhls_block;

/* A place in the source that enqueues something. */
typedef struct {
    const clhls_block *block; /* NULL: a marker */
    const char *source;       /* file:line:column, "" if it is not known */
} clhls_enqueue_site;

/* The queue of a design. */
typedef struct {
    uint64_t offset; /* in the program memory */
    const clhls_enqueue_site *sites;
    uint32_t site_count;
} clhls_queue;

/* Makes the queue in a new program memory ready. */
int clhls_enqueue_prepare(const clhls_queue *queue, const clhls_buffer *program);
/* clhls_start for a kernel that may enqueue others. */
int clhls_enqueue_start(clhls_device *device, const clhls_kernel *kernel, const clhls_queue *queue, const clhls_buffer *program,
                        uint32_t *registers, const clhls_ndrange *range);
/*
 * clhls_wait for such a kernel: launches all that it has enqueued, and what that enqueues, until nothing is left. `timeout_ms` is for
 * all of it, and so are the counters. When the kernel itself is not done in time it can be waited for again.
 */
int clhls_enqueue_wait(clhls_device *device, const clhls_kernel *kernel, const clhls_queue *queue, const clhls_buffer *program,
                       unsigned timeout_ms, clhls_counters *counters);

#ifdef __cplusplus
}
#endif

#endif
