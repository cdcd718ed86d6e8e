// All-pairs shortest paths: relaxation over one intermediate node, and a whole small graph by one work-group.

#define NO_PATH 0x3fffffff

__kernel void floyd_step(__global int *dist, __global int *via, int n, int k)
{
    int j = get_global_id(0), i = get_global_id(1);
    int through = dist[i * n + k] + dist[k * n + j];
    if (through < dist[i * n + j]) {
        dist[i * n + j] = through;
        via[i * n + j] = k;
    }
}

// One work-item per pair; the barrier's global fence orders the steps.
__kernel void floyd_group(__global int *dist, int n)
{
    int j = get_local_id(0), i = get_local_id(1);
    for (int k = 0; k < n; k++) {
        int through = dist[i * n + k] + dist[k * n + j];
        int direct = dist[i * n + j];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (through < direct)
            dist[i * n + j] = through;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
