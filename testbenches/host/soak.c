// Threads that make, use and release objects in random order: contexts, queues, buffers, images, programs, kernels, events.
// Memory must stay flat.
//
// usage: soak PLATFORM DEVICE [SECONDS [SEED [BYTES]]]     parts of the names of a platform and a device; 5 seconds, seed 1
//
// Every command is right, so every error ends the program with 1; so does memory that grows from the middle third of the time to the
// last one, and a callback that is not called. The time begins when every thread has warmed up: what is made once, like the simulator of
// a kernel and the tables of libraries, is there then, however slow the machine is.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, SLOTS = 12, N = 64 };
static const size_t BYTES = 4096;
enum { SAMPLES = 60 };                    // of resident memory, over the whole time
enum { WARM_STEPS = 1000 };               // of every thread, before the time begins
// Its growth in bytes, unless the fifth argument says so: fragments of the heap (1.1 MiB were seen once), no leaks. In five seconds 16 bytes
// lost in every step are more than 3 MiB.
static const long ALLOWED = 2 << 20;

static const char *const source = "kernel void fill(global uint *a, uint v) { a[get_global_id(0)] = v; }";

static cl_device_id device;
static cl_context context;
static cl_program program;
static cl_kernel kernel;
static unsigned char *binary; // of the program
static size_t binary_size;
static volatile int over;
static int shared_memory, images;
static atomic_long contexts; // made, and not yet gone

static void must(cl_int code, const char *what) {
  if (code != CL_SUCCESS) {
    printf("%s gives %d\n", what, code);
    exit(1);
  }
}

#define MUST(call) must(call, #call)

static uint64_t next(uint64_t *state) { // splitmix64
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

// What a thread has; a slot may be empty.
struct have {
  uint64_t random;
  cl_command_queue queues[SLOTS];
  cl_mem buffers[SLOTS], parts[SLOTS], images[SLOTS];
  cl_sampler samplers[SLOTS];
  cl_program programs[SLOTS];
  cl_kernel kernels[SLOTS];
  cl_event events[SLOTS], gates[SLOTS];
  void *svm[SLOTS];
  atomic_long steps;
};

static void put_event(struct have *h, int s, cl_event event) {
  if (h->events[s]) MUST(clReleaseEvent(h->events[s]));
  h->events[s] = event;
}

static void CL_CALLBACK context_is_gone(cl_context gone, void *count) {
  (void)gone;
  atomic_fetch_sub((atomic_long *)count, 1);
}

static cl_context make_context(void) {
  cl_int err;
  cl_context made = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  must(err, "clCreateContext");
  atomic_fetch_add(&contexts, 1);
  MUST(clSetContextDestructorCallback(made, context_is_gone, &contexts));
  return made;
}

// A command waits for an event of the thread now and then.
static cl_uint wait_list(struct have *h, cl_event *list) {
  *list = h->events[next(&h->random) % SLOTS];
  return *list && next(&h->random) % 2;
}

// A program of its own: mostly from the binary, since compilers are slow.
static cl_program make_program(struct have *h) {
  cl_int err, loaded;
  cl_program made;
  if (next(&h->random) % 256) {
    made = clCreateProgramWithBinary(context, 1, &device, &binary_size, (const unsigned char **)&binary, &loaded, &err);
    must(err, "clCreateProgramWithBinary");
  } else {
    made = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &err);
    must(err, "clCreateProgramWithSource");
  }
  MUST(clBuildProgram(made, 1, &device, "", NULL, NULL));
  return made;
}

static cl_mem make_image(struct have *h, cl_int *err) {
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE2D};
  description.image_width = 1 + next(&h->random) % 32;
  description.image_height = 1 + next(&h->random) % 32;
  return clCreateImage(context, 0, &format, &description, NULL, err);
}

// A context that lives as long as a few commands in it.
static void use_context(struct have *h) {
  cl_int err;
  cl_context own = make_context();
  cl_command_queue q = clCreateCommandQueueWithProperties(own, device, NULL, &err);
  must(err, "clCreateCommandQueueWithProperties");
  cl_mem m = clCreateBuffer(own, 0, BYTES, NULL, &err);
  must(err, "clCreateBuffer");
  MUST(clReleaseContext(own)); // what is in it keeps it
  const cl_uint value = (cl_uint)next(&h->random);
  cl_uint result = 0;
  MUST(clEnqueueFillBuffer(q, m, &value, sizeof value, 0, BYTES, 0, NULL, NULL));
  MUST(clEnqueueReadBuffer(q, m, CL_TRUE, BYTES - sizeof value, sizeof value, &result, 0, NULL, NULL));
  if (result != value) must(-1, "reading what was filled");
  MUST(clReleaseMemObject(m));
  MUST(clReleaseCommandQueue(q));
}

static void make_or_release(struct have *h, int kind, int s) {
  cl_int err = CL_SUCCESS;
  const cl_queue_properties order[] = {
      CL_QUEUE_PROPERTIES, next(&h->random) % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, 0};
  cl_buffer_region region = {1024, 1024};
  switch (kind) {
  case 0:
    if (h->queues[s]) MUST(clReleaseCommandQueue(h->queues[s])), h->queues[s] = NULL;
    else h->queues[s] = clCreateCommandQueueWithProperties(context, device, order, &err);
    break;
  case 1:
    if (h->buffers[s]) MUST(clReleaseMemObject(h->buffers[s])), h->buffers[s] = NULL;
    else h->buffers[s] = clCreateBuffer(context, 0, BYTES, NULL, &err);
    break;
  case 2:
    if (h->parts[s]) MUST(clReleaseMemObject(h->parts[s])), h->parts[s] = NULL;
    else if (h->buffers[s])
      h->parts[s] = clCreateSubBuffer(h->buffers[s], 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    break;
  case 3:
    if (h->kernels[s]) MUST(clReleaseKernel(h->kernels[s])), h->kernels[s] = NULL;
    else if (h->programs[s]) h->kernels[s] = clCreateKernel(h->programs[s], "fill", &err);
    else if (next(&h->random) % 2) h->kernels[s] = clCreateKernel(program, "fill", &err);
    else h->kernels[s] = clCloneKernel(kernel, &err);
    break;
  case 4: // a gate is opened when it goes
    if (h->gates[s]) {
      MUST(clSetUserEventStatus(h->gates[s], CL_COMPLETE));
      MUST(clReleaseEvent(h->gates[s]));
      h->gates[s] = NULL;
    } else {
      h->gates[s] = clCreateUserEvent(context, &err);
    }
    break;
  case 5:
    if (!shared_memory) break;
    if (h->svm[s]) clSVMFree(context, h->svm[s]), h->svm[s] = NULL;
    else h->svm[s] = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
    break;
  case 6: // building takes longer than anything else
    if (h->programs[s]) MUST(clReleaseProgram(h->programs[s])), h->programs[s] = NULL;
    else if (next(&h->random) % 16 == 0) h->programs[s] = make_program(h);
    break;
  case 7:
    if (!images) break;
    if (h->images[s]) MUST(clReleaseMemObject(h->images[s])), h->images[s] = NULL;
    else h->images[s] = make_image(h, &err);
    break;
  case 8:
    if (!images) break;
    if (h->samplers[s]) MUST(clReleaseSampler(h->samplers[s])), h->samplers[s] = NULL;
    else h->samplers[s] = clCreateSamplerWithProperties(context, NULL, &err);
    break;
  case 9:
    if (next(&h->random) % 8 == 0) use_context(h);
    break;
  }
  must(err, "making an object");
}

static void command(struct have *h, int kind, int s) {
  cl_command_queue q = h->queues[s];
  cl_mem m = h->parts[s] ? h->parts[s] : h->buffers[s];
  if (!q) return;
  cl_event list, event = NULL;
  const cl_uint count = wait_list(h, &list), value = (cl_uint)next(&h->random);
  const cl_event *wait = count ? &list : NULL;
  const size_t global = N;
  cl_int err = CL_SUCCESS;
  void *p;
  switch (kind) {
  case 0:
    if (!m) return;
    MUST(clEnqueueFillBuffer(q, m, &value, sizeof value, 0, 1024, count, wait, &event));
    break;
  case 1:
    if (!m || !h->kernels[s]) return;
    MUST(clSetKernelArg(h->kernels[s], 0, sizeof m, &m));
    MUST(clSetKernelArg(h->kernels[s], 1, sizeof value, &value));
    MUST(clEnqueueNDRangeKernel(q, h->kernels[s], 1, NULL, &global, NULL, count, wait, &event));
    break;
  case 2:
    if (h->gates[s]) MUST(clEnqueueMarkerWithWaitList(q, 1, &h->gates[s], &event));
    else MUST(clEnqueueBarrierWithWaitList(q, count, wait, &event));
    break;
  case 3:
    if (!m) return;
    p = clEnqueueMapBuffer(q, m, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0, 512, count, wait, NULL, &err);
    must(err, "clEnqueueMapBuffer");
    MUST(clEnqueueUnmapMemObject(q, m, p, 0, NULL, &event));
    break;
  case 4:
    if (!m || !h->buffers[(s + 1) % SLOTS]) return;
    MUST(clEnqueueCopyBuffer(q, m, h->buffers[(s + 1) % SLOTS], 0, 2048, 1024, count, wait, &event));
    break;
  }
  put_event(h, s, event);
}

// Opens all gates, as commands of any queue may wait for them, then waits for all commands.
static void settle(struct have *h) {
  for (int k = 0; k < SLOTS; k++)
    if (h->gates[k]) make_or_release(h, 4, k);
  for (int k = 0; k < SLOTS; k++)
    if (h->queues[k]) MUST(clFinish(h->queues[k]));
}

static void *thread(void *argument) {
  struct have *h = argument;
  while (!over) {
    const uint64_t what = next(&h->random);
    const int s = (int)((what >> 8) % SLOTS), kind = (int)(what % 15);
    if (kind < 10) make_or_release(h, kind, s);
    else command(h, kind - 10, s);
    // gates must not stay shut: queues would grow without end
    if (atomic_fetch_add(&h->steps, 1) % 64 == 0) settle(h);
  }
  settle(h);
  for (int k = 0; k < SLOTS; k++) {
    put_event(h, k, NULL);
    if (h->queues[k]) make_or_release(h, 0, k);
    if (h->parts[k]) make_or_release(h, 2, k);
    if (h->buffers[k]) make_or_release(h, 1, k);
    if (h->kernels[k]) make_or_release(h, 3, k);
    if (h->svm[k]) make_or_release(h, 5, k);
    if (h->programs[k]) make_or_release(h, 6, k);
    if (h->images[k]) make_or_release(h, 7, k);
    if (h->samplers[k]) make_or_release(h, 8, k);
  }
  return NULL;
}

static long resident(void) {
  long size = 0, pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &size, &pages) != 2) must(-1, "/proc/self/statm");
  fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

static void make(const char *platform_name, const char *device_name) {
  cl_int err;
  cl_platform_id platforms[16];
  cl_device_id devices[16];
  cl_uint count, n;
  char name[256];
  MUST(clGetPlatformIDs(16, platforms, &count));
  for (cl_uint p = 0; p < count && !device; p++) {
    MUST(clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof name, name, NULL));
    if (!strstr(name, platform_name)) continue;
    MUST(clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &n));
    for (cl_uint d = 0; d < n && !device; d++) {
      MUST(clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof name, name, NULL));
      if (strstr(name, device_name)) device = devices[d];
    }
  }
  if (!device) must(CL_DEVICE_NOT_FOUND, "looking for the device");
  cl_device_svm_capabilities svm = 0;
  MUST(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
  shared_memory = (svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0;
  cl_bool has_images = CL_FALSE;
  MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL));
  images = has_images;
  context = make_context();
  program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &err);
  must(err, "clCreateProgramWithSource");
  MUST(clBuildProgram(program, 1, &device, "", NULL, NULL));
  kernel = clCreateKernel(program, "fill", &err);
  must(err, "clCreateKernel");
  MUST(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof binary_size, &binary_size, NULL));
  binary = malloc(binary_size);
  if (!binary) must(CL_OUT_OF_HOST_MEMORY, "malloc");
  MUST(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
}

// The first launch: what runs the kernel is built, which may take longer than all the rest.
static void launch_once(void) {
  cl_int err;
  const size_t global = N;
  const cl_uint value = 1;
  cl_command_queue q = clCreateCommandQueueWithProperties(context, device, NULL, &err);
  must(err, "clCreateCommandQueueWithProperties");
  cl_mem m = clCreateBuffer(context, 0, BYTES, NULL, &err);
  must(err, "clCreateBuffer");
  MUST(clSetKernelArg(kernel, 0, sizeof m, &m));
  MUST(clSetKernelArg(kernel, 1, sizeof value, &value));
  MUST(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
  MUST(clFinish(q));
  MUST(clReleaseMemObject(m));
  MUST(clReleaseCommandQueue(q));
}

static int by_size(const void *a, const void *b) {
  const long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

// The middle one of a third of the samples: what a moment needs does not count.
static long middle(long *samples) {
  qsort(samples, SAMPLES / 3, sizeof *samples, by_size);
  return samples[SAMPLES / 6];
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: soak PLATFORM DEVICE [SECONDS [SEED [BYTES]]]\n");
    return 2;
  }
  const double seconds = argc > 3 ? atof(argv[3]) : 5;
  const uint64_t seed = argc > 4 ? strtoull(argv[4], NULL, 0) : 1;
  const long allowed = argc > 5 ? atol(argv[5]) : ALLOWED;
  make(argv[1], argv[2]);
  launch_once();
  static struct have all[THREADS];
  pthread_t ids[THREADS];
  for (unsigned k = 0; k < THREADS; k++) {
    all[k].random = seed * THREADS + k;
    if (pthread_create(&ids[k], NULL, thread, &all[k]) != 0) must(-1, "pthread_create");
  }
  for (int k = 0; k < THREADS; k++)
    while (atomic_load(&all[k].steps) < WARM_STEPS) usleep(10000);
  long samples[SAMPLES];
  for (int k = 0; k < SAMPLES; k++) {
    usleep((useconds_t)(seconds * 1e6 / SAMPLES));
    samples[k] = resident();
  }
  over = 1;
  long steps = 0;
  for (int k = 0; k < THREADS; k++) {
    if (pthread_join(ids[k], NULL) != 0) must(-1, "pthread_join");
    steps += atomic_load(&all[k].steps);
  }
  MUST(clReleaseKernel(kernel));
  MUST(clReleaseProgram(program));
  cl_uint references = 0;
  MUST(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof references, &references, NULL));
  MUST(clReleaseContext(context));
  free(binary);
  // an object that were left would keep its context; the last one may be let go by another thread
  for (int k = 0; k < 100 && atomic_load(&contexts); k++) usleep(10000);
  // the first third is warming up
  const long before = middle(samples + SAMPLES / 3), after = middle(samples + 2 * SAMPLES / 3);
  fprintf(stderr, "%ld steps, memory %ld KiB, then %ld KiB\n", steps, before >> 10, after >> 10);
  if (after - before > allowed || references != 1 || atomic_load(&contexts) != 0) {
    printf("memory has grown by %ld KiB, the context has %u references, %ld contexts are left\n", (after - before) >> 10,
           references, atomic_load(&contexts));
    return 1;
  }
  printf("done\n");
  return 0;
}
