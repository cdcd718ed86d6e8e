// Atomic operations on floats (cl_ext_float_atomics). Each work-item has cells of its own, where the order of operations is
// known; shared cells sum whole numbers, whose sums are exact in any order.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define UPDATES(NAME, SPACE, ATOMIC, T)                                                                \
  void NAME(SPACE ATOMIC *cell, const T *x, global T *out) {                                           \
    out[0] = atomic_fetch_add(cell, x[0]);                                                             \
    out[1] = atomic_fetch_sub_explicit(cell, x[1], memory_order_relaxed);                              \
    out[2] = atomic_fetch_min_explicit(cell, x[2], memory_order_acq_rel, memory_scope_device);         \
    out[3] = atomic_fetch_max(cell, x[3]);                                                             \
    out[4] = atomic_exchange(cell, x[4]);                                                              \
    out[5] = atomic_fetch_add_explicit(cell, x[5], memory_order_seq_cst, memory_scope_work_group);     \
    out[6] = atomic_load(cell);                                                                        \
  }

#define KERNELS(PREFIX, ATOMIC, T)                                                                     \
  UPDATES(PREFIX##_global, global, ATOMIC, T)                                                          \
  UPDATES(PREFIX##_local, local, ATOMIC, T)                                                            \
  kernel void global_##PREFIX(global ATOMIC *cells, global const T *x, global T *out) {                \
    size_t i = get_global_id(0);                                                                       \
    T own[6];                                                                                          \
    for (int k = 0; k < 6; k++) own[k] = x[6 * i + k];                                                 \
    PREFIX##_global(&cells[i], own, out + 7 * i);                                                      \
  }                                                                                                    \
  kernel void local_##PREFIX(global const T *start, global const T *x, global T *out) {                \
    local ATOMIC cells[16];                                                                            \
    size_t i = get_global_id(0), l = get_local_id(0);                                                  \
    T own[6];                                                                                          \
    for (int k = 0; k < 6; k++) own[k] = x[6 * i + k];                                                 \
    atomic_init(&cells[l], start[i]);                                                                  \
    work_group_barrier(CLK_LOCAL_MEM_FENCE);                                                           \
    PREFIX##_local(&cells[l], own, out + 7 * i);                                                       \
  }                                                                                                    \
  /* bins[0]: all values; [1], [2]: least and greatest; [3..]: by value */                             \
  kernel void shared_##PREFIX(global ATOMIC *bins, global const T *values) {                           \
    local ATOMIC sum;                                                                                  \
    size_t i = get_global_id(0);                                                                       \
    if (get_local_id(0) == 0) atomic_init(&sum, (T)0);                                                 \
    work_group_barrier(CLK_LOCAL_MEM_FENCE);                                                           \
    T v = values[i];                                                                                   \
    atomic_fetch_add_explicit(&sum, v, memory_order_relaxed, memory_scope_work_group);                 \
    atomic_fetch_min_explicit(&bins[1], v, memory_order_relaxed);                                      \
    atomic_fetch_max_explicit(&bins[2], v, memory_order_relaxed);                                      \
    atomic_fetch_add_explicit(&bins[3 + ((int)v & 3)], (T)1, memory_order_relaxed);                    \
    work_group_barrier(CLK_LOCAL_MEM_FENCE);                                                           \
    if (get_local_id(0) == 0) atomic_fetch_add(&bins[0], atomic_load(&sum));                           \
  }

KERNELS(float, atomic_float, float)
KERNELS(double, atomic_double, double)
