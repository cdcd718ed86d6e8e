"""Kernels through pyopencl: arguments of every sort, local memory, structures, 2D ranges, programs of headers.

usage: arrays.py PLATFORM DEVICE [--short]     parts of the names of a platform and a device

What it prints is the same on every device; each result is checked against NumPy, too. --short runs one kernel only,
for devices on which each kernel takes long to build.
"""

import sys
import zlib

import numpy as np
import pyopencl as cl

REVERSE = """
kernel void reverse(global const int *a, global int *o, local int *t) {
  const int l = get_local_id(0), n = get_local_size(0);
  t[l] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  o[get_global_id(0)] = t[n - 1 - l];
}
"""
BLUR = """
kernel void blur(global const uchar *a, global uchar *o, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  int sum = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) sum += a[clamp(y + dy, 0, h - 1) * w + clamp(x + dx, 0, w - 1)];
  o[y * w + x] = (uchar)((sum + 4) / 9);
}
"""
MOVE = """
typedef struct { float4 velocity; int steps; char tag; } move_t;
kernel void move(global float4 *p, move_t m, constant float *scale) {
  const size_t i = get_global_id(0);
  p[i] = p[i] + m.velocity * scale[0] * (float)m.steps + (float)m.tag;
}
"""
COUNT = """
kernel void count(global const uint *a, global uint *bins) {
  atomic_inc(&bins[a[get_global_id(0)] & 15]);
}
"""


class Device:
    def __init__(self, platform_name, device_name):
        platforms = [p for p in cl.get_platforms() if platform_name in p.name]
        devices = [d for p in platforms for d in p.get_devices() if device_name in d.name]
        if not devices:
            raise SystemExit(f"there is no device '{device_name}' of a platform '{platform_name}'")
        self.context = cl.Context(devices[:1])
        self.queue = cl.CommandQueue(self.context)

    def kernel(self, source, name, options=()):
        return cl.Kernel(cl.Program(self.context, source).build(list(options)), name)

    def buffer(self, array, flags=cl.mem_flags.READ_WRITE):
        return cl.Buffer(self.context, flags | cl.mem_flags.COPY_HOST_PTR, hostbuf=array)

    def read(self, buffer, like):
        result = np.empty_like(like)
        cl.enqueue_copy(self.queue, result, buffer)
        return result


def check(name, got, wanted):
    if not np.array_equal(got, wanted):
        raise SystemExit(f"{name}: {got} is not {wanted}")
    print(f"{name} {zlib.crc32(got.tobytes()):08x}")


def reverse(device):
    a = np.arange(256, dtype=np.int32) ** 2
    o = device.buffer(np.zeros_like(a))
    kernel = device.kernel(REVERSE, "reverse")
    kernel(device.queue, a.shape, (32,), device.buffer(a), o, cl.LocalMemory(32 * 4))
    check("reverse", device.read(o, a), a.reshape(-1, 32)[:, ::-1].ravel())


def blur(device):
    w, h = 37, 21
    image = ((np.arange(w * h) * 97) % 251).astype(np.uint8).reshape(h, w)
    o = device.buffer(np.zeros_like(image))
    kernel = device.kernel(BLUR, "blur")
    kernel(device.queue, (w, h), None, device.buffer(image), o, np.int32(w), np.int32(h))
    edge = np.pad(image, 1, mode="edge").astype(np.int32)
    wanted = sum(edge[y:y + h, x:x + w] for y in range(3) for x in range(3))
    check("blur", device.read(o, image), ((wanted + 4) // 9).astype(np.uint8))


def move(device):
    kind = np.dtype({"names": ["velocity", "steps", "tag"], "formats": ["4f4", "i4", "i1"],
                     "offsets": [0, 16, 20], "itemsize": 32})
    points = np.arange(64, dtype=np.float32).reshape(16, 4)
    value = np.zeros((), kind)
    value["velocity"], value["steps"], value["tag"] = (1, 2, 4, 8), 3, -2
    scale = np.array([0.5], np.float32)
    p = device.buffer(points)
    device.kernel(MOVE, "move")(device.queue, (16,), None, p, value, device.buffer(scale, cl.mem_flags.READ_ONLY))
    check("move", device.read(p, points), points + np.array([1, 2, 4, 8], np.float32) * 1.5 - 2)


def count(device):
    a = (np.arange(1000, dtype=np.uint32) * 2654435761) >> 7
    a = a.astype(np.uint32)
    bins = device.buffer(np.zeros(16, np.uint32))
    device.kernel(COUNT, "count")(device.queue, (1000,), None, device.buffer(a), bins)
    check("count", device.read(bins, np.zeros(16, np.uint32)), np.bincount(a & 15, minlength=16).astype(np.uint32))


def linked(device):
    """Two sources, compiled with a header that is a program, and linked."""
    context = device.context
    header = cl.Program(context, "int twice(int x);\n")
    library = cl.Program(context, '#include "lib/twice.h"\nint twice(int x) { return 2 * x; }\n')
    main = cl.Program(context, '#include "lib/twice.h"\n'
                               "kernel void k(global int *a) { size_t i = get_global_id(0); a[i] = twice(a[i]) + PLUS; }\n")
    parts = [library.compile(headers=[("lib/twice.h", header)]),
             main.compile(options=["-DPLUS=5"], headers=[("lib/twice.h", header)])]
    program = cl.link_program(context, parts)
    a = np.arange(40, dtype=np.int32)
    b = device.buffer(a)
    cl.Kernel(program, "k")(device.queue, a.shape, None, b)
    check("linked", device.read(b, a), 2 * a + 5)


def log(device):
    try:
        cl.Program(device.context, "kernel void k(global int *a) {\n  a[0] = nothing;\n}\n").build()
    except cl.RuntimeError as error:
        if "undeclared identifier" not in str(error):
            raise
        print("log")
    else:
        raise SystemExit("a program without sense was built")


def main():
    device = Device(*sys.argv[1:3])
    log(device)
    reverse(device)
    if "--short" not in sys.argv[3:]:
        for test in (blur, move, count, linked):
            test(device)
    print("done")


if __name__ == "__main__":
    main()
