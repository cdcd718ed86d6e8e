// Wrong calls about buffers and commands on them.

#include "check.h"

static char host[8192];

static void CL_CALLBACK ignore_memory(cl_mem memory, void *user) { (void)memory, (void)user; }

static void creation(struct world *w) {
  size_t size;
  cl_uint n;
  cl_mem_properties unknown[] = {0x4711, 1, 0};
  WRONG_NEW(CL_INVALID_CONTEXT, clCreateBuffer(NULL, 0, 64, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_CONTEXT, clCreateBuffer(NO(cl_context), 0, 64, NULL, &err));
  WRONG_NEW(CL_INVALID_BUFFER_SIZE, clCreateBuffer(w->context, 0, 0, NULL, &err));
  WRONG_NEW(CL_INVALID_BUFFER_SIZE, clCreateBuffer(w->context, 0, SIZE_MAX, NULL, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateBuffer(w->context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, NULL, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateBuffer(w->context, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY, 64, NULL, &err));
  WRONG_NEW(CL_INVALID_VALUE,
            clCreateBuffer(w->context, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 64, NULL, &err));
  WRONG_NEW(CL_INVALID_VALUE,
            clCreateBuffer(w->context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64, host, &err));
  WRONG_NEW(CL_INVALID_VALUE,
            clCreateBuffer(w->context, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 64, host, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateBuffer(w->context, 1ull << 40, 64, NULL, &err));
  WRONG_NEW(CL_INVALID_HOST_PTR, clCreateBuffer(w->context, CL_MEM_USE_HOST_PTR, 64, NULL, &err));
  WRONG_NEW(CL_INVALID_HOST_PTR, clCreateBuffer(w->context, CL_MEM_COPY_HOST_PTR, 64, NULL, &err));
  WRONG_NEW(CL_INVALID_HOST_PTR, clCreateBuffer(w->context, 0, 64, host, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_PROPERTY, clCreateBufferWithProperties(w->context, unknown, 0, 64, NULL, &err));
  WRONG(CL_INVALID_MEM_OBJECT, clRetainMemObject(NULL));
  WRONG(CL_INVALID_MEM_OBJECT, clReleaseMemObject(NULL));
  WRONG_NOT_POCL(CL_INVALID_MEM_OBJECT, clRetainMemObject(NO(cl_mem)));
  WRONG(CL_INVALID_MEM_OBJECT, clGetMemObjectInfo(NULL, CL_MEM_SIZE, sizeof size, &size, NULL));
  WRONG(CL_INVALID_VALUE, clGetMemObjectInfo(w->buffer, 0x1234, sizeof size, &size, NULL));
  WRONG(CL_INVALID_VALUE, clGetMemObjectInfo(w->buffer, CL_MEM_SIZE, 1, &n, NULL));
  WRONG(CL_INVALID_MEM_OBJECT, clSetMemObjectDestructorCallback(NULL, ignore_memory, NULL));
  WRONG(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(w->buffer, NULL, NULL));
}

static void parts(struct world *w) {
  cl_buffer_region good = {1024, 64}, empty = {1024, 0}, beyond = {4096, 64}, odd = {1, 64};
  const cl_buffer_create_type type = CL_BUFFER_CREATE_TYPE_REGION;
  WRONG_NEW(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(NULL, 0, type, &good, &err));
  WRONG_NEW(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(w->part, 0, type, &good, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateSubBuffer(w->buffer, 0, 0x1234, &good, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateSubBuffer(w->buffer, 0, type, NULL, &err));
  WRONG_NEW(CL_INVALID_BUFFER_SIZE, clCreateSubBuffer(w->buffer, 0, type, &empty, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateSubBuffer(w->buffer, 0, type, &beyond, &err));
  WRONG_NEW(CL_MISALIGNED_SUB_BUFFER_OFFSET, clCreateSubBuffer(w->buffer, 0, type, &odd, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateSubBuffer(w->read_only, CL_MEM_WRITE_ONLY, type, &good, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateSubBuffer(w->read_only, CL_MEM_READ_WRITE, type, &good, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateSubBuffer(w->write_only, CL_MEM_READ_ONLY, type, &good, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateSubBuffer(w->read_only, CL_MEM_HOST_WRITE_ONLY, type, &good, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateSubBuffer(w->write_only, CL_MEM_HOST_READ_ONLY, type, &good, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateSubBuffer(w->no_access, CL_MEM_HOST_READ_ONLY, type, &good, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE,
            clCreateSubBuffer(w->buffer, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, type, &good, &err));
}

static void transfers(struct world *w) {
  cl_event wrong = NULL;
  WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueReadBuffer(NULL, w->buffer, 1, 0, 4, host, 0, NULL, NULL));
  WRONG(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(w->queue, NULL, 1, 0, 4, host, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(w->queue, NO(cl_mem), 1, 0, 4, host, 0, NULL, NULL));
  WRONG(CL_INVALID_CONTEXT, clEnqueueReadBuffer(w->queue, w->other_buffer, 1, 0, 4, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueReadBuffer(w->queue, w->buffer, 1, 4096, 4, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueReadBuffer(w->queue, w->buffer, 1, 0, 4097, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueReadBuffer(w->queue, w->buffer, 1, SIZE_MAX, 2, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueReadBuffer(w->queue, w->part, 1, 1000, 25, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueReadBuffer(w->queue, w->buffer, 1, 0, 4, NULL, 0, NULL, NULL));
  WRONG(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(w->queue, w->buffer, 1, 0, 4, host, 1, NULL, NULL));
  WRONG(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(w->queue, w->buffer, 1, 0, 4, host, 0, &wrong, NULL));
  WRONG(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(w->queue, w->buffer, 1, 0, 4, host, 1, &wrong, NULL));
  WRONG(CL_INVALID_CONTEXT, clEnqueueReadBuffer(w->queue, w->buffer, 1, 0, 4, host, 1, &w->other_event, NULL));
  WRONG(CL_INVALID_OPERATION, clEnqueueReadBuffer(w->queue, w->write_only, 1, 0, 4, host, 0, NULL, NULL));
  WRONG(CL_INVALID_OPERATION, clEnqueueReadBuffer(w->queue, w->no_access, 1, 0, 4, host, 0, NULL, NULL));
  WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueWriteBuffer(NULL, w->buffer, 1, 0, 4, host, 0, NULL, NULL));
  WRONG(CL_INVALID_MEM_OBJECT, clEnqueueWriteBuffer(w->queue, NULL, 1, 0, 4, host, 0, NULL, NULL));
  WRONG(CL_INVALID_CONTEXT, clEnqueueWriteBuffer(w->queue, w->other_buffer, 1, 0, 4, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueWriteBuffer(w->queue, w->buffer, 1, 4095, 2, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueWriteBuffer(w->queue, w->buffer, 1, 0, 4, NULL, 0, NULL, NULL));
  WRONG(CL_INVALID_EVENT_WAIT_LIST, clEnqueueWriteBuffer(w->queue, w->buffer, 1, 0, 4, host, 1, NULL, NULL));
  WRONG(CL_INVALID_OPERATION, clEnqueueWriteBuffer(w->queue, w->read_only, 1, 0, 4, host, 0, NULL, NULL));
  WRONG(CL_INVALID_OPERATION, clEnqueueWriteBuffer(w->queue, w->no_access, 1, 0, 4, host, 0, NULL, NULL));
  WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueCopyBuffer(NULL, w->buffer, w->read_only, 0, 0, 4, 0, NULL, NULL));
  WRONG(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(w->queue, NULL, w->buffer, 0, 0, 4, 0, NULL, NULL));
  WRONG(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(w->queue, w->buffer, NULL, 0, 0, 4, 0, NULL, NULL));
  WRONG(CL_INVALID_CONTEXT, clEnqueueCopyBuffer(w->queue, w->other_buffer, w->buffer, 0, 0, 4, 0, NULL, NULL));
  WRONG(CL_INVALID_CONTEXT, clEnqueueCopyBuffer(w->queue, w->buffer, w->other_buffer, 0, 0, 4, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueCopyBuffer(w->queue, w->buffer, w->read_only, 4093, 0, 4, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueCopyBuffer(w->queue, w->buffer, w->read_only, 0, 4093, 4, 0, NULL, NULL));
  WRONG(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(w->queue, w->buffer, w->buffer, 0, 3, 4, 0, NULL, NULL));
  WRONG(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(w->queue, w->buffer, w->part, 1020, 0, 8, 0, NULL, NULL));
  WRONG(CL_INVALID_EVENT_WAIT_LIST, clEnqueueCopyBuffer(w->queue, w->buffer, w->read_only, 0, 0, 4, 1, NULL, NULL));
}

static void fills(struct world *w) {
  int pattern[32] = {0};
  WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueFillBuffer(NULL, w->buffer, pattern, 4, 0, 4, 0, NULL, NULL));
  WRONG(CL_INVALID_MEM_OBJECT, clEnqueueFillBuffer(w->queue, NULL, pattern, 4, 0, 4, 0, NULL, NULL));
  WRONG(CL_INVALID_CONTEXT, clEnqueueFillBuffer(w->queue, w->other_buffer, pattern, 4, 0, 4, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueFillBuffer(w->queue, w->buffer, NULL, 4, 0, 4, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueFillBuffer(w->queue, w->buffer, pattern, 0, 0, 4, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueFillBuffer(w->queue, w->buffer, pattern, 3, 0, 6, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueFillBuffer(w->queue, w->buffer, pattern, 256, 0, 256, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueFillBuffer(w->queue, w->buffer, pattern, 4, 2, 4, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueFillBuffer(w->queue, w->buffer, pattern, 4, 0, 6, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueFillBuffer(w->queue, w->buffer, pattern, 4, 4096, 4, 0, NULL, NULL));
  WRONG(CL_INVALID_EVENT_WAIT_LIST, clEnqueueFillBuffer(w->queue, w->buffer, pattern, 4, 0, 4, 1, NULL, NULL));
  cl_mem none = NULL;
  WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueMigrateMemObjects(NULL, 1, &w->buffer, 0, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(w->queue, 0, &w->buffer, 0, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(w->queue, 1, NULL, 0, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(w->queue, 1, &w->buffer, 1u << 20, 0, NULL, NULL));
  WRONG(CL_INVALID_MEM_OBJECT, clEnqueueMigrateMemObjects(w->queue, 1, &none, 0, 0, NULL, NULL));
  WRONG(CL_INVALID_CONTEXT, clEnqueueMigrateMemObjects(w->queue, 1, &w->other_buffer, 0, 0, NULL, NULL));
}

static void rects(struct world *w) {
  const size_t zero[3] = {0}, region[3] = {16, 4, 2}, flat[3] = {16, 0, 1}, huge[3] = {4096, 2, 1};
  const size_t far[3] = {4090, 0, 0}, near[3] = {8, 1, 0};
  cl_mem b = w->buffer, o = w->read_only;
  WRONG(CL_INVALID_COMMAND_QUEUE,
        clEnqueueReadBufferRect(NULL, b, 1, zero, zero, region, 0, 0, 0, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_MEM_OBJECT,
        clEnqueueReadBufferRect(w->queue, NULL, 1, zero, zero, region, 0, 0, 0, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_CONTEXT, clEnqueueReadBufferRect(w->queue, w->other_buffer, 1, zero, zero, region, 0, 0, 0, 0,
                                                    host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE,
        clEnqueueReadBufferRect(w->queue, b, 1, zero, zero, region, 0, 0, 0, 0, NULL, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueReadBufferRect(w->queue, b, 1, zero, zero, flat, 0, 0, 0, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueReadBufferRect(w->queue, b, 1, zero, zero, huge, 0, 0, 0, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueReadBufferRect(w->queue, b, 1, far, zero, region, 0, 0, 0, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE,
        clEnqueueReadBufferRect(w->queue, b, 1, zero, zero, region, 15, 0, 0, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE,
        clEnqueueReadBufferRect(w->queue, b, 1, zero, zero, region, 0, 0, 15, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE,
        clEnqueueReadBufferRect(w->queue, b, 1, zero, zero, region, 16, 63, 0, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE,
        clEnqueueReadBufferRect(w->queue, b, 1, zero, zero, region, 16, 65, 0, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE,
        clEnqueueReadBufferRect(w->queue, b, 1, zero, zero, region, 0, 0, 16, 65, host, 0, NULL, NULL));
  WRONG(CL_INVALID_OPERATION, clEnqueueReadBufferRect(w->queue, w->write_only, 1, zero, zero, region, 0, 0, 0, 0,
                                                      host, 0, NULL, NULL));
  WRONG(CL_INVALID_EVENT_WAIT_LIST,
        clEnqueueReadBufferRect(w->queue, b, 1, zero, zero, region, 0, 0, 0, 0, host, 1, NULL, NULL));
  WRONG(CL_INVALID_COMMAND_QUEUE,
        clEnqueueWriteBufferRect(NULL, b, 1, zero, zero, region, 0, 0, 0, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_MEM_OBJECT,
        clEnqueueWriteBufferRect(w->queue, NULL, 1, zero, zero, region, 0, 0, 0, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE,
        clEnqueueWriteBufferRect(w->queue, b, 1, far, zero, region, 0, 0, 0, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE,
        clEnqueueWriteBufferRect(w->queue, b, 1, zero, zero, flat, 0, 0, 0, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_OPERATION, clEnqueueWriteBufferRect(w->queue, w->read_only, 1, zero, zero, region, 0, 0, 0, 0,
                                                       host, 0, NULL, NULL));
  WRONG(CL_INVALID_COMMAND_QUEUE,
        clEnqueueCopyBufferRect(NULL, b, o, zero, zero, region, 0, 0, 0, 0, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_MEM_OBJECT,
        clEnqueueCopyBufferRect(w->queue, b, NULL, zero, zero, region, 0, 0, 0, 0, 0, NULL, NULL));
  WRONG(CL_INVALID_CONTEXT, clEnqueueCopyBufferRect(w->queue, b, w->other_buffer, zero, zero, region, 0, 0, 0, 0, 0,
                                                    NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueCopyBufferRect(w->queue, b, o, far, zero, region, 0, 0, 0, 0, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueCopyBufferRect(w->queue, b, o, zero, far, region, 0, 0, 0, 0, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueCopyBufferRect(w->queue, b, b, zero, far, region, 16, 64, 32, 128, 0, NULL, NULL));
  WRONG(CL_MEM_COPY_OVERLAP,
        clEnqueueCopyBufferRect(w->queue, b, b, zero, near, region, 32, 256, 32, 256, 0, NULL, NULL));
}

static void maps(struct world *w) {
  cl_command_queue q = w->queue;
  WRONG_NEW(CL_INVALID_COMMAND_QUEUE, clEnqueueMapBuffer(NULL, w->buffer, 1, 1, 0, 4, 0, NULL, NULL, &err));
  WRONG_NEW(CL_INVALID_MEM_OBJECT, clEnqueueMapBuffer(q, NULL, 1, 1, 0, 4, 0, NULL, NULL, &err));
  WRONG_NEW(CL_INVALID_CONTEXT, clEnqueueMapBuffer(q, w->other_buffer, 1, 1, 0, 4, 0, NULL, NULL, &err));
  WRONG_NEW(CL_INVALID_VALUE, clEnqueueMapBuffer(q, w->buffer, 1, 1, 0, 0, 0, NULL, NULL, &err));
  WRONG_NEW(CL_INVALID_VALUE, clEnqueueMapBuffer(q, w->buffer, 1, 1, 4096, 1, 0, NULL, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE, clEnqueueMapBuffer(q, w->buffer, 1, 1u << 20, 0, 4, 0, NULL, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE,
                     clEnqueueMapBuffer(q, w->buffer, 1, CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4, 0,
                                        NULL, NULL, &err));
  WRONG_NEW(CL_INVALID_OPERATION, clEnqueueMapBuffer(q, w->write_only, 1, CL_MAP_READ, 0, 4, 0, NULL, NULL, &err));
  WRONG_NEW(CL_INVALID_OPERATION, clEnqueueMapBuffer(q, w->read_only, 1, CL_MAP_WRITE, 0, 4, 0, NULL, NULL, &err));
  WRONG_NEW(CL_INVALID_OPERATION, clEnqueueMapBuffer(q, w->no_access, 1, CL_MAP_READ, 0, 4, 0, NULL, NULL, &err));
  WRONG_NEW(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMapBuffer(q, w->buffer, 1, 1, 0, 4, 1, NULL, NULL, &err));
  WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueUnmapMemObject(NULL, w->buffer, host, 0, NULL, NULL));
  WRONG(CL_INVALID_MEM_OBJECT, clEnqueueUnmapMemObject(q, NULL, host, 0, NULL, NULL));
  WRONG(CL_INVALID_CONTEXT, clEnqueueUnmapMemObject(q, w->other_buffer, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueUnmapMemObject(q, w->buffer, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueUnmapMemObject(q, w->buffer, NULL, 0, NULL, NULL));
}

void memory(struct world *w) {
  creation(w);
  parts(w);
  transfers(w);
  fills(w);
  rects(w);
  maps(w);
}
