// FIR filter of 32 taps by a single work-item: the window is a shift register of two vectors.

int16 shifted(int16 v, int first)
{
    return (int16)(first, v.s0123, v.s4567, v.s89ab, v.scde);
}

int sum_of(int16 v)
{
    int8 eight = v.lo + v.hi;
    int4 four = eight.lo + eight.hi;
    int2 two = four.lo + four.hi;
    return two.x + two.y;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void fir32(__global const int *restrict in, __global const int *restrict coeff, __global int *restrict out, int n)
{
    int16 near_coeff = 0, far_coeff = 0;
    for (int t = 31; t >= 0; t--) {
        far_coeff = shifted(far_coeff, near_coeff.sf);
        near_coeff = shifted(near_coeff, coeff[t]);
    }
    int16 near = 0, far = 0;
    for (int i = 0; i < n; i++) {
        far = shifted(far, near.sf);
        near = shifted(near, in[i]);
        out[i] = sum_of(near * near_coeff + far * far_coeff);
    }
}
