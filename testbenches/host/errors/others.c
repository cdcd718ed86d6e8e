// Wrong calls about images, samplers, pipes, shared virtual memory and native kernels. Devices without
// images give CL_INVALID_OPERATION where an image is to be made.

#include "check.h"

#include <CL/cl_ext.h>

static void image_objects(struct world *w) {
  cl_image_format format = {CL_RGBA, CL_UNORM_INT8}, packed = {CL_RGBA, CL_UNORM_SHORT_565}, unknown = {1, 2};
  cl_image_format three_bytes = {CL_sRGB, CL_UNORM_INT8}, linear_bytes = {CL_RGB, CL_UNORM_INT8};
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4}, wrong = desc;
  const size_t at[3] = {0}, region[3] = {1, 1, 1}, outside[3] = {4, 0, 0}, wide[3] = {5, 1, 1}, deep[3] = {1, 1, 2};
  const float color[4] = {0};
  size_t pitch;
  char host[64];
  cl_int err;
  cl_command_queue q = w->queue;
  cl_mem image = clCreateImage(w->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
  must(err, "clCreateImage");
  cl_sampler sampler = clCreateSampler(w->context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err);
  must(err, "clCreateSampler");
  WRONG_NEW(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(w->context, 0, NULL, &desc, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(w->context, 0, &packed, &desc, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(w->context, 0, &unknown, &desc, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(w->context, 0, &linear_bytes, &desc, NULL, &err));
  WRONG_NEW(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(w->context, 0, &format, NULL, NULL, &err));
  WRONG_NEW(CL_INVALID_HOST_PTR, clCreateImage(w->context, CL_MEM_COPY_HOST_PTR, &format, &desc, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_HOST_PTR, clCreateImage(w->context, 0, &format, &desc, host, &err));
  wrong.image_width = 1 << 20;
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_SIZE, clCreateImage(w->context, 0, &format, &wrong, NULL, &err));
  wrong = desc;
  wrong.image_row_pitch = 16;
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(w->context, 0, &format, &wrong, NULL, &err));
  wrong = desc;
  wrong.image_type = CL_MEM_OBJECT_BUFFER;
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(w->context, 0, &format, &wrong, NULL, &err));
  wrong.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(w->context, 0, &format, &wrong, NULL, &err));
  // images of a buffer: as large as it at most, of one or two dimensions, with rows that a pitch holds
  wrong = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 1 << 14, .buffer = w->buffer};
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_SIZE, clCreateImage(w->context, 0, &format, &wrong, NULL, &err));
  wrong.image_height = 4;
  WRONG_NEW_NOT_POCL(CL_INVALID_HOST_PTR, clCreateImage(w->context, 0, &format, &wrong, host, &err));
  wrong.image_row_pitch = 1;
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(w->context, 0, &format, &wrong, NULL, &err));
  wrong.image_row_pitch = 0, wrong.image_slice_pitch = 64;
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(w->context, 0, &format, &wrong, NULL, &err));
  wrong.image_slice_pitch = 0;
  // not in sRGB's space in a row of a buffer, and no texels of three bytes in any buffer
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(w->context, 0, &three_bytes, &wrong, NULL, &err));
  wrong.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  WRONG_NEW_NOT_POCL(CL_IMAGE_FORMAT_NOT_SUPPORTED, clCreateImage(w->context, 0, &three_bytes, &wrong, NULL, &err));
  wrong.image_type = CL_MEM_OBJECT_IMAGE3D, wrong.image_depth = 1, wrong.buffer = w->buffer;
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(w->context, 0, &format, &wrong, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_SIZE, clCreateImage2D(w->context, 0, &format, 0, 4, 0, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE, clCreateSampler(w->context, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE, clCreateSampler(w->context, CL_TRUE, 1, CL_FILTER_NEAREST, &err));
  WRONG(CL_INVALID_VALUE, clGetImageInfo(image, CL_MEM_SIZE, sizeof pitch, &pitch, NULL));
  WRONG(CL_INVALID_VALUE, clGetSamplerInfo(sampler, CL_MEM_SIZE, sizeof pitch, &pitch, NULL));
  WRONG_NOT_POCL(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(q, image, 1, 0, 4, host, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(q, w->buffer, image, 0, 0, 4, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueReadImage(q, image, 1, outside, region, 0, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueReadImage(q, image, 1, at, wide, 0, 0, host, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clEnqueueReadImage(q, image, 1, at, deep, 0, 0, host, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clEnqueueReadImage(q, image, 1, at, region, 3, 0, host, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clEnqueueWriteImage(q, image, 1, at, region, 0, 16, host, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueWriteImage(q, image, 1, at, region, 0, 0, NULL, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueFillImage(q, image, NULL, at, region, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clEnqueueFillImage(q, image, color, outside, region, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_MEM_COPY_OVERLAP, clEnqueueCopyImage(q, image, image, at, at, region, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_VALUE, clEnqueueCopyImageToBuffer(q, image, w->buffer, at, region, 1 << 30, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_MEM_OBJECT, clEnqueueCopyImageToBuffer(q, image, image, at, region, 0, 0, NULL, NULL));
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE, clEnqueueMapImage(q, image, 1, CL_MAP_READ, at, region, NULL, NULL, 0, NULL, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE,
                     clEnqueueMapImage(q, image, 1, CL_MAP_READ, at, wide, &pitch, NULL, 0, NULL, NULL, &err));
  must(clReleaseSampler(sampler), "clReleaseSampler");
  must(clReleaseMemObject(image), "clReleaseMemObject");
}

// Images made of images: planes of the same sizes and pitches, in a channel order that goes with the other one.
static void image_views(struct world *w) {
  cl_image_format format = {CL_RGBA, CL_UNORM_INT8}, view = {CL_sRGBA, CL_UNORM_INT8}, wrong_format;
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4}, of = desc, wrong;
  const cl_channel_order orders[] = {CL_RGBA, CL_BGRA, CL_ARGB, CL_ABGR, CL_sBGRA, CL_sRGBx, CL_R, CL_RG, CL_RGB, CL_DEPTH};
  char host[64] = {0};
  cl_int err;
  cl_mem image = clCreateImage(w->context, CL_MEM_READ_ONLY, &format, &desc, NULL, &err);
  must(err, "clCreateImage");
  cl_mem writes = clCreateImage(w->context, CL_MEM_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS, &format, &desc, NULL, &err);
  must(err, "clCreateImage");
  cl_mem elsewhere = clCreateImage(w->other_context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
  must(err, "clCreateImage");
  wrong = desc;
  wrong.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, wrong.image_array_size = 1;
  cl_mem array = clCreateImage(w->context, CL_MEM_READ_ONLY, &format, &wrong, NULL, &err);
  must(err, "clCreateImage");
  of.mem_object = image;
  for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
    wrong_format = (cl_image_format){orders[k], CL_UNORM_INT8};
    WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(w->context, 0, &wrong_format, &of, NULL, &err));
  }
  wrong_format = (cl_image_format){CL_RGBA, CL_UNSIGNED_INT8};
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(w->context, 0, &wrong_format, &of, NULL, &err));
  wrong = of, wrong.image_width = 3;
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(w->context, 0, &view, &wrong, NULL, &err));
  wrong = of, wrong.image_height = 2;
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(w->context, 0, &view, &wrong, NULL, &err));
  wrong = of, wrong.image_row_pitch = 20;
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(w->context, 0, &view, &wrong, NULL, &err));
  wrong = of, wrong.num_mip_levels = 2;
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(w->context, 0, &view, &wrong, NULL, &err));
  wrong = of, wrong.image_row_pitch = 15;
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(w->context, 0, &view, &wrong, NULL, &err));
  wrong = of, wrong.num_samples = 2;
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(w->context, 0, &view, &wrong, NULL, &err));
  wrong = of, wrong.mem_object = array;
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(w->context, 0, &view, &wrong, NULL, &err));
  wrong = of, wrong.mem_object = NO(cl_mem);
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(w->context, 0, &view, &wrong, NULL, &err));
  wrong = of, wrong.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, wrong.image_array_size = 1;
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(w->context, 0, &view, &wrong, NULL, &err));
  wrong = of, wrong.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  WRONG_NEW_NOT_POCL(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(w->context, 0, &format, &wrong, NULL, &err));
  wrong = of, wrong.mem_object = elsewhere;
  WRONG_NEW_NOT_POCL(CL_INVALID_CONTEXT, clCreateImage(w->context, 0, &view, &wrong, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_HOST_PTR, clCreateImage(w->context, 0, &view, &of, host, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE, clCreateImage(w->context, CL_MEM_READ_WRITE, &view, &of, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE, clCreateImage(w->context, CL_MEM_WRITE_ONLY, &view, &of, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE, clCreateImage(w->context, CL_MEM_ALLOC_HOST_PTR, &view, &of, NULL, &err));
  wrong = of, wrong.mem_object = writes;
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE, clCreateImage(w->context, CL_MEM_READ_ONLY, &view, &wrong, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE, clCreateImage(w->context, CL_MEM_HOST_READ_ONLY, &view, &wrong, NULL, &err));
  must(clReleaseMemObject(array), "clReleaseMemObject");
  must(clReleaseMemObject(elsewhere), "clReleaseMemObject");
  must(clReleaseMemObject(writes), "clReleaseMemObject");
  must(clReleaseMemObject(image), "clReleaseMemObject");
}

// Images with mip levels, where there are such.
static void mip_levels(struct world *w) {
  char extensions[4096];
  must(clGetDeviceInfo(w->device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL), "clGetDeviceInfo");
  if (!strstr(extensions, "cl_khr_mipmap_image")) return;
  cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4, .num_mip_levels = 3};
  cl_image_desc wrong = desc;
  cl_int err;
  char host[256] = {0};
  cl_command_queue q = w->queue;
  cl_mem image = clCreateImage(w->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
  must(err, "clCreateImage");
  cl_uint levels;
  must(clGetImageInfo(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof levels, &levels, NULL), "clGetImageInfo");
  if (levels != 3) must(-1, "CL_IMAGE_NUM_MIP_LEVELS");
  const float color[4] = {0};
  const size_t first[] = {0, 0, 0}, second[] = {0, 0, 1}, beyond[] = {0, 0, 3}, region[] = {8, 4, 1}, half[] = {4, 2, 1};
  must(clEnqueueReadImage(q, image, 1, second, half, 0, 0, host, 0, NULL, NULL), "clEnqueueReadImage");
  WRONG(CL_INVALID_VALUE, clEnqueueReadImage(q, image, 1, second, region, 0, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_MIP_LEVEL, clEnqueueReadImage(q, image, 1, beyond, half, 0, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_MIP_LEVEL, clEnqueueWriteImage(q, image, 1, beyond, half, 0, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_MIP_LEVEL, clEnqueueFillImage(q, image, color, beyond, half, 0, NULL, NULL));
  WRONG(CL_INVALID_MIP_LEVEL, clEnqueueCopyImage(q, image, image, first, beyond, half, 0, NULL, NULL));
  WRONG(CL_INVALID_MIP_LEVEL, clEnqueueCopyImage(q, image, image, beyond, first, half, 0, NULL, NULL));
  WRONG(CL_INVALID_MIP_LEVEL, clEnqueueCopyImageToBuffer(q, image, w->buffer, beyond, half, 0, 0, NULL, NULL));
  WRONG(CL_INVALID_MIP_LEVEL, clEnqueueCopyBufferToImage(q, w->buffer, image, 0, beyond, half, 0, NULL, NULL));
  WRONG(CL_MEM_COPY_OVERLAP, clEnqueueCopyImage(q, image, image, second, second, half, 0, NULL, NULL));
  must(clEnqueueCopyImage(q, image, image, first, second, half, 0, NULL, NULL), "clEnqueueCopyImage");
  size_t pitch;
  WRONG_NEW(CL_INVALID_MIP_LEVEL,
            clEnqueueMapImage(q, image, 1, CL_MAP_READ, beyond, half, &pitch, NULL, 0, NULL, NULL, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateImage(w->context, CL_MEM_COPY_HOST_PTR, &format, &desc, host, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateImage(w->context, CL_MEM_USE_HOST_PTR, &format, &desc, host, &err));
  WRONG_NEW(CL_INVALID_HOST_PTR, clCreateImage(w->context, 0, &format, &desc, host, &err));
  wrong.num_mip_levels = 1000;
  WRONG_NEW(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(w->context, 0, &format, &wrong, NULL, &err));
  wrong = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 8, .num_mip_levels = 2, .buffer = w->buffer};
  WRONG_NEW(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(w->context, 0, &format, &wrong, NULL, &err));
  must(clReleaseMemObject(image), "clReleaseMemObject");

  const float least = 1.5f, nan = __builtin_nanf("");
  cl_uint least_bits, nan_bits;
  memcpy(&least_bits, &least, 4);
  memcpy(&nan_bits, &nan, 4);
  const cl_sampler_properties good[] = {CL_SAMPLER_MIP_FILTER_MODE_KHR, CL_FILTER_LINEAR, CL_SAMPLER_LOD_MIN_KHR, least_bits, 0};
  cl_sampler sampler = clCreateSamplerWithProperties(w->context, good, &err);
  must(err, "clCreateSamplerWithProperties");
  float given;
  cl_uint mode;
  must(clGetSamplerInfo(sampler, CL_SAMPLER_LOD_MIN_KHR, sizeof given, &given, NULL), "clGetSamplerInfo");
  if (given != least) must(-1, "CL_SAMPLER_LOD_MIN_KHR");
  must(clGetSamplerInfo(sampler, CL_SAMPLER_LOD_MAX_KHR, sizeof given, &given, NULL), "clGetSamplerInfo");
  if (given < 1e38f) must(-1, "CL_SAMPLER_LOD_MAX_KHR");
  must(clGetSamplerInfo(sampler, CL_SAMPLER_MIP_FILTER_MODE_KHR, sizeof mode, &mode, NULL), "clGetSamplerInfo");
  if (mode != CL_FILTER_LINEAR) must(-1, "CL_SAMPLER_MIP_FILTER_MODE_KHR");
  must(clReleaseSampler(sampler), "clReleaseSampler");
  const cl_sampler_properties no_mode[] = {CL_SAMPLER_MIP_FILTER_MODE_KHR, 7, 0};
  const cl_sampler_properties no_number[] = {CL_SAMPLER_LOD_MIN_KHR, nan_bits, 0};
  const cl_sampler_properties turned[] = {CL_SAMPLER_LOD_MIN_KHR, least_bits, CL_SAMPLER_LOD_MAX_KHR, 0, 0};
  const cl_sampler_properties twice[] = {CL_SAMPLER_LOD_MAX_KHR, least_bits, CL_SAMPLER_LOD_MAX_KHR, least_bits, 0};
  WRONG_NEW(CL_INVALID_VALUE, clCreateSamplerWithProperties(w->context, no_mode, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateSamplerWithProperties(w->context, no_number, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateSamplerWithProperties(w->context, turned, &err));
  WRONG_NEW(CL_INVALID_VALUE, clCreateSamplerWithProperties(w->context, twice, &err));
}

static void no_images(struct world *w) {
  cl_bool images;
  must(clGetDeviceInfo(w->device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL), "clGetDeviceInfo");
  cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
  cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
  const size_t at[3] = {0}, region[3] = {1, 1, 1};
  cl_uint n;
  char host[64];
  WRONG_NEW(CL_INVALID_CONTEXT, clCreateImage(NULL, 0, &format, &desc, NULL, &err));
  WRONG_NEW(CL_INVALID_VALUE,
            clCreateImage(w->context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &format, &desc, NULL, &err));
  WRONG_NEW(CL_INVALID_CONTEXT, clCreateSampler(NULL, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err));
  WRONG(CL_INVALID_SAMPLER, clRetainSampler(NULL));
  WRONG(CL_INVALID_SAMPLER, clReleaseSampler(NULL));
  WRONG(CL_INVALID_SAMPLER, clGetSamplerInfo(NULL, CL_SAMPLER_FILTER_MODE, sizeof n, &n, NULL));
  WRONG(CL_INVALID_CONTEXT, clGetSupportedImageFormats(NULL, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 1, &format, &n));
  WRONG(CL_INVALID_VALUE, clGetSupportedImageFormats(w->context, CL_MEM_READ_WRITE, 0x1234, 1, &format, &n));
  WRONG(CL_INVALID_VALUE,
        clGetSupportedImageFormats(w->context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, &format, &n));
  WRONG(CL_INVALID_MEM_OBJECT, clGetImageInfo(NULL, CL_IMAGE_WIDTH, sizeof n, &n, NULL));
  WRONG_NOT_POCL(CL_INVALID_MEM_OBJECT, clGetImageInfo(w->buffer, CL_IMAGE_WIDTH, sizeof n, &n, NULL));
  WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueReadImage(NULL, w->buffer, 1, at, region, 0, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_MEM_OBJECT, clEnqueueReadImage(w->queue, NULL, 1, at, region, 0, 0, host, 0, NULL, NULL));
  WRONG_NOT_POCL(CL_INVALID_MEM_OBJECT,
                 clEnqueueReadImage(w->queue, w->buffer, 1, at, region, 0, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_MEM_OBJECT, clEnqueueWriteImage(w->queue, NULL, 1, at, region, 0, 0, host, 0, NULL, NULL));
  WRONG(CL_INVALID_MEM_OBJECT, clEnqueueFillImage(w->queue, NULL, host, at, region, 0, NULL, NULL));
  WRONG(CL_INVALID_MEM_OBJECT, clEnqueueCopyImage(w->queue, NULL, w->buffer, at, at, region, 0, NULL, NULL));
  WRONG(CL_INVALID_MEM_OBJECT, clEnqueueCopyImageToBuffer(w->queue, NULL, w->buffer, at, region, 0, 0, NULL, NULL));
  WRONG(CL_INVALID_MEM_OBJECT, clEnqueueCopyBufferToImage(w->queue, w->buffer, NULL, 0, at, region, 0, NULL, NULL));
  if (images) {
    image_objects(w);
    image_views(w);
    mip_levels(w);
    return;
  }
  WRONG_NEW(CL_INVALID_OPERATION, clCreateImage(w->context, 0, &format, &desc, NULL, &err));
  WRONG_NEW(CL_INVALID_OPERATION, clCreateImage2D(w->context, 0, &format, 4, 4, 0, NULL, &err));
  WRONG_NEW(CL_INVALID_OPERATION, clCreateImage3D(w->context, 0, &format, 4, 4, 4, 0, 0, NULL, &err));
  WRONG_NEW(CL_INVALID_OPERATION, clCreateSampler(w->context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err));
}

// PoCL 3.1 has none; pipes.c has the rest.
static void pipes(struct world *w) {
  cl_uint n;
  WRONG_NEW_NOT_POCL(CL_INVALID_CONTEXT, clCreatePipe(NULL, 0, 4, 4, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_PIPE_SIZE, clCreatePipe(w->context, 0, 0, 4, NULL, &err));
  WRONG_NEW_NOT_POCL(CL_INVALID_VALUE, clCreatePipe(w->context, CL_MEM_READ_ONLY, 4, 4, NULL, &err));
  WRONG_NOT_POCL(CL_INVALID_MEM_OBJECT, clGetPipeInfo(NULL, CL_PIPE_PACKET_SIZE, sizeof n, &n, NULL));
  WRONG_NOT_POCL(CL_INVALID_MEM_OBJECT, clGetPipeInfo(w->buffer, CL_PIPE_PACKET_SIZE, sizeof n, &n, NULL));
}

static void shared_memory(struct world *w) {
  cl_device_svm_capabilities svm;
  must(clGetDeviceInfo(w->device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL), "clGetDeviceInfo");
  if (!svm || w->is_pocl) return;
  void *none[] = {NULL};
  char host[64];
  int pattern = 0;
  cl_command_queue q = w->queue;
  // the function has no error code: it gives null
  WRONG(1, clSVMAlloc(w->context, CL_MEM_READ_WRITE, 0, 0) == NULL);
  WRONG(1, clSVMAlloc(w->context, CL_MEM_READ_WRITE, 64, 3) == NULL);
  WRONG(1, clSVMAlloc(w->context, CL_MEM_READ_WRITE, 64, 1u << 20) == NULL);
  WRONG(1, clSVMAlloc(w->context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, 0) == NULL);
  WRONG(1, clSVMAlloc(w->context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0) == NULL);
  WRONG(1, clSVMAlloc(w->context, CL_MEM_READ_WRITE, SIZE_MAX, 0) == NULL);
  char *shared = clSVMAlloc(w->context, CL_MEM_READ_WRITE, 256, 0);
  WRONG(0, shared == NULL);
  WRONG_NEW(CL_INVALID_BUFFER_SIZE, clCreateBuffer(w->context, CL_MEM_USE_HOST_PTR, 512, shared, &err));
  WRONG_NEW(CL_INVALID_BUFFER_SIZE, clCreateBuffer(w->context, CL_MEM_USE_HOST_PTR, 256, shared + 64, &err));
  WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMFree(NULL, 1, none, NULL, NULL, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueSVMFree(q, 0, none, NULL, NULL, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueSVMFree(q, 1, NULL, NULL, NULL, 0, NULL, NULL));
  WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMemcpy(NULL, 1, shared, host, 4, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueSVMMemcpy(q, 1, NULL, host, 4, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueSVMMemcpy(q, 1, shared, NULL, 4, 0, NULL, NULL));
  WRONG(CL_MEM_COPY_OVERLAP, clEnqueueSVMMemcpy(q, 1, shared, shared + 3, 4, 0, NULL, NULL));
  WRONG(CL_INVALID_EVENT_WAIT_LIST, clEnqueueSVMMemcpy(q, 1, shared, host, 4, 1, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueSVMMemFill(q, NULL, &pattern, 4, 64, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueSVMMemFill(q, shared + 1, &pattern, 4, 64, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueSVMMemFill(q, shared, NULL, 4, 64, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueSVMMemFill(q, shared, &pattern, 3, 63, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueSVMMemFill(q, shared, &pattern, 4, 6, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueSVMMap(q, 1, CL_MAP_READ, NULL, 64, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueSVMMap(q, 1, CL_MAP_READ, shared, 0, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueSVMMap(q, 1, 1u << 20, shared, 64, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueSVMUnmap(q, NULL, 0, NULL, NULL));
  WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMUnmap(NULL, shared, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(q, 0, (const void **)none, NULL, 0, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(q, 1, (const void **)none, NULL, 0, 0, NULL, NULL));
  WRONG(CL_INVALID_KERNEL, clSetKernelArgSVMPointer(NULL, 0, shared));
  WRONG(CL_INVALID_ARG_INDEX, clSetKernelArgSVMPointer(w->kernel, 5, shared));
  WRONG(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(w->kernel, 0, host));
  WRONG(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(w->kernel, 3, shared));
  WRONG(CL_INVALID_KERNEL, clSetKernelExecInfo(NULL, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof none, none));
  WRONG(CL_INVALID_VALUE, clSetKernelExecInfo(w->kernel, 0x1234, sizeof none, none));
  WRONG(CL_INVALID_VALUE, clSetKernelExecInfo(w->kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 3, none));
  WRONG(CL_INVALID_VALUE, clSetKernelExecInfo(w->kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof none, NULL));
  WRONG(CL_INVALID_VALUE, clSetKernelExecInfo(w->kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, none));
  cl_bool yes = CL_TRUE;
  WRONG(CL_INVALID_OPERATION,
        clSetKernelExecInfo(w->kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes));
  clSVMFree(w->context, shared);
}

static void CL_CALLBACK native(void *args) { (void)args; }

static void native_kernels(struct world *w) {
  cl_device_exec_capabilities can;
  must(clGetDeviceInfo(w->device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof can, &can, NULL), "clGetDeviceInfo");
  char args[16];
  const void *place = args;
  WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueNativeKernel(NULL, native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
  if (!(can & CL_EXEC_NATIVE_KERNEL)) {
    WRONG_NOT_POCL(CL_INVALID_OPERATION, clEnqueueNativeKernel(w->queue, native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    return;
  }
  WRONG(CL_INVALID_VALUE, clEnqueueNativeKernel(w->queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueNativeKernel(w->queue, native, NULL, 4, 0, NULL, NULL, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueNativeKernel(w->queue, native, args, 0, 0, NULL, NULL, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueNativeKernel(w->queue, native, args, 16, 1, NULL, &place, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueNativeKernel(w->queue, native, args, 16, 1, &w->buffer, NULL, 0, NULL, NULL));
  WRONG(CL_INVALID_VALUE, clEnqueueNativeKernel(w->queue, native, args, 16, 0, &w->buffer, &place, 0, NULL, NULL));
}

void others(struct world *w) {
  no_images(w);
  pipes(w);
  shared_memory(w);
  native_kernels(w);
}
