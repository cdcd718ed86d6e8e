// Makes some hundred wrong calls of OpenCL and compares the error codes with those that the specification names.
//
// usage: errors PLATFORM DEVICE     parts of the names of a platform and a device
//
// Prints what differs and exits with 1 if anything does. A crash is a failure, too.

#include "check.h"

#include <signal.h>
#include <unistd.h>

int checks, failures;
const char *volatile current = "nothing";

void check(const struct world *w, const char *call, int line, cl_int got, cl_int wanted, int nothing) {
  (void)w;
  checks++;
  if (got != wanted || !nothing) {
    failures++;
    printf("line %d: %s\n  gives %d%s, not %d\n", line, call, got, nothing ? "" : " and an object", wanted);
  }
}

void must(cl_int code, const char *what) {
  if (code != CL_SUCCESS) {
    printf("%s: %d\n", what, code);
    exit(2);
  }
}

static cl_program program_of(cl_context context, const char *text) {
  cl_int err;
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
  must(err, "clCreateProgramWithSource");
  return program;
}

static int find_device(struct world *w, const char *platform_name, const char *device_name) {
  cl_platform_id platforms[16];
  cl_uint count;
  must(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
  for (cl_uint p = 0; p < count && p < 16; p++) {
    char name[256];
    must(clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof name, name, NULL), "clGetPlatformInfo");
    if (!strstr(name, platform_name)) continue;
    cl_device_id devices[16];
    cl_uint n;
    must(clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &n), "clGetDeviceIDs");
    for (cl_uint d = 0; d < n && d < 16; d++) {
      must(clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof name, name, NULL), "clGetDeviceInfo");
      if (!strstr(name, device_name)) continue;
      w->platform = platforms[p];
      w->device = devices[d];
      return 1;
    }
  }
  return 0;
}

static void make(struct world *w) {
  cl_int err;
  w->context = clCreateContext(NULL, 1, &w->device, NULL, NULL, &err);
  must(err, "clCreateContext");
  w->other_context = clCreateContext(NULL, 1, &w->device, NULL, NULL, &err);
  must(err, "clCreateContext");
  w->queue = clCreateCommandQueue(w->context, w->device, 0, &err);
  must(err, "clCreateCommandQueue");
  w->other_queue = clCreateCommandQueue(w->other_context, w->device, 0, &err);
  must(err, "clCreateCommandQueue");
  struct { cl_mem *place; cl_context context; cl_mem_flags flags; } buffers[] = {
      {&w->buffer, w->context, CL_MEM_READ_WRITE},
      {&w->other_buffer, w->other_context, CL_MEM_READ_WRITE},
      {&w->read_only, w->context, CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY},
      {&w->write_only, w->context, CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY},
      {&w->no_access, w->context, CL_MEM_HOST_NO_ACCESS},
  };
  for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) {
    *buffers[k].place = clCreateBuffer(buffers[k].context, buffers[k].flags, 4096, NULL, &err);
    must(err, "clCreateBuffer");
  }
  cl_buffer_region region = {1024, 1024};
  w->part = clCreateSubBuffer(w->buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
  must(err, "clCreateSubBuffer");
  w->program = program_of(w->context, KERNELS);
  w->other_program = program_of(w->other_context, KERNELS);
  w->unbuilt = program_of(w->context, KERNELS);
  w->broken = program_of(w->context, "kernel void k(global int *a) { a[0] = nothing; }");
  must(clBuildProgram(w->program, 0, NULL, "", NULL, NULL), "clBuildProgram");
  must(clBuildProgram(w->other_program, 0, NULL, "", NULL, NULL), "clBuildProgram");
  w->kernel = clCreateKernel(w->program, "every", &err);
  must(err, "clCreateKernel");
  w->unset = clCreateKernel(w->program, "every", &err);
  must(err, "clCreateKernel");
  w->group_kernel = clCreateKernel(w->program, "eights", &err);
  must(err, "clCreateKernel");
  w->other_kernel = clCreateKernel(w->other_program, "every", &err);
  must(err, "clCreateKernel");
  w->user_event = clCreateUserEvent(w->context, &err);
  must(err, "clCreateUserEvent");
  w->other_event = clCreateUserEvent(w->other_context, &err);
  must(err, "clCreateUserEvent");
}

static void crash(int number) {
  fflush(stdout); // the output so far matters more than what the standard allows here
  const char *text = current;
  if (write(2, "crash in ", 9) == 9 && write(2, text, strlen(text)) > 0) (void)!write(2, "\n", 1);
  _exit(128 + number);
}

int main(int argc, char **argv) {
  signal(SIGSEGV, crash);
  signal(SIGABRT, crash);
  if (argc != 3) {
    fprintf(stderr, "usage: errors PLATFORM DEVICE\n");
    return 2;
  }
  struct world w = {0};
  if (!find_device(&w, argv[1], argv[2])) {
    printf("there is no device '%s' of a platform '%s'\n", argv[2], argv[1]);
    return 2;
  }
  w.is_pocl = strstr(argv[1], "Portable") != NULL;
  make(&w);
  objects(&w);
  memory(&w);
  programs(&w);
  others(&w);
  printf("%d wrong calls, %d with another error than specified\n", checks, failures);
  return failures != 0;
}
