// A single work-item follows a path through a picture: its sum leaves several cycles for each step, in which the reads of a
// linear filter take turns at one cache.
#pragma OPENCL FP_CONTRACT OFF

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void image_path(read_only image2d_t image, global float4 *out, int steps, float2 start, float2 step)
{
    const sampler_t how = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
    float4 sum = 0.0f;
    for (int i = 0; i < steps; i++) {
        sum = sum * 0.875f + read_imagef(image, how, start + step * (float)i);
    }
    out[0] = sum;
}
