// More accesses than 64 on each side of a memory port: every lane of a work-item's block lies elsewhere, so that no two of them can be
// one access. Ids of such a port are wider than usual.

#define FIVE(M, k) M(k) M(k + 1) M(k + 2) M(k + 3) M(k + 4)
#define TWENTY_FIVE(M, k) FIVE(M, k) FIVE(M, k + 5) FIVE(M, k + 10) FIVE(M, k + 15) FIVE(M, k + 20)
#define ALL(M) TWENTY_FIVE(M, 0) TWENTY_FIVE(M, 25) TWENTY_FIVE(M, 50)

// Plane k of the output is plane k of the input and a third of the one that is seven further, 75 planes of n words.
__kernel void planes(__global const uint *restrict in, __global uint *restrict out, uint n)
{
    size_t i = get_global_id(0);
    uint x[75];
#define GET(k) x[k] = in[(k) * n + i];
    ALL(GET)
#define PUT(k) out[(k) * n + i] = x[k] + x[((k) + 7) % 75] / 3;
    ALL(PUT)
}
