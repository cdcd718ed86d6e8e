// Commands on mip levels of images of all kinds: write, read, copy, fill and map; the same output on every device.
//
// usage: mipmaps PLATFORM DEVICE     parts of the names of a platform and a device
#define CL_TARGET_OPENCL_VERSION 300
#include "program.h"

enum { LEVELS = 3 };

struct kind {
  const char *name;
  cl_mem_object_type type;
  size_t sizes[3]; // as in a region: width, height or layers, depth or layers
  int axes, arrayed;
};

static const struct kind KINDS[] = {
    {"row", CL_MEM_OBJECT_IMAGE1D, {13, 1, 1}, 1, 0},
    {"row array", CL_MEM_OBJECT_IMAGE1D_ARRAY, {13, 3, 1}, 1, 1},
    {"plane", CL_MEM_OBJECT_IMAGE2D, {13, 6, 1}, 2, 0},
    {"plane array", CL_MEM_OBJECT_IMAGE2D_ARRAY, {13, 6, 3}, 2, 1},
    {"volume", CL_MEM_OBJECT_IMAGE3D, {13, 6, 5}, 3, 0},
};

// Texels, and the color whose texel is nines; in sRGB's space small numbers are 12.92 times as large.
struct texels {
  const char *name;
  cl_image_format format;
  size_t bytes;
  cl_uint color[4];
  float linear;
};

static const struct texels TEXELS[] = {
    {"rg uint8", {CL_RG, CL_UNSIGNED_INT8}, 2, {9, 9, 9, 9}, 0},
    {"srgb unorm8", {CL_sRGB, CL_UNORM_INT8}, 3, {0}, 9.0f / 255 / 12.92f},
};

static const struct texels *texels;
static cl_context context;
static cl_command_queue queue;

static void level_sizes(const struct kind *kind, size_t level, size_t region[3]) {
  for (int k = 0; k < 3; k++) {
    region[k] = kind->sizes[k];
    if (k < kind->axes) region[k] = region[k] >> level ? region[k] >> level : 1;
  }
}

static cl_mem image(const struct kind *kind) {
  cl_image_desc desc = {.image_type = kind->type, .image_width = kind->sizes[0], .num_mip_levels = LEVELS};
  if (kind->axes >= 2) desc.image_height = kind->sizes[1];
  if (kind->axes == 3) desc.image_depth = kind->sizes[2];
  if (kind->arrayed) desc.image_array_size = kind->sizes[kind->axes];
  cl_int err;
  cl_mem made = clCreateImage(context, CL_MEM_READ_WRITE, &texels->format, &desc, NULL, &err);
  must(err, "clCreateImage");
  return made;
}

// The origin of a level: its number stands behind the coordinates.
static void origin_of(const struct kind *kind, size_t level, size_t origin[4]) {
  memset(origin, 0, 4 * sizeof *origin);
  origin[kind->axes + kind->arrayed] = level;
}

static size_t bytes_of(const size_t region[3]) { return texels->bytes * region[0] * region[1] * region[2]; }

static unsigned char texel(size_t level, size_t k) { return (unsigned char)(1 + 7 * k + 60 * level); }

// All levels of an image are what `wanted` says of their bytes.
static void expect(cl_mem from, const struct kind *kind, unsigned char (*wanted)(size_t, size_t), const char *what) {
  for (size_t level = 0; level < LEVELS; level++) {
    size_t origin[4], region[3];
    unsigned char got[2048];
    origin_of(kind, level, origin);
    level_sizes(kind, level, region);
    MUST(clEnqueueReadImage(queue, from, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
    for (size_t k = 0; k < bytes_of(region); k++) check(got[k] == wanted(level, k), what);
  }
}

static unsigned char filled(size_t level, size_t k) { return level == 1 ? 9 : texel(level, k); }

int main(int argc, char **argv) {
  if (argc != 3 || !find_device(argv[1], argv[2])) {
    fprintf(stderr, "usage: mipmaps PLATFORM DEVICE\n");
    return 2;
  }
  cl_int err;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  must(err, "clCreateContext");
  queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
  must(err, "clCreateCommandQueueWithProperties");
  const size_t kinds = sizeof KINDS / sizeof *KINDS;
  for (size_t n = 0; n < kinds * (sizeof TEXELS / sizeof *TEXELS); n++) {
    const struct kind *kind = &KINDS[n % kinds];
    texels = &TEXELS[n / kinds];
    cl_mem one = image(kind), two = image(kind);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 2048, NULL, &err);
    must(err, "clCreateBuffer");
    size_t origin[4], region[3];
    for (size_t level = 0; level < LEVELS; level++) {
      unsigned char host[2048];
      origin_of(kind, level, origin);
      level_sizes(kind, level, region);
      for (size_t k = 0; k < bytes_of(region); k++) host[k] = texel(level, k);
      MUST(clEnqueueWriteImage(queue, one, CL_TRUE, origin, region, 0, 0, host, 0, NULL, NULL));
    }
    expect(one, kind, texel, "levels are what was written");
    for (size_t level = 0; level < LEVELS; level++) {
      origin_of(kind, level, origin);
      level_sizes(kind, level, region);
      if (level == 1) { // by way of a buffer
        MUST(clEnqueueCopyImageToBuffer(queue, one, buffer, origin, region, 0, 0, NULL, NULL));
        MUST(clEnqueueCopyBufferToImage(queue, buffer, two, 0, origin, region, 0, NULL, NULL));
      } else {
        MUST(clEnqueueCopyImage(queue, one, two, origin, origin, region, 0, NULL, NULL));
      }
    }
    expect(two, kind, texel, "levels are copied");
    const float linear[4] = {texels->linear, texels->linear, texels->linear, 0};
    const void *color = texels->linear != 0 ? (const void *)linear : texels->color;
    origin_of(kind, 1, origin);
    level_sizes(kind, 1, region);
    MUST(clEnqueueFillImage(queue, two, color, origin, region, 0, NULL, NULL));
    expect(two, kind, filled, "one level is filled");
    size_t row_pitch = 0, slice_pitch = 0;
    unsigned char *mapped = clEnqueueMapImage(queue, two, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region, &row_pitch,
                                              &slice_pitch, 0, NULL, NULL, &err);
    must(err, "clEnqueueMapImage");
    // Rows of an array of one dimension are its layers.
    const int rows_are_layers = kind->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    for (size_t z = 0, k = 0; z < region[2]; z++)
      for (size_t y = 0; y < region[1]; y++)
        for (size_t x = 0; x < texels->bytes * region[0]; x++, k++) {
          unsigned char *at = mapped + z * slice_pitch + y * (rows_are_layers ? slice_pitch : row_pitch) + x;
          check(*at == 9, "mapped texels are the level's");
          *at = texel(1, k);
        }
    MUST(clEnqueueUnmapMemObject(queue, two, mapped, 0, NULL, NULL));
    expect(two, kind, texel, "mapped texels are written");
    printf("%s of %s: %d levels\n", kind->name, texels->name, LEVELS);
    MUST(clReleaseMemObject(one));
    MUST(clReleaseMemObject(two));
    MUST(clReleaseMemObject(buffer));
  }
  MUST(clReleaseCommandQueue(queue));
  MUST(clReleaseContext(context));
  return 0;
}
