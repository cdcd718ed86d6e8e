// Kernels that enqueue blocks. A scalar of 1 everywhere, as the written examples have it, is a launch without mistakes.

void note(global uint *order, uint what)
{
    order[atomic_inc((volatile global uint *)order)] = what;
}

// The block of number 2 has a block in it, which is part of it.
int send(queue_t queue, global uint *order, uint what, uint size, uint count, const clk_event_t *waits, clk_event_t *done)
{
    return enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(size), count, waits, done, ^{
        note(order, what);
        if (what == 2)
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ note(order, 3); });
    });
}

// Events, lists of events and a marker: 4 waits for nothing, but is younger than 1 and 2.
kernel void steps(queue_t queue, global uint *order, global int *codes)
{
    clk_event_t gate = create_user_event(), first, second, both[2], last, four;
    int code = send(queue, order, 1, 1, 1, &gate, &first);
    code |= send(queue, order, 2, 1, 1, &first, &second);
    both[0] = second;
    both[1] = first;
    clk_event_t marker;
    code |= enqueue_marker(queue, 2, both, &marker);
    both[1] = marker;
    code |= send(queue, order, 5, 1, 2, both, &last);
    code |= send(queue, order, 4, 1, 0, NULL, &four);
    set_user_event_status(gate, CL_COMPLETE);
    codes[0] = code;
    codes[1] = is_valid_event(gate) + 2 * is_valid_event(marker);
    release_event(gate);
    release_event(first);
    release_event(second);
    release_event(marker);
    release_event(last);
    release_event(four);
}

void sizes(queue_t queue, global uint *out, ndrange_t range)
{
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, range, ^{
        out[get_global_linear_id()] = get_local_size(0) + 100 * get_local_size(1) + 10000 * get_work_dim() + 100000 * get_global_offset(0);
    });
}

// Local memory of as many words as a work-group has work-items, and index spaces whose local size the host chooses.
kernel void groups(queue_t queue, global const int *in, global int *out, global uint *shape, uint words)
{
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(2 * words, words), ^(local void *room) {
        local int *kept = room;
        uint k = get_local_id(0);
        kept[k] = in[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = kept[words - 1 - k];
    }, (uint)(words * sizeof(int)));
    size_t plane[2] = {12, 10}, one[2] = {1, 1};
    sizes(queue, shape, ndrange_2D(plane));
    sizes(queue, shape + 120, ndrange_2D(one));
    sizes(queue, shape + 121, ndrange_1D(7, 5, 2));
}

// What can go wrong: 1 an index space that is none, 2 an event with an error, 3 an event that nobody completes, 4 no queue, which the host gives.
kernel void wrong(queue_t queue, global uint *order, global int *codes, uint how)
{
    if (how == 1 || how == 4) {
        codes[0] = send(queue, order, 9, how - 1, 0, NULL, NULL);
        return;
    }
    clk_event_t gate = create_user_event();
    codes[0] = send(queue, order, 1, 1, 1, &gate, NULL);
    codes[1] = send(queue, order, 7, 1, 0, NULL, NULL);
    if (how == 2)
        set_user_event_status(gate, -7);
}

// Profiling, into a variable of the program and into a buffer.
global ulong measured[2];

kernel void timed(queue_t queue, global uint *order, global int *out, global ulong *times)
{
    clk_event_t gate = create_user_event(), work;
    send(queue, order, 1, 1, 1, &gate, &work);
    capture_event_profiling_info(work, CLK_PROFILING_COMMAND_EXEC_TIME, measured);
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &work, NULL, ^{
        capture_event_profiling_info(work, CLK_PROFILING_COMMAND_EXEC_TIME, times);
        out[0] = measured[0] > 0 && measured[1] >= measured[0];
        out[1] = times[0] == measured[0] && times[1] == measured[1];
        release_event(work);
    });
    set_user_event_status(gate, CL_COMPLETE);
    release_event(gate);
}

// A block that enqueues itself.
void count_down(global uint *out, uint left)
{
    out[left] = left + 1;
    if (left > 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), ^{ count_down(out, left - 1); });
}

kernel void chain(global uint *out, uint left)
{
    count_down(out, left);
}

// An image and a pipe that a block captures.
kernel void captured(queue_t queue, read_only image2d_t image, write_only pipe int numbers, uint count)
{
    if (count > 1)
        enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
            for (uint i = 0; i < count; i++) {
                int number = read_imagei(image, (int2)(i, 1)).x;
                write_pipe(numbers, &number);
            }
        });
}

// How many events there are; those that are kept are given back at the end of the launch.
kernel void events(global uint *out, uint count, uint kept)
{
    uint valid = 0;
    for (uint i = 0; i < count; i++) {
        clk_event_t event = create_user_event();
        if (!is_valid_event(event))
            continue;
        valid++;
        if (i >= kept)
            release_event(event);
    }
    out[0] = valid;
}
