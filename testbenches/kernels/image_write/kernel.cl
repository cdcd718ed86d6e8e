// Writes of images of all shapes: a work-item for each texel.

kernel void plane(write_only image2d_t image, global const float4 *color)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(image, at, color[at.y * get_global_size(0) + at.x]);
}

kernel void plane_ints(write_only image2d_t image, global const int4 *color)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagei(image, at, color[at.y * get_global_size(0) + at.x]);
}

kernel void plane_uints(write_only image2d_t image, global const uint4 *color)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(image, at, color[at.y * get_global_size(0) + at.x]);
}

kernel void row(write_only image1d_t image, global const float4 *color)
{
    int at = get_global_id(0);
    write_imagef(image, at, color[at]);
}

kernel void row_buffer(write_only image1d_buffer_t image, global const uint4 *color)
{
    int at = get_global_id(0);
    write_imageui(image, at, color[at]);
}

kernel void row_array(write_only image1d_array_t image, global const float4 *color)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(image, at, color[at.y * get_global_size(0) + at.x]);
}

kernel void plane_array(write_only image2d_array_t image, global const float4 *color)
{
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    write_imagef(image, at, color[(at.z * get_global_size(1) + at.y) * get_global_size(0) + at.x]);
}

// A 3x3 box filter: the everyday use of images.
kernel void box(read_only image2d_t from, write_only image2d_t to)
{
    const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0.0f;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            sum += read_imagef(from, edge, at + (int2)(x, y));
    write_imagef(to, at, sum / 9.0f);
}
