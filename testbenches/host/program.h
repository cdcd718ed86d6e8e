// What the OpenCL host programs share: the device that they are told to use, calls that must succeed, checks.
#ifndef PROGRAM_H
#define PROGRAM_H

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_platform_id platform;
static cl_device_id device;

static void must(cl_int code, const char *what) {
  if (code != CL_SUCCESS) {
    fprintf(stderr, "%s gives %d\n", what, code);
    exit(1);
  }
}

static void check(int good, const char *what) {
  if (!good) {
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
  }
}

#define MUST(call) must(call, #call)
#define CHECK(condition) check(condition, #condition)

// Sets platform and device to the first ones whose names contain these; 0 if there are none.
static int find_device(const char *platform_name, const char *device_name) {
  cl_platform_id platforms[16];
  cl_uint count;
  MUST(clGetPlatformIDs(16, platforms, &count));
  for (cl_uint p = 0; p < count && p < 16; p++) {
    char name[256];
    MUST(clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof name, name, NULL));
    if (!strstr(name, platform_name)) continue;
    cl_device_id devices[16];
    cl_uint n;
    MUST(clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &n));
    for (cl_uint d = 0; d < n && d < 16; d++) {
      MUST(clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof name, name, NULL));
      if (!strstr(name, device_name)) continue;
      platform = platforms[p];
      device = devices[d];
      return 1;
    }
  }
  return 0;
}

#endif
