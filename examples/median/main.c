// Takes noise out of a picture with a median filter, and checks every pixel.
//
// usage: median KERNEL.cl IN.png OUT.png

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

static void check(cl_int code, const char *what) {
  char number[32];
  snprintf(number, sizeof number, "error %d", code);
  if (code != CL_SUCCESS) fail(what, number);
}

// The pixels of a file, four bytes each.
static png_bytep read_picture(const char *path, png_image *picture) {
  memset(picture, 0, sizeof *picture);
  picture->version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(picture, path)) fail(path, picture->message);
  picture->format = PNG_FORMAT_RGBA;
  png_bytep pixels = malloc(PNG_IMAGE_SIZE(*picture));
  if (!pixels) fail(path, "no memory");
  if (!png_image_finish_read(picture, NULL, pixels, 0, NULL)) fail(path, picture->message);
  return pixels;
}

static char *read_text(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) fail(path, "cannot be opened");
  static char text[1 << 16];
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  return text;
}

static int compare(const void *a, const void *b) { return *(const png_byte *)a - *(const png_byte *)b; }

static int inside(int v, int size) { return v < 0 ? 0 : v < size ? v : size - 1; }

// What a byte of the filtered picture must be: the middle one of nine sorted values.
static png_byte median(png_const_bytep pixels, int width, int height, int x, int y, int channel) {
  png_byte all[9];
  for (int k = 0; k < 9; k++)
    all[k] = pixels[4 * (inside(y + k / 3 - 1, height) * width + inside(x + k % 3 - 1, width)) + channel];
  qsort(all, 9, 1, compare);
  return all[4];
}

static void filter(const char *kernel_path, png_const_bytep in, png_bytep out, size_t bytes, int width, int height) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int code;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL), "clGetDeviceIDs");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  check(code, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
  check(code, "clCreateCommandQueueWithProperties");

  const char *source = read_text(kernel_path);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  check(code, "clCreateProgramWithSource");
  code = clBuildProgram(program, 1, &device, "", NULL, NULL);
  static char log[1 << 14];
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
  if (code != CL_SUCCESS) fail(kernel_path, log);
  cl_kernel kernel = clCreateKernel(program, "median", &code);
  check(code, "clCreateKernel");

  cl_mem source_buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, (void *)in, &code);
  check(code, "clCreateBuffer");
  cl_mem result = clCreateBuffer(context, CL_MEM_WRITE_ONLY, bytes, NULL, &code);
  check(code, "clCreateBuffer");
  check(clSetKernelArg(kernel, 0, sizeof source_buffer, &source_buffer), "clSetKernelArg");
  check(clSetKernelArg(kernel, 1, sizeof result, &result), "clSetKernelArg");
  check(clSetKernelArg(kernel, 2, sizeof width, &width), "clSetKernelArg");
  check(clSetKernelArg(kernel, 3, sizeof height, &height), "clSetKernelArg");
  const size_t global[2] = {(size_t)width, (size_t)height};
  check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
  check(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, bytes, out, 0, NULL, NULL), "clEnqueueReadBuffer");

  clReleaseMemObject(result);
  clReleaseMemObject(source_buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}

int main(int argc, char **argv) {
  if (argc != 4) fail("usage", "median KERNEL.cl IN.png OUT.png");
  png_image picture;
  png_bytep in = read_picture(argv[2], &picture);
  const size_t bytes = PNG_IMAGE_SIZE(picture);
  const int width = (int)picture.width, height = (int)picture.height;
  png_bytep out = malloc(bytes);
  if (!out) fail(argv[3], "no memory");
  filter(argv[1], in, out, bytes, width, height);

  int wrong = 0, changed = 0;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const size_t at = 4 * ((size_t)y * (size_t)width + (size_t)x);
      changed += memcmp(in + at, out + at, 4) != 0;
      for (int channel = 0; channel < 4; channel++)
        wrong += out[at + (size_t)channel] != median(in, width, height, x, y, channel);
    }
  picture.format = PNG_FORMAT_RGBA;
  if (!png_image_write_to_file(&picture, argv[3], 0, out, 0, NULL)) fail(argv[3], picture.message);
  printf("%d x %d pixels, %d changed, %d bytes wrong\n", width, height, changed, wrong);
  free(in);
  free(out);
  return wrong != 0;
}
