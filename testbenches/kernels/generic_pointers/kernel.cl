// OpenCL 2.0: pointers whose address space is known at run time only.

int sum_of(const int *p, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i];
    return sum;
}

void exchange(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

// One function, called with pointers to all three writable address spaces.
__kernel void three_spaces(__global int *data, __global int *out, int n)
{
    __local int shared[64];
    int own[8];
    uint gid = get_global_id(0), lid = get_local_id(0);
    for (int i = 0; i < 8; i++)
        own[i] = data[(gid + i) % n] * (i + 1);
    shared[lid] = data[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    int global_sum = sum_of(data, n);
    int local_sum = sum_of(shared, get_local_size(0));
    int private_sum = sum_of(own, 8);
    exchange(&own[0], &own[7]);
    out[3 * gid] = global_sum + own[0];
    out[3 * gid + 1] = local_sum;
    out[3 * gid + 2] = private_sum - own[7];
}

// The space depends on data.
__kernel void chosen(__global int *data, __global const uchar *choice, __global int *out)
{
    __local int shared[64];
    int own[2];
    uint gid = get_global_id(0), lid = get_local_id(0);
    own[0] = gid * 3;
    own[1] = -7;
    shared[lid] = gid * 1000;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = choice[gid] == 0 ? (int *)&data[gid] : choice[gid] == 1 ? (int *)&shared[lid] : (int *)&own[choice[gid] & 1];
    *p += 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = shared[lid] + own[0] - own[1] + *p;
}

// Casts back to the named space.
__kernel void named(__global int *data, __global int *out)
{
    __local int shared[64];
    uint gid = get_global_id(0), lid = get_local_id(0);
    shared[lid] = 2 * lid;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int *p = gid & 1 ? (const int *)&data[gid] : (const int *)&shared[lid];
    __global const int *g = to_global(p);
    __local const int *l = to_local(p);
    out[gid] = g ? *g + 1000000 : l ? *l : -1;
}
