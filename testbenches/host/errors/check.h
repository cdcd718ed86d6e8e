// Checks of error codes, and the objects that wrong calls are made on.

#ifndef CHECK_H
#define CHECK_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct world {
  cl_platform_id platform;
  cl_device_id device;
  cl_context context, other_context;
  cl_command_queue queue, other_queue;
  cl_mem buffer, other_buffer, read_only, write_only, no_access, part; // of 4096 bytes; part: 1024 from 1024 on
  cl_program program, broken, unbuilt, other_program; // broken: does not compile
  cl_kernel kernel, group_kernel, other_kernel, unset; // kernel: see KERNELS; unset: without arguments
  cl_event user_event, other_event;
  int is_pocl; // known to differ from the specification here and there
};

// A kernel with every sort of argument, and one that wants groups of 8 work-items.
#define KERNELS                                                                           \
  "kernel void every(global int *a, constant int *c, local int *l, int n, float4 v) {\n"    \
  "  a[get_global_id(0)] = c[0] + n + (int)v.x + (l != 0);\n"                             \
  "}\n"                                                                                   \
  "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eights(global int *a) {\n"  \
  "  a[get_global_id(0)] = 8;\n"                                                          \
  "}\n"

extern int checks, failures;
extern const char *volatile current; // the call that is being made, for the message of a crash

// One wrong call: its code must be `wanted`.
void check(const struct world *w, const char *call, int line, cl_int got, cl_int wanted, int pocl_agrees);
// For calls that must work.
void must(cl_int code, const char *what);

// A function that returns its error.
#define WRONG(wanted, call) (current = #call, check(w, #call, __LINE__, call, wanted, 1))
// The same where PoCL 3.1 does something else (or crashes), unlike the specification: it is not asked.
#define WRONG_NOT_POCL(wanted, call) (w->is_pocl ? (void)0 : WRONG(wanted, call))
// A function that gives its error through its last parameter `&err`.
#define WRONG_NEW(wanted, call)                          \
  do {                                                   \
    cl_int err = 12345;                                  \
    current = #call;                                     \
    void *made = (void *)(call);                         \
    check(w, #call, __LINE__, err, wanted, made == NULL); \
  } while (0)
#define WRONG_NEW_NOT_POCL(wanted, call) \
  do {                                   \
    if (!w->is_pocl) WRONG_NEW(wanted, call); \
  } while (0)

// Handles that are none, or none of the right kind. The loader finds its table through the first word of any handle.
#define NO(kind) ((kind)w->other_event)

void objects(struct world *w);  // platforms, devices, contexts, queues, events
void memory(struct world *w);   // buffers and commands on them
void programs(struct world *w); // programs, kernels, launches
void others(struct world *w);   // images, samplers, pipes, shared virtual memory, native kernels

#endif
