// Pointers as data inside a kernel: tables of pointers, pointers to pointers, pointers in structures.

typedef struct {
    __global const int *begin, *end;
} range;

typedef struct {
    __global int *target;
    __local int *scratch;
    int step;
} place;

// A private table of pointers to the arguments, indexed by data.
__kernel void choose(__global const int *a, __global const int *b, __global const int *c, __global const uchar *which,
                     __global int *out)
{
    __global const int *table[3] = {a, b, c};
    size_t i = get_global_id(0);
    __global const int **entry = &table[which[i] % 3];
    out[i] = (*entry)[i] + 1000 * (which[i] % 3);
}

// Merges two sorted ranges; the ranges are structures of pointers.
__kernel void merge(__global const int *left, __global const int *right, int left_length, int right_length,
                    __global int *out)
{
    range ranges[2] = {{left, left + left_length}, {right, right + right_length}};
    __global int *to = out;
    while (ranges[0].begin != ranges[0].end || ranges[1].begin != ranges[1].end) {
        int take;
        if (ranges[0].begin == ranges[0].end)
            take = 1;
        else if (ranges[1].begin == ranges[1].end)
            take = 0;
        else
            take = *ranges[1].begin < *ranges[0].begin;
        *to++ = *ranges[take].begin++;
    }
}

void advance(place *p)
{
    p->target += p->step;
    p->scratch += 1;
}

void swap_pointers(__private int **a, __private int **b)
{
    __private int *t = *a;
    *a = *b;
    *b = t;
}

__kernel void through_structures(__global int *data, __local int *scratch, int step)
{
    uint lid = get_local_id(0), size = get_local_size(0);
    place p = {data + get_group_id(0) * size * step + lid * step, scratch + lid, step};
    *p.scratch = *p.target;
    barrier(CLK_LOCAL_MEM_FENCE);
    int next = lid + 1 < size ? p.scratch[1] : 0;
    int x = next, y = lid;
    __private int *px = &x, *py = &y;
    if (next & 1)
        swap_pointers(&px, &py);
    *px += 100;
    barrier(CLK_LOCAL_MEM_FENCE);
    *p.target = x - y;
    if (lid + 1 < size) {
        advance(&p);
        *p.scratch = lid;
        // Pointer difference: where this pointer stands relative to the buffer.
        atomic_add(data + get_global_size(0) * step, (int)(p.target - data));
    }
}
