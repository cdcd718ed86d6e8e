// Quicksort without recursion: each work-item sorts its own stretch, with an explicit stack in private memory.

#define DEPTH 32

__kernel void quicksort(__global int *data, int length, __global int *deepest)
{
    __global int *a = data + (size_t)get_global_id(0) * length;
    int low_stack[DEPTH], high_stack[DEPTH];
    int top = 0, most = 0;
    low_stack[top] = 0;
    high_stack[top++] = length - 1;
    while (top > 0) {
        most = max(most, top);
        int low = low_stack[--top], high = high_stack[top];
        if (low >= high)
            continue;
        int pivot = a[low + (high - low) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (a[i] < pivot)
                i++;
            while (a[j] > pivot)
                j--;
            if (i <= j) {
                int swap = a[i];
                a[i++] = a[j];
                a[j--] = swap;
            }
        }
        // The longer part first, so that the stack stays logarithmic.
        if (j - low > high - i) {
            low_stack[top] = low; high_stack[top++] = j;
            low_stack[top] = i; high_stack[top++] = high;
        } else {
            low_stack[top] = i; high_stack[top++] = high;
            low_stack[top] = low; high_stack[top++] = j;
        }
    }
    deepest[get_global_id(0)] = most;
}
