/*
 * Launches what kernels enqueue: see clhls_enqueue.h.
 *
 * A kernel writes records into the queue, which is memory of the device (docs/device-enqueue.md of clhls describes it). When it is over
 * the host takes them out in their order and launches what they ask for, one at a time, the oldest first, as soon as the events that
 * it waits for are complete. Memory is read and written only while no kernel runs, and no more of it than changes: a serial link is slow.
 */
#define _POSIX_C_SOURCE 200809L

#include "clhls_enqueue.h"

#include "clhls_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------------------------ the queue's layout */

enum {
    HEADER_FREE = 16,
    HEADER_BYTES = 24,     /* bytes of records (8), events taken (8), events to take (4), the default queue (4) */
    EVENTS = 1 << 14,      /* most events at a time */
    ENTRY_BYTES = 32,      /* of an event in the table: */
    ENTRY_STATUS = 0,      /*   execution status: SUBMITTED, 0 when complete, or an error */
    ENTRY_REFERENCES = 4,  /*   reference count */
    ENTRY_PROFILING = 8,   /*   address that its times are wanted at (8), 0: nowhere */
    ENTRY_TIMES = 16,      /*   nanoseconds to the end of its command, and of all that it enqueued (8 each) */
    SUBMITTED = 2,
    TABLE = 64,                             /* where the table of events begins */
    FREE_LIST = TABLE + EVENTS * ENTRY_BYTES, /* and the list of free ones, 4 bytes each */
    RECORDS = FREE_LIST + 4 * EVENTS,       /* and the records */
    RECORD_BYTES = 1 << 20,                 /* room for them */
    QUEUE_BYTES = RECORDS + RECORD_BYTES,
    LONG_WAITS = 4 * 1024 /* bytes of a list of events that is longer than any in sight */
};

/* A record, by offset in bytes; all fields are words. */
enum {
    RECORD_SITE = 0, /* number of the place in the source plus 1 */
    RECORD_SIZE = 4, /* bytes of the record, a multiple of 8 */
    RECORD_WAITS = 12,
    RECORD_EVENT = 16, /* the event that was returned, its number plus 1, or 0 */
    RECORD_WORK_DIM = 20,
    RECORD_OFFSET = 24, /* 3 words each */
    RECORD_GLOBAL = 36,
    RECORD_LOCAL = 48,
    RECORD_FIXED = 64, /* here follow sizes of local memory, the block's data, descriptors, the events that are waited for */
    IMAGE_BYTES = 48,
    PIPE_BYTES = 16
};

#define REGISTER_ARGS 0x10u

static uint32_t word_at(const uint8_t *bytes, size_t at) {
    uint32_t word;
    memcpy(&word, bytes + at, 4);
    return word;
}

static uint64_t wide_at(const uint8_t *bytes, size_t at) { return word_at(bytes, at) | (uint64_t)word_at(bytes, at + 4) << 32; }

static int no_memory(void) { return clhls_fail(CLHLS_OUT_OF_HOST_MEMORY, "out of memory"); }

static int damaged(int *is_damaged) {
    *is_damaged = 1;
    return clhls_fail(CLHLS_KERNEL_FAILED, "the queue on the device is damaged: a kernel has written over it");
}

/* XRT's emulation (2.13) copies to and from the beginning of a buffer, whatever offset it is given. There everything up to what is
 * meant is copied; no kernel runs then. */
static int copies_from_beginning(void) {
    const char *mode = getenv("XCL_EMULATION_MODE");
    return mode && *mode;
}

/* Reads the first bytes of the program memory; NULL if that fails. */
static uint8_t *beginning(const clhls_buffer *program, size_t size) {
    uint8_t *bytes = malloc(size);
    if (bytes && clhls_buffer_read(program, 0, bytes, size) == CLHLS_SUCCESS) return bytes;
    if (!bytes) no_memory();
    free(bytes);
    return NULL;
}

/* Reads from the program memory. */
static int get(const clhls_buffer *program, uint64_t at, void *data, size_t size) {
    if (!copies_from_beginning()) return clhls_buffer_read(program, at, data, size);
    uint8_t *bytes = beginning(program, at + size);
    if (!bytes) return clhls_last_status();
    memcpy(data, bytes + at, size);
    free(bytes);
    return CLHLS_SUCCESS;
}

/* Writes to the program memory. */
static int put(const clhls_buffer *program, uint64_t at, const void *data, size_t size) {
    if (!copies_from_beginning()) return clhls_buffer_write(program, at, data, size);
    uint8_t *bytes = beginning(program, at + size);
    if (!bytes) return clhls_last_status();
    memcpy(bytes + at, data, size);
    int status = clhls_buffer_write(program, 0, bytes, at + size);
    free(bytes);
    return status;
}

/* Writes zeros into a queue. */
static int clear(const clhls_queue *queue, const clhls_buffer *program, uint64_t at, size_t size) {
    if (size == 0) return CLHLS_SUCCESS;
    uint8_t *zeros = calloc(1, size);
    if (!zeros) return no_memory();
    int status = put(program, queue->offset + at, zeros, size);
    free(zeros);
    return status;
}

/* The header of an empty queue with so many free events. */
static int write_header(const clhls_queue *queue, const clhls_buffer *program, uint32_t free_events) {
    const uint32_t header[HEADER_BYTES / 4] = {0, 0, 0, 0, free_events, CLHLS_DEFAULT_QUEUE};
    return put(program, queue->offset, header, sizeof header);
}

/* Where in a record the block's data, the descriptors of what it has captured, and the events that are waited for begin. */
typedef struct {
    size_t data, captured, waits;
} places;

static places places_of(const clhls_block *block) {
    size_t locals = 0, descriptors = 0;
    places p;
    for (uint32_t i = 0; block && i < block->arg_count; ++i) {
        clhls_block_kind kind = block->args[i].kind;
        if (kind == CLHLS_BLOCK_LOCAL) ++locals;
        else descriptors += kind == CLHLS_BLOCK_IMAGE ? IMAGE_BYTES : PIPE_BYTES;
    }
    p.data = (RECORD_FIXED + 4 * locals + 7) / 8 * 8;
    p.captured = (p.data + (block ? block->data : 0) + 7) / 8 * 8;
    p.waits = p.captured + descriptors;
    return p;
}

/* Makes a queue ready: all events free, no records. Behind the last record a record that did not fit may have left its room as it
 * was: that is why the end of the room is emptied, as much as a record takes, so that no old bytes are taken for one there. */
static int prepare(const clhls_queue *queue, const clhls_buffer *program) {
    size_t most = RECORD_FIXED;
    for (uint32_t i = 0; i < queue->site_count; ++i) {
        size_t fixed = places_of(queue->sites[i].block).waits;
        if (fixed > most) most = fixed;
    }
    most += LONG_WAITS;
    int status = clear(queue, program, QUEUE_BYTES - most, most);
    uint32_t *list = malloc(4 * EVENTS);
    if (!list) return no_memory();
    for (uint32_t i = 0; i < EVENTS; ++i) list[i] = i;
    if (!status) status = put(program, queue->offset + FREE_LIST, list, 4 * EVENTS);
    free(list);
    return status ? status : write_header(queue, program, EVENTS);
}

int clhls_enqueue_prepare(const clhls_queue *queue, const clhls_buffer *program) { return prepare(queue, program); }

/* ------------------------------------------------------------------ commands and events of a launch */

typedef struct command command;

/* What was enqueued, or, without a parent, what the host has launched. */
struct command {
    command *parent, *previous, *next; /* commands that are not complete, in the order of their records */
    uint64_t number;
    uint32_t site;
    uint8_t *record;      /* until it runs */
    uint32_t event;       /* the number of the event that it completes plus 1, or 0 */
    uint32_t waits;       /* events that are not complete */
    uint32_t open;        /* it and what it has enqueued, as far as that is not complete */
    int32_t failed;       /* an error of an event that it waited for, or of what it has enqueued, or 0 */
    uint64_t begin, end;  /* nanoseconds */
};

typedef struct {
    int used, of_command; /* a command completes it; else a kernel does */
    int32_t status;
    uint32_t users;       /* commands that wait for it or will complete it */
    command **waiting;
    uint32_t waiting_count;
} event;

/* A launch with all that it enqueues. */
typedef struct {
    clhls_device *device;
    const clhls_queue *queue;
    const clhls_buffer *program;
    unsigned timeout_ms;
    uint64_t start; /* nanoseconds */
    command *first, *last;
    uint64_t commands;
    command **ready; /* a heap: the oldest is on top */
    uint32_t ready_count, ready_room;
    event events[EVENTS];
    uint8_t table[EVENTS * ENTRY_BYTES]; /* the entries of events in use, as on the device */
    uint32_t list[EVENTS], free_count;   /* free events in the order in which kernels take them */
    uint32_t on_device[EVENTS];          /* the list as it is there */
    uint32_t holes;                      /* at the beginning of the list: events that kernels have taken */
    clhls_counters counters;
    int damaged;       /* what is in the queue means nothing */
    char problem[400]; /* why a command was not run: the first */
} family;

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A site in words. */
static const char *describe(const family *f, uint32_t number, char *text, size_t size) {
    const clhls_enqueue_site *site = &f->queue->sites[number];
    const char *between = *site->source ? ", enqueued at " : "";
    if (site->block) snprintf(text, size, "kernel `%s`%s%s", site->block->kernel->name, between, site->source);
    else snprintf(text, size, "a marker%s%s", between, site->source);
    return text;
}

static int add_ready(family *f, command *c) {
    if (f->ready_count == f->ready_room) {
        uint32_t room = f->ready_room ? 2 * f->ready_room : 64;
        command **ready = realloc(f->ready, room * sizeof *ready);
        if (!ready) return no_memory();
        f->ready = ready;
        f->ready_room = room;
    }
    uint32_t at = f->ready_count++;
    for (; at > 0 && f->ready[(at - 1) / 2]->number > c->number; at = (at - 1) / 2) f->ready[at] = f->ready[(at - 1) / 2];
    f->ready[at] = c;
    return CLHLS_SUCCESS;
}

static command *take_ready(family *f) {
    if (f->ready_count == 0) return NULL;
    command *top = f->ready[0], *moved = f->ready[--f->ready_count];
    uint32_t at = 0, child;
    for (; (child = 2 * at + 1) < f->ready_count; at = child) {
        if (child + 1 < f->ready_count && f->ready[child + 1]->number < f->ready[child]->number) ++child;
        if (f->ready[child]->number > moved->number) break;
        f->ready[at] = f->ready[child];
    }
    f->ready[at] = moved;
    return top;
}

static command *add_command(family *f, command *parent) {
    command *c = calloc(1, sizeof *c);
    if (!c) {
        no_memory();
        return NULL;
    }
    c->number = f->commands++;
    c->parent = parent;
    c->open = 1;
    c->previous = f->last;
    *(f->last ? &f->last->next : &f->first) = c;
    f->last = c;
    if (parent) ++parent->open;
    return c;
}

static void remove_command(family *f, command *c) {
    *(c->previous ? &c->previous->next : &f->first) = c->next;
    *(c->next ? &c->next->previous : &f->last) = c->previous;
    free(c->record);
    free(c);
}

/* Lets a command wait for an event, unless that is complete. */
static int wait_for(family *f, uint32_t number, command *c) {
    event *e = number < EVENTS ? &f->events[number] : NULL;
    if (!e || !e->used) return CLHLS_SUCCESS;
    if (e->status != SUBMITTED) {
        if (e->status < 0) c->failed = e->status;
        return CLHLS_SUCCESS;
    }
    command **waiting = realloc(e->waiting, (e->waiting_count + 1) * sizeof *waiting);
    if (!waiting) return no_memory();
    e->waiting = waiting;
    waiting[e->waiting_count++] = c;
    ++e->users;
    ++c->waits;
    return CLHLS_SUCCESS;
}

/* An event is complete: those who wait for it may be ready. */
static int complete_event(family *f, uint32_t number, int32_t result) {
    event *e = &f->events[number];
    int status = CLHLS_SUCCESS;
    if (!e->used) return status;
    e->status = result;
    e->users -= e->waiting_count;
    for (uint32_t i = 0; i < e->waiting_count; ++i) {
        command *c = e->waiting[i];
        if (result < 0) c->failed = result;
        if (--c->waits == 0 && !status) status = add_ready(f, c);
    }
    free(e->waiting);
    e->waiting = NULL;
    e->waiting_count = 0;
    return status;
}

/* ------------------------------------------------------------------ taking what a kernel has left */

/* Whether the bytes of a captured image or pipe can be one: its format's numbers, or its packets. */
static int is_descriptor(clhls_block_kind kind, const uint8_t *bytes) {
    if (kind == CLHLS_BLOCK_IMAGE) return word_at(bytes, 32) >> 8 == 0x10 && word_at(bytes, 36) >> 8 == 0x10;
    uint32_t packets = word_at(bytes, 8), size = word_at(bytes, 12);
    return packets > 0 && packets < 1u << 30 && size > 0 && size <= 1u << 16;
}

/* Makes a command of a record of `size` bytes. */
static int add_record(family *f, command *parent, const uint8_t *bytes, size_t size) {
    uint32_t site = word_at(bytes, RECORD_SITE) - 1;
    if (site >= f->queue->site_count) return damaged(&f->damaged);
    const clhls_block *block = f->queue->sites[site].block;
    places p = places_of(block);
    uint32_t waits = word_at(bytes, RECORD_WAITS), dims = word_at(bytes, RECORD_WORK_DIM), number = word_at(bytes, RECORD_EVENT);
    if (p.waits + 4 * (uint64_t)waits > size || (block && (dims < 1 || dims > 3)) || number > EVENTS) return damaged(&f->damaged);
    size_t at = p.captured;
    for (uint32_t i = 0; block && i < block->arg_count; ++i) {
        clhls_block_kind kind = block->args[i].kind;
        if (kind == CLHLS_BLOCK_LOCAL) continue;
        if (!is_descriptor(kind, bytes + at)) return damaged(&f->damaged);
        at += kind == CLHLS_BLOCK_IMAGE ? IMAGE_BYTES : PIPE_BYTES;
    }
    command *c = add_command(f, parent);
    if (!c || !(c->record = malloc(size))) return no_memory();
    memcpy(c->record, bytes, size);
    c->site = site;
    c->event = number;
    int status = CLHLS_SUCCESS;
    for (uint32_t i = 0; i < waits && !status; ++i) status = wait_for(f, word_at(bytes, p.waits + 4 * i) - 1, c);
    if (number && f->events[number - 1].used) {
        ++f->events[number - 1].users;
        f->events[number - 1].of_command = 1;
    }
    return status || c->waits ? status : add_ready(f, c);
}

/* Takes `used` bytes of records out of the queue. */
static int take_records(family *f, command *parent, size_t used) {
    uint8_t *area = malloc(used);
    if (!area) return no_memory();
    int status = get(f->program, f->queue->offset + RECORDS, area, used);
    /* behind the last record may be room that one did not fit: it is empty */
    for (size_t at = 0; !status && used - at >= RECORD_FIXED && word_at(area, at + RECORD_SITE);) {
        size_t size = word_at(area, at + RECORD_SIZE);
        status = size < RECORD_FIXED || size % 8 || size > used - at ? damaged(&f->damaged) : add_record(f, parent, area + at, size);
        at += size;
    }
    free(area);
    return status ? status : clear(f->queue, f->program, RECORDS, used);
}

/* Reads the entries of the events in use; those near one another at once. */
static int read_entries(family *f) {
    const uint32_t near = 16;
    for (uint32_t first = 0; first < EVENTS; ++first) {
        if (!f->events[first].used) continue;
        uint32_t last = first;
        for (uint32_t i = first + 1; i < EVENTS && i <= last + near; ++i)
            if (f->events[i].used) last = i;
        size_t at = (size_t)first * ENTRY_BYTES, size = (size_t)(last - first + 1) * ENTRY_BYTES;
        int status = get(f->program, f->queue->offset + TABLE + at, f->table + at, size);
        if (status) return status;
        first = last;
    }
    return CLHLS_SUCCESS;
}

/* Puts the events that nobody refers to any more back into the list: in place of those that were taken, so that little of it
 * changes. What then is still missing there comes from the list's end. */
static void free_events(family *f) {
    uint32_t filled = 0;
    for (uint32_t i = 0; i < EVENTS; ++i) {
        event *e = &f->events[i];
        if (!e->used || e->users || word_at(f->table, (size_t)i * ENTRY_BYTES + ENTRY_REFERENCES)) continue;
        e->used = 0;
        if (filled < f->holes) f->list[filled++] = i;
        else f->list[f->free_count++] = i;
    }
    while (filled < f->holes && f->free_count > f->holes) f->list[filled++] = f->list[--f->free_count];
    if (filled < f->holes) f->free_count = filled;
    f->holes = 0;
}

/* Writes what has changed of the list of free events, and an empty queue's header. */
static int give_free(family *f) {
    for (uint32_t first = 0; first < f->free_count; ++first) {
        uint32_t behind = first;
        while (behind < f->free_count && f->list[behind] != f->on_device[behind]) ++behind;
        if (behind == first) continue;
        size_t size = 4 * (size_t)(behind - first);
        int status = put(f->program, f->queue->offset + FREE_LIST + 4 * (uint64_t)first, f->list + first, size);
        if (status) return status;
        memcpy(f->on_device + first, f->list + first, size);
        first = behind;
    }
    return write_header(f->queue, f->program, f->free_count);
}

/* Takes what a command has left in the queue. */
static int harvest(family *f, command *parent) {
    uint8_t header[HEADER_BYTES];
    int status = get(f->program, f->queue->offset, header, sizeof header);
    if (status) return status;
    uint64_t used = wide_at(header, 0), taken = wide_at(header, 8);
    if (used > RECORD_BYTES) used = RECORD_BYTES;
    f->holes = taken > f->free_count ? f->free_count : (uint32_t)taken;
    for (uint32_t i = 0; i < f->holes; ++i) f->events[f->list[i]] = (event){.used = 1, .status = SUBMITTED};
    if (used) status = take_records(f, parent, (size_t)used);
    if (!status) status = read_entries(f);
    /* user events whose status a kernel has set */
    for (uint32_t i = 0; i < EVENTS && !status; ++i) {
        const event *e = &f->events[i];
        int32_t set = (int32_t)word_at(f->table, (size_t)i * ENTRY_BYTES + ENTRY_STATUS);
        if (e->used && !e->of_command && e->status == SUBMITTED && set <= 0) status = complete_event(f, i, set);
    }
    if (status) return status;
    uint32_t before = f->free_count;
    free_events(f);
    return used || taken || f->free_count != before ? give_free(f) : CLHLS_SUCCESS;
}

/* ------------------------------------------------------------------ running commands */

/* Writes the times of a command to where a kernel wants them. */
static int write_times(const family *f, uint64_t address, const uint8_t *times) {
    const uint64_t size = 2 * sizeof(uint64_t), base = f->program->address;
    const clhls_buffer there = {.device = f->device, .address = address, .size = size};
    int status;
    if (address >= base && address - base <= f->program->size - size)
        status = put(f->program, address - base, times, size);
    else status = clhls_buffer_write(&there, 0, times, size);
    if (!status) return status;
    return clhls_fail(CLHLS_KERNEL_FAILED,
                      "profiling information is wanted at 0x%llx, which is in no buffer (on a card only program-scope variables can "
                      "hold it)", (unsigned long long)address);
}

/* The command of an event is complete. */
static int finish_event(family *f, const command *c) {
    uint32_t number = c->event - 1;
    uint8_t *entry = f->table + (size_t)number * ENTRY_BYTES;
    const uint64_t times[2] = {c->end - c->begin, now_ns() - c->begin};
    if (!f->events[number].used) return CLHLS_SUCCESS;
    memcpy(entry + ENTRY_STATUS, &c->failed, 4);
    memcpy(entry + ENTRY_TIMES, times, sizeof times);
    uint64_t address = wide_at(entry, ENTRY_PROFILING);
    int status = put(f->program, f->queue->offset + TABLE + (uint64_t)number * ENTRY_BYTES, entry, ENTRY_BYTES);
    --f->events[number].users;
    if (!status && address) status = write_times(f, address, entry + ENTRY_TIMES);
    return status ? status : complete_event(f, number, c->failed);
}

/* A command has run: it is complete if nothing that it has enqueued is open, and then perhaps its parent is, too. */
static int end_command(family *f, command *c) {
    while (c && --c->open == 0) {
        command *parent = c->parent;
        int status = c->event ? finish_event(f, c) : CLHLS_SUCCESS;
        if (parent && c->failed) parent->failed = c->failed;
        remove_command(f, c);
        if (status) return status;
        c = parent;
    }
    return CLHLS_SUCCESS;
}

/* Puts the block's data and its other arguments into its registers. */
static int put_arguments(const family *f, const clhls_block *block, const uint8_t *record, uint32_t *registers) {
    const char *name = block->kernel->name;
    places p = places_of(block);
    size_t local = RECORD_FIXED;
    memcpy(registers, record + p.data, block->data);
    for (uint32_t i = 0; i < block->arg_count; ++i) {
        const clhls_block_arg *arg = &block->args[i];
        if (arg->kind == CLHLS_BLOCK_LOCAL) {
            uint32_t size = word_at(record, local);
            local += 4;
            if (size > arg->bytes)
                return clhls_fail(CLHLS_INVALID_ARG_SIZE, "%s: %s: at most %u bytes of local memory, not %u", name, arg->name, arg->bytes, size);
            continue;
        }
        size_t bytes = arg->kind == CLHLS_BLOCK_IMAGE ? IMAGE_BYTES : PIPE_BYTES;
        const uint8_t *descriptor = record + p.captured;
        p.captured += bytes;
        memcpy(registers + arg->word, descriptor, bytes);
        if (arg->kind == CLHLS_BLOCK_IMAGE && arg->order && (word_at(descriptor, 32) != arg->order || word_at(descriptor, 36) != arg->type))
            return clhls_fail(CLHLS_INVALID_VALUE,
                              "%s: %s: built for images of channel order 0x%x and data type 0x%x, not 0x%x and 0x%x", name, arg->name,
                              arg->order, arg->type, word_at(descriptor, 32), word_at(descriptor, 36));
        if (arg->kind == CLHLS_BLOCK_PIPE && arg->bytes && word_at(descriptor, 12) != arg->bytes)
            return clhls_fail(CLHLS_INVALID_VALUE, "%s: %s: a pipe with packets of %u bytes is expected, not of %u", name, arg->name,
                              arg->bytes, word_at(descriptor, 12));
    }
    if (block->has_program) memcpy(registers + block->program, &f->program->address, 8);
    return CLHLS_SUCCESS;
}

/* A device that says how many dimensions a range has when it is started: clhls_start takes the last one that has more than one
 * work-item, a kernel is told all that the block's range has. */
typedef struct {
    clhls_device base;
    clhls_device *device;
    uint32_t *registers, dims;
} ranged_device;

static int write_ranged(clhls_device *device, const clhls_kernel *kernel, uint32_t offset, const uint32_t *words, uint32_t count) {
    ranged_device *ranged = (ranged_device *)device;
    if (offset == REGISTER_ARGS) ranged->registers[kernel->hidden] = ranged->dims;
    return ranged->device->write_registers(ranged->device, kernel, offset, words, count);
}

static int start_block(clhls_device *device, const clhls_block *block, const uint8_t *record, uint32_t *registers) {
    ranged_device ranged = {.device = device, .registers = registers, .dims = word_at(record, RECORD_WORK_DIM)};
    clhls_ndrange range = {{0}, {0}, {0}};
    ranged.base.write_registers = write_ranged;
    for (uint32_t d = 0; d < 3; ++d) {
        range.global[d] = d < ranged.dims ? word_at(record, RECORD_GLOBAL + 4 * d) : 1;
        range.local[d] = d < ranged.dims ? word_at(record, RECORD_LOCAL + 4 * d) : 1;
        range.offset[d] = d < ranged.dims ? word_at(record, RECORD_OFFSET + 4 * d) : 0;
    }
    return clhls_start(&ranged.base, block->kernel, registers, &range);
}

/* What is left of the time for the launch, at least a millisecond; 0: all there is. */
static unsigned time_left(const family *f) {
    uint64_t passed = (now_ns() - f->start) / 1000000;
    if (f->timeout_ms == 0) return 0;
    return passed < f->timeout_ms ? f->timeout_ms - (unsigned)passed : 1;
}

/* Launches a block and waits for its end. */
static int launch_block(family *f, const clhls_block *block, const uint8_t *record) {
    clhls_counters counters = {0, 0, 0, 0};
    uint32_t *registers = calloc(block->kernel->words + 1, 4);
    if (!registers) return no_memory();
    int status = put_arguments(f, block, record, registers);
    if (!status) status = start_block(f->device, block, record, registers);
    if (!status) status = clhls_wait(f->device, block->kernel, time_left(f), &counters);
    free(registers);
    f->counters.cycles += counters.cycles;
    f->counters.work_items += counters.work_items;
    f->counters.read_beats += counters.read_beats;
    f->counters.write_beats += counters.write_beats;
    return status;
}

/* The last error again, and the place that enqueued what went wrong. */
static int fail_at(const family *f, uint32_t site, int status) {
    char what[256], before[512];
    describe(f, site, what, sizeof what);
    snprintf(before, sizeof before - strlen(what) - 1, "%s", clhls_error());
    size_t length = strlen(before);
    while (length && strchr(" \n", before[length - 1])) before[--length] = 0;
    return clhls_fail(status, "%s\n%s", before, what);
}

/* Runs a command whose turn it is. */
static int run_command(family *f, command *c) {
    const clhls_block *block = f->queue->sites[c->site].block;
    c->begin = c->end = now_ns();
    if (c->failed) {
        char what[256];
        if (!*f->problem)
            snprintf(f->problem, sizeof f->problem, "%s, was not run: an event that it waits for has the status %d",
                     describe(f, c->site, what, sizeof what), c->failed);
        return end_command(f, c);
    }
    if (block) {
        int status = launch_block(f, block, c->record);
        if (status) return fail_at(f, c->site, status);
        c->end = now_ns();
        free(c->record);
        c->record = NULL;
        status = harvest(f, c);
        if (status) return status;
    }
    return end_command(f, c);
}

/* Nothing is left to run: everything must be complete, and well. */
static int check_all_done(const family *f) {
    const command *waits = NULL;
    unsigned count = 0;
    char what[256], more[48] = "";
    for (const command *c = f->first; c; c = c->next) {
        if (c->waits == 0) continue;
        if (!waits) waits = c;
        ++count;
    }
    if (count > 1) snprintf(more, sizeof more, " (%u more wait)", count - 1);
    if (waits)
        return clhls_fail(CLHLS_KERNEL_FAILED, "%s, waits for an event that nobody completes%s",
                          describe(f, waits->site, what, sizeof what), more);
    return *f->problem ? clhls_fail(CLHLS_KERNEL_FAILED, "%s", f->problem) : CLHLS_SUCCESS;
}

/* ------------------------------------------------------------------ launches */

/* Leaves the queue as prepare() does. Events that kernels have not released are gone. */
static int restore(family *f) {
    int status = CLHLS_SUCCESS;
    for (uint32_t i = 0; i < EVENTS && !status; ++i) {
        if (f->events[i].used) status = clear(f->queue, f->program, TABLE + (uint64_t)i * ENTRY_BYTES, ENTRY_BYTES);
        f->list[i] = i;
    }
    int changed = f->free_count != EVENTS || memcmp(f->list, f->on_device, sizeof f->list);
    f->free_count = EVENTS;
    return status || !changed ? status : give_free(f);
}

/* The same after an error: takes away what the kernel that ran last has left. */
static int recover(family *f) {
    uint8_t header[HEADER_BYTES];
    int status = get(f->program, f->queue->offset, header, sizeof header);
    if (status) return status;
    uint64_t used = wide_at(header, 0), taken = wide_at(header, 8);
    for (uint32_t i = 0; i < taken && i < f->free_count; ++i) f->events[f->list[i]].used = 1;
    status = clear(f->queue, f->program, RECORDS, used < RECORD_BYTES ? (size_t)used : RECORD_BYTES);
    if (!status) status = restore(f);
    return status ? status : write_header(f->queue, f->program, EVENTS);
}

/* Ends a launch with an error. Where the queue cannot be put in order, no events to take tell the next start to make it ready. */
static int give_up(family *f, int status) {
    char before[512];
    const uint32_t no_events = 0;
    snprintf(before, sizeof before, "%s", clhls_error());
    /* a kernel that was not done in time may still run */
    if (f->damaged || status == CLHLS_TIMEOUT || recover(f)) put(f->program, f->queue->offset + HEADER_FREE, &no_events, 4);
    return clhls_fail(status, "%s", before);
}

static void free_family(family *f) {
    while (f->first) remove_command(f, f->first);
    for (uint32_t i = 0; i < EVENTS; ++i) free(f->events[i].waiting);
    free(f->ready);
    free(f);
}

/* Launches what a kernel that is over has enqueued. */
static int run_family(family *f) {
    command *root = add_command(f, NULL), *next;
    if (!root) return clhls_last_status();
    int status = harvest(f, root);
    if (!status) status = end_command(f, root);
    while (!status && (next = take_ready(f))) status = run_command(f, next);
    if (!status) status = restore(f);
    return status;
}

int clhls_enqueue_start(clhls_device *device, const clhls_kernel *kernel, const clhls_queue *queue, const clhls_buffer *program,
                        uint32_t *registers, const clhls_ndrange *range) {
    static const uint32_t ready[HEADER_BYTES / 4] = {0, 0, 0, 0, EVENTS, CLHLS_DEFAULT_QUEUE};
    uint8_t header[HEADER_BYTES];
    int status = get(program, queue->offset, header, sizeof header);
    if (!status && memcmp(header, ready, sizeof ready)) {
        /* a launch that failed has left records and events, or this is memory that nobody has prepared */
        uint64_t used = wide_at(header, 0);
        status = clear(queue, program, RECORDS, used < RECORD_BYTES ? (size_t)used : RECORD_BYTES);
        if (!status) status = clear(queue, program, TABLE, EVENTS * ENTRY_BYTES);
        if (!status) status = prepare(queue, program);
    }
    return status ? status : clhls_start(device, kernel, registers, range);
}

int clhls_enqueue_wait(clhls_device *device, const clhls_kernel *kernel, const clhls_queue *queue, const clhls_buffer *program,
                       unsigned timeout_ms, clhls_counters *counters) {
    family *f = calloc(1, sizeof *f);
    if (!f) return no_memory();
    f->device = device;
    f->queue = queue;
    f->program = program;
    f->timeout_ms = timeout_ms;
    f->start = now_ns();
    f->free_count = EVENTS;
    for (uint32_t i = 0; i < EVENTS; ++i) f->list[i] = f->on_device[i] = i;
    int status = clhls_wait(device, kernel, timeout_ms, &f->counters);
    int waits_on = status == CLHLS_TIMEOUT; /* for the kernel itself: nothing has been touched */
    if (!status) status = run_family(f);
    if (status && !waits_on) status = give_up(f, status);
    if (!status) status = check_all_done(f);
    if (counters) *counters = f->counters;
    free_family(f);
    return status;
}
