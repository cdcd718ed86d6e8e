// Kernels that ask for a number of sub-groups in each work-group: queries, launches that have it, errors of those that do not.
//
// usage: sub_groups PLATFORM DEVICE sub_groups_per_group.spv
//
// Kernel k of the module asks for 3 sub-groups of 16 work-items: 33 to 48 work-items. Kernel m asks for as many as the
// specialisation constant 7 says. Each work-item writes 10000 * sub-groups + 100 * those of a whole work-group + its own.
#define CL_TARGET_OPENCL_VERSION 300
#include "program.h"

enum { MOST = 256 };

static cl_context context;
static cl_command_queue queue;
static cl_mem buffer;

static cl_program program_of(const char *path, cl_uint count) {
  static unsigned char il[1 << 16];
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL);
  size_t size = fread(il, 1, sizeof il, file);
  fclose(file);
  cl_int error;
  cl_program program = clCreateProgramWithIL(context, il, size, &error);
  MUST(error);
  if (count) MUST(clSetProgramSpecializationConstant(program, 7, sizeof count, &count));
  return program;
}

static cl_kernel kernel_of(cl_program program, const char *name) {
  cl_int error;
  cl_kernel kernel = clCreateKernel(program, name, &error);
  MUST(error);
  MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
  return kernel;
}

static size_t number(cl_kernel kernel, cl_kernel_sub_group_info name) {
  size_t value;
  MUST(clGetKernelSubGroupInfo(kernel, device, name, 0, NULL, sizeof value, &value, NULL));
  return value;
}

// The sub-groups of work-groups of this size.
static size_t count_for(cl_kernel kernel, size_t local) {
  size_t value;
  MUST(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof local, &local, sizeof value, &value,
                               NULL));
  return value;
}

// The size of work-groups with so many sub-groups; 0 if there is none.
static size_t local_for(cl_kernel kernel, size_t count) {
  size_t local[2];
  MUST(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count, &count, sizeof local, local,
                               NULL));
  CHECK(local[1] == (local[0] != 0));
  return local[0];
}

static cl_int launch(cl_kernel kernel, size_t global, size_t local) {
  return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL);
}

// A launch in work-groups of `local` work-items writes what it must; `given`: the local size that the launch is told, or 0.
static void runs(cl_kernel kernel, cl_int count, size_t global, size_t given, size_t local) {
  cl_int out[MOST], none = -1;
  MUST(clEnqueueFillBuffer(queue, buffer, &none, sizeof none, 0, sizeof out, 0, NULL, NULL));
  MUST(launch(kernel, global, given));
  MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
  for (size_t i = 0; i < MOST; i++) {
    cl_int wanted = i < global ? count * 10100 + (cl_int)(i % local / 16) : -1;
    if (out[i] != wanted) {
      fprintf(stderr, "%zu work-items in groups of %zu: work-item %zu writes %d, not %d\n", global, local, i, out[i], wanted);
      exit(1);
    }
  }
}

int main(int argc, char **argv) {
  CHECK(argc == 4 && find_device(argv[1], argv[2]));
  cl_int error;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  MUST(error);
  queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  MUST(error);
  buffer = clCreateBuffer(context, 0, MOST * sizeof(cl_int), NULL, &error);
  MUST(error);

  cl_program program = program_of(argv[3], 0);
  MUST(clBuildProgram(program, 1, &device, "", NULL, NULL));
  cl_kernel k = kernel_of(program, "k"), m = kernel_of(program, "m");
  size_t most;
  MUST(clGetKernelWorkGroupInfo(k, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
  CHECK(most == 48);
  CHECK(number(k, CL_KERNEL_COMPILE_NUM_SUB_GROUPS) == 3 && number(k, CL_KERNEL_MAX_NUM_SUB_GROUPS) == 3);
  CHECK(number(m, CL_KERNEL_COMPILE_NUM_SUB_GROUPS) == 2 && number(m, CL_KERNEL_MAX_NUM_SUB_GROUPS) == 2);
  CHECK(local_for(k, 3) == 48 && local_for(k, 2) == 0 && local_for(k, 4) == 0 && local_for(m, 2) == 32);
  CHECK(count_for(k, 48) == 3 && count_for(k, 33) == 3 && count_for(k, 32) == 2);
  printf("queries tell how many sub-groups a work-group must have\n");

  runs(k, 3, 96, 48, 48);
  runs(k, 3, 99, 33, 33);
  runs(k, 3, 81, 48, 48); // 33 are left
  runs(k, 3, 72, 0, 36);  // the largest from 33 to 48 that divides 72
  runs(m, 2, 128, 32, 32);
  runs(m, 2, 40, 0, 20);
  printf("launches have as many\n");

  CHECK(launch(k, 96, 32) == CL_INVALID_WORK_GROUP_SIZE);
  CHECK(launch(k, 98, 49) == CL_INVALID_WORK_GROUP_SIZE);
  CHECK(launch(k, 80, 48) == CL_INVALID_WORK_GROUP_SIZE); // 32 are left
  CHECK(launch(k, 32, 0) == CL_INVALID_WORK_GROUP_SIZE);
  CHECK(launch(m, 96, 48) == CL_INVALID_WORK_GROUP_SIZE);
  printf("others are refused\n");

  cl_program five = program_of(argv[3], 5);
  MUST(clBuildProgram(five, 1, &device, "", NULL, NULL));
  cl_kernel other = kernel_of(five, "m");
  CHECK(number(other, CL_KERNEL_COMPILE_NUM_SUB_GROUPS) == 5 && local_for(other, 5) == 80);
  runs(other, 5, 160, 80, 80);
  CHECK(launch(other, 64, 32) == CL_INVALID_WORK_GROUP_SIZE);
  printf("a specialisation constant changes the number\n");

  MUST(clReleaseKernel(other));
  MUST(clReleaseKernel(m));
  MUST(clReleaseKernel(k));
  MUST(clReleaseProgram(five));
  MUST(clReleaseProgram(program));
  MUST(clReleaseMemObject(buffer));
  MUST(clReleaseCommandQueue(queue));
  MUST(clReleaseContext(context));
  return 0;
}
