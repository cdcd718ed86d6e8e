// Kernels that pipes connect, launched one by one: `-clhls-connect`, and the other options of clhls that programs are built with.
//
// usage: connected PLATFORM DEVICE     parts of the names of a platform and a device
//
// What it prints is the same on every device. A wrong result or an error ends the program with 1.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define DEPTH 16 // packets of each pipe
#define MANY 512 // more packets than all pipes hold

static const char *source =
    "kernel void source(write_only pipe uint out, global const uint *values, uint count) {\n"
    "  for (uint i = 0; i < count; i++) {\n"
    "    uint value = values[i];\n"
    "    while (write_pipe(out, &value) != 0);\n"
    "  }\n"
    "  if (count == 1) printf(\"one packet\\n\");\n"
    "}\n"
    "kernel void scale(read_only pipe uint in, write_only pipe uint out, uint count) {\n"
    "  for (uint i = 0; i < count; i++) {\n"
    "    uint value;\n"
    "    while (read_pipe(in, &value) != 0);\n"
    "    value = value * 3 + 1;\n"
    "    while (write_pipe(out, &value) != 0);\n"
    "  }\n"
    "}\n"
    "kernel void sink(read_only pipe uint in, global uint *values, uint count) {\n"
    "  for (uint i = 0; i < count; i++) {\n"
    "    uint value;\n"
    "    while (read_pipe(in, &value) != 0);\n"
    "    values[i] = value;\n"
    "  }\n"
    "  if (count == 1) printf(\"one packet\\n\");\n"
    "}\n"
    "kernel void sub_groups(global uint *out) { out[0] = get_max_sub_group_size(); }\n";

static cl_context context;
static cl_program program;
static cl_kernel kernels[3]; // in the order of the packets
static cl_mem values, results;
static cl_uint expected[MANY];

static cl_command_queue make_queue(cl_command_queue_properties how) {
  cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, how, 0};
  cl_int error;
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, list, &error);
  MUST(error);
  return queue;
}

// Has kernel k hand on packets.
static void launch(cl_command_queue queue, int k, cl_uint count) {
  size_t one = 1;
  MUST(clSetKernelArg(kernels[k], 2, sizeof count, &count));
  MUST(clEnqueueNDRangeKernel(queue, kernels[k], 1, NULL, &one, NULL, 0, NULL, NULL));
  MUST(clFlush(queue));
}

// The first packets have come through, and nothing else has.
static void check_results(cl_command_queue queue, cl_uint count, const char *what) {
  static cl_uint got[MANY];
  MUST(clEnqueueReadBuffer(queue, results, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
  for (cl_uint i = 0; i < count; i++) CHECK(got[i] == expected[i]);
  for (cl_uint i = count; i < MANY; i++) CHECK(got[i] == 0);
  memset(got, 0, sizeof got);
  MUST(clEnqueueWriteBuffer(queue, results, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
  printf("%s: %u packets\n", what, count);
  fflush(stdout);
}

// Kernels wait for those that are launched behind them.
static void all_at_once(void) {
  cl_command_queue queues[3], any = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  for (int k = 0; k < 3; k++) queues[k] = make_queue(0);
  for (int k = 2; k >= 0; k--) launch(queues[k], k, MANY);
  for (int k = 0; k < 3; k++) MUST(clFinish(queues[k]));
  check_results(queues[0], MANY, "a queue each, the last kernel first");
  for (int k = 0; k < 3; k++) launch(any, k, MANY);
  MUST(clFinish(any));
  check_results(any, MANY, "one queue out of order");
  // Two launches of the one kernel, one of the other: each in its turn.
  for (int k = 2; k >= 1; k--) launch(queues[k], k, MANY);
  launch(queues[0], 0, MANY / 2);
  MUST(clFinish(queues[0]));
  cl_buffer_region rest = {MANY / 2 * sizeof(cl_uint), MANY / 2 * sizeof(cl_uint)};
  cl_int error;
  cl_mem second = clCreateSubBuffer(values, 0, CL_BUFFER_CREATE_TYPE_REGION, &rest, &error);
  MUST(error);
  MUST(clSetKernelArg(kernels[0], 1, sizeof second, &second));
  launch(queues[0], 0, MANY / 2);
  for (int k = 0; k < 3; k++) MUST(clFinish(queues[k]));
  MUST(clSetKernelArg(kernels[0], 1, sizeof values, &values));
  MUST(clReleaseMemObject(second));
  check_results(any, MANY, "the first kernel twice");
  for (int k = 0; k < 3; k++) MUST(clReleaseCommandQueue(queues[k]));
  MUST(clReleaseCommandQueue(any));
}

// What fits into the pipes waits there from one kernel to the next.
static void one_by_one(void) {
  cl_command_queue queue = make_queue(0);
  for (int k = 0; k < 3; k++) launch(queue, k, DEPTH);
  check_results(queue, DEPTH, "one kernel behind the other");
  launch(queue, 0, 9);
  launch(queue, 1, 4);
  launch(queue, 2, 1);
  MUST(clFinish(queue));
  check_results(queue, 1, "some stay in the pipes");
  launch(queue, 1, 5);
  launch(queue, 2, 8);
  MUST(clFinish(queue));
  static cl_uint got[8];
  MUST(clEnqueueReadBuffer(queue, results, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
  for (int i = 0; i < 8; i++) CHECK(got[i] == expected[i + 1]);
  printf("they are there later\n");
  fflush(stdout);
  for (int k = 0; k < 3; k++) launch(queue, k, 1);
  MUST(clFinish(queue));
  MUST(clReleaseCommandQueue(queue));
}

static int builds(const char *options, char *log, size_t size) {
  cl_int error;
  cl_program tried = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  MUST(error);
  int result = clBuildProgram(tried, 1, &device, options, NULL, NULL);
  MUST(clGetProgramBuildInfo(tried, device, CL_PROGRAM_BUILD_LOG, size, log, NULL));
  MUST(clReleaseProgram(tried));
  return result;
}

static void wrong_options(void) {
  static char log[1 << 16];
  const struct {
    const char *options;
    int error;
    const char *says;
  } wrong[] = {
      {"-cl-std=CL3.0 -clhls-connect=source.out", CL_INVALID_BUILD_OPTIONS, "expected KERNEL.ARG=stream"},
      {"-cl-std=CL3.0 -clhls-simd=3", CL_INVALID_BUILD_OPTIONS, "expected 1, 2, 4, 8 or 16"},
      {"-cl-std=CL3.0 -clhls-nothing=3", CL_INVALID_BUILD_OPTIONS, "options of clhls are connect"},
      {"-cl-std=CL3.0 -clhls-sub-group-size=5", CL_BUILD_PROGRAM_FAILURE, "8, 16 and 32 are"},
      {"-cl-std=CL3.0 -clhls-connect=source.values=sink.in", CL_BUILD_PROGRAM_FAILURE, "`values`"},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    CHECK(builds(wrong[k].options, log, sizeof log) == wrong[k].error);
    if (!strstr(log, wrong[k].says)) {
      fprintf(stderr, "%s: the log does not say \"%s\":\n%s\n", wrong[k].options, wrong[k].says, log);
      exit(1);
    }
  }
  printf("wrong options are refused with the reason\n");
}

int main(int argc, char **argv) {
  CHECK(argc == 3 && find_device(argv[1], argv[2]));
  cl_int error;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  MUST(error);
  wrong_options();
  program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  MUST(error);
  const char *options = "-cl-std=CL3.0 -clhls-connect=source.out=scale.in:16 -clhls-connect=scale.out=sink.in:16 "
                        "-clhls-sub-group-size=8";
  if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS) {
    static char log[1 << 16];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%s\n", log);
    return 1;
  }
  static cl_uint data[MANY], zeros[MANY];
  for (cl_uint i = 0; i < MANY; i++) {
    data[i] = i * 2654435761u;
    expected[i] = data[i] * 3 + 1;
  }
  values = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof data, data, &error);
  MUST(error);
  results = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros, &error);
  MUST(error);
  cl_mem pipes[2];
  for (int k = 0; k < 2; k++) {
    pipes[k] = clCreatePipe(context, 0, sizeof(cl_uint), DEPTH, NULL, &error);
    MUST(error);
  }
  const char *names[] = {"source", "scale", "sink"};
  cl_mem args[3][2] = {{pipes[0], values}, {pipes[0], pipes[1]}, {pipes[1], results}};
  for (int k = 0; k < 3; k++) {
    kernels[k] = clCreateKernel(program, names[k], &error);
    MUST(error);
    for (cl_uint n = 0; n < 2; n++) MUST(clSetKernelArg(kernels[k], n, sizeof(cl_mem), &args[k][n]));
  }
  // The interpreter runs launches one after the other: there no kernel may wait for a later one.
  char name[256];
  MUST(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL));
  if (!strstr(name, "interp")) all_at_once();
  else
    printf("a queue each, the last kernel first: 512 packets\none queue out of order: 512 packets\nthe first kernel twice: 512 packets\n");
  one_by_one();

  cl_kernel asks = clCreateKernel(program, "sub_groups", &error);
  MUST(error);
  cl_uint size = 0;
  size_t local = 64, items = 64, groups = 0;
  cl_command_queue queue = make_queue(0);
  MUST(clGetKernelSubGroupInfo(asks, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof local, &local, sizeof groups, &groups,
                               NULL));
  MUST(clSetKernelArg(asks, 0, sizeof results, &results));
  MUST(clEnqueueNDRangeKernel(queue, asks, 1, NULL, &items, &local, 0, NULL, NULL));
  MUST(clEnqueueReadBuffer(queue, results, CL_TRUE, 0, sizeof size, &size, 0, NULL, NULL));
  printf("sub-groups of %u, %zu of them in a work-group of 64\n", size, groups);
  CHECK(size == 8 && groups == 8);

  MUST(clReleaseKernel(asks));
  MUST(clReleaseCommandQueue(queue));
  for (int k = 0; k < 3; k++) MUST(clReleaseKernel(kernels[k]));
  for (int k = 0; k < 2; k++) MUST(clReleaseMemObject(pipes[k]));
  MUST(clReleaseMemObject(values));
  MUST(clReleaseMemObject(results));
  MUST(clReleaseProgram(program));
  MUST(clReleaseContext(context));
  return 0;
}
