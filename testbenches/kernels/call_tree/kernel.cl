// Functions that call functions: by value, by pointer, in loops, with several results, not inlined by request.
#pragma OPENCL FP_CONTRACT OFF

#define NOINLINE __attribute__((noinline))

typedef struct {
    float real, imag;
} complex;

complex make(float real, float imag)
{
    complex c = {real, imag};
    return c;
}

NOINLINE complex multiply(complex a, complex b)
{
    return make(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real);
}

NOINLINE float norm(complex a)
{
    return a.real * a.real + a.imag * a.imag;
}

// z^n by repeated multiplication.
complex power(complex z, int n)
{
    complex result = make(1.0f, 0.0f);
    while (n-- > 0)
        result = multiply(result, z);
    return result;
}

__kernel void complex_power(__global const complex *in, __global complex *out, __global float *norms, int n)
{
    size_t i = get_global_id(0);
    complex z = power(in[i], n);
    out[i] = z;
    norms[i] = norm(z);
}

// Several results by pointer; early returns.
NOINLINE bool divide(int a, int b, int *quotient, int *remainder)
{
    if (b == 0 || (a == INT_MIN && b == -1))
        return false;
    *quotient = a / b;
    *remainder = a - *quotient * b;
    return true;
}

NOINLINE int depth3(int x) { return x * 3 + 1; }
NOINLINE int depth2(int x) { return depth3(x ^ 5) - depth3(x & 7); }
NOINLINE int depth1(__global const int *p, int i) { return depth2(p[i]) + depth2(i); }

__kernel void calls(__global const int *a, __global const int *b, __global int *out)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    int q = -1, r = -1;
    out[i] = divide(a[i], b[i], &q, &r);
    out[n + i] = q;
    out[2 * n + i] = r;
    out[3 * n + i] = depth1(b, i);
}

// A kernel is a function as well.
__kernel void doubled(__global int *data)
{
    data[get_global_id(0)] *= 2;
}

__kernel void doubled_twice(__global int *data)
{
    doubled(data);
    data[get_global_id(0)] += 1;
    doubled(data);
}
