// Kernels as compilers for FPGAs take them: channels between kernels, pipes outside of kernels, pragmas and attributes.
//
// usage: channels PLATFORM DEVICE     parts of the names of a platform and a device
//
// What it prints is the same on every device. A wrong result or an error ends the program with 1.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define MANY 3000 // more packets than a channel holds

// Channels of structures and an array of channels; the last kernel sends how much it has back to the first.
static const char *channels =
    "#pragma OPENCL EXTENSION cl_intel_channels : enable\n"
    "typedef struct { uint at; uint value; } item_t;\n"
    "channel item_t items __attribute__((depth(16)));\n"
    "channel uint parts[2] __attribute__((depth(4)));\n"
    "__attribute__((max_global_work_dim(0)))\n"
    "kernel void source(global const uint *values, uint count) {\n"
    "  for (uint i = 0; i < count; i++) {\n"
    "    item_t item = {i, values[i]};\n"
    "    write_channel_intel(items, item);\n"
    "  }\n"
    "}\n"
    "kernel void middle(uint count) {\n"
    "  for (uint i = 0; i < count; i++) {\n"
    "    item_t item = read_channel_intel(items);\n"
    "    write_channel_intel(parts[0], item.value >> 16);\n"
    "    write_channel_intel(parts[1], (item.value & 0xffff) + item.at);\n"
    "  }\n"
    "}\n"
    "kernel void sink(global uint *results, uint count) {\n"
    "  #pragma ivdep\n"
    "  for (uint i = 0; i < count; i++) {\n"
    "    uint sum = 0;\n"
    "    #pragma unroll\n"
    "    for (int k = 0; k < 2; k++) {\n"
    "      bool valid;\n"
    "      uint part;\n"
    "      do part = read_channel_nb_intel(parts[k], &valid); while (!valid);\n"
    "      sum = sum * 3 + part;\n"
    "    }\n"
    "    results[i] = sum;\n"
    "  }\n"
    "}\n";

static const char *pipes =
    "typedef struct { uint at; uint value; } item_t;\n"
    "pipe item_t items __attribute__((xcl_reqd_pipe_depth(32)));\n"
    "pipe uint2 parts __attribute__((xcl_reqd_pipe_depth(32)));\n"
    "kernel __attribute__((reqd_work_group_size(1, 1, 1)))\n"
    "void source(global const uint *values, uint count) {\n"
    "  __attribute__((xcl_pipeline_loop(1)))\n"
    "  each: for (uint i = 0; i < count; i++) {\n"
    "    item_t item = {i, values[i]};\n"
    "    write_pipe_block(items, &item);\n"
    "  }\n"
    "}\n"
    "kernel void middle(uint count) {\n"
    "  for (uint i = 0; i < count; i++) {\n"
    "    item_t item;\n"
    "    read_pipe_block(items, &item);\n"
    "    uint2 both = (uint2)(item.value >> 16, (item.value & 0xffff) + item.at);\n"
    "    while (write_pipe(parts, &both) != 0);\n"
    "  }\n"
    "}\n"
    "kernel void sink(global uint *results, uint count) {\n"
    "  for (uint i = 0; i < count; i++) {\n"
    "    uint2 both;\n"
    "    read_pipe_block(parts, &both);\n"
    "    results[i] = both.x * 3 + both.y;\n"
    "  }\n"
    "}\n";

static cl_context context;
static int in_turn; // the interpreter runs launches one after the other: there no kernel may wait for a later one
static cl_uint data[MANY], expected[MANY];

// A kernel has the arguments of the source, and no others.
static void check_arguments(cl_kernel kernel, cl_uint wanted) {
  cl_uint count = 0;
  MUST(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
  CHECK(count == wanted);
  CHECK(clSetKernelArg(kernel, wanted, sizeof count, &count) == CL_INVALID_ARG_INDEX);
}

static void run(const char *source, const char *what) {
  cl_int error;
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  MUST(error);
  if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) {
    static char log[1 << 16];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%s\n", log);
    exit(1);
  }
  static cl_uint got[MANY];
  memset(got, 0, sizeof got);
  cl_mem values = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof data, data, &error);
  MUST(error);
  cl_mem results = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof got, got, &error);
  MUST(error);
  const char *names[] = {"source", "middle", "sink"};
  const cl_uint counts[] = {2, 1, 2};
  cl_kernel kernels[3];
  cl_command_queue queues[3];
  cl_uint many = MANY;
  for (int k = 0; k < 3; k++) {
    queues[k] = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    MUST(error);
    kernels[k] = clCreateKernel(program, names[k], &error);
    MUST(error);
    check_arguments(kernels[k], counts[k]);
    MUST(clSetKernelArg(kernels[k], counts[k] - 1, sizeof many, &many));
  }
  MUST(clSetKernelArg(kernels[0], 0, sizeof values, &values));
  MUST(clSetKernelArg(kernels[2], 0, sizeof results, &results));
  // twice: nothing is left behind
  for (int round = 0; round < 2; round++) {
    size_t one = 1;
    for (int k = 0; k < 3; k++) {
      MUST(clEnqueueNDRangeKernel(queues[k], kernels[k], 1, NULL, &one, NULL, 0, NULL, NULL));
      MUST(clFlush(queues[k]));
      if (in_turn) MUST(clFinish(queues[k]));
    }
    for (int k = 0; k < 3; k++) MUST(clFinish(queues[k]));
    MUST(clEnqueueReadBuffer(queues[2], results, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < MANY; i++) CHECK(got[i] == expected[i]);
    memset(got, 0, sizeof got);
    MUST(clEnqueueWriteBuffer(queues[2], results, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
  }
  printf("%s: %d packets, twice\n", what, MANY);
  fflush(stdout);
  for (int k = 0; k < 3; k++) {
    MUST(clReleaseKernel(kernels[k]));
    MUST(clReleaseCommandQueue(queues[k]));
  }
  MUST(clReleaseMemObject(values));
  MUST(clReleaseMemObject(results));
  MUST(clReleaseProgram(program));
}

int main(int argc, char **argv) {
  CHECK(argc == 3 && find_device(argv[1], argv[2]));
  cl_int error;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  MUST(error);
  char name[256];
  MUST(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL));
  in_turn = strstr(name, "interp") != NULL;
  for (cl_uint i = 0; i < MANY; i++) {
    data[i] = i * 2654435761u;
    expected[i] = (data[i] >> 16) * 3 + (data[i] & 0xffff) + i;
  }
  run(channels, "channels");
  run(pipes, "pipes outside of kernels");
  MUST(clReleaseContext(context));
  return 0;
}
