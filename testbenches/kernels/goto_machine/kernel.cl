// State machines with goto: a number recogniser, a comment stripper, and an irreducible loop.

// Classifies fixed-size fields of text: 0 not a number, 1 integer, 2 fraction, 3 with exponent.
__kernel void classify(__global const char *text, int field, __global int *kind)
{
    __global const char *p = text + get_global_id(0) * field, *end = p + field;
    int result = 0;
    if (*p == '-')
        p++;
    if (p == end || *p < '0' || *p > '9')
        goto done;
integer:
    if (++p == end) {
        result = 1;
        goto done;
    }
    if (*p >= '0' && *p <= '9')
        goto integer;
    if (*p == 'e')
        goto exponent;
    if (*p != '.')
        goto done;
fraction:
    if (++p == end) {
        result = 2;
        goto done;
    }
    if (*p >= '0' && *p <= '9')
        goto fraction;
    if (*p != 'e')
        goto done;
exponent:
    if (++p == end)
        goto done;
    if (*p == '-' && ++p == end)
        goto done;
digits:
    if (*p < '0' || *p > '9')
        goto done;
    if (++p != end)
        goto digits;
    result = 3;
done:
    kind[get_global_id(0)] = result;
}

// Copies a line without /* comments */; gives the length of what is left.
__kernel void strip_comments(__global const char *in, int length, __global char *out, __global int *kept)
{
    int gid = get_global_id(0), i = 0, n = 0;
    in += gid * length;
    out += gid * length;
    char c;
text:
    if (i >= length) goto finish;
    c = in[i++];
    if (c == '/') goto slash;
    out[n++] = c;
    goto text;
slash:
    if (i < length && in[i] == '*') { i++; goto comment; }
    out[n++] = '/';
    goto text;
comment:
    if (i >= length) goto finish;
    if (in[i++] != '*') goto comment;
star:
    if (i >= length) goto finish;
    c = in[i++];
    if (c == '/') goto text;
    if (c == '*') goto star;
    goto comment;
finish:
    kept[gid] = n;
}

// A loop with two entries: even numbers enter in the middle.
__kernel void two_entries(__global const uint *in, __global uint *out, uint rounds)
{
    uint gid = get_global_id(0);
    uint x = in[gid], trace = 1, n = 0;
    if ((x & 1) == 0)
        goto even;
odd:
    x = x * 5 + 1;
    trace = trace * 3 + 1;
    if (++n >= rounds)
        goto end;
even:
    x = (x >> 1) ^ (x << 7);
    trace = trace * 7 + 2;
    if (++n >= rounds)
        goto end;
    if (x & 2)
        goto even;
    goto odd;
end:
    out[2 * gid] = x;
    out[2 * gid + 1] = trace;
}
