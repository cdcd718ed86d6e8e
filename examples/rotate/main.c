// Turns a picture with an image object and a sampler that filters, and checks every pixel.
//
// usage: rotate KERNEL.cl IN.png OUT.png

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <math.h>
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

// The picture turned by 30 degrees and scaled by 1.25: what of it lies where a pixel is.
static const double ANGLE = 30 * 3.14159265358979323846 / 180, SCALE = 1.25;

// A channel of a pixel, 0 outside of the picture.
static double texel(png_const_bytep pixels, int width, int height, int x, int y, int channel) {
  const int inside = x >= 0 && x < width && y >= 0 && y < height;
  return inside ? pixels[4 * (y * width + x) + channel] : 0;
}

// What a byte of the turned picture must be, but for rounding: the mean of four, weighted by how near they are.
static double filtered(png_const_bytep pixels, int width, int height, int x, int y, int channel) {
  const double dx = x + 0.5 - width / 2.0, dy = y + 0.5 - height / 2.0;
  const double c = cos(ANGLE) / SCALE, s = sin(ANGLE) / SCALE;
  const double u = width / 2.0 + c * dx - s * dy - 0.5, v = height / 2.0 + s * dx + c * dy - 0.5;
  const int left = (int)floor(u), top = (int)floor(v);
  const double right = u - left, below = v - top;
  double sum = 0;
  for (int k = 0; k < 4; k++)
    sum += (k % 2 ? right : 1 - right) * (k / 2 ? below : 1 - below) *
           texel(pixels, width, height, left + k % 2, top + k / 2, channel);
  return sum;
}

static void turn(const char *kernel_path, png_const_bytep in, png_bytep out, int width, int height) {
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
  cl_kernel kernel = clCreateKernel(program, "rotate", &code);
  check(code, "clCreateKernel");

  const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
  cl_image_desc desc = {0};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = (size_t)width;
  desc.image_height = (size_t)height;
  cl_mem from = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, (void *)in, &code);
  check(code, "clCreateImage");
  cl_mem to = clCreateImage(context, CL_MEM_WRITE_ONLY, &format, &desc, NULL, &code);
  check(code, "clCreateImage");
  const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, CL_SAMPLER_ADDRESSING_MODE,
                                              CL_ADDRESS_CLAMP, CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
  cl_sampler sampler = clCreateSamplerWithProperties(context, properties, &code);
  check(code, "clCreateSamplerWithProperties");
  const cl_float2 by = {{(cl_float)(cos(ANGLE) / SCALE), (cl_float)(sin(ANGLE) / SCALE)}};
  check(clSetKernelArg(kernel, 0, sizeof from, &from), "clSetKernelArg");
  check(clSetKernelArg(kernel, 1, sizeof to, &to), "clSetKernelArg");
  check(clSetKernelArg(kernel, 2, sizeof sampler, &sampler), "clSetKernelArg");
  check(clSetKernelArg(kernel, 3, sizeof by, &by), "clSetKernelArg");
  const size_t size[2] = {(size_t)width, (size_t)height};
  const size_t origin[3] = {0, 0, 0}, region[3] = {(size_t)width, (size_t)height, 1};
  check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, size, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
  check(clEnqueueReadImage(queue, to, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL), "clEnqueueReadImage");

  clReleaseSampler(sampler);
  clReleaseMemObject(to);
  clReleaseMemObject(from);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}

int main(int argc, char **argv) {
  if (argc != 4) fail("usage", "rotate KERNEL.cl IN.png OUT.png");
  png_image picture;
  png_bytep in = read_picture(argv[2], &picture);
  const int width = (int)picture.width, height = (int)picture.height;
  png_bytep out = malloc(PNG_IMAGE_SIZE(picture));
  if (!out) fail(argv[3], "no memory");
  turn(argv[1], in, out, width, height);

  // Coordinates are sums of floats: a weight may be 1/10000 off, a byte by a part of a step and what rounding makes of it.
  int wrong = 0, outside = 0;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      png_const_bytep pixel = out + 4 * ((size_t)y * (size_t)width + (size_t)x);
      outside += pixel[3] == 0;
      for (int channel = 0; channel < 4; channel++)
        wrong += fabs(pixel[channel] - filtered(in, width, height, x, y, channel)) > 0.55;
    }
  if (!png_image_write_to_file(&picture, argv[3], 0, out, 0, NULL)) fail(argv[3], picture.message);
  printf("%d x %d pixels, %d outside of the picture, %d bytes wrong\n", width, height, outside, wrong);
  free(in);
  free(out);
  return wrong != 0;
}
