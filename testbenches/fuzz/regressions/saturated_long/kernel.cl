// Sums of products of 64 bits that saturate: clhls computes in 128 bits and cuts. Cranelift made minima of 128 bits of
// that, for which it has no code.
kernel void saturated(global const long *a, global const long *b, global const long *c, global long *r)
{
    size_t i = get_global_id(0);
    r[i] = mad_sat(a[i], b[i], c[i]);
}
