// Counters that are masked to few bits: compilers make counters of that many bits of them.

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void two_bits(global int *out, int n)
{
    int c = 0;
    for (int r = 0; r < n; r++)
        for (int j = 3; j >= 0; j--)
            out[c++] = (r * 4 + ((j * 3 + r) & 3)) * 10;
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void other_widths(global int *out, int n)
{
    int c = 0;
    for (int r = 0; r < n; r++) {
        for (int j = 6; j >= 0; j--)
            out[c++] = 100 * r + ((j * 5 + r) & 7);
        for (int j = 0; j < 9; j++)
            out[c++] = -(100 * r + ((j * 7 + 3 * r) & 31));
    }
}
