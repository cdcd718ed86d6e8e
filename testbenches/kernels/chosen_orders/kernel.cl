// Memory orders and scopes that are known only when the kernel runs. clang-22 crashes on them.
kernel void chosen_orders(global atomic_int *sums, global int *seen, int strict)
{
    const memory_order order = strict ? memory_order_seq_cst : memory_order_relaxed;
    const memory_scope scope = strict > 1 ? memory_scope_device : memory_scope_work_group;
    const int l = get_local_id(0), group = get_group_id(0);
    atomic_fetch_add_explicit(&sums[group], l, order, memory_scope_device);
    atomic_fetch_max_explicit(&sums[8 + group], l, memory_order_acq_rel, scope);
    int expected = -1;
    atomic_compare_exchange_strong_explicit(&sums[16 + group], &expected, 5, order, memory_order_relaxed, scope);
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    seen[get_global_id(0)] = atomic_load_explicit(&sums[group], strict ? memory_order_acquire : memory_order_relaxed, scope);
}
