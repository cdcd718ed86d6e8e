// Single work-items that nobody declares as such: they loop and ask for no ids. And kernels that only look like them.

// One packet a cycle through four kernels.
__kernel void source(__global const int *restrict in, __write_only pipe int out, uint n)
{
    for (uint k = 0; k < n; k++) {
        int x = in[k];
        while (write_pipe(out, &x) != 0);
    }
}

__kernel void twice(__read_only pipe int in, __write_only pipe int out, uint n)
{
    for (uint k = 0; k < n; k++) {
        int x;
        while (read_pipe(in, &x) != 0);
        x *= 2;
        while (write_pipe(out, &x) != 0);
    }
}

__kernel void plus(__read_only pipe int in, __write_only pipe int out, uint n)
{
    for (uint k = 0; k < n; k++) {
        int x;
        while (read_pipe(in, &x) != 0);
        x += 3;
        while (write_pipe(out, &x) != 0);
    }
}

__kernel void sink(__read_only pipe int in, __global int *restrict out, uint n)
{
    for (uint k = 0; k < n; k++) {
        int x;
        while (read_pipe(in, &x) != 0);
        out[k] = x;
    }
}

// Launched as many: each does the whole, and all write the same.
__kernel void sums(__global const int *restrict in, __global int *restrict out, uint n)
{
    int sum = 0;
    for (uint k = 0; k < n; k++) {
        sum += in[k];
        out[k] = sum + (int)get_global_size(0) * 1000 + (int)get_work_dim();
    }
}

// Asks for the size of its group, which must be what the launch says.
__kernel void sizes(__global uint *out, uint n)
{
    for (uint k = 0; k < n; k++)
        out[k] = (uint)get_local_size(0) * 100 + (uint)get_num_groups(0);
}

// Work-items that share work out by an atomic: all are in flight together.
__kernel void tickets(__global uint *next, __global uint *out, uint n)
{
    for (;;) {
        uint k = atomic_inc(next);
        if (k >= n)
            break;
        out[k] = k * k;
    }
}
