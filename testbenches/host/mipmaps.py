"""Mip levels through pyopencl: every format with every sampler and many levels of detail, against the reference.

usage: mipmaps.py PLATFORM DEVICE [--quick]     parts of the names of a platform and a device

What it prints is the same on every device of clhls. --quick leaves out most formats, for slow devices.
"""

import sys
import zlib
from fractions import Fraction

import numpy as np
import pyopencl as cl

import image_reference as reference
import images
import launches as values
import opencl_run
from arrays import Device

KERNELS = """
kernel void read_floats(read_only image2d_t image, sampler_t how, global const float4 *at, global float4 *color) {
  const float4 p = at[get_global_id(0)];
  color[get_global_id(0)] = read_imagef(image, how, p.xy, p.z);
}
kernel void read_ints(read_only image2d_t image, sampler_t how, global const float4 *at, global int4 *color) {
  const float4 p = at[get_global_id(0)];
  color[get_global_id(0)] = read_imagei(image, how, p.xy, p.z);
}
kernel void read_uints(read_only image2d_t image, sampler_t how, global const float4 *at, global uint4 *color) {
  const float4 p = at[get_global_id(0)];
  color[get_global_id(0)] = read_imageui(image, how, p.xy, p.z);
}
kernel void write_floats(write_only image2d_t image, int level, global const float4 *color) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(image, at, level, color[at.y * get_global_size(0) + at.x]);
}
kernel void write_ints(write_only image2d_t image, int level, global const int4 *color) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagei(image, at, level, color[at.y * get_global_size(0) + at.x]);
}
kernel void write_uints(write_only image2d_t image, int level, global const uint4 *color) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imageui(image, at, level, color[at.y * get_global_size(0) + at.x]);
}
"""
LEVELS = 4
SHAPES = [(max(images.SHAPE[0] >> k, 1), max(images.SHAPE[1] >> k, 1)) for k in range(LEVELS)]
# Filter between levels, and least and largest level of detail.
MIP_SAMPLERS = [("nearest", 0.0, None), ("linear", 0.0, None), ("linear", 0.75, 2.25), ("nearest", 1.5, 2.0)]
MODES = ("clamp_to_edge", "clamp", "repeat", "mirrored_repeat")


def texels(order, data_type, level):
    """Random texels of a level: the upper left ones of as many as an image without levels has."""
    height, width = SHAPES[level]
    return np.ascontiguousarray(images.texels(order, data_type, 20 + level)[:height, :width])


def make(device, order, data_type, access):
    """An image with levels, and the value that it has."""
    levels = [texels(order, data_type, k) for k in range(LEVELS)]
    value = values.ImageValue(order, data_type, levels[0], tuple(levels[1:]))
    form = opencl_run.image_format(value)
    desc = opencl_run.descriptor("image2d_t", SHAPES[0][::-1])
    desc.num_mip_levels = LEVELS
    image = cl.Image(device.context, access, form, desc=desc)
    for k, level in enumerate(levels):
        cl.enqueue_copy(device.queue, image, level, origin=(0, 0, k), region=(*SHAPES[k][::-1], 1))
    return image, value


def contents(device, image, like):
    """The levels of an image."""
    out = []
    for k, level in enumerate([like.texels, *like.mips]):
        out.append(np.empty_like(level))
        cl.enqueue_copy(device.queue, out[-1], image, origin=(0, 0, k), region=(*SHAPES[k][::-1], 1))
    return out


def sampler(device, mode, how, mip_filter, least, largest):
    limits = (Fraction(least), None if largest is None else Fraction(largest))
    return opencl_run.Implementation.sampler(device, values.Sampler(True, mode, how, mip_filter, limits))


def places(mode):
    """Coordinates, and a level of detail in 16ths of a level, some half way between two and some outside."""
    at = images.coordinates(True, mode)
    lods = np.random.default_rng(11).integers(-16, 16 * (LEVELS + 1), len(at)) / 16
    lods[:8] = (0, 0.5, 1, 1.5, 2, 2.5, 3, 9)
    return np.concatenate([at, lods[:, None], np.zeros((len(at), 1))], axis=1).astype(np.float32)


def reads(device, quick):
    program = cl.Program(device.context, KERNELS).build(["-cl-std=CL3.0"])
    for order, data_type in images.formats(device, cl.mem_flags.READ_ONLY, quick):
        image, value = make(device, order, data_type, cl.mem_flags.READ_ONLY)
        for level, wanted in zip(contents(device, image, value), [value.texels, *value.mips]):
            if not np.array_equal(level, wanted):
                raise SystemExit(f"{order} {data_type}: level {wanted.shape} is not what was written")
        mips = reference.levels(value, "image2d_t")
        name, dtype = images.kind(data_type)
        colors = []
        for mode in MODES:
            at = places(mode)
            for how in ("nearest", "linear"):
                if how == "linear" and dtype != np.float32:  # undefined
                    continue
                for mip_filter, least, largest in MIP_SAMPLERS:
                    smp = sampler(device, mode, how, mip_filter, least, largest)
                    color = device.buffer(np.zeros((len(at), 4), dtype))
                    cl.Kernel(program, f"read_{name}")(device.queue, (len(at),), None, image, smp, device.buffer(at), color)
                    got = device.read(color, np.zeros((len(at), 4), dtype))
                    limits = (Fraction(least), None if largest is None else Fraction(largest))
                    wanted = np.array([reference.read_lod(mips, (True, mode, how), mip_filter, limits, p[:2], p[2])
                                       for p in at]).astype(dtype)
                    filtered = how == "linear" or mip_filter == "linear"
                    near = values.equal(got, wanted, 8 if filtered else 0)
                    if filtered and dtype == np.float32:  # see images.reads
                        near |= np.abs(got.astype(np.float64) - wanted) < 2.0**-21
                    if not near.all():
                        k = np.flatnonzero(~near)[0] // 4
                        raise SystemExit(f"{order} {data_type} {mode} {how} {mip_filter} {least}..{largest}: at {at[k]} "
                                         f"{got[k]} is not {wanted[k]}")
                    colors.append(got)
        print(f"read {order} {data_type} {zlib.crc32(np.concatenate(colors).tobytes()):08x}")


def writes(device, quick):
    program = cl.Program(device.context, KERNELS).build(["-cl-std=CL3.0"])
    random = np.random.default_rng(3)
    for order, data_type in images.formats(device, cl.mem_flags.WRITE_ONLY, quick):
        name, dtype = images.kind(data_type)
        for target in range(LEVELS):
            image, value = make(device, order, data_type, cl.mem_flags.WRITE_ONLY)
            height, width = SHAPES[target]
            colors = random.integers(0, 256, (height * width, 4))
            colors = (colors / 256 if dtype == np.float32 else colors).astype(dtype)
            cl.Kernel(program, f"write_{name}")(device.queue, (width, height), None, image, np.int32(target),
                                                device.buffer(colors))
            for k, (got, before) in enumerate(zip(contents(device, image, value), [value.texels, *value.mips])):
                wanted = before
                if k == target:
                    got = got.reshape(height * width, -1)
                    wanted = images.written(order, data_type, colors, got)
                    # the fourth byte of srgbx is not written by a rule
                    got = got[:, :wanted.shape[1]]
                if not np.array_equal(got, wanted):
                    raise SystemExit(f"write {order} {data_type} to level {target}: level {k} is {got}, not {wanted}")
        print(f"write {order} {data_type}")


def main():
    device = Device(sys.argv[1], sys.argv[2])
    np.seterr(all="ignore")
    reads(device, "--quick" in sys.argv)
    writes(device, "--quick" in sys.argv)


if __name__ == "__main__":
    main()
