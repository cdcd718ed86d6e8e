// What the report of a kernel with work-groups shows: loops, barriers, local memory.
kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void tiles(global const float *restrict a, global const float *restrict b, global float *restrict c, int n) {
  local float at[8][8], bt[8][8];
  int x = get_local_id(0), y = get_local_id(1);
  int column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; k += 8) {
    at[y][x] = a[row * n + k + x];
    bt[y][x] = b[(k + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 8; j++)
      sum += at[y][j] * bt[j][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
