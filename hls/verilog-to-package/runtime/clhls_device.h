/* What a link to a board can do: for the runtime's own files. */
#ifndef CLHLS_DEVICE_H
#define CLHLS_DEVICE_H

#include "clhls.h"

/* Functions return CLHLS_SUCCESS or what clhls_fail() gave. Buffer ranges have been checked and are not empty. */
struct clhls_device {
    void (*close)(clhls_device *);
    /* `offset`: byte address in the kernel's register map */
    int (*write_registers)(clhls_device *, const clhls_kernel *, uint32_t offset, const uint32_t *, uint32_t words);
    int (*read_registers)(clhls_device *, const clhls_kernel *, uint32_t offset, uint32_t *, uint32_t words);
    /* `size` and `device` are set; sets `address` and `handle`; clears `device` when it fails */
    int (*create)(clhls_device *, const clhls_kernel *, unsigned xrt_arg, clhls_buffer *);
    int (*write)(const clhls_buffer *, size_t offset, const void *, size_t);
    int (*read)(const clhls_buffer *, size_t offset, void *, size_t);
    void (*destroy)(clhls_buffer *);
};

#endif
