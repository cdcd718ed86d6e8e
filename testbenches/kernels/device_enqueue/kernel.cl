#pragma OPENCL FP_CONTRACT OFF

// --- sorting: a block enqueues itself on both parts ---

void sort_part(global int *data, uint first, uint count)
{
    if (count <= 6) {
        for (uint i = first + 1; i < first + count; i++) {
            int value = data[i];
            uint k = i;
            for (; k > first && data[k - 1] > value; k--)
                data[k] = data[k - 1];
            data[k] = value;
        }
        return;
    }
    int pivot = data[first + count / 2];
    uint low = first, high = first + count - 1;
    for (;;) {
        while (data[low] < pivot)
            low++;
        while (data[high] > pivot)
            high--;
        if (low >= high)
            break;
        int kept = data[low];
        data[low++] = data[high];
        data[high--] = kept;
    }
    uint left = high + 1 - first;
    queue_t queue = get_default_queue();
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ sort_part(data, first, left); });
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ sort_part(data, first + left, count - left); });
}

kernel void quicksort(global int *data, uint count)
{
    sort_part(data, 0, count);
}

// --- filling: every cell enqueues its neighbours, as many as are still free ---

void fill_from(global uint *grid, uint width, uint height, uint x, uint y)
{
    if (x >= width || y >= height || atomic_cmpxchg((volatile global uint *)&grid[y * width + x], 0, 2) != 0)
        return;
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(4), ^{
        uint side = get_global_id(0);
        uint step_x = side == 0 ? 1 : side == 1 ? -1 : 0, step_y = side == 2 ? 1 : side == 3 ? -1 : 0;
        fill_from(grid, width, height, x + step_x, y + step_y);
    });
}

kernel void flood(global uint *grid, uint width, uint height, uint x, uint y)
{
    fill_from(grid, width, height, x, y);
}

// --- a sum in levels: each waits for the one before, and reduces eight numbers in local memory ---

kernel void tree_sum(queue_t queue, global int *numbers, uint count, global int *codes)
{
    clk_event_t start = create_user_event(), before = start;
    int code = 0;
    for (uint left = count, from = 0; left > 1; left = (left + 7) / 8) {
        uint to = from + left;
        clk_event_t done;
        code |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D((left + 7) / 8 * 8, 8), 1, &before, &done,
            ^(local void *room) {
                local int *sums = room;
                uint at = get_global_id(0), k = get_local_id(0);
                sums[k] = at < left ? numbers[from + at] : 0;
                barrier(CLK_LOCAL_MEM_FENCE);
                for (uint n = 4; n > 0; n /= 2) {
                    if (k < n)
                        sums[k] += sums[k + n];
                    barrier(CLK_LOCAL_MEM_FENCE);
                }
                if (k == 0)
                    numbers[to + get_group_id(0)] = sums[0];
            }, (uint)(8 * sizeof(int)));
        release_event(before);
        before = done;
        from = to;
    }
    codes[0] = code;
    codes[1] = is_valid_event(before);
    retain_event(before);
    release_event(before);
    release_event(before);
    set_user_event_status(start, CL_COMPLETE);
}

// --- what blocks use of the function around them, and index spaces of all kinds ---

typedef struct { short a[3]; long b; } kept_t;

kernel void captures(queue_t queue, global ulong *out, char c, float4 v, double d, kept_t kept, ulong l)
{
    bool odd = c & 1;
    size_t offset[2] = {3, 5}, global_size[2] = {6, 4}, local_size[2] = {3, 2};
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_2D(offset, global_size, local_size), ^{
        size_t x = get_global_id(0), y = get_global_id(1);
        ulong n = (get_work_dim() == 2) + 10 * get_group_id(0) + 100 * get_num_groups(1) + 1000 * get_local_id(1);
        out[(y - get_global_offset(1)) * get_global_size(0) + x - get_global_offset(0)] = n * 1000000 + x * 100 + y;
    });
    size_t cube[3] = {2, 3, 2};
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_3D(cube), ^{
        out[24 + get_global_linear_id()] = get_global_id(0) + 10 * get_global_id(1) + 100 * get_global_id(2);
    });
    // a group that is no divisor: the last one is smaller
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(2, 10, 4), ^{
        out[36 + get_global_id(0) - 2] = get_local_size(0) + 10 * get_enqueued_local_size(0) + 100 * get_global_id(0);
    });
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
        out[46] = c + 1000 * odd + l;
        out[47] = (ulong)(v.x + 2 * v.y + 4 * v.z + 8 * v.w);
        out[48] = as_ulong(d);
        out[49] = kept.a[0] + 10 * kept.a[1] + 100 * kept.a[2] + 1000 * kept.b;
    });
}

// --- events ---

void note(global uint *order, uint what)
{
    order[atomic_inc((volatile global uint *)order)] = what;
}

kernel void gates(queue_t queue, global uint *order, global int *codes)
{
    ndrange_t one = ndrange_1D(1);
    clk_event_t gate = create_user_event(), late = create_user_event(), first, second, third, both[2], marker, last;
    int code = 0;
    code |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &gate, &first, ^{ note(order, 1); });
    // a child enqueues one more; only then it is complete
    code |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &first, &second, ^{
        note(order, 2);
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, one, ^{ note(order, 3); });
    });
    both[0] = second;
    both[1] = late;
    code |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 2, both, &third, ^{ note(order, 6); });
    code |= enqueue_marker(queue, 1, &third, &marker);
    code |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &marker, &last, ^{ note(order, 7); });
    // this one lets the third go, by an event of its parent
    code |= enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &second, NULL, ^{
        note(order, 4);
        set_user_event_status(late, CL_COMPLETE);
        note(order, 5);
        release_event(late);
    });
    set_user_event_status(gate, CL_COMPLETE);
    codes[0] = code;
    codes[1] = is_valid_event(gate) + 2 * is_valid_event(first) + 4 * is_valid_event(marker) + 8 * is_valid_event(CLK_NULL_EVENT);
    release_event(gate);
    release_event(first);
    codes[2] = is_valid_event(last);
}

// --- errors and queries ---

// CLK_NULL_QUEUE is a constant that llvm-spirv-15 stops at: `none` is an argument.
kernel void errors(queue_t queue, queue_t none, global int *codes, uint zero, uint many)
{
    void (^block)(void) = ^{ atomic_inc((volatile global int *)codes); };
    ndrange_t one = ndrange_1D(1);
    clk_event_t event, wrong = CLK_NULL_EVENT;
    codes[1] = enqueue_kernel(none, CLK_ENQUEUE_FLAGS_NO_WAIT, one, block);
    codes[2] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(zero), block);
    codes[3] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4, many), block);
    codes[4] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, NULL, NULL, block);
    codes[5] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 0, &event, NULL, block);
    codes[6] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &wrong, NULL, block);
    codes[7] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, ^(local void *room) { codes[20] = 1; }, zero);
    codes[8] = enqueue_marker(queue, zero, &wrong, &event);
    codes[9] = enqueue_marker(none, 1, &wrong, &event);
    codes[10] = get_kernel_work_group_size(block);
    codes[11] = get_kernel_preferred_work_group_size_multiple(block);
    codes[12] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(300), block);
}

// More events than there are: the first fail to fit the table, then all are there again.
kernel void full(queue_t queue, global uint *failures, global int *codes)
{
    clk_event_t event = create_user_event();
    if (!is_valid_event(event))
        atomic_inc((volatile global uint *)failures);
    // behind the work-items that exhausted them: nothing was released before the kernel's end
    if (get_global_id(0) == get_global_size(0) - 1)
        codes[0] = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
            clk_event_t later = create_user_event();
            codes[1] = is_valid_event(later);
            release_event(later);
        });
    if (is_valid_event(event))
        release_event(event);
}

// --- profiling ---

global ulong before_end[2], after_end[2];

kernel void profile(queue_t queue, global int *out)
{
    clk_event_t gate = create_user_event(), work;
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8), 1, &gate, &work, ^{ out[get_global_id(0)] = 1; });
    capture_event_profiling_info(work, CLK_PROFILING_COMMAND_EXEC_TIME, before_end);
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &work, NULL, ^{
        capture_event_profiling_info(work, CLK_PROFILING_COMMAND_EXEC_TIME, after_end);
        out[8] = before_end[0] > 0 && before_end[1] >= before_end[0];
        out[9] = after_end[0] == before_end[0] && after_end[1] == before_end[1];
        release_event(work);
    });
    set_user_event_status(gate, CL_COMPLETE);
    release_event(gate);
}
