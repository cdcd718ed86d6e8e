"""Images through pyopencl: every format with every sampler, against the reference; commands, against NumPy.

usage: images.py PLATFORM DEVICE [--quick]     parts of the names of a platform and a device

What it prints is the same on every device of clhls. --quick leaves out most formats, for slow devices.
"""

import sys
import zlib

import numpy as np
import pyopencl as cl

import image_reference as reference
import launches as values
import opencl_run
from arrays import Device, check

READS = """
kernel void floats(read_only image2d_t image, sampler_t how, global const float2 *at, global float4 *color) {
  color[get_global_id(0)] = read_imagef(image, how, at[get_global_id(0)]);
}
kernel void ints(read_only image2d_t image, sampler_t how, global const float2 *at, global int4 *color) {
  color[get_global_id(0)] = read_imagei(image, how, at[get_global_id(0)]);
}
kernel void uints(read_only image2d_t image, sampler_t how, global const float2 *at, global uint4 *color) {
  color[get_global_id(0)] = read_imageui(image, how, at[get_global_id(0)]);
}
"""
WRITES = """
kernel void floats(write_only image2d_t image, global const float4 *color) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(image, at, color[at.y * get_global_size(0) + at.x]);
}
kernel void ints(write_only image2d_t image, global const int4 *color) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagei(image, at, color[at.y * get_global_size(0) + at.x]);
}
kernel void uints(write_only image2d_t image, global const uint4 *color) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imageui(image, at, color[at.y * get_global_size(0) + at.x]);
}
"""
INVERT = """
kernel void invert(read_write image2d_t image) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(image, at, 1.0f - read_imagef(image, at));
}
"""
# Height and width: of powers of two, so that normalized coordinates are scaled without rounding.
SHAPE = (4, 8)
SAMPLERS = [(normalized, mode, how) for normalized in (False, True)
            for mode in ("none", "clamp_to_edge", "clamp", "repeat", "mirrored_repeat") for how in ("nearest", "linear")
            if normalized or "repeat" not in mode]
ELEMENTS = {"snorm8": np.int8, "snorm16": np.int16, "unorm8": np.uint8, "unorm16": np.uint16, "unorm565": np.uint16,
            "unorm555": np.uint16, "unorm101010": np.uint32, "unorm101010_2": np.uint32, "int8": np.int8,
            "int16": np.int16, "int32": np.int32, "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32,
            "half": np.float16, "float": np.float32}
QUICK = (("rgba", "unorm8"), ("r", "snorm16"), ("rgb", "unorm565"), ("rg", "half"), ("bgra", "uint8"), ("srgb", "unorm8"))


def names(cl_format):
    """The names in launch files of a format."""
    orders = {opencl_run.channel_order(name): name for name in reference.ORDERS if name != "depth"}
    types = {getattr(cl.channel_type, name, opencl_run.CL_UNORM_INT_101010_2): short
             for short, name in opencl_run.TYPES.items()}
    return orders.get(cl_format.channel_order), types.get(cl_format.channel_data_type)


def formats(device, flags, quick):
    """(order, type) of the formats of planes."""
    found = [names(f) for f in cl.get_supported_image_formats(device.context, flags, cl.mem_object_type.IMAGE2D)]
    return [f for f in found if None not in f and (not quick or f in QUICK)]


def texels(order, data_type, seed):
    """Random texels; of floats numbers between 1/2 and 1."""
    channels = [] if data_type in reference.PACKED else [len({c for c in reference.ORDERS[order] if isinstance(c, int)})]
    if order in ("srgbx", "rgbx"):
        channels = [4] if data_type == "unorm8" else channels
    random = np.random.default_rng(seed)
    dtype = np.dtype(ELEMENTS[data_type])
    shape = (*SHAPE, *channels)
    if dtype.kind == "f":
        return (random.integers(512, 1024, shape) / 1024).astype(dtype)
    return random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype=dtype, endpoint=True)


def coordinates(normalized, mode):
    """Coordinates in 64ths of a texel, in and around the image."""
    width, height = SHAPE[1], SHAPE[0]
    random = np.random.default_rng(7)
    margin = 0 if mode == "none" else 2
    at = np.stack([random.integers(-64 * margin, 64 * (n + margin), 48) / 64 for n in (width, height)], axis=1)
    if "repeat" in mode:
        at *= 2
    if normalized:
        at /= (width, height)
    return at.astype(np.float32)


def kind(data_type):
    if data_type not in reference.INTEGERS:
        return "floats", np.float32
    return ("uints", np.uint32) if data_type.startswith("u") else ("ints", np.int32)


def reads(device, quick):
    program = cl.Program(device.context, READS).build()
    for order, data_type in formats(device, cl.mem_flags.READ_ONLY, quick):
        array = texels(order, data_type, len(order))
        value = values.ImageValue(order, data_type, array)
        image = opencl_run.Implementation.image(device, value, array, "image2d_t")
        model = reference.image(value, "image2d_t")
        name, dtype = kind(data_type)
        kernel = cl.Kernel(program, name)
        colors = []
        for normalized, mode, how in SAMPLERS:
            # linear filters of integers are undefined; outside with no addressing mode, too
            if how == "linear" and (dtype != np.float32 or mode == "none"):
                continue
            sampler = cl.Sampler(device.context, normalized, getattr(cl.addressing_mode, mode.upper()),
                                 getattr(cl.filter_mode, how.upper()))
            at = coordinates(normalized, mode)
            color = device.buffer(np.zeros((len(at), 4), dtype))
            kernel(device.queue, (len(at),), None, image, sampler, device.buffer(at), color)
            got = device.read(color, np.zeros((len(at), 4), dtype))
            wanted = np.array([reference.read(model, (normalized, mode, how), p) for p in at]).astype(dtype)
            # Sums of products with both signs may cancel: there the bound is absolute.
            near = values.equal(got, wanted, 8 if how == "linear" else 0)
            if how == "linear":
                near |= np.abs(got.astype(np.float64) - wanted) < 2.0**-21
            if not near.all():
                k = np.flatnonzero(~near)[0] // 4
                raise SystemExit(f"{order} {data_type} {normalized} {mode} {how}: at {at[k]} {got[k]} is not {wanted[k]}")
            colors.append(got)
        print(f"read {order} {data_type} {zlib.crc32(np.concatenate(colors).tobytes()):08x}")


def written(order, data_type, colors, got):
    """What texels that colors were written to are to have; in sRGB's space what they have, where that is near enough."""
    wanted = np.array([reference.encoded(order, data_type, color) for color in colors])
    if order.startswith("s"):
        near = np.abs(got[:, :3] - wanted[:, :3]) <= 0.6
        wanted[:, :3] = np.where(near, got[:, :3], np.rint(wanted[:, :3]))
    return wanted.astype(got.dtype)


def writes(device, quick):
    program = cl.Program(device.context, WRITES).build()
    count = SHAPE[0] * SHAPE[1]
    random = np.random.default_rng(3)
    for order, data_type in formats(device, cl.mem_flags.WRITE_ONLY, quick):
        before = texels(order, data_type, 5)
        image = opencl_run.Implementation.image(device, values.ImageValue(order, data_type, before), before, "image2d_t")
        name, dtype = kind(data_type)
        if dtype == np.float32:
            # 256ths: their products with 65535 are exact, so that there is one right result
            colors = (random.integers(-320, 320, (count, 4)) / 256).astype(dtype)
        else:
            low = 0 if dtype == np.uint32 else -70000
            colors = random.integers(low, 70000, (count, 4)).astype(dtype)
        kernel = cl.Kernel(program, name)
        kernel(device.queue, SHAPE[::-1], None, image, device.buffer(colors))
        got = np.empty_like(before)
        cl.enqueue_copy(device.queue, got, image, origin=(0, 0, 0), region=(*SHAPE[::-1], 1))
        got = got.reshape(count, -1)
        wanted = written(order, data_type, colors, got)
        # the fourth byte of srgbx is not written by a rule
        check(f"write {order} {data_type}", got[:, :wanted.shape[1]], wanted)


def commands(device):
    """Fill, copy, write and read parts, map: of an image array."""
    context, queue = device.context, device.queue
    form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
    desc = opencl_run.descriptor("image2d_array_t", (6, 5, 3))
    image = cl.Image(context, cl.mem_flags.READ_WRITE, form, desc=desc)
    model = np.zeros((3, 5, 6, 4), np.uint8)
    cl.enqueue_fill_image(queue, image, np.array([0.5, 1, 0, 2], np.float32), (0, 0, 0), (6, 5, 3))
    model[:] = (128, 255, 0, 255)
    part = np.arange(2 * 3 * 2 * 4, dtype=np.uint8).reshape(2, 3, 2, 4)
    cl.enqueue_copy(queue, image, part, origin=(1, 2, 0), region=(2, 3, 2))
    model[0:2, 2:5, 1:3] = part
    other = cl.Image(context, cl.mem_flags.READ_WRITE, form, desc=opencl_run.descriptor("image3d_t", (6, 5, 3)))
    cl.enqueue_fill_image(queue, other, np.zeros(4, np.float32), (0, 0, 0), (6, 5, 3))
    cl.enqueue_copy(queue, other, image, src_origin=(0, 1, 0), dest_origin=(2, 0, 1), region=(4, 3, 2))
    second = np.zeros_like(model)
    second[1:3, 0:3, 2:6] = model[0:2, 1:4, 0:4]
    for name, source, wanted in (("array", image, model), ("volume", other, second)):
        got = np.empty_like(model)
        cl.enqueue_copy(queue, got, source, origin=(0, 0, 0), region=(6, 5, 3))
        check(name, got, wanted)
    buffer = device.buffer(np.zeros(2 * 3 * 2 * 4 + 8, np.uint8))
    cl.enqueue_copy(queue, buffer, image, offset=8, origin=(1, 2, 0), region=(2, 3, 2))
    check("to buffer", device.read(buffer, np.zeros(56, np.uint8))[8:], part.ravel())
    mapped, *_ = cl.enqueue_map_image(queue, image, cl.map_flags.READ | cl.map_flags.WRITE, (1, 1, 1), (3, 2, 2),
                                     (2, 2, 3, 4), np.uint8, strides=(120, 24, 4, 1))
    check("map", np.array(mapped), model[1:3, 1:3, 1:4])
    mapped[...] = 9
    mapped.base.release(queue)
    model[1:3, 1:3, 1:4] = 9
    got = np.empty_like(model)
    cl.enqueue_copy(queue, got, image, origin=(0, 0, 0), region=(6, 5, 3))
    check("unmap", got, model)


def three_bytes(device):
    """The same of an image whose texels have three bytes, with rows and layers that have gaps in memory of the host."""
    context, queue = device.context, device.queue
    form = cl.ImageFormat(cl.channel_order.sRGB, cl.channel_type.UNORM_INT8)
    whole = ((0, 0, 0), (6, 5, 3))
    random = np.random.default_rng(11)
    host = random.integers(0, 256, (3, 6, 7, 3), dtype=np.uint8)  # a row and a column more than the image has
    for flag in (cl.mem_flags.COPY_HOST_PTR, cl.mem_flags.USE_HOST_PTR):
        desc = opencl_run.descriptor("image2d_array_t", (6, 5, 3))
        desc.pitches = (21, 126)
        memory = host.copy()
        image = cl.Image(context, cl.mem_flags.READ_WRITE | flag, form, desc=desc, hostbuf=memory)
        asked = [image.get_image_info(what) for what in (cl.image_info.ELEMENT_SIZE, cl.image_info.ROW_PITCH, cl.image_info.SLICE_PITCH)]
        if asked != [3, 21, 126]:
            raise SystemExit(f"texel, rows and layers of {asked} bytes")
        model = host[:, :5, :6].copy()
        got = np.empty_like(model)
        cl.enqueue_copy(queue, got, image, origin=whole[0], region=whole[1])
        check("three bytes, made", got, model)
        part = random.integers(0, 256, (2, 3, 2, 3), dtype=np.uint8)
        cl.enqueue_copy(queue, image, part, origin=(1, 2, 0), region=(2, 3, 2))
        model[0:2, 2:5, 1:3] = part
        cl.enqueue_fill_image(queue, image, np.array([0.5, 1, 0, 2], np.float32), (3, 1, 2), (2, 2, 1))
        model[2, 1:3, 3:5] = (188, 255, 0)
        padded = np.zeros((3, 5, 8, 3), np.uint8)
        cl.enqueue_copy(queue, padded, image, origin=whole[0], region=whole[1], pitches=(24, 120))
        check("three bytes, rows with gaps", padded[:, :, :6], model)
        check("three bytes, gaps", padded[:, :, 6:], np.zeros_like(padded[:, :, 6:]))
        other = cl.Image(context, cl.mem_flags.READ_WRITE, form, desc=opencl_run.descriptor("image3d_t", (6, 5, 3)))
        cl.enqueue_copy(queue, other, image, src_origin=whole[0], dest_origin=whole[0], region=whole[1])
        buffer = device.buffer(np.zeros(model.size + 5, np.uint8))
        cl.enqueue_copy(queue, buffer, other, offset=5, origin=whole[0], region=whole[1])
        check("three bytes, to buffer", device.read(buffer, np.zeros(model.size + 5, np.uint8))[5:], model.ravel())
        cl.enqueue_copy(queue, image, buffer, offset=2, origin=whole[0], region=(6, 5, 2))
        model[:2] = np.frombuffer(bytes(3) + model.tobytes(), np.uint8)[:model[:2].size].reshape(model[:2].shape)
        mapped, *_ = cl.enqueue_map_image(queue, image, cl.map_flags.READ | cl.map_flags.WRITE, (1, 1, 1), (3, 2, 2),
                                         (2, 2, 3, 3), np.uint8, strides=(126, 21, 3, 1))
        check("three bytes, map", np.array(mapped), model[1:3, 1:3, 1:4])
        mapped[...] = 9
        mapped.base.release(queue)
        model[1:3, 1:3, 1:4] = 9
        cl.enqueue_copy(queue, got, image, origin=whole[0], region=whole[1])
        check("three bytes, unmap", got, model)


def inverted(device):
    """An image that is read and written."""
    array = np.arange(256, dtype=np.uint8).reshape(8, 8, 4)
    value = values.ImageValue("rgba", "unorm8", array)
    image = opencl_run.Implementation.image(device, value, array, "image2d_t")
    kernel = device.kernel(INVERT, "invert", ["-cl-std=CL3.0"])
    kernel(device.queue, (8, 8), None, image)
    got = np.empty_like(array)
    cl.enqueue_copy(device.queue, got, image, origin=(0, 0, 0), region=(8, 8, 1))
    check("invert", got, 255 - array)


def of_buffer(device):
    """An image whose rows are those of a buffer, with gaps between them: what is written through one is seen through the other."""
    context, queue = device.context, device.queue
    rows = np.arange(256, dtype=np.uint8).reshape(4, 16, 4)
    buffer = device.buffer(rows)
    desc = cl.ImageDescriptor()
    desc.image_type, desc.shape, desc.pitches, desc.buffer = cl.mem_object_type.IMAGE2D, (10, 4, 0), (64, 0), buffer
    form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
    image = cl.Image(context, cl.mem_flags.READ_WRITE, form, desc=desc)
    device.kernel(INVERT, "invert", ["-cl-std=CL3.0"])(queue, (10, 4), None, image)
    wanted = rows.copy()
    wanted[:, :10] = 255 - wanted[:, :10]
    check("rows of a buffer", device.read(buffer, np.empty_like(rows)), wanted)
    got = np.empty((4, 10, 4), np.uint8)
    cl.enqueue_copy(queue, got, image, origin=(0, 0, 0), region=(10, 4, 1))
    check("image of a buffer", got, wanted[:, :10])


def all_values(device):
    """Every number of 16 bits that a channel can hold, read."""
    program = cl.Program(device.context, READS).build()
    bits = np.arange(1 << 16, dtype=np.uint16).reshape(256, 256)
    sampler = cl.Sampler(device.context, False, cl.addressing_mode.CLAMP, cl.filter_mode.NEAREST)
    y, x = np.mgrid[0:256, 0:256]
    at = np.stack([x, y], axis=-1).reshape(-1, 2).astype(np.float32)
    for data_type, wanted in (
            # in double precision no quotient lies so near to the middle of two numbers that rounding twice would matter
            ("unorm16", (bits / 65535.0).astype(np.float32)),
            ("snorm16", np.maximum(bits.view(np.int16) / 32767.0, -1).astype(np.float32)),
            ("half", bits.view(np.float16).astype(np.float32))):
        words = bits.view(ELEMENTS[data_type])
        value = values.ImageValue("r", data_type, words)
        image = opencl_run.Implementation.image(device, value, words, "image2d_t")
        color = device.buffer(np.zeros((1 << 16, 4), np.float32))
        cl.Kernel(program, "floats")(device.queue, (1 << 16,), None, image, sampler, device.buffer(at), color)
        got = device.read(color, np.zeros((1 << 16, 4), np.float32))[:, 0]
        wanted = wanted.ravel()
        if not ((got == wanted) | np.isnan(got) & np.isnan(wanted)).all():
            k = np.flatnonzero(got != wanted)[0]
            raise SystemExit(f"all of {data_type}: {k} gives {got[k]!r}, not {wanted[k]!r}")
        print(f"all of {data_type}")


def main():
    device = Device(sys.argv[1], sys.argv[2])
    quick = "--quick" in sys.argv
    np.seterr(all="ignore")
    commands(device)
    three_bytes(device)
    inverted(device)
    of_buffer(device)
    if not quick:
        all_values(device)
    reads(device, quick)
    writes(device, quick)


if __name__ == "__main__":
    main()
