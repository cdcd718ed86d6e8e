// Breadth-first search: one level over all nodes, and one level from a queue with atomics.

// Nodes of the current level reach their unvisited neighbours. All writers of a cell write the same value.
__kernel void bfs_level(__global const int *first_edge, __global const int *edges, __global int *level,
                        __global int *changed, int nodes, int current)
{
    int node = get_global_id(0);
    if (node >= nodes || level[node] != current)
        return;
    for (int e = first_edge[node]; e < first_edge[node + 1]; e++) {
        int to = edges[e];
        if (atomic_cmpxchg(&level[to], -1, current + 1) == -1)
            atomic_xchg(changed, 1);
    }
}

// Counts how many edges leave the frontier, and marks reached nodes in a bit set.
__kernel void bfs_frontier(__global const int *first_edge, __global const int *edges, __global const int *queue,
                           __global uint *reached, __global uint *edge_count)
{
    int node = queue[get_global_id(0)];
    int begin = first_edge[node], end = first_edge[node + 1];
    atomic_add(edge_count, (uint)(end - begin));
    for (int e = begin; e < end; e++)
        atomic_or(&reached[edges[e] >> 5], 1u << (edges[e] & 31));
}
