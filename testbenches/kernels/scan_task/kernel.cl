// Exclusive prefix sums by a single work-item, two elements at a time. n counts vectors.

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void scan_exclusive(__global const int2 *restrict in, __global int2 *restrict out, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        int2 v = in[i];
        out[i] = (int2)(sum, sum + v.x);
        sum += v.x + v.y;
    }
}
