/* Launches kernels that are functions of this program: they leave records in the queue as work-items do, and print what they got. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "clhls_device.h"
#include "family.h"

enum { BASE = 0x1000, QUEUE = 64, EVENTS = 1 << 14, TABLE = QUEUE + 64, LIST = TABLE + 32 * EVENTS, RECORDS = LIST + 4 * EVENTS, ROOM = 1 << 20 };
enum { PLAIN, LOCAL, MARKER };

static uint8_t memory[RECORDS + ROOM];
static uint32_t registers[64];
static unsigned ran, checksum;

static uint32_t word(uint32_t at) {
    uint32_t value;
    memcpy(&value, memory + at, 4);
    return value;
}

static void put(uint32_t at, uint32_t value) { memcpy(memory + at, &value, 4); }

/* ------------------------------------------------------------------ what work-items do */

static uint32_t take_event(void) {
    uint32_t taken = word(QUEUE + 8), entry;
    put(QUEUE + 8, taken + 1);
    if (taken >= word(QUEUE + 16)) return 0;
    entry = TABLE + 32 * word(LIST + 4 * taken);
    put(entry, 2);
    put(entry + 4, 1);
    memset(memory + entry + 8, 0, 8);
    return word(LIST + 4 * taken) + 1;
}

static void set(uint32_t event, int32_t status) { put(TABLE + 32 * (event - 1), (uint32_t)status); }
static void release(uint32_t event) { put(TABLE + 32 * (event - 1) + 4, 0); }

/* One work-item of two dimensions, or 20 in groups of 8; whether there is room. */
static int enqueue(uint32_t site, uint32_t data, uint32_t event, uint32_t count, ...) {
    uint32_t waits_at = site == MARKER ? 64 : site == PLAIN ? 72 : 80, size = (waits_at + 4 * count + 7) / 8 * 8, used = word(QUEUE), at = RECORDS + used;
    put(QUEUE, used + size);
    if (used + size > ROOM) return 0;
    memset(memory + at, 0, size);
    const uint32_t head[16] = {site + 1, size, 0, count, event, site == PLAIN ? 2 : 1, 3, 0, 0, site == PLAIN ? 1 : 20, 1, 1, site == PLAIN ? 0 : 8, site != PLAIN, site != PLAIN, 1};
    memcpy(memory + at, head, sizeof head);
    if (site == LOCAL) put(at + 64, data);
    if (site != MARKER) put(at + (site == LOCAL ? 72 : 64), data);
    va_list events;
    va_start(events, count);
    for (uint32_t k = 0; k < count; ++k) put(at + waits_at + 4 * k, count > 3 ? 0 : va_arg(events, uint32_t));
    va_end(events);
    return 1;
}

static void root(uint32_t how) {
    uint32_t gate, first, last = 0, marker;
    switch (how) {
    case 0: /* events, a marker, and what runs before others */
        gate = take_event();
        first = take_event();
        marker = take_event();
        enqueue(PLAIN, 3, 0, 1, marker);
        enqueue(MARKER, 0, marker, 1, first);
        enqueue(PLAIN, 100, first, 1, gate);
        enqueue(LOCAL, 2, 0, 0);
        set(gate, 0);
        release(gate);
        release(first);
        release(marker);
        break;
    case 1: /* all events that there are; the last one is waited for */
        for (uint32_t k = 0; k < EVENTS; ++k) {
            uint32_t event = take_event();
            checksum = checksum * 31 + event;
            if (k + 1 < EVENTS) release(event);
            else last = event;
        }
        printf("one more: %u\n", take_event());
        enqueue(PLAIN, 7, last, 0);
        break;
    case 2: /* events that are never released */
        for (int k = 0; k < 5; ++k) take_event();
        enqueue(PLAIN, 8, take_event(), 0);
        break;
    case 3: /* as many records as there is room for */
        while (word(QUEUE) + 72 + 72 < ROOM) enqueue(PLAIN, word(QUEUE) / 72, 0, 0);
        printf("one more: %d\n", enqueue(PLAIN, 1, 0, 100));
        break;
    case 4: /* a queue that was written over */
        enqueue(PLAIN, 1, take_event(), 0);
        enqueue(PLAIN, 2, 0, 0);
        put(RECORDS + word(RECORDS + 4), 77);
        break;
    case 5: /* more local memory than there is */
        enqueue(LOCAL, 2000, 0, 0);
        break;
    case 6: /* two commands of an event with an error, one of a command that failed with it */
        gate = take_event();
        first = take_event();
        enqueue(PLAIN, 1, first, 1, gate);
        enqueue(PLAIN, 2, 0, 1, first);
        enqueue(PLAIN, 3, 0, 0);
        set(gate, -9);
        break;
    case 7: /* an event that nobody completes */
        gate = take_event();
        enqueue(PLAIN, 1, 0, 1, gate);
        enqueue(MARKER, 0, 0, 1, gate);
        break;
    case 8: /* times that are wanted at an address */
        first = take_event();
        put(TABLE + 32 * (first - 1) + 8, BASE + 16);
        enqueue(PLAIN, 1, first, 0);
        break;
    }
}

static void run(const clhls_kernel *kernel) {
    if (!strcmp(kernel->name, "root")) {
        root(registers[0]);
        return;
    }
    const uint32_t *range = registers + kernel->hidden;
    checksum = checksum * 31 + registers[0];
    if (++ran < 8)
        printf("  %s %u: %u dimensions, %u items from %u on in groups of %u\n", kernel->name, registers[0], range[0], range[2], range[20], range[8]);
    /* 100 and what it enqueues are behind one event */
    if (registers[0] == 100) enqueue(PLAIN, 101, 0, 0);
}

/* ------------------------------------------------------------------ the device */

static int write_registers(clhls_device *d, const clhls_kernel *k, uint32_t offset, const uint32_t *words, uint32_t n) {
    (void)d;
    if (offset) memcpy(registers, words, 4 * n);
    else run(k);
    return 0;
}

static int read_registers(clhls_device *d, const clhls_kernel *k, uint32_t offset, uint32_t *words, uint32_t n) {
    (void)d;
    (void)k;
    for (uint32_t i = 0; i < n; ++i) words[i] = offset == 0 ? 2 : i == 2;
    return 0;
}

static int create(clhls_device *d, const clhls_kernel *k, unsigned arg, clhls_buffer *buffer) {
    (void)d;
    (void)k;
    (void)arg;
    buffer->address = BASE;
    return 0;
}

static int write_memory(const clhls_buffer *buffer, size_t offset, const void *data, size_t size) {
    memcpy(memory + (buffer->address - BASE) + offset, data, size);
    return 0;
}

static int read_memory(const clhls_buffer *buffer, size_t offset, void *data, size_t size) {
    memcpy(data, memory + (buffer->address - BASE) + offset, size);
    return 0;
}

/* What is not as it is before a launch. */
static unsigned left_over(void) {
    unsigned wrong = word(QUEUE) || word(QUEUE + 8) || word(QUEUE + 16) != EVENTS || word(QUEUE + 20) != 1;
    for (uint32_t k = 0; k < EVENTS; ++k) wrong += word(LIST + 4 * k) != k || (word(TABLE + 32 * k + 4) != 0 && word(TABLE + 32 * k) != ~0u);
    return wrong;
}

int main(void) {
    static const uint32_t order[] = {0, 0, 1, 1, 2, 1, 3, 3, 4, 0, 5, 0, 6, 7, 0, 8, 2, 0};
    clhls_device device = {.write_registers = write_registers, .read_registers = read_registers, .create = create, .write = write_memory, .read = read_memory};
    clhls_ndrange one = {.global = {1}};
    clhls_buffer program;
    /* memory that something else has been in */
    memset(memory, 0xff, sizeof memory);
    if (root_create_program_memory(&device, &program)) return 1;
    for (size_t k = 0; k < sizeof order / sizeof *order; ++k) {
        clhls_counters counters = {0, 0, 0, 0};
        ran = checksum = 0;
        printf("launch %u\n", order[k]);
        int status = root_launch(&device, &one, order[k], &program, 0, &counters);
        if (status) printf("%d: %s\n", status, clhls_error());
        printf("ran %u, checksum %u, %llu work-items, %u left over\n", ran, checksum, (unsigned long long)counters.work_items, left_over());
        if (order[k] == 8) printf("times: %d\n", word(16) < 1000000000 && word(24) >= word(16) && word(28) == 0);
    }
    return 0;
}
