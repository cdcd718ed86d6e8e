// Three kernels that pipes connect: memory to pipe, pipe to pipe, pipe to memory.

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void source(__global const int *in, __write_only pipe int out, uint n)
{
    for (uint k = 0; k < n; k++) {
        int x = in[k];
        while (write_pipe(out, &x) != 0);
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void stage(__read_only pipe int in, __write_only pipe int out, int factor, uint n)
{
    for (uint k = 0; k < n; k++) {
        int x;
        while (read_pipe(in, &x) != 0);
        x = x * factor - (int)k;
        while (write_pipe(out, &x) != 0);
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void sink(__read_only pipe int in, __global int *out, uint n)
{
    for (uint k = 0; k < n; k++) {
        int x;
        while (read_pipe(in, &x) != 0);
        out[k] = x;
    }
}
