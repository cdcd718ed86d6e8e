// Pipes: what devices and objects say of them, packets from kernel to kernel over many launches, wrong calls.
//
// usage: pipes PLATFORM DEVICE     parts of the names of a platform and a device
//
// What it prints is the same on every device. A wrong result or an error ends the program with 1.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define CAPACITY 48
#define ROUNDS 5

// A packet is 12 bytes: whose it is, and twice what it carries.
static const char *source =
    "#ifndef __opencl_c_pipes\n"
    "#error the feature of pipes is not there\n"
    "#endif\n"
    "typedef struct { uint from; uint value; uint again; } packet;\n"
    "kernel void give(write_only pipe packet out, global const uint *values, global uint *refused) {\n"
    "  uint i = get_global_id(0);\n"
    "  packet p = { i, values[i], values[i] };\n"
    "  if (write_pipe(out, &p) != 0)\n"
    "    atomic_inc(refused);\n"
    "}\n"
    "kernel void take(read_only pipe packet in, global uint *sums, global uint *counts) {\n"
    "  reserve_id_t id = reserve_read_pipe(in, 2);\n"
    "  if (!is_valid_reserve_id(id)) {\n"
    "    atomic_inc(&counts[1]);\n"
    "    return;\n"
    "  }\n"
    "  for (uint k = 0; k < 2; k++) {\n"
    "    packet p;\n"
    "    if (read_pipe(in, id, k, &p) == 0 && p.value == p.again) {\n"
    "      atomic_inc(&counts[0]);\n"
    "      atomic_add(&sums[p.from], p.value);\n"
    "    }\n"
    "  }\n"
    "  commit_read_pipe(in, id);\n"
    "}\n"
    "kernel void ask(read_only pipe packet in, global uint *out) {\n"
    "  out[0] = get_pipe_num_packets(in);\n"
    "  out[1] = get_pipe_max_packets(in);\n"
    "}\n";

static cl_context context;
static cl_command_queue queue;

static cl_mem buffer_of(size_t size, const void *data) {
  cl_int error;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, size, (void *)data, &error);
  MUST(error);
  return buffer;
}

static cl_kernel kernel_of(cl_program program, const char *name, cl_mem a, cl_mem b, cl_mem c) {
  cl_int error;
  cl_kernel kernel = clCreateKernel(program, name, &error);
  MUST(error);
  MUST(clSetKernelArg(kernel, 0, sizeof a, &a));
  MUST(clSetKernelArg(kernel, 1, sizeof b, &b));
  if (c) MUST(clSetKernelArg(kernel, 2, sizeof c, &c));
  return kernel;
}

static void launch(cl_kernel kernel, size_t items, size_t group) {
  MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
}

static void read_words(cl_mem buffer, cl_uint *words, size_t count) {
  MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, count * sizeof *words, words, 0, NULL, NULL));
}

static cl_uint device_number(cl_device_info name) {
  cl_uint number = 0;
  size_t size;
  MUST(clGetDeviceInfo(device, name, sizeof number, &number, &size));
  CHECK(size == sizeof number);
  return number;
}

static int creates(cl_context in, cl_mem_flags flags, cl_uint size, cl_uint packets, const cl_pipe_properties *list) {
  cl_int error = 12345;
  CHECK(clCreatePipe(in, flags, size, packets, list, &error) == NULL);
  return error;
}

static void wrong_calls(cl_mem pipe, cl_mem buffer, cl_kernel give, cl_mem other_packets) {
  cl_pipe_properties none[] = {0};
  cl_uint most = device_number(CL_DEVICE_PIPE_MAX_PACKET_SIZE), number;
  char bytes[16];
  cl_int error;
  CHECK(creates(NULL, 0, 4, 4, NULL) == CL_INVALID_CONTEXT);
  CHECK(creates(context, CL_MEM_COPY_HOST_PTR, 4, 4, NULL) == CL_INVALID_VALUE);
  CHECK(creates(context, CL_MEM_WRITE_ONLY, 4, 4, NULL) == CL_INVALID_VALUE);
  CHECK(creates(context, 0, 4, 4, none) == CL_INVALID_VALUE);
  CHECK(creates(context, 0, 0, 4, NULL) == CL_INVALID_PIPE_SIZE);
  CHECK(creates(context, 0, most + 1, 4, NULL) == CL_INVALID_PIPE_SIZE);
  CHECK(creates(context, 0, 4, 0, NULL) == CL_INVALID_PIPE_SIZE);
  CHECK(creates(context, 0, most, 0xffffffff, NULL) == CL_MEM_OBJECT_ALLOCATION_FAILURE);
  CHECK(clGetPipeInfo(NULL, CL_PIPE_PACKET_SIZE, 4, &number, NULL) == CL_INVALID_MEM_OBJECT);
  CHECK(clGetPipeInfo(buffer, CL_PIPE_PACKET_SIZE, 4, &number, NULL) == CL_INVALID_MEM_OBJECT);
  CHECK(clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, 3, &number, NULL) == CL_INVALID_VALUE);
  CHECK(clGetPipeInfo(pipe, CL_MEM_TYPE, 4, &number, NULL) == CL_INVALID_VALUE);
  // a pipe is no buffer, and a buffer no pipe
  CHECK(clEnqueueReadBuffer(queue, pipe, CL_TRUE, 0, 4, bytes, 0, NULL, NULL) == CL_INVALID_MEM_OBJECT);
  CHECK(clEnqueueWriteBuffer(queue, pipe, CL_TRUE, 0, 4, bytes, 0, NULL, NULL) == CL_INVALID_MEM_OBJECT);
  clEnqueueMapBuffer(queue, pipe, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &error);
  CHECK(error == CL_INVALID_MEM_OBJECT);
  CHECK(clSetKernelArg(give, 0, sizeof buffer, &buffer) == CL_INVALID_MEM_OBJECT);
  CHECK(clSetKernelArg(give, 1, sizeof pipe, &pipe) == CL_INVALID_MEM_OBJECT);
  CHECK(clSetKernelArg(give, 0, sizeof pipe, NULL) == CL_INVALID_MEM_OBJECT);
  CHECK(clSetKernelArg(give, 0, 4, &pipe) == CL_INVALID_ARG_SIZE);
  CHECK(clSetKernelArg(give, 0, sizeof pipe, &other_packets) == CL_INVALID_ARG_VALUE);
  printf("wrong calls give their errors\n");
}

static void check_infos(cl_mem pipe, cl_kernel give, cl_kernel take) {
  cl_uint packet_size, packets;
  cl_mem_object_type type;
  cl_mem_flags flags;
  size_t size;
  MUST(clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, sizeof packet_size, &packet_size, NULL));
  MUST(clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, sizeof packets, &packets, NULL));
  MUST(clGetPipeInfo(pipe, CL_PIPE_PROPERTIES, 0, NULL, &size));
  printf("a pipe of %u packets of %u bytes, %zu bytes of properties\n", packets, packet_size, size);
  MUST(clGetMemObjectInfo(pipe, CL_MEM_TYPE, sizeof type, &type, NULL));
  MUST(clGetMemObjectInfo(pipe, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
  CHECK(type == CL_MEM_OBJECT_PIPE && flags == (CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS));
  cl_kernel_arg_access_qualifier access;
  cl_kernel_arg_type_qualifier qualifiers;
  cl_kernel kernels[] = {give, take};
  for (int k = 0; k < 2; k++) {
    MUST(clGetKernelArgInfo(kernels[k], 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
    MUST(clGetKernelArgInfo(kernels[k], 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers, &qualifiers, NULL));
    CHECK(access == (k ? CL_KERNEL_ARG_ACCESS_READ_ONLY : CL_KERNEL_ARG_ACCESS_WRITE_ONLY));
    CHECK(qualifiers == CL_KERNEL_ARG_TYPE_PIPE);
  }
}

int main(int argc, char **argv) {
  CHECK(argc == 3 && find_device(argv[1], argv[2]));
  CHECK(device_number(CL_DEVICE_PIPE_SUPPORT) == CL_TRUE);
  CHECK(device_number(CL_DEVICE_MAX_PIPE_ARGS) >= 16);
  CHECK(device_number(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS) >= 1);
  CHECK(device_number(CL_DEVICE_PIPE_MAX_PACKET_SIZE) >= 1024);
  cl_int error;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  MUST(error);
  queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  MUST(error);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  MUST(error);
  if (clBuildProgram(program, 1, &device, "-cl-std=CL3.0 -cl-kernel-arg-info", NULL, NULL) != CL_SUCCESS) {
    static char log[1 << 16];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%s\n", log);
    return 1;
  }
  cl_mem pipe = clCreatePipe(context, 0, 12, CAPACITY, NULL, &error);
  MUST(error);
  cl_mem other_packets = clCreatePipe(context, CL_MEM_HOST_NO_ACCESS, 16, CAPACITY, NULL, &error);
  MUST(error);

  // More is given in a round than there is room for when packets of the round before are left.
  enum { ITEMS = 40, READERS = 15 };
  cl_uint values[ITEMS], sums[ITEMS] = {0}, counts[2] = {0, 0}, refused = 0, answers[2];
  for (int i = 0; i < ITEMS; i++) values[i] = 1; // what is taken does not depend on which packets fit
  cl_mem values_buffer = buffer_of(sizeof values, values), sums_buffer = buffer_of(sizeof sums, sums);
  cl_mem counts_buffer = buffer_of(sizeof counts, counts), refused_buffer = buffer_of(sizeof refused, &refused);
  cl_mem answers_buffer = buffer_of(sizeof answers, counts);
  cl_kernel give = kernel_of(program, "give", pipe, values_buffer, refused_buffer);
  cl_kernel take = kernel_of(program, "take", pipe, sums_buffer, counts_buffer);
  cl_kernel ask = kernel_of(program, "ask", pipe, answers_buffer, NULL);
  check_infos(pipe, give, take);
  wrong_calls(pipe, values_buffer, give, other_packets);

  cl_uint there = 0, lost = 0, taken = 0, without = 0;
  for (int round = 0; round < ROUNDS; round++) {
    launch(give, ITEMS, 8);
    launch(take, READERS, 5);
    launch(ask, 1, 1);
    cl_uint room = CAPACITY - there, given = ITEMS < room ? ITEMS : room;
    lost += ITEMS - given;
    there += given;
    cl_uint pairs = there / 2 < READERS ? there / 2 : READERS;
    there -= 2 * pairs;
    taken += 2 * pairs;
    without += READERS - pairs;
    read_words(answers_buffer, answers, 2);
    read_words(counts_buffer, counts, 2);
    read_words(refused_buffer, &refused, 1);
    printf("round %d: %u of %u packets are there, %u taken, %u refused, %u readers without\n", round, answers[0], answers[1],
           counts[0], refused, counts[1]);
    CHECK(answers[0] == there && answers[1] == CAPACITY && counts[0] == taken && refused == lost && counts[1] == without);
  }
  // the rest
  launch(take, READERS, 15);
  read_words(counts_buffer, counts, 2);
  read_words(sums_buffer, sums, ITEMS);
  cl_uint sum = 0;
  for (int i = 0; i < ITEMS; i++) sum += sums[i];
  CHECK(sum == counts[0] && counts[0] == taken + there);
  printf("%u packets went through\n", sum);

  MUST(clReleaseKernel(give));
  MUST(clReleaseKernel(take));
  MUST(clReleaseKernel(ask));
  cl_mem objects[] = {pipe, other_packets, values_buffer, sums_buffer, counts_buffer, refused_buffer, answers_buffer};
  for (size_t k = 0; k < sizeof objects / sizeof *objects; k++) MUST(clReleaseMemObject(objects[k]));
  MUST(clReleaseProgram(program));
  MUST(clReleaseCommandQueue(queue));
  MUST(clReleaseContext(context));
  return 0;
}
