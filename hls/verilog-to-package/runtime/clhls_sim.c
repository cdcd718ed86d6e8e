/*
 * A design simulated by `clhls serve`, a process that ends with the device. See clhls.h; docs/host-library.md of clhls describes
 * the protocol.
 */
#define _GNU_SOURCE /* SOCK_CLOEXEC, MSG_NOSIGNAL */

#include "clhls_device.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define VERSION 1u

enum { HELLO = 1, ALLOCATE, FREE, WRITE, READ, WRITE_REGISTERS, READ_REGISTERS };

typedef struct {
    clhls_device base;
    pid_t process;
    int socket;
    char *kernels; /* their names, a line each */
} sim_device;

extern char **environ;

/* ------------------------------------------------------------------ requests and replies */

static int gone(void) {
    return clhls_fail(CLHLS_DEVICE_NOT_AVAILABLE, "the simulator has ended (its own message says why)");
}

static int put(sim_device *sim, const void *data, size_t size) {
    const char *next = data;
    while (size > 0) {
        ssize_t n = send(sim->socket, next, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return gone();
        next += n;
        size -= (size_t)n;
    }
    return CLHLS_SUCCESS;
}

static int get(sim_device *sim, void *data, size_t size) {
    char *next = data;
    while (size > 0) {
        ssize_t n = recv(sim->socket, next, size, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return gone();
        next += n;
        size -= (size_t)n;
    }
    return CLHLS_SUCCESS;
}

static void put_le(unsigned char *to, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) to[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get_le(const unsigned char *from, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value |= (uint64_t)from[i] << (8 * i);
    return value;
}

/* Takes the message of a request that failed. */
static int failed(sim_device *sim, int status, uint64_t size) {
    char text[480];
    size_t take = size < sizeof text - 1 ? (size_t)size : sizeof text - 1;
    if (get(sim, text, take)) return gone();
    text[take] = 0;
    for (char drop; size > take; --size)
        if (get(sim, &drop, 1)) return gone();
    return clhls_fail((clhls_status)status, "%s", text);
}

/* Sends a request; `sent` of `data` go with it. The reply must have `expected` bytes, or any number if `reply` is NULL. */
static int request(sim_device *sim, uint32_t operation, uint32_t kernel, uint64_t address, uint64_t size,
                   const void *data, size_t sent, void *reply, uint64_t expected, uint64_t *replied) {
    unsigned char header[24];
    put_le(header, operation, 4);
    put_le(header + 4, kernel, 4);
    put_le(header + 8, address, 8);
    put_le(header + 16, size, 8);
    int result = put(sim, header, 24);
    if (!result && sent) result = put(sim, data, sent);
    if (!result) result = get(sim, header, 16);
    if (result) return result;
    int status = (int)(int32_t)get_le(header, 4);
    uint64_t answered = get_le(header + 8, 8);
    if (status) return failed(sim, status, answered);
    if (replied) *replied = answered;
    if (replied && !reply) return CLHLS_SUCCESS; /* the caller takes it */
    if (answered != expected) return clhls_fail(CLHLS_DEVICE_NOT_AVAILABLE, "what answers is no simulator of this version");
    return expected ? get(sim, reply, (size_t)expected) : CLHLS_SUCCESS;
}

/* ------------------------------------------------------------------ device */

/* Whether the simulated design has this kernel. */
static int check(const sim_device *sim, const clhls_kernel *kernel) {
    const char *line = sim->kernels;
    for (uint32_t i = 0; i < kernel->index && line; ++i) {
        line = strchr(line, '\n');
        if (line) ++line;
    }
    size_t length = strlen(kernel->name);
    if (line && !strncmp(line, kernel->name, length) && line[length] == '\n') return CLHLS_SUCCESS;
    return clhls_fail(CLHLS_INVALID_KERNEL, "%s: the simulated design has no such kernel", kernel->name);
}

static int write_registers(clhls_device *device, const clhls_kernel *kernel, uint32_t offset, const uint32_t *words,
                           uint32_t count) {
    sim_device *sim = (sim_device *)device;
    int status = check(sim, kernel);
    unsigned char *bytes = status ? NULL : malloc(4 * (size_t)count + 1);
    if (!status && !bytes) status = clhls_fail(CLHLS_OUT_OF_HOST_MEMORY, "out of memory");
    if (status) return status;
    for (uint32_t i = 0; i < count; ++i) put_le(bytes + 4 * i, words[i], 4);
    status = request(sim, WRITE_REGISTERS, kernel->index, offset, 4 * (uint64_t)count, bytes, 4 * (size_t)count, NULL, 0, NULL);
    free(bytes);
    return status;
}

static int read_registers(clhls_device *device, const clhls_kernel *kernel, uint32_t offset, uint32_t *words,
                          uint32_t count) {
    sim_device *sim = (sim_device *)device;
    int status = check(sim, kernel);
    if (!status)
        status = request(sim, READ_REGISTERS, kernel->index, offset, 4 * (uint64_t)count, NULL, 0, words, 4 * (uint64_t)count, NULL);
    for (uint32_t i = 0; !status && i < count; ++i) words[i] = (uint32_t)get_le((unsigned char *)(words + i), 4);
    return status;
}

static int create(clhls_device *device, const clhls_kernel *kernel, unsigned xrt_arg, clhls_buffer *buffer) {
    sim_device *sim = (sim_device *)device;
    (void)xrt_arg;
    unsigned char address[8];
    int status = check(sim, kernel);
    if (!status) status = request(sim, ALLOCATE, 0, 0, buffer->size, NULL, 0, address, 8, NULL);
    if (status) buffer->device = NULL;
    else buffer->address = get_le(address, 8);
    return status;
}

static int write_buffer(const clhls_buffer *buffer, size_t offset, const void *data, size_t size) {
    return request((sim_device *)buffer->device, WRITE, 0, buffer->address + offset, size, data, size, NULL, 0, NULL);
}

static int read_buffer(const clhls_buffer *buffer, size_t offset, void *data, size_t size) {
    return request((sim_device *)buffer->device, READ, 0, buffer->address + offset, size, NULL, 0, data, size, NULL);
}

static void destroy(clhls_buffer *buffer) {
    request((sim_device *)buffer->device, FREE, 0, buffer->address, 0, NULL, 0, NULL, 0, NULL);
}

static void close_sim(clhls_device *device) {
    sim_device *sim = (sim_device *)device;
    if (sim->socket >= 0) close(sim->socket);
    /* it ends with its input */
    if (sim->process > 0)
        while (waitpid(sim->process, NULL, 0) < 0 && errno == EINTR) continue;
    free(sim->kernels);
    free(sim);
}

/* Starts the simulator with our socket as its input and output. */
static int start(sim_device *sim, const char *folder) {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
        return clhls_fail(CLHLS_DEVICE_NOT_AVAILABLE, "cannot talk to a simulator: %s", strerror(errno));
    sim->socket = sockets[0];
    const char *command = getenv("CLHLS");
    if (!command || !*command) command = "clhls";
    char *arguments[] = {(char *)command, "serve", "--", (char *)folder, NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (!error) {
        error = posix_spawn_file_actions_adddup2(&actions, sockets[1], 0);
        if (!error) error = posix_spawn_file_actions_adddup2(&actions, sockets[1], 1);
        if (!error) error = posix_spawnp(&sim->process, command, &actions, NULL, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(sockets[1]);
    if (!error) return CLHLS_SUCCESS;
    sim->process = 0;
    return clhls_fail(CLHLS_DEVICE_NOT_AVAILABLE, "cannot start the simulator %s: %s; CLHLS=... names it", command,
                      strerror(error));
}

/* Asks for the version, and for the kernels' names. */
static int greet(sim_device *sim) {
    uint64_t size = 0;
    int status = request(sim, HELLO, 0, VERSION, 0, NULL, 0, NULL, 0, &size);
    if (status) return status;
    sim->kernels = calloc(1, (size_t)size + 1);
    if (!sim->kernels) return clhls_fail(CLHLS_OUT_OF_HOST_MEMORY, "out of memory");
    return get(sim, sim->kernels, (size_t)size);
}

clhls_device *clhls_open_sim(const char *folder) {
    sim_device *sim = calloc(1, sizeof *sim);
    if (!sim) {
        clhls_fail(CLHLS_OUT_OF_HOST_MEMORY, "out of memory");
        return NULL;
    }
    sim->base = (clhls_device){close_sim, write_registers, read_registers, create, write_buffer, read_buffer, destroy};
    sim->socket = -1;
    int status = start(sim, folder);
    if (!status) status = greet(sim);
    if (!status) return &sim->base;
    close_sim(&sim->base);
    return NULL;
}
