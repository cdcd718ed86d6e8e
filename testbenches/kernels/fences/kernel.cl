// Fences and barriers: what a work-item writes before one is there for those that come behind it.

#define VALUE(k) (7 * (k) + 3)

// Each work-item writes its value, then counts itself. The last one of a slot sees what all others wrote. Beside each value
// stands a constant, which all have read before: a line kept from then is too old. It is part of the value, so that it takes a while
// until there is something to store, and nothing to count. All pointers are `restrict`: what nothing else orders is not ordered
// because it might be the same memory. (Kernel `litmus` has readers that write nothing themselves.)
#define LAST(name, T, AS, ADD, RELEASE, ACQUIRE)                                                                       \
    int name(AS int *pairs, AS T *count, size_t i, size_t slots, size_t each)                                          \
    {                                                                                                                  \
        const size_t slot = i % slots;                                                                                 \
        int sum = 0;                                                                                                   \
        for (size_t k = 0; k < each; k++)                                                                              \
            sum += pairs[2 * (slot + k * slots)];                                                                      \
        pairs[2 * i + 1] = VALUE((int)i) + pairs[2 * i];                                                               \
        RELEASE;                                                                                                       \
        if (ADD(&count[slot]) != each - 1)                                                                             \
            return -1;                                                                                                 \
        ACQUIRE;                                                                                                       \
        for (size_t k = 0; k < each; k++)                                                                              \
            sum += pairs[2 * (slot + k * slots) + 1];                                                                  \
        return sum;                                                                                                    \
    }
#define RELAXED(p) atomic_fetch_add_explicit(p, 1, memory_order_relaxed, memory_scope_device)
#define FENCE(flags, order, scope) atomic_work_item_fence(CLK_##flags##_MEM_FENCE, memory_order_##order, memory_scope_##scope)

LAST(by_mem_fence, uint, __global, atomic_inc, mem_fence(CLK_GLOBAL_MEM_FENCE), mem_fence(CLK_GLOBAL_MEM_FENCE))
LAST(by_halves, uint, __global, atomic_inc, write_mem_fence(CLK_GLOBAL_MEM_FENCE), read_mem_fence(CLK_GLOBAL_MEM_FENCE))
LAST(by_both, uint, __global, atomic_inc, mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE),
     read_mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE))
LAST(by_release, atomic_uint, __global, RELAXED, FENCE(GLOBAL, release, device), FENCE(GLOBAL, acquire, device))
LAST(by_acq_rel, atomic_uint, __global, RELAXED, FENCE(GLOBAL, acq_rel, device), FENCE(GLOBAL, acq_rel, device))
LAST(by_seq_cst, atomic_uint, __global, RELAXED, FENCE(GLOBAL, seq_cst, all_svm_devices), FENCE(GLOBAL, seq_cst, all_svm_devices))
LAST(in_group, atomic_uint, __global, RELAXED, FENCE(GLOBAL, release, work_group), FENCE(GLOBAL, acquire, work_group))
LAST(in_local, atomic_uint, __local, RELAXED, FENCE(LOCAL, release, work_group), FENCE(LOCAL, acquire, work_group))
LAST(in_local_once, uint, __local, atomic_inc, write_mem_fence(CLK_LOCAL_MEM_FENCE), read_mem_fence(CLK_LOCAL_MEM_FENCE))

// Slots of the whole index space.
#define KERNEL(name, T)                                                                                                \
    __kernel void last_##name(__global int *restrict pairs, __global T *restrict count, __global int *restrict sums, uint slots)                  \
    {                                                                                                                  \
        const int sum = name(pairs, count, get_global_id(0), slots, get_global_size(0) / slots);                       \
        if (sum >= 0)                                                                                                  \
            sums[get_global_id(0) % slots] += sum;                                                                     \
    }
KERNEL(by_mem_fence, uint)
KERNEL(by_halves, uint)
KERNEL(by_both, uint)
KERNEL(by_release, atomic_uint)
KERNEL(by_acq_rel, atomic_uint)
KERNEL(by_seq_cst, atomic_uint)

// Slots of a work-group, in global memory and in local memory.
__kernel void last_of_group(__global int *restrict pairs, __global atomic_uint *restrict count, __global int *restrict sums, uint slots)
{
    const size_t lid = get_local_id(0), size = get_local_size(0), group = get_group_id(0);
    const int sum = in_group(&pairs[2 * group * size], &count[group * slots], lid, slots, size / slots);
    if (sum >= 0)
        sums[group * slots + lid % slots] += sum;
}

__kernel void last_in_local(__global int *restrict sums, uint slots)
{
    __local int pairs[128];
    __local atomic_uint count[64];
    __local uint once[64];
    const size_t lid = get_local_id(0), size = get_local_size(0), group = get_group_id(0);
    pairs[2 * lid] = 1;
    atomic_init(&count[lid], 0);
    once[lid] = 0;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    int sum = in_local(pairs, count, lid, slots, size / slots);
    if (sum >= 0)
        sums[group * slots + lid % slots] += sum;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    pairs[2 * lid + 1] = 0;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    sum = in_local_once(pairs, once, lid, slots, size / slots);
    if (sum >= 0)
        sums[group * slots + lid % slots] += 1000 * sum;
}

// Values in global memory, the counters in local memory: the fence has to order both.
#define CROSSING(name, T, ADD, RELEASE, ACQUIRE)                                                                       \
    __kernel void name(__global int *restrict pairs, __global int *restrict sums)                                                        \
    {                                                                                                                  \
        __local T count;                                                                                               \
        const size_t lid = get_local_id(0), size = get_local_size(0), group = get_group_id(0);                         \
        if (lid == 0)                                                                                                  \
            *(volatile __local uint *)&count = 0;                                                                      \
        work_group_barrier(CLK_LOCAL_MEM_FENCE);                                                                       \
        pairs += 2 * group * size;                                                                                     \
        int sum = 0;                                                                                                   \
        for (size_t k = 0; k < size; k++)                                                                              \
            sum += pairs[2 * k];                                                                                       \
        pairs[2 * lid + 1] = VALUE((int)lid) + pairs[2 * lid];                                                         \
        RELEASE;                                                                                                       \
        if (ADD(&count) == size - 1) {                                                                                 \
            ACQUIRE;                                                                                                   \
            for (size_t k = 0; k < size; k++)                                                                          \
                sum += pairs[2 * k + 1];                                                                               \
            sums[group] = sum;                                                                                         \
        }                                                                                                              \
    }
#define BOTH CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE
CROSSING(crossing, atomic_uint, RELAXED, atomic_work_item_fence(BOTH, memory_order_release, memory_scope_work_group),
         atomic_work_item_fence(BOTH, memory_order_acquire, memory_scope_work_group))
CROSSING(crossing_once, uint, atomic_inc, mem_fence(BOTH), mem_fence(BOTH))

// What neighbours wrote before a barrier, with all its flags. A barrier orders what its flags name only.
__kernel void barriers(__global int *words, __global int *out)
{
    __local int own[64];
    const size_t i = get_global_id(0), lid = get_local_id(0), size = get_local_size(0);
    const size_t first = i - lid, next = (lid + 1) % size, before = (lid + size - 1) % size;
    own[lid] = words[i] + 1;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    int sum = own[next];
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    own[before] = sum;
    words[i] = 5 * sum;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    sum = words[first + next];
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_work_group);
    words[first + before] = sum + 1;
    work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    sum = 10 * own[next] + words[i];
    work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE | CLK_IMAGE_MEM_FENCE, memory_scope_work_group);
    own[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    words[i] = own[(lid + 2) % size];
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = words[first + before];
}

// Sub-groups of OpenCL C 2.0 are an extension.
#if defined(cl_khr_subgroups) || defined(__opencl_c_subgroups)
#define memory_scope_narrow memory_scope_sub_group
#else
#define memory_scope_narrow memory_scope_work_group
#endif

// Fences of a work-item with itself, between accesses of the same bytes by pointers of which nothing is known.
__kernel void alone(__global int *a, __global int *b, __global int *out)
{
    __local int own[64];
    const size_t i = get_global_id(0), lid = get_local_id(0);
    a[i] = (int)i;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    b[i] += 2;
    FENCE(GLOBAL, acq_rel, narrow);
    int sum = a[i];
    own[lid] = sum;
    write_mem_fence(CLK_LOCAL_MEM_FENCE);
    own[lid] += 3;
    FENCE(LOCAL, seq_cst, narrow);
    sum += own[lid];
    FENCE(IMAGE, acq_rel, work_item);
    read_mem_fence(0);
    FENCE(GLOBAL, relaxed, device);
    out[i] = sum;
}

// Which fence orders accesses through a pointer.
int fences_of(const int *p)
{
    return (int)(get_fence(p) & (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE));
}

// What to_private gives is null exactly for pointers to elsewhere.
__kernel void places(__global int *data, __global const uchar *choice, __global int *out)
{
    __local int shared[64];
    int own[2];
    const size_t i = get_global_id(0), lid = get_local_id(0);
    shared[lid] = 200 + (int)lid;
    own[0] = own[1] = 300;
    own[choice[i] & 1] += (int)i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = choice[i] == 0 ? (int *)&data[i] : choice[i] == 1 ? (int *)&shared[lid] : (int *)&own[choice[i] & 1];
    __global int *in_global = to_global(p);
    __local int *in_local = to_local(p);
    __private int *in_private = to_private(p);
    const int fences = fences_of(p);
    // private memory needs no fence: anything goes
    out[4 * i] = in_private ? 0 : fences == CLK_GLOBAL_MEM_FENCE ? 1 : fences == CLK_LOCAL_MEM_FENCE ? 2 : -1;
    out[4 * i + 1] = in_global ? *in_global : -1;
    out[4 * i + 2] = in_local ? *in_local : -1;
    out[4 * i + 3] = in_private ? *in_private : -1;
    if (in_private)
        *in_private = 9;
    if (in_local)
        *in_local = 8;
    if (in_global)
        *in_global = 7;
    out[4 * i + 1] += 1000 * *p;
}
