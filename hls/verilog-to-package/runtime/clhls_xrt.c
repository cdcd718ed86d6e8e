/*
 * Alveo cards through XRT's C interface, loaded at run time. See clhls.h. Links with -ldl where the C library asks for it.
 *
 * Kernels are driven by their registers, which XRT allows to a kernel's exclusive user: so arguments of any size work, and
 * the launch code is the same for every board.
 */
#include "clhls_device.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TO_DEVICE 0
#define FROM_DEVICE 1
#define MAX_KERNELS 64

/* XRT's functions, by name; see xrt/xrt_device.h, xrt_kernel.h, xrt_bo.h */
typedef struct {
    void *(*xrtDeviceOpen)(unsigned);
    int (*xrtDeviceClose)(void *);
    int (*xrtDeviceLoadXclbinFile)(void *, const char *);
    int (*xrtDeviceGetXclbinUUID)(void *, unsigned char[16]);
    void *(*xrtPLKernelOpenExclusive)(void *, const unsigned char[16], const char *);
    int (*xrtKernelClose)(void *);
    int (*xrtKernelArgGroupId)(void *, int);
    int (*xrtKernelReadRegister)(void *, uint32_t, uint32_t *);
    int (*xrtKernelWriteRegister)(void *, uint32_t, uint32_t);
    void *(*xrtBOAlloc)(void *, size_t, uint64_t, uint32_t);
    int (*xrtBOFree)(void *);
    int (*xrtBOSync)(void *, int, size_t, size_t);
    uint64_t (*xrtBOAddress)(void *);
    int (*xrtBOWrite)(void *, const void *, size_t, size_t);
    int (*xrtBORead)(void *, void *, size_t, size_t);
} xrt_functions;

typedef struct {
    clhls_device base;
    void *library, *device;
    unsigned char uuid[16];
    xrt_functions xrt;
    void *kernels[MAX_KERNELS]; /* opened when first used */
} xrt_device;

static int fail(const char *what) { return clhls_fail(CLHLS_DEVICE_NOT_AVAILABLE, "XRT: %s: %s", what, strerror(errno)); }

static int load(xrt_device *card) {
    card->library = dlopen("libxrt_coreutil.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!card->library) return clhls_fail(CLHLS_DEVICE_NOT_AVAILABLE, "XRT is not installed (or its setup script was not run): %s", dlerror());
#define SYMBOL(name)                                                     \
    do {                                                                 \
        void *symbol = dlsym(card->library, #name);                      \
        if (!symbol)                                                     \
            return clhls_fail(CLHLS_DEVICE_NOT_AVAILABLE, "XRT has no function %s", #name); \
        memcpy(&card->xrt.name, &symbol, sizeof symbol);                 \
    } while (0)
    SYMBOL(xrtDeviceOpen);
    SYMBOL(xrtDeviceClose);
    SYMBOL(xrtDeviceLoadXclbinFile);
    SYMBOL(xrtDeviceGetXclbinUUID);
    SYMBOL(xrtPLKernelOpenExclusive);
    SYMBOL(xrtKernelClose);
    SYMBOL(xrtKernelArgGroupId);
    SYMBOL(xrtKernelReadRegister);
    SYMBOL(xrtKernelWriteRegister);
    SYMBOL(xrtBOAlloc);
    SYMBOL(xrtBOFree);
    SYMBOL(xrtBOSync);
    SYMBOL(xrtBOAddress);
    SYMBOL(xrtBOWrite);
    SYMBOL(xrtBORead);
#undef SYMBOL
    return 0;
}

static void *open_kernel(xrt_device *card, const clhls_kernel *kernel) {
    if (kernel->index >= MAX_KERNELS) {
        clhls_fail(CLHLS_INVALID_KERNEL, "%s: at most %d kernels in a design", kernel->name, MAX_KERNELS);
        return NULL;
    }
    void **slot = &card->kernels[kernel->index];
    if (!*slot) *slot = card->xrt.xrtPLKernelOpenExclusive(card->device, card->uuid, kernel->name);
    if (!*slot) clhls_fail(CLHLS_INVALID_KERNEL, "XRT: %s: %s", kernel->name, strerror(errno));
    return *slot;
}

static int write_registers(clhls_device *device, const clhls_kernel *kernel, uint32_t offset, const uint32_t *words,
                           uint32_t count) {
    xrt_device *card = (xrt_device *)device;
    void *handle = open_kernel(card, kernel);
    if (!handle) return clhls_last_status();
    for (uint32_t i = 0; i < count; ++i)
        if (card->xrt.xrtKernelWriteRegister(handle, offset + 4 * i, words[i])) return fail("write register");
    return 0;
}

static int read_registers(clhls_device *device, const clhls_kernel *kernel, uint32_t offset, uint32_t *words,
                          uint32_t count) {
    xrt_device *card = (xrt_device *)device;
    void *handle = open_kernel(card, kernel);
    if (!handle) return clhls_last_status();
    for (uint32_t i = 0; i < count; ++i)
        if (card->xrt.xrtKernelReadRegister(handle, offset + 4 * i, words + i)) return fail("read register");
    return 0;
}

static int create(clhls_device *device, const clhls_kernel *kernel, unsigned xrt_arg, clhls_buffer *buffer) {
    xrt_device *card = (xrt_device *)device;
    void *handle = open_kernel(card, kernel);
    int group = handle ? card->xrt.xrtKernelArgGroupId(handle, (int)xrt_arg) : -1;
    if (handle && group >= 0) buffer->handle = card->xrt.xrtBOAlloc(card->device, buffer->size, 0, (uint32_t)group);
    if (!buffer->handle) {
        buffer->device = NULL;
        if (!handle) return clhls_last_status();
        return clhls_fail(CLHLS_OUT_OF_DEVICE_MEMORY, "XRT: allocate %zu bytes: %s", buffer->size, strerror(errno));
    }
    buffer->address = card->xrt.xrtBOAddress(buffer->handle);
    return 0;
}

static int write_buffer(const clhls_buffer *buffer, size_t offset, const void *data, size_t size) {
    const xrt_functions *xrt = &((xrt_device *)buffer->device)->xrt;
    if (xrt->xrtBOWrite(buffer->handle, data, size, offset)) return fail("write a buffer");
    return xrt->xrtBOSync(buffer->handle, TO_DEVICE, size, offset) ? fail("copy a buffer to the card") : 0;
}

static int read_buffer(const clhls_buffer *buffer, size_t offset, void *data, size_t size) {
    const xrt_functions *xrt = &((xrt_device *)buffer->device)->xrt;
    if (xrt->xrtBOSync(buffer->handle, FROM_DEVICE, size, offset)) return fail("copy a buffer from the card");
    return xrt->xrtBORead(buffer->handle, data, size, offset) ? fail("read a buffer") : 0;
}

static void destroy(clhls_buffer *buffer) { ((xrt_device *)buffer->device)->xrt.xrtBOFree(buffer->handle); }

static void close_card(clhls_device *device) {
    xrt_device *card = (xrt_device *)device;
    for (int i = 0; i < MAX_KERNELS; ++i)
        if (card->kernels[i]) card->xrt.xrtKernelClose(card->kernels[i]);
    if (card->device) card->xrt.xrtDeviceClose(card->device);
    /* the library stays: XRT does not like to be unloaded */
    free(card);
}

clhls_device *clhls_open_xrt(unsigned index, const char *xclbin) {
    xrt_device *card = calloc(1, sizeof *card);
    if (!card) {
        clhls_fail(CLHLS_OUT_OF_HOST_MEMORY, "out of memory");
        return NULL;
    }
    card->base = (clhls_device){close_card, write_registers, read_registers, create, write_buffer, read_buffer, destroy};
    int result = load(card);
    if (result == 0 && !(card->device = card->xrt.xrtDeviceOpen(index))) result = fail("open the card");
    if (result == 0 && card->xrt.xrtDeviceLoadXclbinFile(card->device, xclbin)) result = fail(xclbin);
    if (result == 0 && card->xrt.xrtDeviceGetXclbinUUID(card->device, card->uuid)) result = fail("ask for the UUID");
    if (result == 0) return &card->base;
    close_card(&card->base);
    return NULL;
}
