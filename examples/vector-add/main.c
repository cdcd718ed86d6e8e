// Adds two vectors on the default device of the first OpenCL platform.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

static const char *const source =
    "kernel void add(global const float *a, global const float *b, global float *sum) {\n"
    "  const size_t i = get_global_id(0);\n"
    "  sum[i] = a[i] + b[i];\n"
    "}\n";

static void check(cl_int code, const char *what) {
  if (code == CL_SUCCESS) return;
  fprintf(stderr, "%s: error %d\n", what, code);
  exit(1);
}

static cl_program build(cl_context context, cl_device_id device) {
  cl_int code;
  cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &code);
  check(code, "clCreateProgramWithSource");
  code = clBuildProgram(program, 1, &device, "", NULL, NULL);
  if (code == CL_BUILD_PROGRAM_FAILURE) {
    char log[4096] = "";
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fputs(log, stderr);
  }
  check(code, "clBuildProgram");
  return program;
}

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  char name[256];
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL), "clGetDeviceIDs");
  check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), "clGetDeviceInfo");
  printf("%s\n", name);

  cl_int code;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  check(code, "clCreateContext");
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, properties, &code);
  check(code, "clCreateCommandQueueWithProperties");
  cl_program program = build(context, device);
  cl_kernel kernel = clCreateKernel(program, "add", &code);
  check(code, "clCreateKernel");

  float a[N], b[N], sum[N];
  for (int i = 0; i < N; i++) {
    a[i] = (float)i;
    b[i] = 0.5f * (float)(i % 7);
  }
  const cl_mem_flags input = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
  cl_mem buffers[3];
  buffers[0] = clCreateBuffer(context, input, sizeof a, a, &code);
  check(code, "clCreateBuffer");
  buffers[1] = clCreateBuffer(context, input, sizeof b, b, &code);
  check(code, "clCreateBuffer");
  buffers[2] = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof sum, NULL, &code);
  check(code, "clCreateBuffer");

  for (cl_uint k = 0; k < 3; k++) check(clSetKernelArg(kernel, k, sizeof buffers[k], &buffers[k]), "clSetKernelArg");
  const size_t global = N;
  cl_event event;
  check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, &event), "clEnqueueNDRangeKernel");
  check(clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, sizeof sum, sum, 0, NULL, NULL), "clEnqueueReadBuffer");

  cl_ulong start, end;
  check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL), "start");
  check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), "end");
  int wrong = 0;
  for (int i = 0; i < N; i++) wrong += sum[i] != a[i] + b[i];
  printf("%d sums, %d wrong, %.3f ms\n", N, wrong, (double)(end - start) / 1e6);

  clReleaseEvent(event);
  for (int k = 0; k < 3; k++) clReleaseMemObject(buffers[k]);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return wrong != 0;
}
