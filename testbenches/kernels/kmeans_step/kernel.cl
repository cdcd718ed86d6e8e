// One k-means iteration on integer points: nearest centroid, then sums and counts per cluster.

#define DIMS 3

__kernel void assign_points(__global const int *points, __constant int *centroids, __global int *cluster, int k)
{
    int i = get_global_id(0);
    int best = -1;
    long best_distance = LONG_MAX;
    for (int c = 0; c < k; c++) {
        long distance = 0;
        for (int d = 0; d < DIMS; d++) {
            long difference = (long)points[i * DIMS + d] - centroids[c * DIMS + d];
            distance += difference * difference;
        }
        if (distance < best_distance) {
            best_distance = distance;
            best = c;
        }
    }
    cluster[i] = best;
}

__kernel void sum_clusters(__global const int *points, __global const int *cluster, __global int *sums,
                           __global uint *counts)
{
    int i = get_global_id(0);
    int c = cluster[i];
    for (int d = 0; d < DIMS; d++)
        atomic_add(&sums[c * DIMS + d], points[i * DIMS + d]);
    atomic_inc(&counts[c]);
}

// New centroids: the mean rounded towards zero; an empty cluster keeps its centroid.
__kernel void move_centroids(__global const int *sums, __global const uint *counts, __global int *centroids)
{
    int c = get_global_id(0), d = get_global_id(1);
    uint count = counts[c];
    if (count != 0)
        centroids[c * DIMS + d] = sums[c * DIMS + d] / (int)count;
}
