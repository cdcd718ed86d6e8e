// What kernels print: all conversions, vectors, strings, the order of each work-item's lines, more than the buffer holds.
//
// usage: prints PLATFORM DEVICE     parts of the names of a platform and a device
//
// What it prints is the same on every device, and partly what the kernels print. A wrong result or an error ends the
// program with 1.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

#define ITEMS 60
#define FLOOD 40000

static int told;

static const char *source =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "kernel void one(int i, long l, float f, double d, uchar c) {\n"
    "  printf(\"no argument, 100%%\\n\");\n"
    "  printf(\"[%d] [%i] [%5d] [%-5d] [%05d] [%+d] [% d] [%.4d] [%8.3d]\\n\", i, -i, i, i, i, i, i, i, i);\n"
    "  printf(\"[%u] [%x] [%X] [%#x] [%o] [%#o] [%08x]\\n\", -i, i, i, i, i, i, i);\n"
    "  printf(\"[%ld] [%lu] [%lx] [%hhd] [%hd] [%hhu]\\n\", l, l, l, i, i, i);\n"
    "  printf(\"[%f] [%.2f] [%10.3f] [%-10.1f] [%+.0f] [%#.0f]\\n\", f, f, f, f, f, f);\n"
    "  printf(\"[%e] [%.3E] [%g] [%G] [%.10g] [%#g]\\n\", f, f, f, f, f, f);\n"
    "  printf(\"[%a] [%.2a] [%A]\\n\", f, f, f);\n"
    "  printf(\"[%f] [%F] [%5.1f] [%e]\\n\", 1.0f / 0.0f, -1.0f / 0.0f, 0.0f, -0.0f);\n"
    "  printf(\"[%c] [%3c] [%-3c]\\n\", c, c, c);\n"
    "  printf(\"[%s] [%8s] [%-8s] [%.2s] [%s]\\n\", \"text\", \"text\", \"text\", \"text\", \"\");\n"
    "  printf(\"%s\\n\", i > 0 ? \"positive\" : \"negative or zero\");\n"
    "  printf(\"[%v4hld] [%v2hlu] [%v8hhd] [%v3hx]\\n\", (int4)(i, -i, 3, 4), (uint2)(1, 2), (char8)(-1, 2, 3, 4, 5, 6, 7, 8), (ushort3)(10, 11, 12));\n"
    "  printf(\"[%v4hlf] [%6.2v2hlf] [%v2lg] [%v2ld]\\n\", (float4)(f, 1, 2, 3), (float2)(f, -f), (double2)(d, 2), (long2)(l, -l));\n"
    "  int good = printf(\"%d\\n\", printf(\"nothing\\n\"));\n"
    "  printf(\"%d\\n\", good);\n"
    "}\n"
    "kernel void doubles(double d) {\n"
    "  printf(\"[%a] [%.2a] [%A] [%.15a]\\n\", d, d, d, d);\n"
    "  printf(\"[%f] [%e] [%g] [%.17g]\\n\", d * 1e20, d * 1e-30, d * 1e100, d);\n"
    "}\n"
    "kernel void many(global const int *a) {\n"
    "  int i = get_global_id(0);\n"
    "  for (int k = 0; k < 3; k++)\n"
    "    printf(\"%d %d %d\\n\", i, k, a[i] + k);\n"
    "  if (a[i] & 1)\n"
    "    printf(\"%d 3 odd\\n\", i);\n"
    "}\n"
    "kernel void flood(global int *results) {\n"
    "  int i = get_global_id(0);\n"
    "  results[i] = printf(\"%v16hlx\\n\", (uint16)(i));\n"
    "}\n";

static void CL_CALLBACK tell(const char *text, const void *data, size_t size, void *user) {
  (void)data, (void)size, (void)user;
  if (strstr(text, "does not fit the buffer")) told = 1;
}

// Standard output goes to a file until `restore`.
static int divert(const char *path) {
  fflush(stdout);
  int kept = dup(1), file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  CHECK(kept >= 0 && file >= 0 && dup2(file, 1) == 1);
  close(file);
  return kept;
}

static void restore(int kept) {
  fflush(stdout);
  CHECK(dup2(kept, 1) == 1);
  close(kept);
}

// The lines of each work-item stand in their order.
static void check_many(const char *path, const int *a) {
  int next[ITEMS] = {0}, lines = 0;
  char line[256], want[256];
  FILE *file = fopen(path, "r");
  CHECK(file != NULL);
  while (fgets(line, sizeof line, file)) {
    int i = atoi(line);
    CHECK(i >= 0 && i < ITEMS && next[i] < 4);
    if (next[i] < 3) snprintf(want, sizeof want, "%d %d %d\n", i, next[i], a[i] + next[i]);
    else snprintf(want, sizeof want, "%d 3 odd\n", i);
    if (strcmp(line, want)) fprintf(stderr, "%sinstead of\n%s", line, want);
    CHECK(strcmp(line, want) == 0);
    next[i]++;
    lines++;
  }
  fclose(file);
  for (int i = 0; i < ITEMS; i++) CHECK(next[i] == 3 + (a[i] & 1));
  printf("%d lines of %d work-items, each in order\n", lines, ITEMS);
}

// Doubles are printed as the C library prints them.
static void check_doubles(const char *path, double d) {
  char want[512], have[512] = "";
  snprintf(want, sizeof want, "[%a] [%.2a] [%A] [%.15a]\n[%f] [%e] [%g] [%.17g]\n", d, d, d, d, d * 1e20, d * 1e-30,
           d * 1e100, d);
  FILE *file = fopen(path, "r");
  CHECK(file != NULL);
  size_t size = fread(have, 1, sizeof have - 1, file);
  fclose(file);
  if (size != strlen(want) || strcmp(want, have)) fprintf(stderr, "%sinstead of\n%s", have, want);
  CHECK(strcmp(want, have) == 0);
}

// Lines come as long as there is room; the others are refused.
static void check_flood(const char *path, const int *results) {
  int good = 0, lines = 0;
  for (int i = 0; i < FLOOD; i++) {
    CHECK(results[i] == 0 || results[i] == -1);
    good += results[i] == 0;
  }
  char line[256];
  FILE *file = fopen(path, "r");
  CHECK(file != NULL);
  while (fgets(line, sizeof line, file)) {
    unsigned i = strtoul(line, NULL, 16);
    CHECK(i < FLOOD && results[i] == 0);
    lines++;
  }
  fclose(file);
  CHECK(lines == good);
}

int main(int argc, char **argv) {
  CHECK(argc == 3 && find_device(argv[1], argv[2]));
  int is_pocl = strstr(argv[1], "clhls") == NULL;
  cl_int error;
  cl_context context = clCreateContext(NULL, 1, &device, tell, NULL, &error);
  MUST(error);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  MUST(error);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  MUST(error);
  if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) {
    static char log[1 << 16];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%s\n", log);
    return 1;
  }
  size_t buffer_size;
  MUST(clGetDeviceInfo(device, CL_DEVICE_PRINTF_BUFFER_SIZE, sizeof buffer_size, &buffer_size, NULL));
  CHECK(buffer_size >= 1 << 20);

  cl_kernel one = clCreateKernel(program, "one", &error);
  MUST(error);
  cl_int i = 42;
  cl_long l = 1234567890123;
  cl_float f = 3.14159274f;
  cl_double d = 0.1;
  cl_uchar c = 'x';
  MUST(clSetKernelArg(one, 0, sizeof i, &i));
  MUST(clSetKernelArg(one, 1, sizeof l, &l));
  MUST(clSetKernelArg(one, 2, sizeof f, &f));
  MUST(clSetKernelArg(one, 3, sizeof d, &d));
  MUST(clSetKernelArg(one, 4, sizeof c, &c));
  size_t single = 1;
  fflush(stdout);
  for (int k = 0; k < 2; k++) {
    MUST(clEnqueueNDRangeKernel(queue, one, 1, NULL, &single, &single, 0, NULL, NULL));
    MUST(clFinish(queue));
  }

  char path[] = "/tmp/printsXXXXXX";
  int scratch = mkstemp(path);
  CHECK(scratch >= 0);
  close(scratch);
  int a[ITEMS];
  for (int k = 0; k < ITEMS; k++) a[k] = k * k * 7 % 101;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof a, a, &error);
  MUST(error);
  cl_kernel many = clCreateKernel(program, "many", &error);
  MUST(error);
  MUST(clSetKernelArg(many, 0, sizeof buffer, &buffer));
  size_t items = ITEMS, group = 6;
  int kept = divert(path);
  MUST(clEnqueueNDRangeKernel(queue, many, 1, NULL, &items, &group, 0, NULL, NULL));
  MUST(clFinish(queue));
  restore(kept);
  check_many(path, a);

  // PoCL's buffer is larger, and it makes floats of doubles.
  if (!is_pocl) {
    cl_kernel doubles = clCreateKernel(program, "doubles", &error);
    MUST(error);
    MUST(clSetKernelArg(doubles, 0, sizeof d, &d));
    kept = divert(path);
    MUST(clEnqueueNDRangeKernel(queue, doubles, 1, NULL, &single, &single, 0, NULL, NULL));
    MUST(clFinish(queue));
    restore(kept);
    check_doubles(path, d);
    static int results[FLOOD];
    cl_mem out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof results, NULL, &error);
    MUST(error);
    cl_kernel flood = clCreateKernel(program, "flood", &error);
    MUST(error);
    MUST(clSetKernelArg(flood, 0, sizeof out, &out));
    items = FLOOD;
    kept = divert(path);
    MUST(clEnqueueNDRangeKernel(queue, flood, 1, NULL, &items, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof results, results, 0, NULL, NULL));
    restore(kept);
    check_flood(path, results);
    CHECK(told);
  }
  unlink(path);
  printf("prints: fine\n");
  return 0;
}
