// Atomics of OpenCL C 2.0: every function, on 32 and 64 bits, in every address space.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

// All operations on an object that nobody else touches, and what each gave. `kept` is the object's value behind some of them.
#define OPERATIONS(T)                                                                                                  \
    out[0] = atomic_load(p);                                                                                           \
    out[1] = atomic_fetch_add(p, x);                                                                                   \
    out[2] = atomic_fetch_sub(p, y);                                                                                   \
    out[3] = atomic_fetch_or(p, x);                                                                                    \
    out[4] = atomic_fetch_xor(p, y);                                                                                   \
    out[5] = atomic_fetch_min(p, x);                                                                                   \
    out[6] = atomic_fetch_max(p, y);                                                                                   \
    out[7] = atomic_fetch_and(p, x);                                                                                   \
    out[8] = atomic_exchange(p, y);                                                                                    \
    T kept = y;                                                                                                        \
    out[9] = atomic_compare_exchange_strong(p, &kept, x);                                                              \
    out[10] = kept;                                                                                                    \
    kept = x + 1;                                                                                                      \
    out[11] = atomic_compare_exchange_strong(p, &kept, y);                                                             \
    out[12] = kept;                                                                                                    \
    while (!atomic_compare_exchange_weak(p, &kept, kept ^ y))                                                          \
        ;                                                                                                              \
    out[13] = kept;                                                                                                    \
    kept = x;                                                                                                          \
    out[14] = atomic_compare_exchange_weak(p, &kept, y);                                                               \
    out[15] = kept;                                                                                                    \
    atomic_store(p, x ^ 5);

// In global, in local memory, and wherever the pointer leads.
#define KERNELS(T)                                                                                                     \
    __kernel void global_##T(__global atomic_##T *cells, __global const T *operands, __global T *out)                  \
    {                                                                                                                  \
        const size_t i = get_global_id(0);                                                                             \
        const T x = operands[2 * i], y = operands[2 * i + 1];                                                          \
        volatile __global atomic_##T *p = &cells[i];                                                                   \
        out += 16 * i;                                                                                                 \
        OPERATIONS(T)                                                                                                  \
    }                                                                                                                  \
    __kernel void local_##T(__global T *cells, __global const T *operands, __global T *out)                            \
    {                                                                                                                  \
        __local atomic_##T objects[16];                                                                                \
        const size_t i = get_global_id(0);                                                                             \
        const T x = operands[2 * i], y = operands[2 * i + 1];                                                          \
        volatile __local atomic_##T *p = &objects[get_local_id(0)];                                                    \
        atomic_init(p, cells[i]);                                                                                      \
        out += 16 * i;                                                                                                 \
        OPERATIONS(T)                                                                                                  \
        cells[i] = atomic_load(p);                                                                                     \
    }                                                                                                                  \
    __kernel void generic_##T(__global atomic_##T *cells, __global const T *operands, __global T *out)                 \
    {                                                                                                                  \
        __local atomic_##T objects[16];                                                                                \
        const size_t i = get_global_id(0);                                                                             \
        const T x = operands[2 * i], y = operands[2 * i + 1];                                                          \
        volatile atomic_##T *p = x & 1 ? (volatile atomic_##T *)&cells[i]                                              \
                                       : (volatile atomic_##T *)&objects[get_local_id(0)];                             \
        atomic_init(p, x + y);                                                                                         \
        out += 16 * i;                                                                                                 \
        OPERATIONS(T)                                                                                                  \
        atomic_store(&cells[i], atomic_load(p) + 1);                                                                   \
    }
KERNELS(int)
KERNELS(uint)
KERNELS(long)
KERNELS(ulong)

// Many work-items at the same objects: what is left does not depend on their order.
#define SHARED(T)                                                                                                      \
    __kernel void shared_##T(__global atomic_##T *cells, __global const T *in, __global T *of_groups)                  \
    {                                                                                                                  \
        __local atomic_##T sum;                                                                                        \
        const T x = in[get_global_id(0)];                                                                              \
        if (get_local_id(0) == 0)                                                                                      \
            atomic_init(&sum, 3);                                                                                      \
        work_group_barrier(CLK_LOCAL_MEM_FENCE);                                                                       \
        atomic_fetch_add_explicit(&sum, x, memory_order_relaxed, memory_scope_work_group);                             \
        atomic_fetch_add(&cells[0], x);                                                                                \
        atomic_fetch_sub(&cells[1], x);                                                                                \
        atomic_fetch_or(&cells[2], x);                                                                                 \
        atomic_fetch_and(&cells[3], x);                                                                                \
        atomic_fetch_xor(&cells[4], x);                                                                                \
        atomic_fetch_min(&cells[5], x);                                                                                \
        atomic_fetch_max(&cells[6], x);                                                                                \
        T seen = atomic_load_explicit(&cells[7], memory_order_relaxed, memory_scope_device);                           \
        while (!atomic_compare_exchange_weak_explicit(&cells[7], &seen, seen + (x | 1), memory_order_acq_rel,          \
                                                      memory_order_relaxed, memory_scope_device))                      \
            ;                                                                                                          \
        work_group_barrier(CLK_LOCAL_MEM_FENCE);                                                                       \
        if (get_local_id(0) == 0)                                                                                      \
            of_groups[get_group_id(0)] = atomic_load(&sum);                                                            \
    }
SHARED(int)
SHARED(ulong)

// Sub-groups of OpenCL C 2.0 are an extension.
#if defined(cl_khr_subgroups) || defined(__opencl_c_subgroups)
#define memory_scope_narrow memory_scope_sub_group
#else
#define memory_scope_narrow memory_scope_work_group
#endif

// Every function with every order that it allows, and every scope: each counter once by each work-item.
#define ADD(k, order, scope) atomic_fetch_add_explicit(&counters[k], k + 1, memory_order_##order, memory_scope_##scope)
__kernel void orders(__global atomic_uint *counters, __global atomic_uint *own, __global uint *out)
{
    ADD(0, relaxed, work_group);
    ADD(1, acquire, work_group);
    ADD(2, release, work_group);
    ADD(3, acq_rel, work_group);
    ADD(4, seq_cst, work_group);
    ADD(5, relaxed, device);
    ADD(6, acquire, device);
    ADD(7, release, device);
    ADD(8, acq_rel, device);
    ADD(9, seq_cst, device);
    ADD(10, acq_rel, all_svm_devices);
    ADD(11, seq_cst, all_svm_devices);
    ADD(12, acq_rel, narrow);
    const size_t i = get_global_id(0);
    __global atomic_uint *p = &own[i];
    uint x = i, sum = 0;
    atomic_store_explicit(p, x, memory_order_relaxed, memory_scope_device);
    sum = 3 * sum + atomic_load_explicit(p, memory_order_relaxed, memory_scope_device);
    atomic_store_explicit(p, x + 1, memory_order_release, memory_scope_work_group);
    sum = 3 * sum + atomic_load_explicit(p, memory_order_acquire, memory_scope_work_group);
    atomic_store_explicit(p, x + 2, memory_order_seq_cst, memory_scope_device);
    sum = 3 * sum + atomic_load_explicit(p, memory_order_seq_cst, memory_scope_device);
    sum = 3 * sum + atomic_exchange_explicit(p, x + 3, memory_order_acq_rel, memory_scope_device);
    sum = 3 * sum + atomic_fetch_sub_explicit(p, 1, memory_order_release);
    sum = 3 * sum + atomic_fetch_or_explicit(p, 64, memory_order_acquire);
    sum = 3 * sum + atomic_fetch_xor_explicit(p, 3, memory_order_relaxed);
    sum = 3 * sum + atomic_fetch_and_explicit(p, 127, memory_order_seq_cst);
    sum = 3 * sum + atomic_fetch_min_explicit(p, 90, memory_order_acq_rel, memory_scope_all_svm_devices);
    sum = 3 * sum + atomic_fetch_max_explicit(p, 70, memory_order_relaxed, memory_scope_work_group);
    uint wanted = 70;
    sum = 3 * sum + atomic_compare_exchange_strong_explicit(p, &wanted, 200, memory_order_seq_cst, memory_order_acquire);
    sum = 3 * sum + wanted;
    sum = 3 * sum + atomic_compare_exchange_strong_explicit(p, &wanted, x, memory_order_release, memory_order_relaxed,
                                                            memory_scope_device);
    sum = 3 * sum + wanted;
    out[i] = sum;
}

// Numbers taken from one counter are all different.
__kernel void tickets(__global atomic_int *counter, __global atomic_long *wide, __global uchar *taken)
{
    taken[2 * atomic_fetch_add_explicit(counter, 1, memory_order_relaxed)] += 1;
    taken[2 * atomic_fetch_sub_explicit(wide, 1L, memory_order_relaxed) + 1] += 2;
}

// Flags: of those that try to set one, one work-item finds it clear.
__kernel void flags(__global atomic_flag *flags, __global atomic_int *winners, __global atomic_int *of_groups, uint n)
{
    __local atomic_flag own[4];
    const size_t k = get_global_id(0) % n, lid = get_local_id(0);
    if (lid < 4)
        atomic_flag_clear(&own[lid]);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (!atomic_flag_test_and_set(&flags[k]))
        atomic_fetch_add(&winners[k], 1);
    if (!atomic_flag_test_and_set_explicit(&own[lid % 4], memory_order_acquire, memory_scope_work_group))
        atomic_fetch_add(&of_groups[get_group_id(0)], 1);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        atomic_flag_clear_explicit(&own[0], memory_order_release, memory_scope_work_group);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (!atomic_flag_test_and_set_explicit(&own[lid % 4], memory_order_acq_rel, memory_scope_work_group))
        atomic_fetch_add(&of_groups[get_group_id(0)], 100);
    if (get_global_id(0) == get_global_size(0) - 1)
        atomic_flag_clear_explicit(&flags[n], memory_order_release, memory_scope_device);
}

// Floats are loaded, stored and exchanged: bits of any kind.
#define FLOATS(T)                                                                                                      \
    __kernel void floats_##T(__global atomic_##T *cells, __global const T *in, __global T *out)                        \
    {                                                                                                                  \
        __local atomic_##T objects[16];                                                                                \
        const size_t i = get_global_id(0), lid = get_local_id(0);                                                      \
        atomic_init(&objects[lid], in[i]);                                                                             \
        out[3 * i] = atomic_exchange(&cells[i], atomic_load(&objects[lid]));                                           \
        out[3 * i + 1] = atomic_exchange_explicit(&objects[lid], out[3 * i], memory_order_acq_rel,                     \
                                                  memory_scope_work_group);                                            \
        out[3 * i + 2] = atomic_load_explicit(&objects[lid], memory_order_acquire, memory_scope_work_group);           \
        if (i & 1)                                                                                                     \
            atomic_store_explicit(&cells[i], (T)-0.0, memory_order_release, memory_scope_device);                      \
    }                                                                                                                  \
    __kernel void passed_##T(__global uint *taken)                                                                     \
    {                                                                                                                  \
        __local atomic_##T hand;                                                                                       \
        const size_t lid = get_local_id(0);                                                                            \
        if (lid == 0)                                                                                                  \
            atomic_init(&hand, (T)get_local_size(0));                                                                  \
        work_group_barrier(CLK_LOCAL_MEM_FENCE);                                                                       \
        taken[(uint)atomic_exchange(&hand, (T)lid)] += 1;                                                              \
        work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                                \
        if (lid == 0)                                                                                                  \
            taken[(uint)atomic_load(&hand)] += 1;                                                                      \
    }
FLOATS(float)
FLOATS(double)

// Variables of the program.
__global atomic_int total = ATOMIC_VAR_INIT(40);
__global atomic_flag taken_once = ATOMIC_FLAG_INIT;

__kernel void of_program(__global const int *in, __global int *out, __global atomic_int *arrived)
{
    atomic_fetch_add_explicit(&total, in[get_global_id(0)], memory_order_relaxed, memory_scope_device);
    if (!atomic_flag_test_and_set(&taken_once))
        atomic_fetch_add(arrived, 1000);
    if (atomic_fetch_add_explicit(arrived, 1, memory_order_acq_rel, memory_scope_device) % 1000 == get_global_size(0) - 1)
        *out = atomic_load(&total);
}
