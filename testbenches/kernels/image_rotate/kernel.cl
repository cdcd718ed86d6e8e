// Turns a picture by an angle about its middle: each pixel is a bilinear sample at a place of its own. `direction` is the cosine and
// sine of the angle.

#pragma OPENCL FP_CONTRACT OFF

constant sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;

void turn(read_only image2d_t from, write_only image2d_t to, float2 middle, float2 direction)
{
    int2 place = (int2)(get_global_id(0), get_global_id(1));
    float2 r = convert_float2(place) + 0.5f - middle;
    float2 turned = (float2)(direction.x * r.x + direction.y * r.y, direction.x * r.y - direction.y * r.x);
    write_imagef(to, place, read_imagef(from, linear, turned + middle));
}

kernel void rotate_image(read_only image2d_t from, write_only image2d_t to, float2 middle, float2 direction)
{
    turn(from, to, middle, direction);
}

// Built for images of one format each.
kernel void rotate_known(read_only image2d_t from, write_only image2d_t to, float2 middle, float2 direction)
{
    turn(from, to, middle, direction);
}
