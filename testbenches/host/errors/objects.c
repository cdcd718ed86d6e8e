// Wrong calls about platforms, devices, contexts, queues and events.

#include "check.h"

static void CL_CALLBACK ignore_error(const char *text, const void *data, size_t size, void *user) {
  (void)text, (void)data, (void)size, (void)user;
}

static void CL_CALLBACK ignore_event(cl_event event, cl_int status, void *user) {
  (void)event, (void)status, (void)user;
}

static void CL_CALLBACK ignore_context(cl_context context, void *user) { (void)context, (void)user; }

static void platforms(struct world *w) {
  char text[8];
  cl_device_id devices[4];
  cl_uint n;
  size_t size;
  WRONG(CL_INVALID_VALUE, clGetPlatformInfo(w->platform, 0x1234, sizeof text, text, &size));
  WRONG(CL_INVALID_VALUE, clGetPlatformInfo(w->platform, CL_PLATFORM_VERSION, sizeof text, text, &size));
  WRONG_NOT_POCL(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(w->platform, 0, 4, devices, &n));
  WRONG_NOT_POCL(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(w->platform, 1u << 20, 4, devices, &n));
  WRONG(CL_INVALID_VALUE, clGetDeviceIDs(w->platform, CL_DEVICE_TYPE_ALL, 0, devices, &n));
  WRONG(CL_INVALID_VALUE, clGetDeviceIDs(w->platform, CL_DEVICE_TYPE_ALL, 4, NULL, NULL));
  WRONG(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(w->platform, CL_DEVICE_TYPE_CUSTOM, 4, devices, &n));
  WRONG_NOT_POCL(CL_INVALID_PLATFORM, clGetDeviceIDs(NO(cl_platform_id), CL_DEVICE_TYPE_ALL, 4, devices, &n));
  WRONG(CL_INVALID_VALUE, clGetDeviceInfo(w->device, 0x1234, sizeof text, text, &size));
  WRONG(CL_INVALID_VALUE, clGetDeviceInfo(w->device, CL_DEVICE_VERSION, sizeof text, text, &size));
  WRONG(CL_INVALID_VALUE, clGetDeviceInfo(w->device, CL_DEVICE_MAX_COMPUTE_UNITS, 3, text, &size));
  WRONG(CL_INVALID_DEVICE, clGetDeviceInfo(NULL, CL_DEVICE_TYPE, sizeof text, text, &size));
  WRONG_NOT_POCL(CL_INVALID_DEVICE, clGetDeviceInfo(NO(cl_device_id), CL_DEVICE_TYPE, sizeof text, text, &size));
  WRONG(CL_INVALID_DEVICE, clRetainDevice(NULL));
  WRONG(CL_INVALID_DEVICE, clReleaseDevice(NULL));
  cl_device_partition_property unknown[] = {0x4711, 1, 0};
  WRONG(CL_INVALID_VALUE, clCreateSubDevices(w->device, unknown, 4, devices, &n));
  WRONG(CL_INVALID_DEVICE, clCreateSubDevices(NULL, unknown, 4, devices, &n));
  cl_ulong time;
  WRONG_NOT_POCL(CL_INVALID_VALUE, clGetDeviceAndHostTimer(w->device, NULL, &time));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clGetDeviceAndHostTimer(w->device, &time, NULL));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clGetHostTimer(w->device, NULL));
  WRONG(CL_INVALID_DEVICE, clGetHostTimer(NULL, &time));
}

static void contexts(struct world *w) {
  size_t size;
  cl_uint n;
  cl_device_id wrong = NULL;
  cl_context_properties unknown[] = {0x4711, 1, 0};
  cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)w->platform, CL_CONTEXT_PLATFORM,
                                   (cl_context_properties)w->platform, 0};
  WRONG_NEW(CL_INVALID_VALUE, clCreateContext(NULL, 0, &w->device, NULL, NULL, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateContext(NULL, 1, NULL, NULL, NULL, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateContext(NULL, 1, &w->device, NULL, w, &err));
  WRONG_NEW(CL_INVALID_DEVICE, clCreateContext(NULL, 1, &wrong, ignore_error, NULL, &err));
  WRONG_NEW(CL_INVALID_PROPERTY, clCreateContext(unknown, 1, &w->device, NULL, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_PROPERTY, clCreateContext(twice, 1, &w->device, NULL, NULL, &err));
  cl_context_properties ours[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)w->platform, 0};
  WRONG_NEW_NOT_POCL(CL_INVALID_DEVICE_TYPE, clCreateContextFromType(ours, 0, NULL, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_DEVICE_NOT_FOUND, clCreateContextFromType(ours, CL_DEVICE_TYPE_CUSTOM, NULL, NULL, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateContextFromType(ours, CL_DEVICE_TYPE_ALL, NULL, w, &err));
  WRONG(CL_INVALID_CONTEXT, clRetainContext(NULL));
  WRONG(CL_INVALID_CONTEXT, clReleaseContext(NULL));
  WRONG_NOT_POCL(CL_INVALID_CONTEXT, clRetainContext(NO(cl_context)));
  WRONG_NOT_POCL(CL_INVALID_CONTEXT, clReleaseContext(NO(cl_context)));
  WRONG(CL_INVALID_CONTEXT, clGetContextInfo(NULL, CL_CONTEXT_NUM_DEVICES, sizeof n, &n, &size));
  WRONG_NOT_POCL(CL_INVALID_CONTEXT, clGetContextInfo(NO(cl_context), CL_CONTEXT_NUM_DEVICES, sizeof n, &n, &size));
  WRONG(CL_INVALID_VALUE, clGetContextInfo(w->context, 0x1234, sizeof n, &n, &size));
  WRONG(CL_INVALID_VALUE, clGetContextInfo(w->context, CL_CONTEXT_NUM_DEVICES, 1, &n, &size));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clSetContextDestructorCallback(w->context, NULL, NULL));
  WRONG(CL_INVALID_CONTEXT, clSetContextDestructorCallback(NULL, ignore_context, NULL));
}

static void queues(struct world *w) {
  size_t size;
  cl_uint n;
  cl_queue_properties unknown[] = {0x4711, 1, 0};
  cl_queue_properties wrong_bits[] = {CL_QUEUE_PROPERTIES, 1u << 30, 0};
  cl_queue_properties sized[] = {CL_QUEUE_SIZE, 64, 0};
  WRONG_NEW(CL_INVALID_CONTEXT, clCreateCommandQueue(NULL, w->device, 0, &err));
  WRONG_NEW(CL_INVALID_DEVICE, clCreateCommandQueue(w->context, NULL, 0, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_CONTEXT, clCreateCommandQueue(NO(cl_context), w->device, 0, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_DEVICE, clCreateCommandQueue(w->context, NO(cl_device_id), 0, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateCommandQueue(w->context, w->device, 1u << 30, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(w->context, w->device, unknown, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(w->context, w->device, wrong_bits, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(w->context, w->device, sized, &err));
  cl_queue_properties device_queue[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE, 0};
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(w->context, w->device, device_queue, &err));
  WRONG(CL_INVALID_COMMAND_QUEUE, clRetainCommandQueue(NULL));
  WRONG(CL_INVALID_COMMAND_QUEUE, clReleaseCommandQueue(NULL));
  WRONG_NOT_POCL(CL_INVALID_COMMAND_QUEUE, clRetainCommandQueue(NO(cl_command_queue)));
  WRONG(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(NULL, CL_QUEUE_REFERENCE_COUNT, sizeof n, &n, &size));
  WRONG(CL_INVALID_VALUE, clGetCommandQueueInfo(w->queue, 0x1234, sizeof n, &n, &size));
  WRONG(CL_INVALID_VALUE, clGetCommandQueueInfo(w->queue, CL_QUEUE_CONTEXT, 1, &n, &size));
  WRONG_NOT_POCL(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(w->queue, CL_QUEUE_SIZE, sizeof n, &n, &size));
  WRONG(CL_INVALID_COMMAND_QUEUE, clFlush(NULL));
  WRONG(CL_INVALID_COMMAND_QUEUE, clFinish(NULL));
  WRONG_NOT_POCL(CL_INVALID_COMMAND_QUEUE, clFlush(NO(cl_command_queue)));
  WRONG_NOT_POCL(CL_INVALID_COMMAND_QUEUE, clFinish(NO(cl_command_queue)));
  WRONG_NOT_POCL(CL_INVALID_COMMAND_QUEUE, clSetDefaultDeviceCommandQueue(w->context, w->device, w->queue));
}

static void events(struct world *w) {
  size_t size;
  cl_int n;
  cl_ulong time;
  cl_event none = NULL, mixed[] = {w->user_event, w->other_event};
  cl_event marker;
  WRONG_NEW(CL_INVALID_CONTEXT, clCreateUserEvent(NULL, &err));
  WRONG(CL_INVALID_EVENT, clSetUserEventStatus(NULL, CL_COMPLETE));
  WRONG(CL_INVALID_VALUE, clSetUserEventStatus(w->user_event, CL_RUNNING));
  WRONG(CL_INVALID_VALUE, clSetUserEventStatus(w->user_event, CL_QUEUED));
  WRONG(CL_INVALID_VALUE, clWaitForEvents(0, mixed));
  WRONG(CL_INVALID_VALUE, clWaitForEvents(1, NULL));
  WRONG(CL_INVALID_EVENT, clWaitForEvents(1, &none));
  WRONG(CL_INVALID_CONTEXT, clWaitForEvents(2, mixed));
  WRONG(CL_INVALID_EVENT, clGetEventInfo(NULL, CL_EVENT_COMMAND_TYPE, sizeof n, &n, &size));
  WRONG(CL_INVALID_VALUE, clGetEventInfo(w->user_event, 0x1234, sizeof n, &n, &size));
  WRONG(CL_INVALID_VALUE, clGetEventInfo(w->user_event, CL_EVENT_COMMAND_TYPE, 1, &n, &size));
  WRONG(CL_INVALID_EVENT, clRetainEvent(NULL));
  WRONG(CL_INVALID_EVENT, clReleaseEvent(NULL));
  WRONG_NOT_POCL(CL_INVALID_EVENT, clRetainEvent((cl_event)w->buffer));
  WRONG(CL_INVALID_EVENT, clSetEventCallback(NULL, CL_COMPLETE, ignore_event, NULL));
  WRONG(CL_INVALID_VALUE, clSetEventCallback(w->user_event, CL_COMPLETE, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clSetEventCallback(w->user_event, CL_QUEUED, ignore_event, NULL));
  WRONG(CL_INVALID_VALUE, clSetEventCallback(w->user_event, 17, ignore_event, NULL));
  WRONG(CL_PROFILING_INFO_NOT_AVAILABLE,
        clGetEventProfilingInfo(w->user_event, CL_PROFILING_COMMAND_START, sizeof time, &time, &size));
  WRONG(CL_INVALID_EVENT, clGetEventProfilingInfo(NULL, CL_PROFILING_COMMAND_START, sizeof time, &time, &size));
  must(clEnqueueMarkerWithWaitList(w->queue, 0, NULL, &marker), "clEnqueueMarkerWithWaitList");
  must(clFinish(w->queue), "clFinish");
  WRONG(CL_INVALID_EVENT, clSetUserEventStatus(marker, CL_COMPLETE));
  WRONG(CL_PROFILING_INFO_NOT_AVAILABLE,
        clGetEventProfilingInfo(marker, CL_PROFILING_COMMAND_START, sizeof time, &time, &size));
  must(clReleaseEvent(marker), "clReleaseEvent");
  WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueMarkerWithWaitList(NULL, 0, NULL, &marker));
  WRONG(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(w->queue, 1, NULL, &marker));
  WRONG(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(w->queue, 0, mixed, &marker));
  WRONG(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(w->queue, 1, &none, &marker));
  WRONG(CL_INVALID_CONTEXT, clEnqueueMarkerWithWaitList(w->queue, 1, &w->other_event, &marker));
  WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrierWithWaitList(NULL, 0, NULL, &marker));
  WRONG(CL_INVALID_EVENT_WAIT_LIST, clEnqueueBarrierWithWaitList(w->queue, 1, NULL, &marker));
  WRONG(CL_INVALID_EVENT_WAIT_LIST, clEnqueueBarrierWithWaitList(w->queue, 0, mixed, &marker));
  WRONG(CL_INVALID_CONTEXT, clEnqueueBarrierWithWaitList(w->queue, 1, &w->other_event, &marker));
  WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueMarker(NULL, &marker));
  WRONG(CL_INVALID_VALUE, clEnqueueMarker(w->queue, NULL));
  WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrier(NULL));
  WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueWaitForEvents(NULL, 1, mixed));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clEnqueueWaitForEvents(w->queue, 0, mixed));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clEnqueueWaitForEvents(w->queue, 1, NULL));
  WRONG_NOT_POCL(CL_INVALID_EVENT, clEnqueueWaitForEvents(w->queue, 1, &none));
  // a status can be set once
  must(clSetUserEventStatus(w->user_event, CL_COMPLETE), "clSetUserEventStatus");
  WRONG(CL_INVALID_OPERATION, clSetUserEventStatus(w->user_event, CL_COMPLETE));
  // an error goes on to those who wait
  cl_int err;
  cl_event failing = clCreateUserEvent(w->context, &err);
  must(err, "clCreateUserEvent");
  must(clEnqueueMarkerWithWaitList(w->queue, 1, &failing, &marker), "clEnqueueMarkerWithWaitList");
  must(clSetUserEventStatus(failing, -42), "clSetUserEventStatus");
  WRONG(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &marker));
  WRONG(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &failing));
  must(clReleaseEvent(marker), "clReleaseEvent");
  must(clReleaseEvent(failing), "clReleaseEvent");
}

void objects(struct world *w) {
  platforms(w);
  contexts(w);
  queues(w);
  events(w);
}
