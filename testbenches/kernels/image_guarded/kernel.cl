// Writes to images of one format that not every work-item makes, or every iteration.
#pragma OPENCL FP_CONTRACT OFF

// Launches are larger than the image, as they are where work-groups have to divide them.
kernel void checkered(write_only image2d_t image, int width, int height)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height && ((x ^ y) & 1))
        write_imagef(image, (int2)(x, y), (float4)(x, y, x + y, 4) / 255.0f);
}

kernel void skipping(write_only image2d_t image, int count)
{
    for (int i = 0; i < count; i++) {
        if (i % 3 == 1)
            continue;
        write_imageui(image, (int2)(i % 5, i / 5), (uint4)(i, 2 * i, 3 * i, 4));
    }
}

kernel void bright_ones(read_write image2d_t image, int width, int height)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    const uint4 value = read_imageui(image, (int2)(x, y));
    if (value.x > 1000)
        write_imageui(image, (int2)(x, y), value - 1000);
}

kernel void one_channel(write_only image2d_t image, global const float *values, int width, int height)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height && values[y * width + x] > 0.0f)
        write_imagef(image, (int2)(x, y), values[y * width + x]);
}
