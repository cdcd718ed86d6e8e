"""Images of all shapes through pyopencl: every format with every sampler, by coordinates of both kinds, against the reference.

usage: image_shapes.py PLATFORM DEVICE [--quick | --sample]     parts of the names of a platform and a device

What it prints is the same on every device of clhls. --quick leaves out most formats, for slow devices; --sample leaves out
all but a few kernels, for simulated ones.
"""

import sys
import zlib

import numpy as np
import pyopencl as cl

import image_reference as reference
import images
import launches as values
import opencl_run
from arrays import Device, check

# Sizes, the last one along x, and the part of a vector of four that is a coordinate. They are powers of two, so that normalized
# coordinates are scaled without rounding; layers need not be.
KINDS = {
    "image1d_t": ((8,), "x"), "image1d_array_t": ((3, 8), "xy"), "image1d_buffer_t": ((8,), "x"), "image2d_t": ((4, 8), "xy"),
    "image2d_array_t": ((3, 4, 8), "xyzw"), "image3d_t": ((2, 4, 8), "xyzw"), "image2d_depth_t": ((4, 8), "xy"),
    "image2d_array_depth_t": ((3, 4, 8), "xyzw"),
}
DEPTH = (("depth", "float"), ("depth", "unorm16"))
POINTS = 12
# Kind, format, samplers: what is simulated.
SAMPLE = {"image2d_t": (("rgba", "unorm8"), ("srgb", "unorm8")), "image3d_t": (("rg", "half"),), "image1d_array_t": (("r", "uint16"),)}


def source(kind, names):
    """Kernels that read and write one kind of image; `names` of those there are to be."""
    part = KINDS[kind][1]
    depth = "depth" in kind
    reads, writes = "", ""
    for name, color, letter in (("floats", "float", "f"), ("ints", "int", "i"), ("uints", "uint", "ui")):
        if name not in names:
            continue
        four = color if depth else color + "4"
        for way, at, how, given in (("at_float", "float4", "how, ", "sampler_t how, "), ("at_int", "int4", "how, ", "sampler_t how, "),
                                    ("plain", "int4", "", "")):
            if kind == "image1d_buffer_t" and how:
                continue
            reads += (f"kernel void {name}_{way}(read_only {kind} image, {given}global const {at} *at, global {four} *color) {{\n"
                      f"  color[get_global_id(0)] = read_image{letter}(image, {how}at[get_global_id(0)].{part});\n}}\n")
        writes += (f"kernel void {name}_write(write_only {kind} image, global const int4 *at, global const {four} *color) {{\n"
                   f"  write_image{letter}(image, at[get_global_id(0)].{part}, color[get_global_id(0)]);\n}}\n")
    return reads + writes


def formats(device, kind, flags, how):
    """(order, type) of the formats of a kind of image."""
    if how == "--sample":
        return SAMPLE.get(kind, ())
    if "depth" in kind:
        return DEPTH
    which = getattr(cl.mem_object_type, kind.removesuffix("_t").upper())
    found = [images.names(f) for f in cl.get_supported_image_formats(device.context, flags, which)]
    return [f for f in found if None not in f and (how != "--quick" or f in images.QUICK)]


def texels(kind, order, data_type):
    """Random texels, as `images.texels` makes them for a plane."""
    shape = KINDS[kind][0]
    if order == "depth":
        some = images.texels("r", data_type, 1)
        return np.resize(some, shape)
    plane = images.texels(order, data_type, len(order) + len(shape))
    return np.resize(plane, (*shape, *plane.shape[2:]))


def coordinates(kind, sampler, random):
    """Coordinates in 64ths of a texel, or whole ones for a sampler of `None`; layers in quarters, some of them outside."""
    shape = KINDS[kind][0][::-1]
    normalized, mode, _ = sampler or (False, "none", "nearest")
    layered = "array" in kind
    out = np.zeros((POINTS, 4), np.float32)
    for axis, size in enumerate(shape):
        if layered and axis == len(shape) - 1:
            out[:, axis] = random.integers(-4, 4 * size + 4, POINTS) / 4
            continue
        margin = 0 if mode == "none" else 2
        at = random.integers(-64 * margin, 64 * (size + margin), POINTS) / 64
        if "repeat" in mode:
            at *= 2
        out[:, axis] = at / size if normalized else at
    return out


def whole(kind, mode, random):
    """Integer coordinates, outside too where a mode says what that gives."""
    shape = KINDS[kind][0][::-1]
    out = np.zeros((POINTS, 4), np.int32)
    for axis, size in enumerate(shape):
        layered = "array" in kind and axis == len(shape) - 1
        margin = 0 if mode == "none" or layered and mode is None else 2
        out[:, axis] = random.integers(-margin, size + margin, POINTS)
    return out


def ways(kind, dtype):
    """(name of the kernels, sampler) of all reads that are defined."""
    yield "plain", None
    if kind == "image1d_buffer_t":
        return
    for sampler in images.SAMPLERS:
        normalized, mode, how = sampler
        # linear filters of integers are undefined; outside with no addressing mode, too
        if how == "linear" and (dtype != np.float32 or mode == "none"):
            continue
        yield "at_float", sampler
        if how == "nearest" and not normalized:
            yield "at_int", sampler


def read_all(device, kind, how, program):
    dims = len(KINDS[kind][1].rstrip("w"))
    for order, data_type in formats(device, kind, cl.mem_flags.READ_ONLY, how):
        array = texels(kind, order, data_type)
        value = values.ImageValue(order, data_type, array)
        image = opencl_run.Implementation.image(device, value, array, kind)
        model = reference.image(value, kind)
        name, dtype = images.kind(data_type)
        shape = (POINTS,) if "depth" in kind else (POINTS, 4)
        random, colors = np.random.default_rng(7), []
        for way, sampler in ways(kind, dtype):
            mode = sampler[1] if sampler else "none"
            at = coordinates(kind, sampler, random) if way == "at_float" else whole(kind, mode, random)
            arguments = [image]
            if sampler:
                arguments.append(cl.Sampler(device.context, sampler[0], getattr(cl.addressing_mode, mode.upper()),
                                            getattr(cl.filter_mode, sampler[2].upper())))
            color = device.buffer(np.zeros(shape, dtype))
            cl.Kernel(program, f"{name}_{way}")(device.queue, (POINTS,), None, *arguments, device.buffer(at), color)
            got = device.read(color, np.zeros(shape, dtype))
            wanted = [reference.read(model, sampler or (False, "none", "nearest"), p[:dims]) for p in at]
            wanted = np.array([c[0] if "depth" in kind else c for c in wanted]).astype(dtype)
            linear = sampler is not None and sampler[2] == "linear"
            near = values.equal(got, wanted, 8 if linear else 0)
            if linear:  # see images.reads
                near |= np.abs(got.astype(np.float64) - wanted) < 2.0**-21
            if not near.all():
                k = np.flatnonzero(~near)[0] // (got.size // POINTS)
                raise SystemExit(f"{kind} {order} {data_type} {way} {sampler}: at {at[k]} {got[k]} is not {wanted[k]}")
            colors.append(got)
        print(f"read {kind} {order} {data_type} {zlib.crc32(np.concatenate(colors).tobytes()):08x}")


def write_all(device, kind, how, program):
    shape = KINDS[kind][0]
    count = int(np.prod(shape))
    places = np.zeros((count, 4), np.int32)
    places[:, :len(shape)] = np.indices(shape).reshape(len(shape), -1).T[:, ::-1]
    random = np.random.default_rng(3)
    for order, data_type in formats(device, kind, cl.mem_flags.WRITE_ONLY, how):
        before = texels(kind, order, data_type)
        value = values.ImageValue(order, data_type, before)
        image = opencl_run.Implementation.image(device, value, before, kind)
        name, dtype = images.kind(data_type)
        if dtype == np.float32:  # see images.writes
            colors = (random.integers(-320, 320, (count, 4)) / 256).astype(dtype)
        else:
            colors = random.integers(0 if dtype == np.uint32 else -70000, 70000, (count, 4)).astype(dtype)
        given = np.ascontiguousarray(colors[:, 0]) if "depth" in kind else colors
        kernel = cl.Kernel(program, f"{name}_write")
        kernel(device.queue, (count,), None, image, device.buffer(places), device.buffer(given))
        got = np.empty_like(before)
        opencl_run.read_texels(device.queue, image, got, (0, 0, 0), opencl_run.image_sizes(before, kind))
        got = got.reshape(count, -1)
        wanted = images.written(order, data_type, colors, got)
        # the fourth byte of srgbx is not written by a rule
        check(f"write {kind} {order} {data_type}", got[:, :wanted.shape[1]], wanted)


def main():
    device = Device(sys.argv[1], sys.argv[2])
    how = sys.argv[3] if len(sys.argv) > 3 else ""
    np.seterr(all="ignore")
    for kind in KINDS if how != "--sample" else SAMPLE:
        names = ("floats",) if "depth" in kind else ("floats", "ints", "uints")
        if how == "--sample":
            names = {images.kind(data_type)[0] for _, data_type in SAMPLE[kind]}
        program = cl.Program(device.context, source(kind, names)).build(["-cl-std=CL3.0"])
        read_all(device, kind, how, program)
        write_all(device, kind, how, program)


if __name__ == "__main__":
    main()
