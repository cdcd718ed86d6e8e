// Edit distance: anti-diagonal wavefronts by one work-group, and whole small tables in private memory.

// One work-item per character of `a` (local size = its length); three diagonals rotate in local memory.
__kernel void wavefront(__global const uchar *a, __global const uchar *b, int b_length, __global int *distance,
                        __local int *diagonals)
{
    int i = get_local_id(0) + 1, a_length = get_local_size(0), stride = a_length + 1;
    uchar mine = a[i - 1];
    for (int d = 0; d <= a_length + b_length; d++) {
        __local int *now = diagonals + d % 3 * stride;
        __local int *before = diagonals + (d + 2) % 3 * stride;
        __local int *earlier = diagonals + (d + 1) % 3 * stride;
        int j = d - i;
        if (i == 1 && d <= b_length)
            now[0] = d;
        if (j == 0)
            now[i] = d;
        else if (j > 0 && j <= b_length) {
            int replaced = earlier[i - 1] + (mine != b[j - 1]);
            now[i] = min(replaced, min(before[i], before[i - 1]) + 1);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i == a_length)
        *distance = diagonals[(a_length + b_length) % 3 * stride + a_length];
}

#define LENGTH 16

// Each work-item compares one pair of words of up to LENGTH letters with one row of the table.
__kernel void pairs(__global const uchar *a, __global const uchar *b, __global const uchar *lengths, __global uchar *out)
{
    size_t gid = get_global_id(0);
    __global const uchar *s = a + gid * LENGTH, *t = b + gid * LENGTH;
    int n = lengths[2 * gid], m = lengths[2 * gid + 1];
    uchar row[LENGTH + 1];
    for (int j = 0; j <= m; j++)
        row[j] = j;
    for (int i = 1; i <= n; i++) {
        uchar diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            uchar above = row[j];
            row[j] = s[i - 1] == t[j - 1] ? diagonal : 1 + min(min(above, row[j - 1]), diagonal);
            diagonal = above;
        }
    }
    out[gid] = row[m];
}
