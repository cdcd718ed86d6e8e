// What the report of a task kernel shows: a recurrence, and an order that `restrict` lifts.
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void dot(global const float *restrict a, global const float *restrict b, global float *restrict out, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  out[0] = sum;
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void smooth(global const int *in, global int *out, int n) {
  int last = 0;
  for (int i = 0; i < n; i++) {
    last = (3 * last + in[i]) >> 2;
    out[i] = last;
  }
}
