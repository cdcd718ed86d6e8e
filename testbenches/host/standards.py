"""What each version of OpenCL C has that others lack, from source.

usage: standards.py PLATFORM DEVICE     parts of the names of a platform and a device

Each part is a kernel with the values that it must give, which are written out here. The output is the same on every device.
"""

import sys

import numpy as np
import pyopencl as cl

from opencl_run import descriptor

ITEMS, GROUP = 128, 64
I = np.arange(ITEMS)
L, G = I % GROUP, I // GROUP

ATOMICS = """
kernel void k(global int *o, global atomic_int *counters, global atomic_float *sum, local int *t) {
  const size_t i = get_global_id(0);
  atomic_fetch_add_explicit(&counters[0], 1, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add_explicit(&counters[1], (int)i, memory_order_acq_rel, memory_scope_all_svm_devices);
  atomic_fetch_max(&counters[2], (int)(i * 7 % 101));
  float before = atomic_load(sum);
  while (!atomic_compare_exchange_strong(sum, &before, before + 0.5f)) {}
  o[i] = atomic_exchange_explicit(&counters[8 + i], 5, memory_order_seq_cst, memory_scope_work_group);
}
"""
ALL_DEVICES = """
kernel void k(global int *o, global atomic_int *counters, global atomic_float *sum, local int *t) {
  o[get_global_id(0)] = 1;
  atomic_fetch_add_explicit(&counters[0], 1, memory_order_seq_cst, memory_scope_all_devices);
}
"""
# Each way of naming a scope; a barrier that waits for fewer work-items than the group has shows in `t`.
BARRIERS = """
#define SWAP(barrier) { t[l] = v; barrier; v = t[GROUP - 1 - l] * 3 + 1; barrier; }
kernel void k(global int *o, global atomic_int *counters, global atomic_float *sum, local int *t) {
  const int l = get_local_id(0);
  int v = get_global_id(0);
  for (int round = 0; round < l; round++) v = v * 5 + 1 & 0xfff;
  SWAP(work_group_barrier(CLK_LOCAL_MEM_FENCE))
  SWAP(work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group))
  SWAP(work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device))
  SWAP(work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_all_svm_devices))
  SWAP(work_group_barrier(CLK_LOCAL_MEM_FENCE, SUB_GROUP))
  o[get_global_id(0)] = v;
}
"""
FUNCTIONS = """
kernel void k(global int *o, global atomic_int *counters, global atomic_float *sum, local int *t) {
  const int i = get_global_id(0);
  int v = work_group_all(i < 64) + 2 * work_group_any(i == 70);
  v += 10 * work_group_broadcast(i, 3) + 10000 * (work_group_scan_inclusive_add(1) == get_local_id(0) + 1);
  o[i] = v + 100000 * (work_group_reduce_add(i) == 64 * 63 / 2 + 64 * 64 * get_group_id(0));
}
"""
SUB_GROUPS = """
kernel void k(global int *o, global atomic_int *counters, global atomic_float *sum, local int *t) {
  const int i = get_global_id(0);
  o[i] = sub_group_reduce_add(1) + 100 * get_sub_group_id() + 10000 * sub_group_broadcast(i, 5);
}
"""
GENERIC = """
int first = 7;
int twice(int *p) { return *p * 2; }
kernel void k(global int *o, global atomic_int *counters, global atomic_float *sum, local int *t) {
  const int i = get_global_id(0), l = get_local_id(0);
  int own = i;
  t[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  int *p = &own;
  if (!(i & 1)) p = &t[GROUP - 1 - l];
  o[i] = twice(p) + first;
}
"""
FLOAT_ATOMICS = """
#if !defined(cl_ext_float_atomics)
#error the extension is not there
#endif
kernel void k(global int *o, global atomic_int *counters, global atomic_float *sum, local int *t) {
  local atomic_float of_group;
  if (get_local_id(0) == 0) atomic_init(&of_group, 0.0f);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add_explicit(&of_group, 0.5f, memory_order_relaxed, memory_scope_work_group);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) atomic_fetch_add(sum, atomic_load(&of_group));
  o[get_global_id(0)] = 1;
}
"""
QUESTIONS = """
kernel void k(global int *o, global atomic_int *counters, global atomic_float *sum, local int *t) {
  const ndrange_t range = ndrange_1D(48, 48);
  int answer = get_kernel_work_group_size(^{ o[0] = 1; });
  answer += 1000 * get_kernel_preferred_work_group_size_multiple(^{ o[0] = 2; });
  answer += 10000 * get_kernel_sub_group_count_for_ndrange(range, ^{ o[0] = 3; });
  answer += 100000 * get_kernel_max_sub_group_size_for_ndrange(range, ^{ o[0] = 4; });
  o[get_global_id(0)] = answer;
}
"""
# Names of later versions are the program's own before.
OWN_NAMES = """
int work_group_all(int x) { return x + 1; }
int sub_group_reduce_add(int x) { return x * 2; }
kernel void k(global int *o, global int *counters, global float *sum, local int *t) {
  o[get_global_id(0)] = work_group_all(sub_group_reduce_add(get_global_id(0)));
}
"""
READ_WRITE = """
kernel void k(read_write image2d_t image) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(image, at, read_imagef(image, at) * 2 + 1);
}
"""
HALVES = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void k(read_only image2d_t from, write_only image2d_t to) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  const half4 texel = read_imageh(from, nearest, at) + read_imageh(from, nearest, convert_float2(at) + 0.5f);
  write_imageh(to, at, texel + read_imageh(from, at));
}
"""


def reversals():
    """What kernel BARRIERS gives."""
    v = I.copy()
    for item in range(ITEMS):
        for _ in range(L[item]):
            v[item] = v[item] * 5 + 1 & 0xFFF
    for _ in range(5):
        v = v.reshape(-1, GROUP)[:, ::-1].reshape(-1) * 3 + 1
    return v


def counters_of_atomics():
    counters = np.full(8 + ITEMS, 5, np.int32)
    counters[:8] = [ITEMS, I.sum(), (I * 7 % 101).max(), 0, 0, 0, 0, 0]
    return counters


PARTS = [
    ("atomics", "20 30", ATOMICS, np.zeros(ITEMS), counters_of_atomics(), 0.5 * ITEMS),
    ("scope of all devices", "30", ALL_DEVICES, np.ones(ITEMS), np.r_[ITEMS, np.zeros(7 + ITEMS)], 0),
    ("barriers", "20 30", BARRIERS, reversals(), None, 0),
    ("functions of work-groups", "20 30", FUNCTIONS,
     1 * (G == 0) + 2 * (G == 1) + 10 * (G * GROUP + 3) + 10000 + 100000, None, 0),
    ("functions of sub-groups", "20 30", SUB_GROUPS, 16 + 100 * (L // 16) + 10000 * (I // 16 * 16 + 5), None, 0),
    ("generic pointers, program scope", "20 30", GENERIC, 2 * np.where(I & 1, I, GROUP - 1 - L) + 7, None, 0),
    ("atomic operations on floats", "20 30", FLOAT_ATOMICS, np.ones(ITEMS), None, 0.5 * ITEMS),
    ("questions about blocks", "20 30", QUESTIONS, np.full(ITEMS, 256 + 1000 + 3 * 10000 + 16 * 100000), None, 0),
    ("names of later versions", "10 11 12", OWN_NAMES, 2 * I + 1, None, 0),
]


class Device:
    def __init__(self, platform, device):
        found = [d for p in cl.get_platforms() if platform in p.name for d in p.get_devices() if device in d.name]
        self.context = cl.Context(found[:1])
        self.queue = cl.CommandQueue(self.context)

    def kernel(self, source, standard):
        version = f"CL{standard[0]}.{standard[1]}"
        options = [f"-cl-std={version}", f"-DGROUP={GROUP}", "-DSUB_GROUP=memory_scope_sub_group"]
        return cl.Kernel(cl.Program(self.context, source).build(options), "k")

    def run_part(self, name, standard, source, out, counters, total):
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        zeros = [np.zeros(ITEMS, np.int32), np.zeros(8 + ITEMS, np.int32), np.zeros(1, np.float32)]
        buffers = [cl.Buffer(self.context, flags, hostbuf=zero) for zero in zeros]
        kernel = self.kernel(source, standard)
        kernel(self.queue, (ITEMS,), (GROUP,), *buffers, cl.LocalMemory(4 * GROUP))
        for result, buffer in zip(zeros, buffers):
            cl.enqueue_copy(self.queue, result, buffer)
        check(name, standard, zeros[0], out)
        check(name, standard, zeros[1], np.zeros(8 + ITEMS) if counters is None else counters)
        check(name, standard, zeros[2], [total])

    def image(self, texels):
        access = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        half = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.HALF_FLOAT)
        return cl.Image(self.context, access, half, desc=descriptor("image2d_t", texels.shape[1::-1]), hostbuf=texels)

    def run_images(self, name, standard, source, count, expected):
        texels = (np.arange(5 * 7 * 4) % 19).astype(np.float16).reshape(5, 7, 4)
        images = [self.image(t) for t in (texels, np.zeros_like(texels))[:count]]
        self.kernel(source, standard)(self.queue, (7, 5), None, *images)
        result = np.empty_like(texels)
        cl.enqueue_copy(self.queue, result, images[-1], origin=(0, 0), region=(7, 5))
        check(name, standard, result, expected(texels))


def check(name, standard, result, expected):
    if not np.array_equal(result, expected):
        wrong = np.flatnonzero(np.ravel(result) != np.ravel(expected))
        sys.exit(f"{name}, {standard}: {np.ravel(result)[wrong[:8]]} instead of {np.ravel(expected)[wrong[:8]]} at {wrong[:8]}")


def main():
    device = Device(*sys.argv[1:3])
    for name, standards, *rest in PARTS:
        for standard in standards.split():
            device.run_part(name, standard, *rest)
        print(f"{name}: right with OpenCL C {standards}")
    for standard in ("20", "30"):
        device.run_images("images read and written", standard, READ_WRITE, 1, lambda t: t * 2 + 1)
    for standard in ("12", "20", "30"):
        device.run_images("images of halves", standard, HALVES, 2, lambda t: t * 3)
    print("images read and written, images of halves: right")


if __name__ == "__main__":
    main()
