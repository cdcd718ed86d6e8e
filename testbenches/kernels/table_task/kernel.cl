// Tables of one work-item, which it loads, changes and stores in each iteration, and accesses at places that data decides.
#pragma OPENCL FP_CONTRACT OFF

// Counts of all values of a byte. The next value may be the same.
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void histogram(__global const uchar *restrict in, __global uint *restrict out, int n)
{
    uint bins[256];
    for (int k = 0; k < 256; k++)
        bins[k] = 0;
    for (int i = 0; i < n; i++)
        bins[in[i]]++;
    for (int k = 0; k < 256; k++)
        out[k] = bins[k];
}

// Sums of values by key: an addition of several cycles between load and store.
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void sums_by_key(__global const uchar *restrict key, __global const float *restrict value, __global float *restrict out, int n)
{
    __local float sums[64];
    for (int k = 0; k < 64; k++)
        sums[k] = 0.0f;
    for (int i = 0; i < n; i++)
        sums[key[i] & 63] += value[i];
    for (int k = 0; k < 64; k++)
        out[k] = sums[k];
}

// A permutation by exchanges: two loads and two stores of one table, which may meet in each other and in the next iteration.
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void shuffle_table(__global ushort *restrict out, uint n, uint state)
{
    ushort t[1024];
    n = min(n, 1024u);
    for (uint i = 0; i < n; i++)
        t[i] = i;
    for (uint i = n; i > 1; i--) {
        state = state * 1664525u + 1013904223u;
        uint j = (state >> 16) % i;
        ushort x = t[i - 1];
        t[i - 1] = t[j];
        t[j] = x;
    }
    for (uint i = 0; i < n; i++)
        out[i] = t[i];
}

// The length of the longest common subsequence: a row that each of the outer iterations replaces.
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void common_length(__global const char *restrict a, __global const char *restrict b, __global int *restrict out, int m, int n)
{
    int row[257];
    char text[256];
    for (int j = 0; j < n; j++)
        text[j] = b[j];
    for (int j = 0; j <= n; j++)
        row[j] = 0;
    for (int i = 0; i < m; i++) {
        int before = 0;
        char c = a[i];
        for (int j = 1; j <= n; j++) {
            int above = row[j];
            int best = text[j - 1] == c ? before + 1 : max(above, row[j - 1]);
            before = above;
            row[j] = best;
        }
    }
    out[0] = row[n];
}

// Words that are stored byte by byte and loaded whole, and the other way.
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void bytes_and_words(__global const uchar *restrict in, __global uint *restrict out, int n)
{
    __local uint words[128];
    __local uchar *bytes = (__local uchar *)words;
    for (int i = 0; i < 128; i++)
        words[i] = 0x01020304u * (i & 3);
    for (int i = 0; i < n; i++) {
        bytes[i & 511] = in[i];
        words[(i >> 3) & 127] ^= bytes[(i * 5 + 2) & 511];
    }
    for (int i = 0; i < 128; i++)
        out[i] = words[i];
}

// Accesses under conditions, and what a load gives that does not happen.
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void sometimes(__global const int *restrict in, __global uint *restrict out, int n)
{
    uint t[64];
    for (int k = 0; k < 64; k++)
        t[k] = k * k;
    uint last = 7;
    for (int i = 0; i < n; i++) {
        int x = in[i], k = (x >> 3) & 63;
        if (x & 1)
            last += t[k];
        if (x & 2)
            t[(k + 1) & 63] = last ^ (uint)i;
        else if (x & 4)
            t[k] += 3;
        out[i] = last;
    }
    out[n] = t[5] + t[63];
}

// Six loads and a store in each iteration.
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void gather_six(__global const uchar *restrict in, __global int *restrict out, int n)
{
    int t[256];
    for (int k = 0; k < 256; k++)
        t[k] = 3 * k - 100;
    for (int i = 0; i < n; i++) {
        int x = in[i];
        out[i] = t[x] + t[(x + 17) & 255] * 2 - t[(x * 3) & 255] + t[x ^ 85] - t[255 - x] + t[(x >> 1) + 64];
        t[i & 255] = i ^ x;
    }
}

// Two tables behind one pointer, which keeps its address in a third.
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void either_table(__global const int *restrict in, __global ulong *restrict out, int n)
{
    __local ulong a[48], b[80];
    int at[16];
    for (int k = 0; k < 48; k++)
        a[k] = k;
    for (int k = 0; k < 80; k++)
        b[k] = 1000 - k;
    for (int k = 0; k < 16; k++)
        at[k] = k;
    for (int i = 0; i < n; i++) {
        int x = in[i], k = at[x & 15];
        __local ulong *p = x & 16 ? a : b;
        p[k] = p[k] * 3 + (uint)x;
        at[(x >> 5) & 15] = (k + 1) % 48;
    }
    for (int k = 0; k < 48; k++)
        out[k] = a[k];
    for (int k = 0; k < 80; k++)
        out[48 + k] = b[k];
}

// Elimination in a matrix: three nested loops whose bounds depend on one another, and a division.
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void eliminate(__global const float *restrict in, __global float *restrict out)
{
    __local float m[12][12];
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            m[i][j] = in[12 * i + j];
    for (int k = 0; k < 12; k++)
        for (int i = k + 1; i < 12; i++) {
            float f = m[i][k] / m[k][k];
            m[i][k] = f;
            for (int j = k + 1; j < 12; j++)
                m[i][j] -= f * m[k][j];
        }
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            out[12 * i + j] = m[i][j];
}

// Vectors in a table, and a search that may end in any iteration.
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void vectors_until(__global const int *restrict in, __global int4 *restrict out, int n, int limit)
{
    int4 t[32];
    for (int k = 0; k < 32; k++)
        t[k] = (int4)(k, k + 1, k + 2, k + 3);
    int i = 0, k = 0;
    while (i < n) {
        k = in[i] & 31;
        t[k] += (int4)(1, k, i, 2);
        if (t[k].x > limit)
            break;
        i++;
    }
    int steps = 0;
    while (t[k].y < 1000 && steps < 40) {
        k = (k + t[k].w) & 31;
        steps++;
    }
    for (int j = 0; j < 32; j++)
        out[j] = t[j];
    out[32] = (int4)(i, k, steps, 0);
}

// Flows along edges between nodes: two updates of one table, which may be of one node, where there is any flow.
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void flows(__global const uchar2 *restrict edge, __global const float *restrict flow, __global float *restrict out, int n)
{
    __local float node[256];
    for (int k = 0; k < 256; k++)
        node[k] = 0.0f;
    for (int e = 0; e < n; e++) {
        float f = flow[e];
        if (f > 0.0f) {
            node[edge[e].x] -= f;
            node[edge[e].y] += f;
        }
    }
    for (int k = 0; k < 256; k++)
        out[k] = node[k];
}

// Every word from the one five words before it, and a table of counters that are multiplied.
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void five_before(__global const uchar *restrict in, __global uint *restrict out, int n)
{
    uint t[512];
    uint factor[256];
    for (int k = 0; k < 512; k++)
        t[k] = k;
    for (int k = 0; k < 256; k++)
        factor[k] = 1;
    for (int i = 5; i < n; i++) {
        uint k = in[i];
        t[i & 511] = t[(i - 5) & 511] * 5 + k;
        factor[k] *= k | 1;
    }
    for (int k = 0; k < 512; k++)
        out[k] = t[k];
    for (int k = 0; k < 256; k++)
        out[512 + k] = factor[k];
}

// Conditions that load only if others did not decide: the second buffer is shorter than the loop.
__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void decided_by(__global const int *restrict a, __global const int *restrict b, __global uint *restrict out, int n, int m, int limit)
{
    uint hits[64];
    for (int k = 0; k < 64; k++)
        hits[k] = 0;
    uint both = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] >= limit || (i < m && b[i] >= limit))
            hits[i & 63] += i;
        if (i < m && b[i] < limit && a[i] < limit)
            both++;
    }
    for (int k = 0; k < 64; k++)
        out[k] = hits[k];
    out[64] = both;
}
