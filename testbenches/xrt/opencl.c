/* A kernel through OpenCL, as XRT implements it: the program is the .xclbin, the kernel a task. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "work.h"

#define must(condition)                                             \
    do {                                                            \
        if (condition) break;                                       \
        fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition); \
        exit(1);                                                    \
    } while (0)

static unsigned char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    must(file && !fseek(file, 0, SEEK_END));
    *size = (size_t)ftell(file);
    unsigned char *bytes = malloc(*size);
    rewind(file);
    must(bytes && fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    must(argc == 3);
    const work w = work_of(argv[2]);
    cl_int error;
    cl_platform_id platform;
    cl_device_id device;
    must(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ACCELERATOR, 1, &device, NULL) == CL_SUCCESS);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    must(error == CL_SUCCESS);
    cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    must(error == CL_SUCCESS);
    size_t size;
    const unsigned char *binary = read_file(argv[1], &size);
    cl_program program = clCreateProgramWithBinary(context, 1, &device, &size, &binary, NULL, &error);
    must(error == CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(program, argv[2], &error);
    must(error == CL_SUCCESS);
    cl_uint arguments;
    must(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL) == CL_SUCCESS);
    must(arguments == (cl_uint)(3 + w.scalars + 13));

    static float data[3][COUNT];
    cl_mem buffers[3];
    cl_event filled[3], done, copied;
    for (int b = 0; b < 3; ++b) {
        size_t bytes = (size_t)w.items[b] * sizeof(float);
        for (int i = 0; i < w.items[b]; ++i) data[b][i] = input(b, i);
        buffers[b] = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
        must(error == CL_SUCCESS);
        must(clSetKernelArg(kernel, (cl_uint)b, sizeof buffers[b], &buffers[b]) == CL_SUCCESS);
        must(clEnqueueWriteBuffer(queue, buffers[b], CL_FALSE, 0, bytes, data[b], 0, NULL, &filled[b]) == CL_SUCCESS);
    }
    for (int i = 0; i < w.scalars; ++i) must(clSetKernelArg(kernel, (cl_uint)(3 + i), 4, &w.values[i]) == CL_SUCCESS);
    for (int i = 0; i < 13; ++i)
        must(clSetKernelArg(kernel, (cl_uint)(3 + w.scalars + i), 4, &w.range[i]) == CL_SUCCESS);
    size_t one = 1;
    must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 3, filled, &done) == CL_SUCCESS);
    must(clEnqueueReadBuffer(queue, buffers[2], CL_FALSE, 0, sizeof data[2], data[2], 1, &done, &copied) == CL_SUCCESS);
    must(clWaitForEvents(1, &copied) == CL_SUCCESS);
    int result = verdict(argv[2], data[2]);
    for (int b = 0; b < 3; ++b) clReleaseMemObject(buffers[b]);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return result;
}
