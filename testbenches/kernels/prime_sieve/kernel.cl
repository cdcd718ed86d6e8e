// Sieve of Eratosthenes: segments in local memory by work-groups, and trial division by work-items.

// Each work-group sieves the numbers [group * segment, (group + 1) * segment) in a bit set.
__kernel void sieve(__global uint *bits, __global uint *count, uint segment, __local uint *words)
{
    uint lid = get_local_id(0), size = get_local_size(0);
    uint first = get_group_id(0) * segment, words_here = segment / 32;
    for (uint w = lid; w < words_here; w += size)
        words[w] = ~0u;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (first == 0 && lid == 0)
        words[0] &= ~3u;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint p = 2 + lid; p * p < first + segment; p += size) {
        uint multiple = max(p * p, (first + p - 1) / p * p);
        for (; multiple < first + segment; multiple += p)
            atomic_and(&words[(multiple - first) / 32], ~(1u << (multiple & 31)));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint primes = 0;
    for (uint w = lid; w < words_here; w += size) {
        bits[first / 32 + w] = words[w];
        primes += popcount(words[w]);
    }
    atomic_add(count, primes);
}

// Smallest factor above one.
__kernel void smallest_factor(__global const uint *numbers, __global uint *factor)
{
    size_t i = get_global_id(0);
    uint n = numbers[i], f = 2;
    if (n % 2 != 0)
        for (f = 3; f * f <= n && n % f != 0; f += 2)
            ;
    factor[i] = f * f > n ? n : f;
}
