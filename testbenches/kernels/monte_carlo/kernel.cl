// Monte-Carlo estimates with a generator per work-item: points in a quarter circle, and a random walk.
#pragma OPENCL FP_CONTRACT OFF

typedef struct {
    uint x, y, z, w;
} generator;

uint next_random(generator *g)
{
    uint t = g->x ^ (g->x << 11);
    g->x = g->y;
    g->y = g->z;
    g->z = g->w;
    g->w = g->w ^ (g->w >> 19) ^ t ^ (t >> 8);
    return g->w;
}

generator seeded(uint seed)
{
    generator g = {123456789u ^ seed, 362436069u + seed, 521288629u, 88675123u * (seed | 1)};
    return g;
}

__kernel void pi_points(__global const uint *seeds, __global uint *inside, __global uint *total, uint samples)
{
    uint gid = get_global_id(0);
    generator g = seeded(seeds[gid]);
    uint hits = 0;
    for (uint i = 0; i < samples; i++) {
        float x = (next_random(&g) >> 8) * 0x1p-24f;
        float y = (next_random(&g) >> 8) * 0x1p-24f;
        if (x * x + y * y < 1.0f)
            hits++;
    }
    inside[gid] = hits;
    atomic_add(total, hits);
}

__kernel void random_walk(__global const uint *seeds, __global int2 *end, int steps)
{
    generator g = seeded(seeds[get_global_id(0)]);
    int2 at = (int2)(0, 0);
    for (int i = 0; i < steps; i++) {
        switch (next_random(&g) >> 30) {
        case 0: at.x++; break;
        case 1: at.x--; break;
        case 2: at.y++; break;
        default: at.y--; break;
        }
    }
    end[get_global_id(0)] = at;
}
