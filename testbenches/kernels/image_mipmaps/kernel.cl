// Mip levels of images of all shapes: reads at a level of detail and by gradients, and writes to a level.
#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable
#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable
#pragma OPENCL FP_CONTRACT OFF

kernel void plane(read_only image2d_t image, sampler_t how, global const float2 *at, global const float *lod,
                  global float4 *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imagef(image, how, at[i], lod[i]);
}

kernel void plane_ints(read_only image2d_t image, sampler_t how, global const float2 *at, global const float *lod,
                       global uint4 *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imageui(image, how, at[i], lod[i]);
}

kernel void row(read_only image1d_t image, sampler_t how, global const float *at, global const float *lod,
                global float4 *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imagef(image, how, at[i], lod[i]);
}

kernel void row_array(read_only image1d_array_t image, sampler_t how, global const float2 *at, global const float *lod,
                      global float4 *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imagef(image, how, at[i], lod[i]);
}

kernel void plane_array(read_only image2d_array_t image, sampler_t how, global const float4 *at, global const float *lod,
                        global float4 *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imagef(image, how, at[i], lod[i]);
}

kernel void volume(read_only image3d_t image, sampler_t how, global const float4 *at, global const float *lod,
                   global float4 *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imagef(image, how, at[i], lod[i]);
}

kernel void depth(read_only image2d_depth_t image, sampler_t how, global const float2 *at, global const float *lod,
                  global float *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imagef(image, how, at[i], lod[i]);
}

kernel void gradients(read_only image2d_t image, sampler_t how, global const float2 *at, global const float4 *change,
                      global float4 *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imagef(image, how, at[i], change[i].xy, change[i].zw);
}

kernel void volume_gradients(read_only image3d_t image, sampler_t how, global const float4 *at,
                             global const float8 *change, global float4 *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imagef(image, how, at[i], change[i].lo, change[i].hi);
}

// Without a level of detail it is the first level, whatever limits the sampler has.
kernel void first(read_only image2d_t image, sampler_t how, global const float2 *at, global float4 *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imagef(image, how, at[i]);
}

// A literal sampler takes the nearest level.
kernel void literal(read_only image2d_t image, global const float2 *at, global const float *lod, global float4 *color)
{
    const sampler_t smooth = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
    size_t i = get_global_id(0);
    color[i] = read_imagef(image, smooth, at[i], lod[i]);
}

// A level of a pyramid from the one above it, which another image object holds: kernels cannot read what they write.
kernel void halve(read_only image2d_t from, write_only image2d_t to, int level)
{
    const sampler_t sharp = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const float2 size = convert_float2(max(get_image_dim(from) >> (level - 1), 1));
    const float2 corner = convert_float2(2 * at) + 0.5f;
    float4 sum = read_imagef(from, sharp, corner / size, (float)(level - 1));
    sum += read_imagef(from, sharp, (corner + (float2)(1.0f, 0.0f)) / size, (float)(level - 1));
    sum += read_imagef(from, sharp, (corner + (float2)(0.0f, 1.0f)) / size, (float)(level - 1));
    sum += read_imagef(from, sharp, (corner + (float2)(1.0f, 1.0f)) / size, (float)(level - 1));
    write_imagef(to, at, level, sum * 0.25f);
}

kernel void write_row(write_only image1d_t to, global const float4 *color, int level)
{
    size_t i = get_global_id(0);
    write_imagef(to, (int)i, level, color[i]);
}

kernel void write_row_array(write_only image1d_array_t to, global const int4 *color, int level)
{
    size_t i = get_global_id(0), k = get_global_id(1);
    write_imagei(to, (int2)(i, k), level, color[k * get_global_size(0) + i]);
}

kernel void write_plane_array(write_only image2d_array_t to, global const uint4 *color, int level)
{
    const int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    write_imageui(to, at, level, color[(at.z * get_global_size(1) + at.y) * get_global_size(0) + at.x]);
}

kernel void write_volume(write_only image3d_t to, global const float4 *color, int level)
{
    const int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    write_imagef(to, at, level, color[(at.z * get_global_size(1) + at.y) * get_global_size(0) + at.x]);
}

kernel void counts(read_only image1d_t a, read_only image2d_t b, read_only image3d_t c, read_only image2d_array_t d,
                   global int *count)
{
    count[0] = get_image_num_mip_levels(a);
    count[1] = get_image_num_mip_levels(b);
    count[2] = get_image_num_mip_levels(c);
    count[3] = get_image_num_mip_levels(d);
    count[4] = get_image_width(b);
    count[5] = get_image_height(b);
}
