// Images that a kernel reads and writes, in OpenCL C 2.0: what is written is there behind a fence, and for others behind a barrier.
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable

#define FENCE atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item)

kernel void invert(read_write image2d_t image)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(image, at, 1.0f - read_imagef(image, at));
}

// What the work-item itself has written, twice.
kernel void back(read_write image2d_t image, global const float4 *color, global float4 *out)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const size_t i = at.y * get_global_size(0) + at.x;
    const float4 before = read_imagef(image, at);
    write_imagef(image, at, color[i]);
    FENCE;
    const float4 written = read_imagef(image, at);
    out[2 * i] = written;
    write_imagef(image, at, before);
    FENCE;
    out[2 * i + 1] = read_imagef(image, at);
}

// What the next one of the group has written; its texel was read before, too.
kernel void next(read_write image1d_t image, global float4 *out)
{
    const size_t i = get_global_id(0), lid = get_local_id(0), size = get_local_size(0);
    const int at = i, other = i - lid + (lid + 1) % size;
    const float4 before = read_imagef(image, other);
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
    write_imagef(image, at, (float4)(0.25f * lid, 0.5f, 0.0f, 1.0f));
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
    out[2 * i] = before;
    out[2 * i + 1] = read_imagef(image, other);
}

// One work-item: each texel becomes the sum of those up to it.
kernel void sums(read_write image1d_buffer_t image, int n)
{
    for (int x = 1; x < n; x++) {
        write_imageui(image, x, read_imageui(image, x - 1) + read_imageui(image, x));
        FENCE;
    }
}

kernel void row_array(read_write image1d_array_t image)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagei(image, at, read_imagei(image, at) - 100);
}

kernel void plane_array(read_write image2d_array_t image)
{
    const int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    write_imageui(image, at, read_imageui(image, at).wzyx + 1);
}

kernel void volume(read_write image3d_t image)
{
    const int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    write_imagef(image, at, 0.5f * read_imagef(image, at) + (float4)(0.125f, 0.25f, 0.375f, 0.75f));
}

kernel void depth(read_write image2d_depth_t image)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(image, at, 1.0f - read_imagef(image, at));
}

// Two images that are not the same: texels change places where those of the first are larger.
kernel void exchanged(read_write image2d_t a, read_write image2d_t b)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const uint4 x = read_imageui(a, at), y = read_imageui(b, at);
    if (x.x > y.x) {
        write_imageui(a, at, y);
        write_imageui(b, at, x);
    }
}
