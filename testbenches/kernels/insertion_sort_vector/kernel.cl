// Insertion sort of up to 64 values by a single work-item: all places of the sorted sequence, in four vectors, are compared at once.

#define PLACES 64

// Places of a falling sequence behind one that holds `before`, after a value came in: those below it move on.
int16 inserted(int16 places, int before, int value)
{
    int16 moved = (int16)(before, places.s0123, places.s4567, places.s89ab, places.scde);
    return min(moved, max(places, value));
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void insertion_sort_vector(__global const int *restrict data, __global int *restrict sorted, int n)
{
    int16 a = INT_MIN, b = INT_MIN, c = INT_MIN, d = INT_MIN;
    // Behind the last value come the largest ones, which push the sequence out, the smallest first.
    for (int i = 0; i < n + PLACES; i++) {
        int value = i < n ? data[i] : INT_MAX;
        if (i >= PLACES)
            sorted[i - PLACES] = d.sf;
        d = inserted(d, c.sf, value);
        c = inserted(c, b.sf, value);
        b = inserted(b, a.sf, value);
        a = inserted(a, INT_MAX, value);
    }
}
