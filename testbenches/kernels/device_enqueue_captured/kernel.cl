#pragma OPENCL FP_CONTRACT OFF

// --- a block for each picture: one function, other images ---

void turn(read_only image2d_t from, write_only image2d_t to, uint add)
{
    int width = get_image_width(from), height = get_image_height(from);
    size_t size[2] = { width, height };
    ndrange_t range = ndrange_2D(size);
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, range, ^{
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        uint4 color = read_imageui(from, at);
        write_imageui(to, (int2)(height - 1 - at.y, at.x), color.yzwx + add);
    });
}

kernel void turned(read_only image2d_t first, read_only image2d_t second, write_only image2d_t a, write_only image2d_t b)
{
    turn(first, a, 1);
    turn(second, b, 1000);
}

// --- samplers: the host's, and two of the source ---

constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

static void sample(read_only image2d_t image, sampler_t sampler, global float *out)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(6), ^{
        uint i = get_global_id(0);
        float2 at = (float2)(i * 0.5f - 0.75f, 0.5f);
        out[2 * i] = read_imagef(image, sampler, at).x;
        out[2 * i + 1] = read_imagef(image, edge, at).x;
    });
}

kernel void sampled(read_only image2d_t image, sampler_t sampler, global float *out)
{
    sample(image, sampler, out);
    sample(image, CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST, out + 12);
    sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
        out[24] = read_imagef(image, linear, (float2)(1.0f, 0.5f)).x;
    });
}

// --- a block that enqueues itself: each step goes where the image says ---

void step(read_only image2d_t map, read_write image1d_t visits, global int2 *path, int2 at, int left)
{
    path[left] = at;
    if (left == 0)
        return;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
        int2 next = read_imagei(map, at).xy;
        write_imageui(visits, next.x, read_imageui(visits, next.x) + 1);
        step(map, visits, path, next, left - 1);
    });
}

kernel void walk(read_only image2d_t map, read_write image1d_t visits, global int2 *path, int steps)
{
    step(map, visits, path, (int2)(0, 0), steps);
}

// --- a block in a block, local memory, and images of all kinds between other data ---

kernel void kinds(read_only image1d_t line, char c, read_only image2d_array_t layers, read_only image3d_t box, ushort3 v,
                  write_only image2d_array_t out, global uint *sizes)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(2, 2), ^(local void *scratch) {
        local uint *seen = scratch;
        int z = get_global_id(0);
        seen[z] = read_imageui(box, (int4)(v.x, v.y, 1 - z, 0)).x;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint other = seen[1 - z];
        sizes[z] = get_image_depth(box) + 10 * get_image_array_size(layers) + 100 * get_image_width(line);
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(get_image_width(line)), ^{
            int x = get_global_id(0);
            uint sum = read_imageui(line, x).x + read_imageui(layers, (int4)(x, 0, z, 0)).x + other + c + v.z;
            write_imageui(out, (int4)(x, 0, z, 0), (uint4)(sum, 0, 0, 0));
        });
    }, 2 * sizeof(uint));
}

// --- packets that blocks hand on, one of them for another ---

kernel void relay(read_only pipe int in, write_only pipe int out, global int *left)
{
    clk_event_t moved;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(3), 0, NULL, &moved, ^{
        int packet;
        if (read_pipe(in, &packet) == 0) {
            packet = 2 * packet + 1;
            write_pipe(out, &packet);
        }
    });
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &moved, NULL, ^{
        left[0] = get_pipe_num_packets(in);
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
            reserve_id_t id = reserve_write_pipe(out, 2);
            left[1] = is_valid_reserve_id(id);
            for (int k = 0; k < 2; k++) {
                int packet = -1;
                read_pipe(in, &packet);
                write_pipe(out, id, k, &packet);
            }
            commit_write_pipe(out, id);
        });
    });
    release_event(moved);
}
