// Litmus tests: outcomes that the memory model forbids, counted. Work-items follow one another closely in a pipeline, and what one of
// them does to memory is under way for a long time: without the order that the atomics and fences ask for, others would see it.

#define VALUE(k) (5 * (k) + 1)
#define FENCE(flags, order, scope) atomic_work_item_fence(flags, memory_order_##order, memory_scope_##scope)
#define GLOBAL CLK_GLOBAL_MEM_FENCE
#define LOCAL CLK_LOCAL_MEM_FENCE

// Message passing: who finds a flag set finds the data behind it. Even work-items write, odd ones read. What is written has to be loaded
// first, which takes long; the flag could be set at once, were it not for the order that is asked for. Distances grow: flags that were
// set long ago, a moment ago, or are not set yet. All pointers are `restrict`: what nothing else orders is not ordered because it might
// be the same memory. A reader writes nothing, so that it waits for no store of its own.
#define MESSAGES(SET, IS_SET, i, n)                                                                                    \
    int bad = 0;                                                                                                       \
    if ((i) % 2 == 0) {                                                                                                \
        data[i] = VALUE(source[i]);                                                                                    \
        SET;                                                                                                           \
    } else                                                                                                             \
        for (uint d = 1; d < (n); d += 2 + d / 16 * 2) {                                                               \
            const uint k = ((i) + (n)-d) % (n);                                                                        \
            if (IS_SET)                                                                                                \
                bad += data[k] != VALUE((int)k);                                                                       \
        }

#define SET_RELEASE(scope) atomic_store_explicit(&ready[i], 1, memory_order_release, memory_scope_##scope)
#define IS_SET_ACQUIRE(scope) atomic_load_explicit(&ready[k], memory_order_acquire, memory_scope_##scope)
#define SET_RELAXED(scope) atomic_store_explicit(&ready[i], 1, memory_order_relaxed, memory_scope_##scope)
#define IS_SET_RELAXED(scope) atomic_load_explicit(&ready[k], memory_order_relaxed, memory_scope_##scope)

__kernel void messages(__global int *restrict data, __global const int *restrict source, __global atomic_int *restrict ready, __global int *restrict wrong)
{
    const uint i = get_global_id(0), n = get_global_size(0);
    MESSAGES(SET_RELEASE(device), IS_SET_ACQUIRE(device), i, n)
    wrong[i] = bad;
}

__kernel void messages_seq_cst(__global int *restrict data, __global const int *restrict source, __global atomic_int *restrict ready, __global int *restrict wrong)
{
    const uint i = get_global_id(0), n = get_global_size(0);
    MESSAGES(atomic_store(&ready[i], 1), atomic_load(&ready[k]), i, n)
    wrong[i] = bad;
}

// By read-modify-write operations, which carry a release on.
__kernel void messages_exchanged(__global int *restrict data, __global const int *restrict source, __global atomic_int *restrict ready, __global int *restrict wrong)
{
    const uint i = get_global_id(0), n = get_global_size(0);
    MESSAGES(atomic_fetch_or_explicit(&ready[i], 1, memory_order_acq_rel),
             atomic_fetch_or_explicit(&ready[k], 0, memory_order_acq_rel) & 1, i, n)
    wrong[i] = bad;
}

__kernel void messages_fenced(__global int *restrict data, __global const int *restrict source, __global atomic_int *restrict ready, __global int *restrict wrong)
{
    const uint i = get_global_id(0), n = get_global_size(0);
    MESSAGES(FENCE(GLOBAL, release, device); SET_RELAXED(device), IS_SET_RELAXED(device) && (FENCE(GLOBAL, acquire, device), 1),
             i, n)
    wrong[i] = bad;
}

// With atomics of OpenCL C 1.2, which order nothing themselves.
__kernel void messages_once(__global int *restrict data, __global const int *restrict source, __global int *restrict ready, __global int *restrict wrong)
{
    const uint i = get_global_id(0), n = get_global_size(0);
    MESSAGES(write_mem_fence(GLOBAL); atomic_xchg(&ready[i], 1), atomic_or(&ready[k], 0) && (read_mem_fence(GLOBAL), 1), i, n)
    wrong[i] = bad;
}

__kernel void messages_in_local(__global const int *restrict source, __global int *restrict wrong)
{
    __local int data[64];
    __local atomic_int ready[64];
    const uint i = get_local_id(0), n = get_local_size(0);
    data[i] = 0;
    atomic_init(&ready[i], 0);
    work_group_barrier(LOCAL);
    MESSAGES(SET_RELEASE(work_group), IS_SET_ACQUIRE(work_group), i, n)
    wrong[get_global_id(0)] = bad;
}

// Data in global memory, flags in local memory, which is much faster.
__kernel void messages_crossing(__global int *restrict data, __global const int *restrict source, __global int *restrict wrong)
{
    __local atomic_int ready[64];
    const uint i = get_local_id(0), n = get_local_size(0);
    data += n * get_group_id(0);
    atomic_init(&ready[i], 0);
    work_group_barrier(LOCAL);
    MESSAGES(FENCE(LOCAL | GLOBAL, release, work_group); SET_RELAXED(work_group),
             IS_SET_RELAXED(work_group) && (FENCE(LOCAL | GLOBAL, acquire, work_group), 1), i, n)
    wrong[get_global_id(0)] = bad;
}

// Data that is atomic itself, beside a flag.
__kernel void messages_atomic(__global atomic_int *restrict data, __global const int *restrict source, __global atomic_int *restrict ready, __global int *restrict wrong)
{
    const uint i = get_global_id(0), n = get_global_size(0);
    int bad = 0;
    if (i % 2 == 0) {
        atomic_store_explicit(&data[i], VALUE(source[i]), memory_order_relaxed);
        SET_RELEASE(device);
    } else for (uint d = 1; d < n; d += 2 + d / 16 * 2) {
        const uint k = (i + n - d) % n;
        const bool set = IS_SET_ACQUIRE(device);
        const int found = atomic_load_explicit(&data[k], memory_order_relaxed);
        bad += set && found != VALUE((int)k);
    }
    wrong[i] = bad;
}

// Store buffering: each of two work-items stores to its word and loads the other's. Not both may find nothing. Work-item i is
// one of a pair for each distance, the lower one with its words in `a`, the other in `b`; the second one to arrive at the pair's word
// adds up, and clears it.
#define BUFFERING(STORE, LOAD)                                                                                         \
    const uint i = get_global_id(0), n = get_global_size(0);                                                           \
    int bad = 0;                                                                                                       \
    for (uint bit = 0; (1u << bit) < n; bit++) {                                                                       \
        const uint other = i ^ (1u << bit);                                                                            \
        if (other >= n)                                                                                                \
            continue;                                                                                                  \
        const uint mine = bit * n + i, theirs = bit * n + other;                                                       \
        int nothing;                                                                                                   \
        if (i < other) {                                                                                               \
            STORE(&a[mine]);                                                                                           \
            nothing = LOAD(&b[theirs]) == 0;                                                                           \
        } else {                                                                                                       \
            STORE(&b[mine]);                                                                                           \
            nothing = LOAD(&a[theirs]) == 0;                                                                           \
        }                                                                                                              \
        __global atomic_int *pair = &pairs[bit * n + (i & other)];                                                     \
        const int before = atomic_fetch_add_explicit(pair, 16 + nothing, memory_order_acq_rel);                        \
        if (before >= 16) {                                                                                            \
            bad += (before & 15) + nothing == 2;                                                                       \
            atomic_store_explicit(pair, 0, memory_order_relaxed);                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    wrong[i] = bad;
#define BUFFERS __global atomic_int *restrict a, __global atomic_int *restrict b, __global atomic_int *restrict pairs
#define STORE_SEQ_CST(p) atomic_store(p, 1)
#define EXCHANGED(p) atomic_exchange(p, 1)
#define ADDED(p) atomic_fetch_add(p, 0)
#define STORE_FENCED(p)                                                                                                \
    atomic_store_explicit(p, 1, memory_order_relaxed);                                                                 \
    FENCE(GLOBAL, seq_cst, device)
#define LOAD_RELAXED(p) atomic_load_explicit(p, memory_order_relaxed)

__kernel void buffering(BUFFERS, __global int *restrict wrong)
{
    BUFFERING(STORE_SEQ_CST, atomic_load)
}

__kernel void buffering_exchanged(BUFFERS, __global int *restrict wrong)
{
    BUFFERING(EXCHANGED, ADDED)
}

__kernel void buffering_fenced(BUFFERS, __global int *restrict wrong)
{
    BUFFERING(STORE_FENCED, LOAD_RELAXED)
}

// Coherence: who looks at an object twice, or changes it and looks, never sees it go back. Even words are stored to, odd ones added to.
__kernel void coherence(__global atomic_int *restrict words, __global int *restrict wrong)
{
    const uint i = get_global_id(0), n = get_global_size(0);
    int bad = 0;
    for (int round = 1; round <= 6; round++) {
        if (i & 1)
            atomic_fetch_add_explicit(&words[i], 1, memory_order_relaxed, memory_scope_device);
        else
            atomic_store_explicit(&words[i], round, memory_order_relaxed, memory_scope_device);
        bad += atomic_load_explicit(&words[i], memory_order_relaxed, memory_scope_device) != round;
        const uint k = (i + n - round * round) % n;
        const int first = atomic_load_explicit(&words[k], memory_order_relaxed, memory_scope_device);
        const int second = atomic_load_explicit(&words[k], memory_order_relaxed, memory_scope_device);
        bad += second < first;
    }
    wrong[i] = bad;
}

// Independent reads of independent writes: two readers agree which of two words was written first. Of four neighbours two write,
// two read in opposite orders; a word for the four gathers what both saw, and the second reader judges.
__kernel void readers_agree(__global atomic_int *restrict words, __global atomic_int *restrict fours, __global int *restrict wrong)
{
    const size_t i = get_global_id(0), rounds = 8;
    const size_t four = i / 4, role = i % 4;
    int bad = 0;
    for (size_t round = 0; round < rounds; round++) {
        __global atomic_int *pair = &words[2 * (four * rounds + round)];
        if (role < 2) {
            atomic_store(&pair[role], 1);
            continue;
        }
        const int first = atomic_load(&pair[role & 1]);
        const int second = atomic_load(&pair[1 - (role & 1)]);
        // one saw only one word, in its order: that word came first
        const int only_first = first && !second;
        const int before = atomic_fetch_add_explicit(&fours[four * rounds + round], 16 + only_first, memory_order_acq_rel);
        if (before >= 16) {
            bad += (before & 15) + only_first == 2;
            atomic_store_explicit(&fours[four * rounds + round], 0, memory_order_relaxed);
        }
    }
    wrong[i] = bad;
}
