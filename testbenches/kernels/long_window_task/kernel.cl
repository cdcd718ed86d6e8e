// A window that slides over data, of more elements than compilers unroll: two rows of 4100, one value back by a few, by a row, and by all.
#define FAR 8200
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void rows_apart(__global const short *restrict in, __global int *restrict out, short quiet, int n)
{
    short line[FAR];
    #pragma unroll
    for (int k = 0; k < FAR; k++) line[k] = quiet;
    for (int i = 0; i < n; i++) {
        #pragma unroll
        for (int k = 0; k < FAR - 1; k++) line[k] = line[k + 1];
        line[FAR - 1] = in[i];
        out[i] = 5 * line[FAR - 1] - 3 * line[FAR - 201] + 2 * line[FAR / 2] - line[0];
    }
}
