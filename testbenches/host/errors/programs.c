// Wrong calls about programs, kernels and launches.

#include "check.h"

static void CL_CALLBACK ignore_program(cl_program program, void *user) { (void)program, (void)user; }

static const char text[] = "kernel void k(global int *a) { a[0] = 1; }";
static const char *const source = text;

static void creation(struct world *w) {
  size_t length = 4;
  const unsigned char junk[64] = "this is no binary of any device";
  const unsigned char *binary = junk, *none = NULL;
  size_t size = sizeof junk, zero = 0;
  cl_device_id wrong = NULL;
  cl_int status;
  const char *missing = NULL;
  WRONG_NEW(CL_INVALID_CONTEXT, clCreateProgramWithSource(NULL, 1, (const char **)&source, &length, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithSource(w->context, 0, (const char **)&source, &length, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE, clCreateProgramWithSource(w->context, 1, NULL, &length, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithSource(w->context, 1, &missing, NULL, &err));
  WRONG_NEW(CL_INVALID_CONTEXT, clCreateProgramWithBinary(NULL, 1, &w->device, &size, &binary, &status, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithBinary(w->context, 0, &w->device, &size, &binary, &status, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithBinary(w->context, 1, NULL, &size, &binary, &status, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithBinary(w->context, 1, &w->device, NULL, &binary, &status, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE, clCreateProgramWithBinary(w->context, 1, &w->device, &size, NULL, &status, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithBinary(w->context, 1, &w->device, &zero, &binary, &status, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithBinary(w->context, 1, &w->device, &size, &none, &status, &err));
  WRONG_NEW(CL_INVALID_DEVICE, clCreateProgramWithBinary(w->context, 1, &wrong, &size, &binary, &status, &err));
  WRONG_NEW(CL_INVALID_BINARY, clCreateProgramWithBinary(w->context, 1, &w->device, &size, &binary, &status, &err));
  WRONG(CL_INVALID_BINARY, status);
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE, clCreateProgramWithIL(w->context, junk, sizeof junk, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE, clCreateProgramWithIL(w->context, NULL, 64, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE, clCreateProgramWithIL(w->context, junk, 0, &err));
  WRONG_NEW(CL_INVALID_CONTEXT, clCreateProgramWithIL(NULL, junk, sizeof junk, &err));
  WRONG_NEW(CL_INVALID_CONTEXT, clCreateProgramWithBuiltInKernels(NULL, 1, &w->device, "k", &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(w->context, 0, &w->device, "k", &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(w->context, 1, &w->device, NULL, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(w->context, 1, &w->device, "k", &err));
  WRONG(CL_INVALID_PROGRAM, clRetainProgram(NULL));
  WRONG(CL_INVALID_PROGRAM, clReleaseProgram(NULL));
  WRONG_NOT_POCL(CL_INVALID_PROGRAM, clRetainProgram(NO(cl_program)));
}

static void builds(struct world *w) {
  cl_device_id wrong = NULL;
  const char *name = "h.h";
  WRONG(CL_INVALID_PROGRAM, clBuildProgram(NULL, 0, NULL, "", NULL, NULL));
  WRONG(CL_INVALID_VALUE, clBuildProgram(w->unbuilt, 1, NULL, "", NULL, NULL));
  WRONG(CL_INVALID_VALUE, clBuildProgram(w->unbuilt, 0, &w->device, "", NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_DEVICE, clBuildProgram(w->unbuilt, 1, &wrong, "", NULL, NULL));
  WRONG(CL_INVALID_VALUE, clBuildProgram(w->unbuilt, 0, NULL, "", NULL, w));
  WRONG(CL_INVALID_BUILD_OPTIONS, clBuildProgram(w->unbuilt, 0, NULL, "-no-such-option", NULL, NULL));
  WRONG(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(w->broken, 0, NULL, "", NULL, NULL));
  WRONG(CL_INVALID_OPERATION, clBuildProgram(w->program, 0, NULL, "", NULL, NULL)); // it has kernels
  WRONG_NOT_POCL(CL_INVALID_PROGRAM, clCompileProgram(NULL, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clCompileProgram(w->unbuilt, 1, NULL, "", 0, NULL, NULL, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clCompileProgram(w->unbuilt, 0, NULL, "", 1, NULL, NULL, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clCompileProgram(w->unbuilt, 0, NULL, "", 0, &w->broken, &name, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clCompileProgram(w->unbuilt, 0, NULL, "", 1, &w->broken, NULL, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clCompileProgram(w->unbuilt, 0, NULL, "", 0, NULL, NULL, NULL, w));
  WRONG_NOT_POCL(CL_INVALID_COMPILER_OPTIONS,
                 clCompileProgram(w->unbuilt, 0, NULL, "-no-such-option", 0, NULL, NULL, NULL, NULL));
  WRONG_NOT_POCL(CL_COMPILE_PROGRAM_FAILURE, clCompileProgram(w->broken, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
  WRONG(CL_INVALID_OPERATION, clCompileProgram(w->program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
  WRONG_NEW(CL_INVALID_CONTEXT, clLinkProgram(NULL, 0, NULL, "", 1, &w->unbuilt, NULL, NULL, &err));
  WRONG_NEW(CL_INVALID_VALUE, clLinkProgram(w->context, 1, NULL, "", 1, &w->unbuilt, NULL, NULL, &err));
  WRONG_NEW(CL_INVALID_VALUE, clLinkProgram(w->context, 0, NULL, "", 0, NULL, NULL, NULL, &err));
  WRONG_NEW(CL_INVALID_VALUE, clLinkProgram(w->context, 0, NULL, "", 1, NULL, NULL, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE, clLinkProgram(w->context, 0, NULL, "", 1, &w->unbuilt, NULL, w, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_OPERATION, clLinkProgram(w->context, 0, NULL, "", 1, &w->unbuilt, NULL, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_LINKER_OPTIONS,
                     clLinkProgram(w->context, 0, NULL, "-no-such-option", 1, &w->unbuilt, NULL, NULL, &err));
  WRONG_NOT_POCL(CL_INVALID_OPERATION, clSetProgramReleaseCallback(w->program, ignore_program, NULL));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clSetProgramReleaseCallback(w->program, NULL, NULL));
  int value = 1;
  WRONG(CL_INVALID_PROGRAM, clSetProgramSpecializationConstant(NULL, 1, sizeof value, &value));
  WRONG_NOT_POCL(CL_INVALID_PROGRAM, clSetProgramSpecializationConstant(w->program, 1, sizeof value, &value));
}

static void program_queries(struct world *w) {
  size_t size;
  cl_uint n;
  char name[64];
  WRONG(CL_INVALID_PROGRAM, clGetProgramInfo(NULL, CL_PROGRAM_NUM_DEVICES, sizeof n, &n, NULL));
  WRONG(CL_INVALID_VALUE, clGetProgramInfo(w->program, 0x1234, sizeof n, &n, NULL));
  WRONG(CL_INVALID_VALUE, clGetProgramInfo(w->program, CL_PROGRAM_NUM_DEVICES, 1, &n, NULL));
  WRONG(CL_INVALID_VALUE, clGetProgramInfo(w->program, CL_PROGRAM_SOURCE, 3, name, NULL));
  WRONG(CL_INVALID_PROGRAM_EXECUTABLE, clGetProgramInfo(w->broken, CL_PROGRAM_NUM_KERNELS, sizeof size, &size, NULL));
  WRONG(CL_INVALID_PROGRAM_EXECUTABLE, clGetProgramInfo(w->broken, CL_PROGRAM_KERNEL_NAMES, sizeof name, name, NULL));
  WRONG(CL_INVALID_PROGRAM, clGetProgramBuildInfo(NULL, w->device, CL_PROGRAM_BUILD_STATUS, sizeof n, &n, NULL));
  WRONG(CL_INVALID_DEVICE, clGetProgramBuildInfo(w->program, NULL, CL_PROGRAM_BUILD_STATUS, sizeof n, &n, NULL));
  WRONG(CL_INVALID_VALUE, clGetProgramBuildInfo(w->program, w->device, 0x1234, sizeof n, &n, NULL));
  WRONG(CL_INVALID_VALUE, clGetProgramBuildInfo(w->program, w->device, CL_PROGRAM_BUILD_STATUS, 1, &n, NULL));
}

static void kernels(struct world *w) {
  cl_uint n;
  cl_kernel list[4];
  char name[64];
  size_t sizes[3] = {1, 1, 1};
  WRONG_NEW(CL_INVALID_PROGRAM, clCreateKernel(NULL, "every", &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_PROGRAM, clCreateKernel(NO(cl_program), "every", &err));
  WRONG_NEW(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(w->broken, "k", &err));
  WRONG_NEW(CL_INVALID_KERNEL_NAME, clCreateKernel(w->program, "none", &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateKernel(w->program, NULL, &err));
  WRONG(CL_INVALID_PROGRAM, clCreateKernelsInProgram(NULL, 4, list, &n));
  WRONG(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernelsInProgram(w->broken, 4, list, &n));
  WRONG(CL_INVALID_VALUE, clCreateKernelsInProgram(w->program, 1, list, &n));
  WRONG_NEW(CL_INVALID_KERNEL, clCloneKernel(NULL, &err));
  WRONG(CL_INVALID_KERNEL, clRetainKernel(NULL));
  WRONG(CL_INVALID_KERNEL, clReleaseKernel(NULL));
  WRONG_NOT_POCL(CL_INVALID_KERNEL, clRetainKernel(NO(cl_kernel)));
  WRONG(CL_INVALID_KERNEL, clGetKernelInfo(NULL, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL));
  WRONG(CL_INVALID_VALUE, clGetKernelInfo(w->kernel, 0x1234, sizeof n, &n, NULL));
  WRONG(CL_INVALID_VALUE, clGetKernelInfo(w->kernel, CL_KERNEL_FUNCTION_NAME, 2, name, NULL));
  WRONG(CL_INVALID_KERNEL, clGetKernelWorkGroupInfo(NULL, w->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof sizes, sizes, NULL));
  WRONG(CL_INVALID_VALUE, clGetKernelWorkGroupInfo(w->kernel, w->device, 0x1234, sizeof sizes, sizes, NULL));
  WRONG(CL_INVALID_VALUE, clGetKernelWorkGroupInfo(w->kernel, w->device, CL_KERNEL_WORK_GROUP_SIZE, 1, sizes, NULL));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clGetKernelWorkGroupInfo(w->kernel, w->device, CL_KERNEL_GLOBAL_WORK_SIZE,
                                                            sizeof sizes, sizes, NULL));
  WRONG_NOT_POCL(CL_INVALID_KERNEL, clGetKernelSubGroupInfo(NULL, w->device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL,
                                                            sizeof sizes, sizes, NULL));
  WRONG_NOT_POCL(CL_INVALID_VALUE,
                 clGetKernelSubGroupInfo(w->kernel, w->device, 0x1234, 0, NULL, sizeof sizes, sizes, NULL));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clGetKernelSubGroupInfo(w->kernel, w->device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 1,
                                                           sizes, NULL));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clGetKernelSubGroupInfo(w->kernel, w->device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 4,
                                                           sizes, sizeof sizes, sizes, NULL));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clGetKernelSubGroupInfo(w->kernel, w->device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
                                                           sizeof sizes, NULL, sizeof sizes, sizes, NULL));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clGetKernelSubGroupInfo(w->kernel, w->device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
                                                           sizeof sizes, sizes, sizeof sizes, sizes, NULL));
  WRONG(CL_INVALID_KERNEL, clGetKernelArgInfo(NULL, 0, CL_KERNEL_ARG_NAME, sizeof name, name, NULL));
  WRONG(CL_INVALID_ARG_INDEX, clGetKernelArgInfo(w->kernel, 5, CL_KERNEL_ARG_NAME, sizeof name, name, NULL));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clGetKernelArgInfo(w->kernel, 0, 0x1234, sizeof name, name, NULL));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clGetKernelArgInfo(w->kernel, 0, CL_KERNEL_ARG_NAME, 1, name, NULL));
}

static void arguments(struct world *w) {
  cl_int n = 1;
  cl_float4 v = {{1, 2, 3, 4}};
  cl_mem none = (cl_mem)w->device;
  WRONG(CL_INVALID_KERNEL, clSetKernelArg(NULL, 0, sizeof w->buffer, &w->buffer));
  WRONG(CL_INVALID_ARG_INDEX, clSetKernelArg(w->kernel, 5, sizeof n, &n));
  WRONG(CL_INVALID_ARG_INDEX, clSetKernelArg(w->kernel, ~0u, sizeof n, &n));
  WRONG(CL_INVALID_ARG_SIZE, clSetKernelArg(w->kernel, 0, 3, &w->buffer));
  WRONG_NOT_POCL(CL_INVALID_MEM_OBJECT, clSetKernelArg(w->kernel, 0, sizeof none, &none));
  WRONG_NOT_POCL(CL_INVALID_MEM_OBJECT, clSetKernelArg(w->kernel, 0, sizeof none, &w->other_buffer));
  WRONG(CL_INVALID_ARG_SIZE, clSetKernelArg(w->kernel, 1, 12, &w->buffer));
  WRONG(CL_INVALID_ARG_VALUE, clSetKernelArg(w->kernel, 2, 64, &n));
  WRONG(CL_INVALID_ARG_SIZE, clSetKernelArg(w->kernel, 2, 0, NULL));
  WRONG(CL_INVALID_ARG_VALUE, clSetKernelArg(w->kernel, 3, sizeof n, NULL));
  WRONG(CL_INVALID_ARG_SIZE, clSetKernelArg(w->kernel, 3, 2, &n));
  WRONG(CL_INVALID_ARG_SIZE, clSetKernelArg(w->kernel, 3, 8, &v));
  WRONG(CL_INVALID_ARG_SIZE, clSetKernelArg(w->kernel, 4, 4, &v));
  WRONG_NOT_POCL(CL_INVALID_ARG_SIZE, clSetKernelArg(w->kernel, 4, 12, &v));
}

// Kernel `k` of a program that is built with some options, its argument set.
static cl_kernel kernel_of(struct world *w, const char *options) {
  cl_int err;
  cl_program program = clCreateProgramWithSource(w->context, 1, (const char **)&source, NULL, &err);
  must(err, "clCreateProgramWithSource");
  must(clBuildProgram(program, 0, NULL, options, NULL, NULL), "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, "k", &err);
  must(err, "clCreateKernel");
  must(clReleaseProgram(program), "clReleaseProgram");
  must(clSetKernelArg(kernel, 0, sizeof w->buffer, &w->buffer), "clSetKernelArg");
  return kernel;
}

static void launches(struct world *w) {
  const size_t g64[3] = {64, 1, 1}, l8[3] = {8, 1, 1}, l7[3] = {7, 1, 1}, l0[3] = {0, 1, 1};
  const size_t huge[3] = {SIZE_MAX, 1, 1}, many[3] = {1u << 20, 1, 1}, l16[3] = {16, 1, 1};
  cl_int n = 1;
  cl_float4 v = {{1, 2, 3, 4}};
  cl_command_queue q = w->queue;
  cl_kernel k = w->kernel;
  must(clSetKernelArg(k, 0, sizeof w->buffer, &w->buffer), "argument 0");
  must(clSetKernelArg(k, 1, sizeof w->read_only, &w->read_only), "argument 1");
  must(clSetKernelArg(k, 2, 64, NULL), "argument 2");
  must(clSetKernelArg(k, 3, sizeof n, &n), "argument 3");
  WRONG(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(q, w->unset, 1, NULL, g64, NULL, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(q, k, 1, NULL, g64, NULL, 0, NULL, NULL)); // 4 is missing
  must(clSetKernelArg(k, 4, sizeof v, &v), "argument 4");
  WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueNDRangeKernel(NULL, k, 1, NULL, g64, NULL, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_KERNEL, clEnqueueNDRangeKernel(q, NULL, 1, NULL, g64, NULL, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_KERNEL, clEnqueueNDRangeKernel(q, NO(cl_kernel), 1, NULL, g64, NULL, 0, NULL, NULL));
  WRONG(CL_INVALID_CONTEXT, clEnqueueNDRangeKernel(q, w->other_kernel, 1, NULL, g64, NULL, 0, NULL, NULL));
  WRONG(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(q, k, 0, NULL, g64, NULL, 0, NULL, NULL));
  WRONG(CL_INVALID_WORK_DIMENSION, clEnqueueNDRangeKernel(q, k, 4, NULL, g64, NULL, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(q, k, 1, NULL, g64, l0, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(q, k, 1, NULL, g64, l7, 0, NULL, NULL));
  if (!w->is_pocl) {
    cl_kernel uniform = kernel_of(w, "-cl-std=CL3.0 -cl-uniform-work-group-size");
    WRONG(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(q, uniform, 1, NULL, g64, l7, 0, NULL, NULL));
    must(clEnqueueNDRangeKernel(q, uniform, 1, NULL, g64, NULL, 0, NULL, NULL), "a launch in uniform groups");
    must(clReleaseKernel(uniform), "clReleaseKernel");
  }
  WRONG_NOT_POCL(CL_INVALID_WORK_ITEM_SIZE, clEnqueueNDRangeKernel(q, k, 1, NULL, many, many, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_GLOBAL_WORK_SIZE, clEnqueueNDRangeKernel(q, k, 1, NULL, huge, NULL, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_GLOBAL_OFFSET, clEnqueueNDRangeKernel(q, k, 1, huge, g64, NULL, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_EVENT_WAIT_LIST, clEnqueueNDRangeKernel(q, k, 1, NULL, g64, l8, 1, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_EVENT_WAIT_LIST, clEnqueueNDRangeKernel(q, k, 1, NULL, g64, l8, 0, &w->other_event, NULL));
  WRONG_NOT_POCL(CL_INVALID_CONTEXT, clEnqueueNDRangeKernel(q, k, 1, NULL, g64, l8, 1, &w->other_event, NULL));
  must(clSetKernelArg(w->group_kernel, 0, sizeof w->buffer, &w->buffer), "argument 0");
  WRONG(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(q, w->group_kernel, 1, NULL, g64, l16, 0, NULL, NULL));
  WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueTask(NULL, k, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_KERNEL, clEnqueueTask(q, NULL, 0, NULL, NULL));
  WRONG(CL_INVALID_KERNEL_ARGS, clEnqueueTask(q, w->unset, 0, NULL, NULL));
  WRONG(CL_INVALID_CONTEXT, clEnqueueTask(q, w->other_kernel, 0, NULL, NULL));
  WRONG(CL_INVALID_WORK_GROUP_SIZE, clEnqueueTask(q, w->group_kernel, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_EVENT_WAIT_LIST, clEnqueueTask(q, k, 1, NULL, NULL));
  // more local memory than there is
  must(clSetKernelArg(k, 2, 1u << 28, NULL), "argument 2");
  WRONG_NOT_POCL(CL_OUT_OF_RESOURCES, clEnqueueNDRangeKernel(q, k, 1, NULL, g64, l8, 0, NULL, NULL));
  // a buffer that is gone
  cl_int err;
  cl_mem gone = clCreateBuffer(w->context, 0, 64, NULL, &err);
  must(err, "clCreateBuffer");
  must(clSetKernelArg(k, 2, 64, NULL), "argument 2");
  must(clSetKernelArg(k, 1, sizeof gone, &gone), "argument 1");
  must(clReleaseMemObject(gone), "clReleaseMemObject");
  WRONG_NOT_POCL(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(q, k, 1, NULL, g64, l8, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_MEM_OBJECT, clRetainMemObject(gone));
}

void programs(struct world *w) {
  creation(w);
  builds(w);
  program_queries(w);
  kernels(w);
  arguments(w);
  launches(w);
}
