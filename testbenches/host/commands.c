// A tour of commands: event graphs out of order, callbacks, parts of buffers, boxes, mappings, threads, binaries.
//
// usage: commands PLATFORM DEVICE     parts of the names of a platform and a device
//
// What it prints is the same on every device. What not every OpenCL has (shared virtual memory, SPIR-V) is checked
// where it is there and printed nowhere. A wrong result or an error ends the program with 1.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define N 256

static cl_context context;
static cl_program program;
static int is_pocl;

static const char *source =
    "kernel void scale(global uint *a, uint m, uint c) {\n"
    "  size_t i = get_global_id(0);\n"
    "  a[i] = a[i] * m + c;\n"
    "}\n"
    "kernel void add(global const uint *a, global const uint *b, global uint *o) {\n"
    "  size_t i = get_global_id(0);\n"
    "  o[i] = a[i] + b[i];\n"
    "}\n";


// FNV-1a of memory, for printing.
static unsigned digest(const void *data, size_t size) {
  const unsigned char *bytes = data;
  unsigned hash = 2166136261u;
  for (size_t k = 0; k < size; k++) hash = (hash ^ bytes[k]) * 16777619u;
  return hash;
}

static cl_command_queue queue(cl_command_queue_properties properties) {
  cl_int err;
  cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
  cl_command_queue q = clCreateCommandQueueWithProperties(context, device, list, &err);
  must(err, "clCreateCommandQueueWithProperties");
  return q;
}

static cl_mem buffer(cl_mem_flags flags, size_t size, void *host) {
  cl_int err;
  cl_mem m = clCreateBuffer(context, flags, size, host, &err);
  must(err, "clCreateBuffer");
  return m;
}

static cl_kernel kernel(cl_program of, const char *name) {
  cl_int err;
  cl_kernel k = clCreateKernel(of, name, &err);
  must(err, "clCreateKernel");
  return k;
}

static void scale(cl_command_queue q, cl_kernel k, cl_mem a, cl_uint m, cl_uint c, cl_uint count, const cl_event *wait,
                  cl_event *event) {
  const size_t global = N, local = 32;
  MUST(clSetKernelArg(k, 0, sizeof a, &a));
  MUST(clSetKernelArg(k, 1, sizeof m, &m));
  MUST(clSetKernelArg(k, 2, sizeof c, &c));
  MUST(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, count, wait, event));
}

// ((a * 3 + 1) + (a * 5 + 2)) * 7 in a queue out of order, held back by an event of ours.
static void graph(void) {
  cl_int err;
  cl_uint data[N], result[N];
  for (cl_uint k = 0; k < N; k++) data[k] = k * k;
  cl_command_queue q = queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
  cl_mem a = buffer(CL_MEM_COPY_HOST_PTR, sizeof data, data), b = buffer(0, sizeof data, NULL);
  cl_mem o = buffer(CL_MEM_ALLOC_HOST_PTR, sizeof data, NULL);
  cl_kernel s = kernel(program, "scale"), add = kernel(program, "add");
  cl_event gate = clCreateUserEvent(context, &err), copied, left, right, sum, end;
  must(err, "clCreateUserEvent");
  MUST(clEnqueueCopyBuffer(q, a, b, 0, 0, sizeof data, 1, &gate, &copied));
  scale(q, s, a, 3, 1, 1, &copied, &left);
  scale(q, s, b, 5, 2, 1, &copied, &right);
  const cl_event both[] = {left, right};
  const size_t global = N;
  MUST(clSetKernelArg(add, 0, sizeof a, &a));
  MUST(clSetKernelArg(add, 1, sizeof b, &b));
  MUST(clSetKernelArg(add, 2, sizeof o, &o));
  MUST(clEnqueueNDRangeKernel(q, add, 1, NULL, &global, NULL, 2, both, &sum));
  scale(q, s, o, 7, 0, 1, &sum, &end);
  cl_int status;
  MUST(clGetEventInfo(copied, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  CHECK(status == CL_QUEUED || status == CL_SUBMITTED);
  MUST(clSetUserEventStatus(gate, CL_COMPLETE));
  MUST(clEnqueueReadBuffer(q, o, CL_TRUE, 0, sizeof result, result, 1, &end, NULL));
  for (cl_uint k = 0; k < N; k++) CHECK(result[k] == (data[k] * 3 + 1 + data[k] * 5 + 2) * 7);
  cl_ulong times[4];
  const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                     CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
  for (int k = 0; k < 4; k++) MUST(clGetEventProfilingInfo(sum, names[k], sizeof times[k], &times[k], NULL));
  CHECK(times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3]);
  printf("graph %08x\n", digest(result, sizeof result));
  const cl_event events[] = {gate, copied, left, right, sum, end};
  for (int k = 0; k < 6; k++) MUST(clReleaseEvent(events[k]));
  MUST(clReleaseMemObject(a)), MUST(clReleaseMemObject(b)), MUST(clReleaseMemObject(o));
  MUST(clReleaseKernel(s)), MUST(clReleaseKernel(add)), MUST(clReleaseCommandQueue(q));
}

static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t counted = PTHREAD_COND_INITIALIZER;
static int calls;
static cl_int last_status;

static void CL_CALLBACK count_event(cl_event event, cl_int status, void *user) {
  (void)event;
  pthread_mutex_lock(&counting);
  calls += *(int *)user;
  last_status = status;
  pthread_cond_broadcast(&counted);
  pthread_mutex_unlock(&counting);
}

static void CL_CALLBACK count_memory(cl_mem memory, void *user) {
  (void)memory;
  pthread_mutex_lock(&counting);
  calls = calls * 10 + *(int *)user;
  pthread_mutex_unlock(&counting);
}

static void wait_for(int wanted) {
  pthread_mutex_lock(&counting);
  while (calls < wanted) pthread_cond_wait(&counted, &counting);
  CHECK(calls == wanted);
  pthread_mutex_unlock(&counting);
}

// An error goes through the graph and to the callbacks.
static void failures(cl_command_queue q) {
  if (is_pocl) return; // PoCL 3.1 calls nobody when a command fails
  int one = 1;
  cl_int err;
  cl_event gate, marker;
  calls = 0;
  gate = clCreateUserEvent(context, &err);
  must(err, "clCreateUserEvent");
  MUST(clEnqueueMarkerWithWaitList(q, 1, &gate, &marker));
  MUST(clSetEventCallback(marker, CL_COMPLETE, count_event, &one));
  MUST(clSetUserEventStatus(gate, -7));
  wait_for(1);
  CHECK(last_status < 0);
  CHECK(clWaitForEvents(1, &marker) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  MUST(clReleaseEvent(marker)), MUST(clReleaseEvent(gate));
}

static void callbacks(void) {
  int one = 1, two = 2;
  cl_int err;
  cl_command_queue q = queue(0);
  cl_event gate = clCreateUserEvent(context, &err), marker;
  must(err, "clCreateUserEvent");
  MUST(clEnqueueMarkerWithWaitList(q, 1, &gate, &marker));
  for (int k = 0; k < 3; k++) MUST(clSetEventCallback(marker, CL_COMPLETE, count_event, &one));
  MUST(clSetUserEventStatus(gate, CL_COMPLETE));
  MUST(clFinish(q));
  wait_for(3);
  MUST(clSetEventCallback(marker, CL_COMPLETE, count_event, &one)); // over already: called at once
  wait_for(4);
  MUST(clReleaseEvent(marker)), MUST(clReleaseEvent(gate));
  failures(q);
  // destructors are called in the opposite order of their registration
  calls = 0;
  cl_mem m = buffer(0, 64, NULL);
  MUST(clSetMemObjectDestructorCallback(m, count_memory, &one));
  MUST(clSetMemObjectDestructorCallback(m, count_memory, &two));
  MUST(clRetainMemObject(m)), MUST(clReleaseMemObject(m));
  CHECK(calls == 0);
  MUST(clReleaseMemObject(m));
  CHECK(calls == 21);
  MUST(clReleaseCommandQueue(q));
  printf("callbacks\n");
}

// Kernels on halves of a buffer; fills with patterns.
static void parts(void) {
  cl_int err;
  cl_uint data[2 * N];
  cl_command_queue q = queue(0);
  cl_mem whole = buffer(CL_MEM_READ_WRITE, sizeof data, NULL);
  cl_kernel s = kernel(program, "scale");
  const unsigned long long pattern = 0x0123456789abcdefull;
  const unsigned char byte = 0x5a;
  MUST(clEnqueueFillBuffer(q, whole, &pattern, sizeof pattern, 0, sizeof data, 0, NULL, NULL));
  MUST(clEnqueueFillBuffer(q, whole, &byte, 1, 101, 7, 0, NULL, NULL));
  for (int half = 0; half < 2; half++) {
    cl_buffer_region region = {half * N * 4, N * 4};
    cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    must(err, "clCreateSubBuffer");
    scale(q, s, part, 3 + half, half, 0, NULL, NULL);
    MUST(clReleaseMemObject(part)); // while the command may still wait
  }
  MUST(clEnqueueReadBuffer(q, whole, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
  CHECK(data[0] == 0x89abcdefu * 3 && data[N + 1] == 0x01234567u * 4 + 1);
  printf("parts %08x\n", digest(data, sizeof data));
  MUST(clReleaseKernel(s)), MUST(clReleaseMemObject(whole)), MUST(clReleaseCommandQueue(q));
}

// Boxes between buffers and host memory with pitches of their own.
static void boxes(void) {
  enum { W = 16, H = 8, D = 4, SIZE = W * H * D };
  unsigned char from[SIZE], to[SIZE], back[SIZE];
  for (int k = 0; k < SIZE; k++) from[k] = (unsigned char)(k * 7 + 3);
  memset(to, 0xee, sizeof to);
  cl_command_queue q = queue(0);
  cl_mem a = buffer(CL_MEM_COPY_HOST_PTR, SIZE, to), b = buffer(CL_MEM_COPY_HOST_PTR, SIZE, to);
  const size_t at[3] = {3, 2, 1}, other[3] = {1, 0, 2}, region[3] = {5, 4, 2}, zero[3] = {0};
  MUST(clEnqueueWriteBufferRect(q, a, CL_TRUE, at, other, region, W, W * H, W, W * H, from, 0, NULL, NULL));
  MUST(clEnqueueCopyBufferRect(q, a, b, at, zero, region, W, W * H, 8, 64, 0, NULL, NULL));
  MUST(clEnqueueReadBufferRect(q, b, CL_TRUE, zero, other, region, 8, 64, W, W * H, to, 0, NULL, NULL));
  for (size_t z = 0; z < D; z++)
    for (size_t y = 0; y < H; y++)
      for (size_t x = 0; x < W; x++) {
        const size_t k = (z * H + y) * W + x;
        const int inside = x >= 1 && x < 6 && y < 4 && z >= 2;
        CHECK(to[k] == (inside ? from[k] : 0xee));
      }
  MUST(clEnqueueReadBuffer(q, b, CL_TRUE, 0, SIZE, back, 0, NULL, NULL));
  printf("boxes %08x\n", digest(back, sizeof back));
  MUST(clReleaseMemObject(a)), MUST(clReleaseMemObject(b)), MUST(clReleaseCommandQueue(q));
}

static void mappings(void) {
  cl_int err;
  static cl_uint host[N] __attribute__((aligned(4096)));
  for (cl_uint k = 0; k < N; k++) host[k] = k;
  cl_command_queue q = queue(0);
  cl_mem m = buffer(CL_MEM_USE_HOST_PTR, sizeof host, host);
  cl_kernel s = kernel(program, "scale");
  scale(q, s, m, 10, 5, 0, NULL, NULL);
  cl_uint *p = clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 64, 128, 0, NULL, NULL, &err);
  must(err, "clEnqueueMapBuffer");
  CHECK(p == host + 16 && p[0] == 165 && p[31] == 475);
  cl_uint mapped;
  MUST(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof mapped, &mapped, NULL));
  CHECK(mapped == 1);
  p[0] = 1000000;
  MUST(clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL));
  scale(q, s, m, 2, 0, 0, NULL, NULL);
  p = clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ, 0, sizeof host, 0, NULL, NULL, &err);
  must(err, "clEnqueueMapBuffer");
  CHECK(p[15] == 310 && p[16] == 2000000 && p[17] == 350);
  printf("mappings %08x\n", digest(p, sizeof host));
  MUST(clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL));
  MUST(clFinish(q));
  MUST(clReleaseMemObject(m)), MUST(clReleaseKernel(s)), MUST(clReleaseCommandQueue(q));
}

enum { THREADS = 4, ROUNDS = 8 };

// Each thread has a queue and a buffer; they share a buffer that all read, and one kernel that each clones.
struct work {
  cl_kernel shared_kernel;
  cl_mem shared;
  unsigned number, digest;
};

static void *worker(void *argument) {
  struct work *work = argument;
  cl_int err;
  cl_uint data[N];
  cl_command_queue q = queue(0);
  cl_mem m = buffer(0, sizeof data, NULL);
  cl_kernel s = clCloneKernel(work->shared_kernel, &err);
  must(err, "clCloneKernel");
  for (unsigned k = 0; k < ROUNDS; k++) {
    MUST(clEnqueueCopyBuffer(q, work->shared, m, 0, 0, sizeof data, 0, NULL, NULL));
    scale(q, s, m, work->number + 2, k, 0, NULL, NULL);
    MUST(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    for (cl_uint i = 0; i < N; i++) CHECK(data[i] == i * 3 * (work->number + 2) + k);
  }
  work->digest = digest(data, sizeof data);
  MUST(clReleaseKernel(s)), MUST(clReleaseMemObject(m)), MUST(clReleaseCommandQueue(q));
  return NULL;
}

static void threads(void) {
  cl_uint data[N];
  for (cl_uint k = 0; k < N; k++) data[k] = 3 * k;
  cl_mem shared = buffer(CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY, sizeof data, data);
  cl_kernel s = kernel(program, "scale");
  struct work work[THREADS];
  pthread_t ids[THREADS];
  for (unsigned k = 0; k < THREADS; k++) {
    work[k] = (struct work){s, shared, k, 0};
    CHECK(pthread_create(&ids[k], NULL, worker, &work[k]) == 0);
  }
  for (int k = 0; k < THREADS; k++) CHECK(pthread_join(ids[k], NULL) == 0);
  printf("threads");
  for (int k = 0; k < THREADS; k++) printf(" %08x", work[k].digest);
  printf("\n");
  MUST(clReleaseKernel(s)), MUST(clReleaseMemObject(shared));
}

// Barriers and markers in a queue out of order.
static void barriers(void) {
  cl_uint data[N];
  for (cl_uint k = 0; k < N; k++) data[k] = k;
  cl_command_queue q = queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl_mem m = buffer(CL_MEM_COPY_HOST_PTR, sizeof data, data);
  cl_kernel s = kernel(program, "scale");
  for (cl_uint k = 0; k < 6; k++) {
    scale(q, s, m, 2, k, 0, NULL, NULL);
    MUST(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
  }
  cl_event marker;
  MUST(clEnqueueMarkerWithWaitList(q, 0, NULL, &marker));
  MUST(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof data, data, 1, &marker, NULL));
  for (cl_uint k = 0; k < N; k++) CHECK(data[k] == k * 64 + 57);
  printf("barriers %08x\n", digest(data, sizeof data));
  MUST(clReleaseEvent(marker));
  MUST(clReleaseKernel(s)), MUST(clReleaseMemObject(m)), MUST(clReleaseCommandQueue(q));
}

static unsigned run_scale(cl_program of) {
  cl_uint data[N];
  for (cl_uint k = 0; k < N; k++) data[k] = k ^ 0x55;
  cl_command_queue q = queue(0);
  cl_mem m = buffer(CL_MEM_COPY_HOST_PTR, sizeof data, data);
  cl_kernel s = kernel(of, "scale");
  scale(q, s, m, 9, 4, 0, NULL, NULL);
  MUST(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
  MUST(clReleaseKernel(s)), MUST(clReleaseMemObject(m)), MUST(clReleaseCommandQueue(q));
  return digest(data, sizeof data);
}

static void binaries(void) {
  cl_int err, status;
  size_t size;
  MUST(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
  CHECK(size > 0);
  unsigned char *bytes = malloc(size);
  MUST(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
  cl_program copy =
      clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&bytes, &status, &err);
  must(err, "clCreateProgramWithBinary");
  MUST(status);
  MUST(clBuildProgram(copy, 1, &device, "", NULL, NULL));
  const unsigned before = run_scale(program), after = run_scale(copy);
  CHECK(before == after);
  printf("binaries %08x\n", after);
  free(bytes);
  MUST(clReleaseProgram(copy));
}

// Shared virtual memory: a kernel works on it, the host sees it where it is.
static void shared_memory(void) {
  cl_device_svm_capabilities svm = 0;
  MUST(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
  if (!(svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)) return;
  cl_command_queue q = queue(0);
  cl_kernel s = kernel(program, "scale");
  cl_uint *p = clSVMAlloc(context, CL_MEM_READ_WRITE, N * 4, 0), m = 6, c = 1;
  CHECK(p != NULL);
  MUST(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_WRITE, p, N * 4, 0, NULL, NULL));
  for (cl_uint k = 0; k < N; k++) p[k] = k;
  MUST(clEnqueueSVMUnmap(q, p, 0, NULL, NULL));
  MUST(clSetKernelArgSVMPointer(s, 0, p));
  MUST(clSetKernelArg(s, 1, sizeof m, &m));
  MUST(clSetKernelArg(s, 2, sizeof c, &c));
  const size_t global = N;
  MUST(clEnqueueNDRangeKernel(q, s, 1, NULL, &global, NULL, 0, NULL, NULL));
  MUST(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, p, N * 4, 0, NULL, NULL));
  for (cl_uint k = 0; k < N; k++) CHECK(p[k] == 6 * k + 1);
  MUST(clEnqueueSVMUnmap(q, p, 0, NULL, NULL));
  // what a kernel finds through pointers in memory is told, and taken back
  const void *found[] = {p};
  MUST(clSetKernelExecInfo(s, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof found, found));
  if (!is_pocl) MUST(clSetKernelExecInfo(s, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL));
  MUST(clFinish(q));
  clSVMFree(context, p);
  MUST(clReleaseKernel(s)), MUST(clReleaseCommandQueue(q));
}

int main(int argc, char **argv) {
  cl_int err;
  setvbuf(stdout, NULL, _IOLBF, 0); // a hang shows where
  if (argc != 3) {
    fprintf(stderr, "usage: commands PLATFORM DEVICE\n");
    return 2;
  }
  if (!find_device(argv[1], argv[2])) {
    printf("there is no device '%s' of a platform '%s'\n", argv[2], argv[1]);
    return 1;
  }
  is_pocl = strstr(argv[1], "Portable") != NULL;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  must(err, "clCreateContext");
  program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
  must(err, "clCreateProgramWithSource");
  MUST(clBuildProgram(program, 1, &device, "", NULL, NULL));
  graph();
  callbacks();
  parts();
  boxes();
  mappings();
  barriers();
  threads();
  binaries();
  shared_memory();
  MUST(clReleaseProgram(program));
  MUST(clReleaseContext(context));
  printf("done\n");
  return 0;
}
