// Atomic operations on parts of what else is accessed as a whole: members of structures, elements of vectors, arrays that are cleared by
// vectors. In hardware such a memory has wider words than the operation.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

typedef struct {
    long key;
    int count;
    int other;
} entry;

// Each of the entries is counted four times, and only its count changes.
kernel void members(global long *out)
{
    local entry entries[4];
    const int l = get_local_id(0);
    if (l < 4) {
        entries[l].key = 1000 + l;
        entries[l].count = -2;
        entries[l].other = 7;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&entries[l & 3].count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 4) {
        out[3 * l] = entries[l].key;
        out[3 * l + 1] = entries[l].count;
        out[3 * l + 2] = entries[l].other;
    }
}

// A lock beside what it guards.
kernel void lock_beside(global long *out)
{
    local struct {
        double sum;
        uint lock;
        uint count;
    } shared_;
    const int l = get_local_id(0);
    if (l == 0) {
        shared_.sum = 0;
        shared_.lock = 0;
        shared_.count = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int done = 0; !done;) {
        if (atomic_cmpxchg(&shared_.lock, 0u, 1u) == 0u) {
            shared_.sum += l;
            shared_.count++;
            mem_fence(CLK_LOCAL_MEM_FENCE);
            atomic_xchg(&shared_.lock, 0u);
            done = 1;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        out[0] = (long)shared_.sum;
        out[1] = shared_.count;
        out[2] = shared_.lock;
    }
}

// Bins that are cleared four at a time; what the additions give is a permutation of the counts before them.
kernel void cleared_by_vectors(global const uint *keys, global uint *bins, global uint *before, local uint *counts)
{
    const int l = get_local_id(0);
    if (l == 0)
        counts[64] = 0;
    if (l < 16)
        ((local uint4 *)counts)[l] = (uint4)(0, 100, 200, 300);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint old = atomic_add(&counts[keys[l] % 64], 3u);
    atomic_add(&counts[64], old % 100);
    barrier(CLK_LOCAL_MEM_FENCE);
    bins[l] = counts[l];
    if (l == 0)
        before[0] = counts[64];
}

// All operations, of both widths, on the parts of longs.
kernel void both_widths(global const int *values, global int *out, global long *wide)
{
    local long2 pairs[8];
    local int *words = (local int *)pairs;
    local ulong *longs = (local ulong *)pairs;
    const int l = get_local_id(0);
    if (l < 8)
        pairs[l] = (long2)(0x7000000080000000L, -0x123456789ABCDEFL);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int v = values[l];
    atomic_min(words + 0, v);
    atomic_max(words + 1, v);
    atomic_min((local uint *)words + 2, (uint)v);
    atomic_max((local uint *)words + 3, (uint)v);
    atomic_or(words + 4, v & 0xF0F0);
    atomic_and(words + 5, v | 0xFFF);
    atomic_xor(words + 6, v);
    atomic_sub(words + 7, v);
    atom_add(longs + 4, (ulong)(long)v);
    atom_sub(longs + 5, (ulong)(long)v);
    atom_min((local long *)longs + 6, (long)v << 20);
    atom_max((local long *)longs + 7, (long)v << 20);
    atom_min(longs + 8, (ulong)v);
    atom_max(longs + 9, (ulong)v);
    atom_xor(longs + 10, (ulong)v << 13);
    atom_cmpxchg(longs + 11, (ulong)-0x123456789ABCDEFL, (ulong)v);
    atomic_cmpxchg(words + 24, 5, v);
    atomic_xchg(words + 27, 77);
    barrier(CLK_LOCAL_MEM_FENCE);
    // who came first to the eleventh is open
    if (l < 32 && l / 2 != 11)
        out[l] = words[l];
    if (l < 16 && l != 11)
        wide[l] = (long)longs[l];
}
