// Base64: three bytes to four characters with a table in constant memory, and back with comparisons.

__constant char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__kernel void encode(__global const uchar *in, __global char *out, uint length)
{
    uint group = get_global_id(0);
    uint at = 3 * group;
    uint left = length - at;
    uint bits = in[at] << 16;
    if (left > 1)
        bits |= in[at + 1] << 8;
    if (left > 2)
        bits |= in[at + 2];
    out[4 * group] = alphabet[bits >> 18];
    out[4 * group + 1] = alphabet[bits >> 12 & 63];
    out[4 * group + 2] = left > 1 ? alphabet[bits >> 6 & 63] : '=';
    out[4 * group + 3] = left > 2 ? alphabet[bits & 63] : '=';
}

int sextet(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Whole groups only; `bad` counts characters outside the alphabet.
__kernel void decode(__global const char4 *in, __global uchar *out, __global int *bad)
{
    uint group = get_global_id(0);
    char4 c = in[group];
    int a = sextet(c.s0), b = sextet(c.s1), d = sextet(c.s2), e = sextet(c.s3);
    if ((a | b | d | e) < 0) {
        atomic_add(bad, (a < 0) + (b < 0) + (d < 0) + (e < 0));
        return;
    }
    vstore3((uchar3)(a << 2 | b >> 4, b << 4 | d >> 2, d << 6 | e), group, out);
}
