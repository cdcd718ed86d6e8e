// Loops in loops: break and continue at every level, loops that end in the middle, triangular bounds, no iterations.

// Counts Pythagorean triples up to `limit` and sums their products; skips and stops early on purpose.
__kernel void triples(__global const uint *limit, __global uint *count, __global uint *sum)
{
    size_t i = get_global_id(0);
    uint n = limit[i], found = 0, total = 0;
    for (uint a = 1; a <= n; a++) {
        if (a % 4 == 2)
            continue;
        for (uint b = a + 1; b <= n; b++) {
            if (a * a + b * b > n * n)
                break;
            uint c = b + 1;
            do {
                if (c * c == a * a + b * b) {
                    found++;
                    total += a * b * c;
                    break;
                }
                c++;
            } while (c <= n && c * c <= a * a + b * b);
            if (found >= 10)
                goto enough;
        }
    }
enough:
    count[i] = found;
    sum[i] = total;
}

// Gauss's elimination on integers modulo a prime gives the rank of a small matrix: three nested loops with a search.
__kernel void rank_modulo(__global const uchar *matrix, __global int *rank, int n, int prime)
{
    size_t gid = get_global_id(0);
    int m[6][6];
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++)
            m[r][c] = matrix[gid * n * n + r * n + c] % prime;
    int done = 0;
    for (int c = 0; c < n; c++) {
        int pivot = -1;
        for (int r = done; r < n; r++)
            if (m[r][c] != 0) {
                pivot = r;
                break;
            }
        if (pivot < 0)
            continue;
        int inverse = 1;
        while (inverse * m[pivot][c] % prime != 1)
            inverse++;
        for (int k = 0; k < n; k++) {
            int t = m[pivot][k] * inverse % prime;
            m[pivot][k] = m[done][k];
            m[done][k] = t;
        }
        for (int r = 0; r < n; r++) {
            if (r == done || m[r][c] == 0)
                continue;
            int factor = m[r][c];
            for (int k = 0; k < n; k++)
                m[r][k] = (m[r][k] + (prime - factor) * m[done][k]) % prime;
        }
        done++;
    }
    rank[gid] = done;
}

// A loop whose bound shrinks while it runs, with a different number of inner rounds each time.
__kernel void shrinking(__global const int *in, __global int *out)
{
    size_t i = get_global_id(0);
    int end = in[i] & 63, sum = 0, rounds = 0;
    for (int k = 0; k < end; k++) {
        int x = k;
        while (x > 0) {
            sum += x & 3;
            x >>= 1;
            rounds++;
        }
        if ((sum & 7) == 5)
            end -= 2;
        else if ((sum & 7) == 3)
            k++;
    }
    out[2 * i] = sum;
    out[2 * i + 1] = rounds;
}
