// OpenCL 2.0: program-scope variables in global memory, with and without initialisers, shared by all work-items.

global int counter = 100;
global uint histogram[16];
global float gains[4] = {1.0f, 0.5f, 0.25f, -2.0f};
global struct { short low, high; uchar tag[4]; } limits = {-50, 75, {1, 2, 3, 4}};
global int *global cursor = &counter;
constant int offsets[4] = {3, 1, 4, 1};

kernel void count(global const uchar *data, global int *out)
{
    size_t i = get_global_id(0);
    uchar v = data[i];
    atomic_inc(&histogram[v & 15]);
    atomic_add(&counter, offsets[v & 3]);
    out[i] = clamp((int)v - 100, (int)limits.low, (int)limits.high) + limits.tag[v & 3] * 1000;
}

// One work-item: what it has written it must read back.
kernel void state(global const float *in, global float *out, global int *final_count, int n)
{
    static global int calls = 5;
    for (int i = 0; i < n; i++) {
        float x = in[i] * gains[i & 3];
        gains[i & 3] = x > 0.0f ? 0.5f : 2.0f;
        *cursor += i;
        calls++;
        out[i] = x;
    }
    final_count[0] = counter;
    final_count[1] = calls;
    final_count[2] = histogram[3];
}
