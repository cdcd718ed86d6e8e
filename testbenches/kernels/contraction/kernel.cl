// a * b + c that may be rounded once or twice: by default, with mad, and in a sum that is carried.

kernel void expressions(global const float *restrict x, global const float *restrict y, global float *restrict out) {
    size_t i = get_global_id(0);
    float a = x[i], b = y[i];
    out[4 * i] = a * b + a;
    out[4 * i + 1] = mad(a, b, b);
    out[4 * i + 2] = 2.0f - a * b;
    float4 v = (float4)(a, b, a, b) * (float4)(b) + (float4)(a);
    out[4 * i + 3] = v.w;
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void carried(global const float *restrict x, global const float *restrict y,
                                                                   uint n, global float *restrict out) {
    float sum = 0, horner = 0;
    for (uint i = 0; i < n; i++) {
        sum += x[i] * y[i];
        horner = horner * y[i] + x[i];
    }
    out[0] = sum;
    out[1] = horner;
}
