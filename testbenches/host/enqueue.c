// Device-side enqueue: queues on the device and what is said of them, kernels that enqueue kernels, wrong calls.
//
// usage: enqueue PLATFORM DEVICE     parts of the names of a platform and a device
//
// What it prints is the same on every device. A wrong result or an error ends the program with 1.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define ITEMS 24

static const char *source =
    "#ifndef __opencl_c_device_enqueue\n"
    "#error the feature of device-side enqueue is not there\n"
    "#endif\n"
    "kernel void plain(global int *out) { out[get_global_id(0)] = 1; }\n"
    // a child for every work-item, which adds to its neighbours; then one that waits for all of them by a marker
    "kernel void family(queue_t queue, global int *out, global ulong *times) {\n"
    "  int i = get_global_id(0), n = get_global_size(0);\n"
    "  clk_event_t event;\n"
    "  int code = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(3, 3), 0, NULL, &event, ^(local void *room) {\n"
    "    local int *sum = room;\n"
    "    sum[get_local_id(0)] = i + get_local_id(0);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (get_local_id(0) == 0) atomic_add(&out[(i + 1) % n], sum[0] + sum[1] + sum[2]);\n"
    "  }, 12u);\n"
    "  if (i == 0) capture_event_profiling_info(event, CLK_PROFILING_COMMAND_EXEC_TIME, times);\n"
    "  clk_event_t all;\n"
    "  code |= enqueue_marker(queue, 1, &event, &all);\n"
    "  code |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &all, NULL, ^{ atomic_add(&out[n], 1); });\n"
    "  release_event(event);\n"
    "  release_event(all);\n"
    "  if (code != CLK_SUCCESS) out[i] = -1000;\n"
    "}\n"
    "kernel void asks(global int *out) {\n"
    "  out[0] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[1] = 5; });\n"
    "}\n"
    "kernel void stuck(queue_t queue, global int *out) {\n"
    "  clk_event_t never = create_user_event();\n"
    "  enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &never, NULL, ^{ out[0] = 1; });\n"
    "}\n"
    "kernel void fails(queue_t queue, global int *out) {\n"
    "  clk_event_t wrong = create_user_event();\n"
    "  enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &wrong, NULL, ^{ out[0] = 1; });\n"
    "  set_user_event_status(wrong, -7);\n"
    "}\n"
    // blocks that use images, a sampler and pipes of the functions around them; one enqueues itself for the row below
    "static void shift(read_only image2d_t from, sampler_t sampler, write_only image2d_t to, int y) {\n"
    "  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(get_image_width(to)), ^{\n"
    "    int2 at = (int2)(get_global_id(0), y);\n"
    "    write_imageui(to, at, read_imageui(from, sampler, at + (int2)(1, 0)) + 100 * y);\n"
    "    if (at.x == 0 && y + 1 < get_image_height(to)) shift(from, sampler, to, y + 1);\n"
    "  });\n"
    "}\n"
    "kernel void shifted(read_only image2d_t from, sampler_t sampler, write_only image2d_t to) {\n"
    "  shift(from, sampler, to, 0);\n"
    "}\n"
    "kernel void writes(write_only pipe int to) {\n"
    "  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(3), ^{\n"
    "    int packet = 1 << get_global_id(0);\n"
    "    write_pipe(to, &packet);\n"
    "  });\n"
    "}\n"
    "kernel void sums(read_only pipe int from, global int *out) {\n"
    "  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{\n"
    "    for (int packet; read_pipe(from, &packet) == 0;) out[0] += packet;\n"
    "  });\n"
    "}\n";

static cl_context context;
static cl_command_queue queue;
static int told;

static void CL_CALLBACK tell(const char *text, const void *data, size_t size, void *user) {
  (void)text, (void)data, (void)size, (void)user;
  told++;
}

static cl_uint device_number(cl_device_info name) {
  cl_uint number = 0;
  MUST(clGetDeviceInfo(device, name, sizeof number, &number, NULL));
  return number;
}

static cl_command_queue on_device(cl_queue_properties more, cl_uint size) {
  cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | more,
                                size ? CL_QUEUE_SIZE : 0, size, 0};
  cl_int error;
  cl_command_queue made = clCreateCommandQueueWithProperties(context, device, list, &error);
  MUST(error);
  return made;
}

static cl_int no_queue(cl_queue_properties properties, cl_queue_properties size) {
  cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, size ? CL_QUEUE_SIZE : 0, size, 0};
  cl_int error = 12345;
  CHECK(clCreateCommandQueueWithProperties(context, device, list, &error) == NULL);
  return error;
}

static cl_command_queue default_of(cl_command_queue of) {
  cl_command_queue found;
  MUST(clGetCommandQueueInfo(of, CL_QUEUE_DEVICE_DEFAULT, sizeof found, &found, NULL));
  return found;
}

static cl_kernel kernel_of(cl_program program, const char *name) {
  cl_int error;
  cl_kernel kernel = clCreateKernel(program, name, &error);
  MUST(error);
  return kernel;
}

static cl_int launch(cl_kernel kernel, size_t items, cl_event *event) {
  size_t group = 1;
  cl_int code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, event);
  MUST(clFinish(queue));
  return code;
}

static void wrong_calls(cl_command_queue device_queue, cl_kernel family, cl_mem buffer) {
  cl_queue_properties out_of_order = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  cl_uint most = device_number(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE), number;
  cl_int error;
  CHECK(no_queue(CL_QUEUE_ON_DEVICE, 0) == CL_INVALID_VALUE);
  CHECK(no_queue(CL_QUEUE_ON_DEVICE_DEFAULT | out_of_order, 0) == CL_INVALID_VALUE);
  CHECK(no_queue(out_of_order, 1024) == CL_INVALID_VALUE);
  CHECK(no_queue(CL_QUEUE_ON_DEVICE | out_of_order, (cl_queue_properties)most + 1) == CL_INVALID_QUEUE_PROPERTIES);
  CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_SIZE, sizeof number, &number, NULL) == CL_INVALID_COMMAND_QUEUE);
  // commands of the host go to queues of the host
  CHECK(clEnqueueReadBuffer(device_queue, buffer, CL_TRUE, 0, 4, &number, 0, NULL, NULL) == CL_INVALID_COMMAND_QUEUE);
  CHECK(clEnqueueMarkerWithWaitList(device_queue, 0, NULL, NULL) == CL_INVALID_COMMAND_QUEUE);
  CHECK(clFlush(device_queue) == CL_INVALID_COMMAND_QUEUE);
  CHECK(clFinish(device_queue) == CL_INVALID_COMMAND_QUEUE);
  CHECK(clSetDefaultDeviceCommandQueue(context, device, queue) == CL_INVALID_COMMAND_QUEUE);
  CHECK(clSetDefaultDeviceCommandQueue(NULL, device, device_queue) == CL_INVALID_CONTEXT);
  CHECK(clSetDefaultDeviceCommandQueue(context, NULL, device_queue) == CL_INVALID_DEVICE);
  CHECK(clSetKernelArg(family, 0, sizeof queue, &queue) == CL_INVALID_DEVICE_QUEUE);
  CHECK(clSetKernelArg(family, 0, sizeof queue, NULL) == CL_INVALID_DEVICE_QUEUE);
  CHECK(clSetKernelArg(family, 0, sizeof buffer, &buffer) == CL_INVALID_DEVICE_QUEUE);
  CHECK(clSetKernelArg(family, 0, 4, &device_queue) == CL_INVALID_ARG_SIZE);
  CHECK(clCreateKernel(NULL, "family", &error) == NULL);
  printf("wrong calls give their errors\n");
}

static cl_mem picture(cl_mem_flags flags, cl_uint *texels) {
  cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
  cl_image_desc form = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 3};
  cl_int error;
  cl_mem made = clCreateImage(context, flags | (texels ? CL_MEM_COPY_HOST_PTR : 0), &format, &form, texels, &error);
  MUST(error);
  return made;
}

// The host lets go of everything before the kernels run: they do not begin before `gate`.
static void images_of_blocks(cl_program program) {
  cl_uint texels[12], got[12];
  for (int i = 0; i < 12; i++) texels[i] = 10 * i;
  cl_mem from = picture(CL_MEM_READ_ONLY, texels), to = picture(CL_MEM_READ_WRITE, NULL);
  cl_sampler_properties how[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, CL_SAMPLER_ADDRESSING_MODE,
                                 CL_ADDRESS_CLAMP_TO_EDGE, CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST, 0};
  cl_int error;
  cl_sampler sampler = clCreateSamplerWithProperties(context, how, &error);
  MUST(error);
  cl_event gate = clCreateUserEvent(context, &error);
  MUST(error);
  cl_kernel kernel = kernel_of(program, "shifted");
  MUST(clSetKernelArg(kernel, 0, sizeof from, &from));
  MUST(clSetKernelArg(kernel, 1, sizeof sampler, &sampler));
  MUST(clSetKernelArg(kernel, 2, sizeof to, &to));
  size_t one = 1, nowhere[3] = {0}, all[3] = {4, 3, 1};
  MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 1, &gate, NULL));
  MUST(clReleaseMemObject(from));
  MUST(clReleaseSampler(sampler));
  MUST(clReleaseKernel(kernel));
  MUST(clSetUserEventStatus(gate, CL_COMPLETE));
  MUST(clEnqueueReadImage(queue, to, CL_TRUE, nowhere, all, 0, 0, got, 0, NULL, NULL));
  for (int y = 0; y < 3; y++) {
    for (int x = 0; x < 4; x++) CHECK(got[4 * y + x] == texels[4 * y + (x < 3 ? x + 1 : 3)] + 100 * y);
  }
  MUST(clReleaseEvent(gate));
  MUST(clReleaseMemObject(to));
  printf("blocks read, sample and write images\n");
}

static void pipes_of_blocks(cl_program program, cl_mem buffer) {
  cl_int error, sum = 0;
  cl_mem pipe = clCreatePipe(context, 0, sizeof(cl_int), 8, NULL, &error), wide;
  MUST(error);
  wide = clCreatePipe(context, 0, 2 * sizeof(cl_int), 8, NULL, &error);
  MUST(error);
  cl_kernel writes = kernel_of(program, "writes"), sums = kernel_of(program, "sums");
  // only the block says what the packets are
  CHECK(clSetKernelArg(writes, 0, sizeof wide, &wide) == CL_INVALID_ARG_VALUE);
  MUST(clSetKernelArg(writes, 0, sizeof pipe, &pipe));
  MUST(clSetKernelArg(sums, 0, sizeof pipe, &pipe));
  MUST(clSetKernelArg(sums, 1, sizeof buffer, &buffer));
  MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof sum, &sum, 0, NULL, NULL));
  MUST(launch(writes, 1, NULL));
  MUST(launch(writes, 1, NULL));
  MUST(launch(sums, 1, NULL));
  MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof sum, &sum, 0, NULL, NULL));
  CHECK(sum == 14);
  MUST(clReleaseKernel(writes));
  MUST(clReleaseKernel(sums));
  MUST(clReleaseMemObject(pipe));
  MUST(clReleaseMemObject(wide));
  printf("blocks hand packets on\n");
}

int main(int argc, char **argv) {
  CHECK(argc == 3 && find_device(argv[1], argv[2]));
  cl_device_device_enqueue_capabilities able;
  cl_command_queue_properties properties;
  MUST(clGetDeviceInfo(device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof able, &able, NULL));
  CHECK(able == (CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT));
  MUST(clGetDeviceInfo(device, CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, sizeof properties, &properties, NULL));
  CHECK(properties == (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE));
  CHECK(device_number(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE) >= 16 << 10);
  CHECK(device_number(CL_DEVICE_MAX_ON_DEVICE_QUEUES) >= 1 && device_number(CL_DEVICE_MAX_ON_DEVICE_EVENTS) >= 1024);
  cl_int error;
  context = clCreateContext(NULL, 1, &device, tell, NULL, &error);
  MUST(error);
  cl_queue_properties profiled[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  queue = clCreateCommandQueueWithProperties(context, device, profiled, &error);
  MUST(error);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  MUST(error);
  if (clBuildProgram(program, 1, &device, "-cl-std=CL3.0 -g", NULL, NULL) != CL_SUCCESS) {
    static char log[1 << 16];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%s\n", log);
    return 1;
  }
  // the kernels of blocks are none of the program's
  cl_uint kernels;
  MUST(clCreateKernelsInProgram(program, 0, NULL, &kernels));
  CHECK(kernels == 8);
  cl_kernel family = kernel_of(program, "family"), asks = kernel_of(program, "asks");

  int out[ITEMS + 1] = {0};
  cl_ulong times[2] = {0, 0};
  cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof out, out, &error);
  MUST(error);
  cl_mem times_buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof times, times, &error);
  MUST(error);

  // without a default queue there is none
  MUST(clSetKernelArg(asks, 0, sizeof buffer, &buffer));
  CHECK(default_of(queue) == NULL);
  MUST(launch(asks, 1, NULL));
  MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
  CHECK(out[0] == -102 && out[1] == 0);
  cl_command_queue first = on_device(CL_QUEUE_ON_DEVICE_DEFAULT, 4096), same = on_device(CL_QUEUE_ON_DEVICE_DEFAULT, 0);
  CHECK(first == same && default_of(queue) == first);
  cl_uint size, references;
  MUST(clGetCommandQueueInfo(first, CL_QUEUE_SIZE, sizeof size, &size, NULL));
  MUST(clGetCommandQueueInfo(first, CL_QUEUE_REFERENCE_COUNT, sizeof references, &references, NULL));
  CHECK(size == 4096 && references == 2);
  MUST(launch(asks, 1, NULL));
  MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
  CHECK(out[0] == 0 && out[1] == 5);
  cl_command_queue other = on_device(0, 0);
  MUST(clSetDefaultDeviceCommandQueue(context, device, other));
  CHECK(default_of(queue) == other && default_of(first) == other);
  MUST(clReleaseCommandQueue(first));
  MUST(clReleaseCommandQueue(first));
  printf("the default queue is made, shared and replaced\n");
  wrong_calls(other, family, buffer);

  memset(out, 0, sizeof out);
  MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
  MUST(clSetKernelArg(family, 0, sizeof other, &other));
  MUST(clSetKernelArg(family, 1, sizeof buffer, &buffer));
  MUST(clSetKernelArg(family, 2, sizeof times_buffer, &times_buffer));
  cl_event event;
  MUST(launch(family, ITEMS, &event));
  MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
  MUST(clEnqueueReadBuffer(queue, times_buffer, CL_TRUE, 0, sizeof times, times, 0, NULL, NULL));
  for (int i = 0; i < ITEMS; i++) CHECK(out[(i + 1) % ITEMS] == 3 * i + 3);
  CHECK(out[ITEMS] == ITEMS);
  cl_ulong start, end, complete;
  MUST(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
  MUST(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
  MUST(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_COMPLETE, sizeof complete, &complete, NULL));
  CHECK(start <= end && end < complete && times[0] > 0 && times[1] >= times[0]);
  MUST(clReleaseEvent(event));
  printf("%d children, %d after their markers\n", ITEMS, out[ITEMS]);

  images_of_blocks(program);
  pipes_of_blocks(program, buffer);

  // what goes wrong is told, and ends the command with an error
  for (int k = 0; k < 2; k++) {
    cl_kernel kernel = kernel_of(program, k ? "fails" : "stuck");
    MUST(clSetKernelArg(kernel, 0, sizeof other, &other));
    MUST(clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
    MUST(launch(kernel, 1, &event));
    cl_int status;
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    CHECK(status < 0 && told == k + 1);
    MUST(clReleaseEvent(event));
    MUST(clReleaseKernel(kernel));
  }
  printf("events that are never set, and errors of events, end the command\n");
  MUST(clReleaseKernel(family));
  MUST(clReleaseKernel(asks));
  MUST(clReleaseMemObject(buffer));
  MUST(clReleaseMemObject(times_buffer));
  MUST(clReleaseProgram(program));
  MUST(clReleaseCommandQueue(other));
  MUST(clReleaseCommandQueue(queue));
  MUST(clReleaseContext(context));
  return 0;
}
