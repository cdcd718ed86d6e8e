// Turns a picture about its middle and scales it; what lies outside of it is transparent.
kernel void rotate(read_only image2d_t from, write_only image2d_t to, sampler_t sampler, float2 turn)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const float2 middle = convert_float2(get_image_dim(from)) * 0.5f;
    const float2 d = convert_float2(at) + 0.5f - middle;
    const float2 source = middle + (float2)(turn.x * d.x - turn.y * d.y, turn.y * d.x + turn.x * d.y);
    write_imagef(to, at, read_imagef(from, sampler, source));
}
