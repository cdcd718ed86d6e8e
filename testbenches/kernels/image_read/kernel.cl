// Reads of images of all shapes: one color for each coordinate.

kernel void at_float(read_only image2d_t image, sampler_t how, global const float2 *at, global float4 *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imagef(image, how, at[i]);
}

kernel void at_int(read_only image2d_t image, sampler_t how, global const int2 *at, global float4 *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imagef(image, how, at[i]);
}

kernel void plain(read_only image2d_t image, global const int2 *at, global float4 *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imagef(image, at[i]);
}

kernel void ints(read_only image2d_t image, sampler_t how, global const float2 *at, global int4 *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imagei(image, how, at[i]);
}

kernel void uints(read_only image2d_t image, sampler_t how, global const int2 *at, global uint4 *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imageui(image, how, at[i]);
}

kernel void row(read_only image1d_t image, sampler_t how, global const float *at, global float4 *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imagef(image, how, at[i]);
}

kernel void row_array(read_only image1d_array_t image, sampler_t how, global const float2 *at, global float4 *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imagef(image, how, at[i]);
}

kernel void row_buffer(read_only image1d_buffer_t image, global const int *at, global uint4 *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imageui(image, at[i]);
}

kernel void plane_array(read_only image2d_array_t image, sampler_t how, global const float4 *at, global float4 *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imagef(image, how, at[i]);
}

kernel void volume(read_only image3d_t image, sampler_t how, global const float4 *at, global float4 *color)
{
    size_t i = get_global_id(0);
    color[i] = read_imagef(image, how, at[i]);
}

// Samplers that are known when compiling, by way of a function.
constant sampler_t SMOOTH = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

float4 both(read_only image2d_t image, float2 at)
{
    const sampler_t sharp = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    return read_imagef(image, SMOOTH, at) + read_imagef(image, sharp, at);
}

kernel void literal(read_only image2d_t image, global const float2 *at, global float4 *color)
{
    size_t i = get_global_id(0);
    color[i] = both(image, at[i]);
}

kernel void sizes(read_only image1d_t a, read_only image1d_array_t b, read_only image1d_buffer_t c, read_only image2d_t d,
                  read_only image2d_array_t e, read_only image3d_t f, global int *size)
{
    size[0] = get_image_width(a);
    size[1] = get_image_width(b);
    size[2] = (int)get_image_array_size(b);
    size[3] = get_image_width(c);
    size[4] = get_image_width(d);
    size[5] = get_image_height(d);
    size[6] = get_image_dim(d).x;
    size[7] = get_image_dim(d).y;
    size[8] = get_image_width(e);
    size[9] = get_image_height(e);
    size[10] = (int)get_image_array_size(e);
    size[11] = get_image_dim(f).x;
    size[12] = get_image_height(f);
    size[13] = get_image_depth(f);
    size[14] = get_image_dim(f).z;
    size[15] = get_image_channel_order(d);
    size[16] = get_image_channel_data_type(d);
}
