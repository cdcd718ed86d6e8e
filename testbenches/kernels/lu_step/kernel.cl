// LU decomposition without pivoting: one elimination step, and a whole small matrix by one work-group.
#pragma OPENCL FP_CONTRACT OFF

// Column k of L below the diagonal.
__kernel void lu_column(__global float *a, int n, int k)
{
    int i = get_global_id(0);                      // launched with offset k + 1
    a[i * n + k] = a[i * n + k] / a[k * n + k];
}

// Rest of the matrix; both dimensions are launched with offset k + 1.
__kernel void lu_update(__global float *a, int n, int k)
{
    int j = get_global_id(0), i = get_global_id(1);
    a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

// One work-item per row, the matrix in local memory.
__kernel void lu_group(__global double *a, __local double *m)
{
    int i = get_local_id(0), n = get_local_size(0);
    for (int j = 0; j < n; j++)
        m[i * n + j] = a[i * n + j];
    for (int k = 0; k < n - 1; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i > k) {
            double factor = m[i * n + k] / m[k * n + k];
            m[i * n + k] = factor;
            for (int j = k + 1; j < n; j++)
                m[i * n + j] -= factor * m[k * n + j];
        }
    }
    for (int j = 0; j < n; j++)
        a[i * n + j] = m[i * n + j];
}
