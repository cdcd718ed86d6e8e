// Images made of images: the same texels in another channel order, by commands and kernels, against the formulas of OpenCL C.
//
// usage: image_views PLATFORM DEVICE     parts of the names of a platform and a device
//
// What it prints is the same on every device.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <math.h>
#include <pthread.h>

#include "program.h"

enum { WIDTH = 5, HEIGHT = 3, TEXELS = WIDTH * HEIGHT };

static const char *source =
    "kernel void look(read_only image2d_t image, global float4 *color) {\n"
    "  const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  color[at.y * get_global_size(0) + at.x] = read_imagef(image, at);\n"
    "}\n"
    "kernel void paint(write_only image2d_t image, global const float4 *color) {\n"
    "  const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  write_imagef(image, at, color[at.y * get_global_size(0) + at.x]);\n"
    "}\n"
    "kernel void depths(read_only image2d_depth_t image, global float *depth) {\n"
    "  const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  depth[at.y * get_global_size(0) + at.x] = read_imagef(image, at);\n"
    "}\n";

static const size_t ORIGIN[3] = {0, 0, 0}, REGION[3] = {WIDTH, HEIGHT, 1};
static const cl_image_format RGBA = {CL_RGBA, CL_UNORM_INT8}, SRGBA = {CL_sRGBA, CL_UNORM_INT8},
                             BGRA = {CL_BGRA, CL_UNORM_INT8}, SBGRA = {CL_sBGRA, CL_UNORM_INT8},
                             R_FLOAT = {CL_R, CL_FLOAT}, DEPTH = {CL_DEPTH, CL_FLOAT};

static cl_context context;
static cl_command_queue queue;
static cl_program program;

static cl_image_desc plane(size_t row_pitch, cl_mem of) {
  return (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT,
                         .image_row_pitch = row_pitch, .mem_object = of};
}

static cl_mem image(cl_mem_flags flags, const cl_image_format *format, size_t row_pitch, cl_mem of, void *host) {
  const cl_image_desc desc = plane(row_pitch, of);
  cl_int err;
  cl_mem made = clCreateImage(context, flags, format, &desc, host, &err);
  must(err, "clCreateImage");
  return made;
}

static void read(cl_mem from, void *to) {
  MUST(clEnqueueReadImage(queue, from, CL_TRUE, ORIGIN, REGION, 0, 0, to, 0, NULL, NULL));
}

static void write(cl_mem to, const void *from) {
  MUST(clEnqueueWriteImage(queue, to, CL_TRUE, ORIGIN, REGION, 0, 0, from, 0, NULL, NULL));
}

// Runs a kernel for each texel on an image and a buffer, whose contents are then those of `data`.
static void launch(const char *name, cl_mem on, void *data, size_t size) {
  cl_int err;
  cl_kernel kernel = clCreateKernel(program, name, &err);
  must(err, "clCreateKernel");
  cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, size, data, &err);
  must(err, "clCreateBuffer");
  MUST(clSetKernelArg(kernel, 0, sizeof on, &on));
  MUST(clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
  MUST(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, REGION, NULL, 0, NULL, NULL));
  MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, data, 0, NULL, NULL));
  MUST(clReleaseMemObject(buffer));
  MUST(clReleaseKernel(kernel));
}

// "Conversion rules for sRGBA and sBGRA images"
static double linear(double c) { return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4); }
static double nonlinear(double x) { return x < 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055; }

// An image and one made of it: what is written through either is read through the other.
static void colors(const char *title, const cl_image_format *first, const cl_image_format *second) {
  cl_mem parent = image(CL_MEM_READ_WRITE, first, 0, NULL, NULL), view = image(0, second, 0, parent, NULL);
  unsigned char bytes[4 * TEXELS], got[4 * TEXELS];
  for (int k = 0; k < 4 * TEXELS; k++) bytes[k] = (unsigned char)(37 * k + 11);
  write(parent, bytes);
  read(view, got);
  check(!memcmp(got, bytes, sizeof bytes), "a view has its parent's texels");
  const int swapped = first->image_channel_order == CL_BGRA || first->image_channel_order == CL_sBGRA;
  for (int pass = 0; pass < 2; pass++) {
    const cl_mem on = pass ? view : parent;
    const cl_channel_order order = pass ? second->image_channel_order : first->image_channel_order;
    const int curved = order == CL_sRGBA || order == CL_sBGRA;
    float color[4 * TEXELS];
    write(pass ? parent : view, bytes);
    launch("look", on, color, sizeof color);
    for (int k = 0; k < 4 * TEXELS; k++) {
      const int channel = swapped && k % 4 != 3 ? k / 4 * 4 + 2 - k % 4 : k;
      const double c = bytes[channel] / 255.0, wanted = curved && k % 4 != 3 ? linear(c) : c;
      check(fabs(color[k] - wanted) <= 1e-7 + wanted * 0x1p-23, "kernels read the order of the image that they get");
    }
    for (int k = 0; k < 4 * TEXELS; k++) color[k] = (float)(k + 1) / (4 * TEXELS);
    launch("paint", on, color, sizeof color);
    read(pass ? parent : view, got);
    for (int k = 0; k < 4 * TEXELS; k++) {
      const int channel = swapped && k % 4 != 3 ? k / 4 * 4 + 2 - k % 4 : k;
      const double wanted = 255 * (curved && k % 4 != 3 ? nonlinear(color[k]) : color[k]);
      check(fabs(got[channel] - wanted) <= 0.6, "kernels write the order of the image that they get");
    }
    const float half[4] = {0.5f, 0.5f, 0.5f, 0.5f};
    MUST(clEnqueueFillImage(queue, on, half, ORIGIN, REGION, 0, NULL, NULL));
    read(pass ? parent : view, got);
    for (int k = 0; k < 4 * TEXELS; k++)
      check(got[k] == (curved && k % 4 != 3 ? 188 : 128), "fills have the order of the image that they get");
  }
  MUST(clReleaseMemObject(view));
  MUST(clReleaseMemObject(parent));
  printf("%s\n", title);
}

// Depths are what a plane of one channel has.
static void depth(void) {
  cl_mem parent = image(CL_MEM_READ_WRITE, &R_FLOAT, 0, NULL, NULL), view = image(0, &DEPTH, 0, parent, NULL);
  float depths[TEXELS], got[TEXELS];
  for (int k = 0; k < TEXELS; k++) depths[k] = (float)k / 16;
  write(parent, depths);
  launch("depths", view, got, sizeof got);
  check(!memcmp(got, depths, sizeof depths), "depths are those of the plane");
  const float one = 1;
  MUST(clEnqueueFillImage(queue, view, &one, ORIGIN, REGION, 0, NULL, NULL));
  read(parent, got);
  for (int k = 0; k < TEXELS; k++) check(got[k] == 1, "depths are filled");
  MUST(clReleaseMemObject(view));
  MUST(clReleaseMemObject(parent));
  printf("depth\n");
}

// Copies from and to both, mapped by both.
static void commands(void) {
  cl_int err;
  cl_mem parent = image(CL_MEM_READ_WRITE, &RGBA, 0, NULL, NULL), view = image(0, &SRGBA, 0, parent, NULL);
  cl_mem other = image(CL_MEM_READ_WRITE, &SRGBA, 0, NULL, NULL);
  unsigned char bytes[4 * TEXELS], got[4 * TEXELS];
  for (int k = 0; k < 4 * TEXELS; k++) bytes[k] = (unsigned char)(3 * k + 1);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes, &err);
  must(err, "clCreateBuffer");
  MUST(clEnqueueCopyBufferToImage(queue, buffer, view, 0, ORIGIN, REGION, 0, NULL, NULL));
  MUST(clEnqueueCopyImage(queue, view, other, ORIGIN, ORIGIN, REGION, 0, NULL, NULL));
  read(other, got);
  check(!memcmp(got, bytes, sizeof bytes), "a view is copied");
  read(parent, got);
  check(!memcmp(got, bytes, sizeof bytes), "what is copied to a view is in its parent");
  check(clEnqueueCopyImage(queue, parent, other, ORIGIN, ORIGIN, REGION, 0, NULL, NULL) == CL_IMAGE_FORMAT_MISMATCH,
        "a view has a format of its own");
  const cl_mem both[] = {view, parent};
  void *places[2];
  for (int k = 0; k < 2; k++) {
    size_t pitch;
    unsigned char *mapped = clEnqueueMapImage(queue, both[k], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, ORIGIN, REGION, &pitch, NULL,
                                              0, NULL, NULL, &err);
    must(err, "clEnqueueMapImage");
    check(pitch == 4 * WIDTH && mapped[0] == bytes[0], "mapped texels are those of both");
    places[k] = mapped;
    mapped[0] = bytes[0] = (unsigned char)(200 + k);
    MUST(clEnqueueUnmapMemObject(queue, both[k], mapped, 0, NULL, NULL));
    read(both[1 - k], got);
    check(!memcmp(got, bytes, sizeof bytes), "mapped texels are written");
  }
  check(places[0] == places[1], "both are mapped at one place");
  MUST(clReleaseMemObject(buffer));
  MUST(clReleaseMemObject(other));
  MUST(clReleaseMemObject(view));
  MUST(clReleaseMemObject(parent));
  printf("commands\n");
}

// What a view is asked for; its flags are its parent's where it has none, or fewer.
static void queries(void) {
  enum { PITCH = 4 * (WIDTH + 3) };
  unsigned char memory[PITCH * HEIGHT] = {0}, got[4 * TEXELS];
  cl_mem parent = image(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR | CL_MEM_HOST_READ_ONLY, &BGRA, PITCH, NULL, memory);
  cl_mem view = image(0, &SBGRA, PITCH, parent, NULL), reader = image(CL_MEM_READ_ONLY, &SBGRA, PITCH, parent, NULL);
  cl_mem of_view = image(0, &BGRA, PITCH, view, NULL), of;
  cl_image_format format;
  cl_mem_flags flags;
  cl_mem_object_type type;
  size_t number;
  void *host;
  MUST(clGetMemObjectInfo(view, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof of, &of, NULL));
  check(of == parent, "CL_MEM_ASSOCIATED_MEMOBJECT");
  MUST(clGetMemObjectInfo(of_view, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof of, &of, NULL));
  check(of == view, "CL_MEM_ASSOCIATED_MEMOBJECT of a view of a view");
  MUST(clGetImageInfo(view, CL_IMAGE_BUFFER, sizeof of, &of, NULL));
  check(of == NULL, "CL_IMAGE_BUFFER");
  MUST(clGetImageInfo(view, CL_IMAGE_FORMAT, sizeof format, &format, NULL));
  check(format.image_channel_order == CL_sBGRA && format.image_channel_data_type == CL_UNORM_INT8, "CL_IMAGE_FORMAT");
  MUST(clGetImageInfo(view, CL_IMAGE_ROW_PITCH, sizeof number, &number, NULL));
  check(number == PITCH, "CL_IMAGE_ROW_PITCH");
  MUST(clGetMemObjectInfo(view, CL_MEM_TYPE, sizeof type, &type, NULL));
  check(type == CL_MEM_OBJECT_IMAGE2D, "CL_MEM_TYPE");
  MUST(clGetMemObjectInfo(view, CL_MEM_OFFSET, sizeof number, &number, NULL));
  check(number == 0, "CL_MEM_OFFSET");
  MUST(clGetMemObjectInfo(view, CL_MEM_HOST_PTR, sizeof host, &host, NULL));
  check(host == memory, "CL_MEM_HOST_PTR");
  MUST(clGetMemObjectInfo(view, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
  check(flags == (CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR | CL_MEM_HOST_READ_ONLY), "CL_MEM_FLAGS");
  MUST(clGetMemObjectInfo(reader, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
  check(flags == (CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR | CL_MEM_HOST_READ_ONLY), "CL_MEM_FLAGS of a reader");
  check(clEnqueueWriteImage(queue, view, CL_TRUE, ORIGIN, REGION, 0, 0, got, 0, NULL, NULL) == CL_INVALID_OPERATION,
        "the host may not write what it may not write of the parent");
  const float white[4] = {1, 1, 1, 1};
  MUST(clEnqueueFillImage(queue, of_view, white, ORIGIN, REGION, 0, NULL, NULL));
  cl_int err;
  unsigned char *mapped =
      clEnqueueMapImage(queue, view, CL_TRUE, CL_MAP_READ, ORIGIN, REGION, &number, NULL, 0, NULL, NULL, &err);
  must(err, "clEnqueueMapImage");
  check(mapped == memory && number == PITCH, "a view is mapped where its parent's memory is");
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < PITCH; x++) check(memory[y * PITCH + x] == (x < 4 * WIDTH ? 255 : 0), "what is filled is mapped");
  MUST(clEnqueueUnmapMemObject(queue, view, mapped, 0, NULL, NULL));
  MUST(clFinish(queue));
  MUST(clReleaseMemObject(parent));
  MUST(clReleaseMemObject(view));
  MUST(clReleaseMemObject(reader));
  read(of_view, got);
  check(got[0] == 255, "a view outlives the program's references to its parents");
  MUST(clReleaseMemObject(of_view));
  printf("queries\n");
}

static pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;
static char ended[16];

static void CL_CALLBACK end(cl_mem memory, void *name) {
  (void)memory;
  pthread_mutex_lock(&ending);
  strcat(ended, name);
  pthread_mutex_unlock(&ending);
}

// An image goes after those that are made of it.
static void order(void) {
  cl_mem parent = image(CL_MEM_READ_WRITE, &RGBA, 0, NULL, NULL), view = image(0, &SRGBA, 0, parent, NULL);
  MUST(clSetMemObjectDestructorCallback(parent, end, "parent "));
  MUST(clSetMemObjectDestructorCallback(view, end, "view "));
  MUST(clReleaseMemObject(parent));
  check(!strcmp(ended, ""), "a view keeps its parent");
  MUST(clReleaseMemObject(view));
  check(!strcmp(ended, "view parent "), "a view ends before its parent");
  printf("order\n");
}

// The parent may be made of a buffer itself.
static void of_buffer(void) {
  enum { PITCH = 64 };
  cl_int err;
  unsigned char bytes[PITCH * HEIGHT], got[4 * TEXELS];
  for (size_t k = 0; k < sizeof bytes; k++) bytes[k] = (unsigned char)(5 * k);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes, &err), of;
  must(err, "clCreateBuffer");
  cl_mem parent = image(0, &RGBA, PITCH, buffer, NULL), view = image(0, &SRGBA, PITCH, parent, NULL);
  read(view, got);
  for (int y = 0; y < HEIGHT; y++)
    check(!memcmp(got + 4 * WIDTH * y, bytes + PITCH * y, 4 * WIDTH), "a view has the buffer's rows");
  MUST(clGetImageInfo(parent, CL_IMAGE_BUFFER, sizeof of, &of, NULL));
  check(of == buffer, "CL_IMAGE_BUFFER");
  MUST(clReleaseMemObject(view));
  MUST(clReleaseMemObject(parent));
  MUST(clReleaseMemObject(buffer));
  printf("of a buffer\n");
}

// The levels of a view are its parent's.
static void levels(void) {
  cl_int err;
  cl_image_desc desc = plane(0, NULL);
  desc.num_mip_levels = 2;
  cl_mem parent = clCreateImage(context, CL_MEM_READ_WRITE, &RGBA, &desc, NULL, &err);
  must(err, "clCreateImage");
  desc.mem_object = parent;
  cl_mem view = clCreateImage(context, 0, &SRGBA, &desc, NULL, &err);
  must(err, "clCreateImage");
  const size_t second[3] = {0, 0, 1}, region[3] = {WIDTH / 2, HEIGHT / 2, 1};
  const float white[4] = {1, 1, 1, 1};
  unsigned char got[4 * TEXELS] = {0};
  MUST(clEnqueueFillImage(queue, view, white, second, region, 0, NULL, NULL));
  MUST(clEnqueueReadImage(queue, parent, CL_TRUE, second, region, 0, 0, got, 0, NULL, NULL));
  for (size_t k = 0; k < 4 * region[0] * region[1]; k++) check(got[k] == 255, "a level of a view is filled");
  MUST(clReleaseMemObject(view));
  MUST(clReleaseMemObject(parent));
  printf("mip levels\n");
}

int main(int argc, char **argv) {
  if (argc != 3 || !find_device(argv[1], argv[2])) {
    fprintf(stderr, "usage: image_views PLATFORM DEVICE\n");
    return 2;
  }
  cl_int err;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  must(err, "clCreateContext");
  queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
  must(err, "clCreateCommandQueueWithProperties");
  program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
  must(err, "clCreateProgramWithSource");
  MUST(clBuildProgram(program, 1, &device, "-cl-std=CL2.0", NULL, NULL));
  colors("RGBA, sRGBA", &RGBA, &SRGBA);
  colors("sRGBA, RGBA", &SRGBA, &RGBA);
  colors("BGRA, sBGRA", &BGRA, &SBGRA);
  colors("sBGRA, BGRA", &SBGRA, &BGRA);
  depth();
  commands();
  queries();
  order();
  of_buffer();
  levels();
  MUST(clReleaseProgram(program));
  MUST(clReleaseCommandQueue(queue));
  MUST(clReleaseContext(context));
  return 0;
}
