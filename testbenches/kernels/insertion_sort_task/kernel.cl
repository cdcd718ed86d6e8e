// Insertion sorts by a single work-item: in global memory, and in a private array with a systolic shift.

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void insertion_sort(__global int *data, int n)
{
    for (int i = 1; i < n; i++) {
        int value = data[i];
        int j = i - 1;
        while (j >= 0 && data[j] > value) {
            data[j + 1] = data[j];
            j--;
        }
        data[j + 1] = value;
    }
}

#define KEPT 8

// The KEPT smallest values of a sequence, in order: every place compares at once.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void smallest(__global const int *restrict data, __global int *restrict out, int n)
{
    int kept[KEPT];
#pragma unroll
    for (int k = 0; k < KEPT; k++)
        kept[k] = INT_MAX;
    for (int i = 0; i < n; i++) {
        int value = data[i];
#pragma unroll
        for (int k = KEPT - 1; k >= 0; k--) {
            int left = k > 0 ? kept[k - 1] : INT_MIN;
            kept[k] = value < left ? left : min(value, kept[k]);
        }
    }
#pragma unroll
    for (int k = 0; k < KEPT; k++)
        out[k] = kept[k];
}
