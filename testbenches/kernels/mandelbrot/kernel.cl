// Escape-time fractal in f32 and f64: a divergent loop with floating-point recurrences.
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void mandelbrot(__global ushort *iterations, int width, float left, float top, float step, int limit)
{
    int px = get_global_id(0), py = get_global_id(1);
    float cx = left + px * step, cy = top + py * step;
    float x = 0.0f, y = 0.0f;
    int n = 0;
    while (n < limit && x * x + y * y <= 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        n++;
    }
    iterations[py * width + px] = n;
}

__kernel void julia_double(__global ushort *iterations, int width, double2 origin, double2 c, double step, int limit)
{
    int px = get_global_id(0), py = get_global_id(1);
    double2 z = origin + step * (double2)(px, py);
    int n = 0;
    for (; n < limit; n++) {
        double2 square = z * z;
        if (square.x + square.y > 4.0)
            break;
        z = (double2)(square.x - square.y, 2.0 * z.x * z.y) + c;
    }
    iterations[py * width + px] = n;
}
