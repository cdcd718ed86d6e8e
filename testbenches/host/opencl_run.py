"""Runs launches (docs/launches.md) on an installed OpenCL implementation through its ICD.

Nothing here knows which implementation it is: PoCL gives the expected results,
and any other ICD can be put through the same launches.
"""

import pathlib

import numpy as np
import pyopencl as cl

import launches as values

HEADERS = pathlib.Path(__file__).resolve().parents[2] / "include"  # clhls.h
SCALARS = {
    "char": "i8", "uchar": "u8", "short": "i16", "ushort": "u16", "int": "i32", "uint": "u32",
    "long": "i64", "ulong": "u64", "half": "f16", "float": "f32", "double": "f64",
    "unsigned char": "u8", "unsigned short": "u16", "unsigned int": "u32", "unsigned long": "u64",
}


class NotThisWay(RuntimeError):
    """What host programs cannot give a kernel, or not through pyopencl."""


class Implementation:
    """One device of one OpenCL platform, with a context and a queue: the first one whose name has `device_name` in it."""

    def __init__(self, platform_name, device_name=""):
        platforms = [p for p in cl.get_platforms() if platform_name.lower() in p.name.lower()]
        if not platforms:
            raise RuntimeError(f"no OpenCL platform called '{platform_name}' is installed")
        devices = [d for d in platforms[0].get_devices() if device_name in d.name]
        if not devices:
            raise RuntimeError(f"the platform has no device '{device_name}'")
        self.device = devices[0]
        self.context = cl.Context([self.device])
        self.queue = cl.CommandQueue(self.context)
        self.on_device = None

    def build(self, source, cl_std, options):
        """Builds OpenCL C source. Argument information is kept: scalars need their types."""
        return cl.Program(self.context, source).build(
            [f"-I{HEADERS}", f"-cl-std={cl_std}", "-cl-kernel-arg-info", "-cl-fp32-correctly-rounded-divide-sqrt", *options])

    def image(self, value, texels, kind):
        """An image object with these contents, for an argument of type `kind`."""
        if value.mips:
            return self.levelled(value, texels, kind)
        flags = access(self.context.devices[0], value.order) | cl.mem_flags.COPY_HOST_PTR
        cl_format = image_format(value)
        sizes = tuple(reversed(texels.shape[:DIMENSIONS[kind]]))
        if kind == "image1d_buffer_t":
            buffer = cl.Buffer(self.context, flags, hostbuf=texels)
            return cl.Image(self.context, cl.mem_flags.READ_WRITE, cl_format, desc=descriptor(kind, sizes, buffer))
        return cl.Image(self.context, flags, cl_format, desc=descriptor(kind, sizes), hostbuf=texels)

    def levelled(self, value, texels, kind):
        """An image object with mip levels (cl_khr_mipmap_image), which is written level by level."""
        if DIMENSIONS[kind] == 3:
            raise NotThisWay("pyopencl has origins of three numbers: none for levels of images of three dimensions")
        desc = descriptor(kind, tuple(reversed(texels.shape[:DIMENSIONS[kind]])))
        desc.num_mip_levels = 1 + len(value.mips)
        image = cl.Image(self.context, access(self.context.devices[0], value.order), image_format(value), desc=desc)
        for number, level in enumerate(levels_of(value, kind)):
            write_texels(self.queue, image, level, *region_of(level, kind, number))
        return image

    def levels_after(self, image, value, kind):
        """The texels of an image's levels."""
        out = []
        for number, level in enumerate(levels_of(value, kind)):
            after = np.empty_like(level)
            read_texels(self.queue, image, after, *region_of(level, kind, number if value.mips else None))
            out.append(after)
        return out

    def sampler(self, value):
        """A sampler object."""
        mode, how = getattr(cl.addressing_mode, value.mode.upper()), getattr(cl.filter_mode, value.filter.upper())
        least, largest = value.lods
        if (value.mip_filter, least, largest) == ("nearest", 0, None):
            return cl.Sampler(self.context, value.normalized, mode, how)
        properties = [cl.sampler_properties.NORMALIZED_COORDS, value.normalized, cl.sampler_properties.ADDRESSING_MODE, mode,
                      cl.sampler_properties.FILTER_MODE, how,
                      CL_SAMPLER_MIP_FILTER_MODE, getattr(cl.filter_mode, value.mip_filter.upper()),
                      CL_SAMPLER_LOD_MIN, int(np.float32(least).view(np.uint32))]
        if largest is not None:
            properties += [CL_SAMPLER_LOD_MAX, int(np.float32(largest).view(np.uint32))]
        return cl.Sampler(self.context, properties)

    def default_queue(self):
        """The queue on the device, which there is from the first call on."""
        if self.on_device is None:
            kinds = cl.command_queue_properties
            flags = kinds.ON_DEVICE | kinds.ON_DEVICE_DEFAULT | kinds.OUT_OF_ORDER_EXEC_MODE_ENABLE | kinds.PROFILING_ENABLE
            self.on_device = cl.CommandQueue(self.context, self.device, [cl.queue_properties.PROPERTIES, flags])
        return self.on_device

    def load(self, spir, options=()):
        """Loads LLVM bitcode of the SPIR 1.2 environment (cl_khr_spir)."""
        return cl.Program(self.context, [self.device], [spir]).build(["-x", "spir", "-spir-std=1.2", *options])

    def run(self, program, launch, folder, described_by=None):
        """Runs one launch; gives {argument: buffer contents afterwards} for every buffer that may be written.

        `described_by` is a program with the same kernels that knows its arguments' names and types, if `program`
        does not.
        """
        kernel = cl.Kernel(program, launch.kernel)
        infos = arguments(cl.Kernel(described_by or program, launch.kernel))
        names = [info["name"] for info in infos]
        if set(names) != set(launch.args):
            raise values.LaunchError(f"arguments of {launch.kernel} are {names}, the launch has {sorted(launch.args)}")
        buffers, host = {}, {}
        samplers = []  # PoCL 3.1 does not keep them alive for the kernel
        for index, info in enumerate(infos):
            value = values.parse(launch.args[info["name"]], folder)
            if isinstance(value, values.RawBytes) and info["address"] != "private":
                value = np.frombuffer(value.data, np.uint8)
            if isinstance(value, np.ndarray):
                host[info["name"]] = np.array(value, order="C")
                buffers[info["name"]] = cl.Buffer(
                    self.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=host[info["name"]])
                kernel.set_arg(index, buffers[info["name"]])
            elif isinstance(value, values.ImageValue):
                host[info["name"]] = np.array(value.texels, order="C")
                buffers[info["name"]] = self.image(value, host[info["name"]], info["type"])
                kernel.set_arg(index, buffers[info["name"]])
            elif isinstance(value, values.Sampler):
                samplers.append(self.sampler(value))
                kernel.set_arg(index, samplers[-1])
            elif isinstance(value, values.PipeValue):
                raise NotThisWay("host programs cannot put packets into a pipe")
            elif isinstance(value, values.Queue):
                if not value.exists:
                    raise NotThisWay("host programs cannot give a kernel the null queue")
                kernel.set_arg(index, self.default_queue())
            elif isinstance(value, values.LocalMemory):
                kernel.set_arg(index, cl.LocalMemory(value.size))
            elif isinstance(value, values.RawBytes):
                kernel.set_arg(index, value.data)
            else:
                kernel.set_arg(index, by_value(value, info["type"]))
        cl.enqueue_nd_range_kernel(self.queue, kernel, launch.global_size, launch.local_size, launch.offset)
        results = {}
        for info in infos:
            name = info["name"]
            if name in buffers:
                if isinstance(buffers[name], cl.Image):
                    value = values.parse(launch.args[name], folder)
                    after, *mips = self.levels_after(buffers[name], value, info["type"])
                    results |= {f"{name}.{k}": level for k, level in enumerate(mips, start=1)}
                else:
                    after = np.empty_like(host[name])
                    cl.enqueue_copy(self.queue, after, buffers[name])
                if info["const"]:
                    if not values.same(after, host[name]):
                        raise RuntimeError(f"{launch.name}: constant buffer {name} has changed")
                else:
                    results[name] = after
        return results


def access(device, order):
    """How kernels may use an image of this channel order: they need not be able to write images in sRGB's space."""
    writable = not order.startswith("s") or "cl_khr_srgb_image_writes" in device.extensions
    return cl.mem_flags.READ_WRITE if writable else cl.mem_flags.READ_ONLY


def channel_order(name):
    """The number of a channel order of launch files."""
    unnamed = {"argb": CL_ARGB, "depth": CL_DEPTH}
    return unnamed[name] if name in unnamed else getattr(cl.channel_order, ORDERS.get(name, name.upper()))


def image_format(value):
    """The cl_image_format of an ImageValue."""
    return cl.ImageFormat(channel_order(value.order),
                          getattr(cl.channel_type, TYPES[value.data_type], CL_UNORM_INT_101010_2))


def image_sizes(texels, kind):
    """Width, height or layers, depth or layers of the region that is a whole image."""
    shape = texels.shape[:DIMENSIONS[kind]]
    return tuple((*reversed(shape), 1, 1)[:3])


def region_of(texels, kind, level):
    """Origin and region of all texels, in a level of an image that has several; `None`: it has none."""
    origin = [0, 0, 0]
    if level is not None:
        origin[DIMENSIONS[kind]] = level
    return tuple(origin), image_sizes(texels, kind)


# pyopencl's enqueue_copy knows images of two and three dimensions only; these are what it calls.
def read_texels(queue, image, texels, origin, region):
    """Reads texels of an image of any kind into an array."""
    cl._cl._enqueue_read_image(queue, image, origin, region, texels)


def write_texels(queue, image, texels, origin, region):
    """Writes an array into an image of any kind."""
    cl._cl._enqueue_write_image(queue, image, origin, region, texels)


def levels_of(value, kind):
    """The texels of each mip level, the largest one first."""
    out = [np.array(value.texels, order="C")]
    layers = int("array" in kind)
    for number, mip in enumerate(value.mips, start=1):
        shape = list(value.texels.shape)
        shape[layers:DIMENSIONS[kind]] = (max(n >> number, 1) for n in shape[layers:DIMENSIONS[kind]])
        out.append(np.zeros(shape, value.texels.dtype) if mip is None else np.array(mip, order="C"))
    return out


def descriptor(kind, sizes, buffer=None):
    """A cl_image_desc."""
    desc = cl.ImageDescriptor()
    desc.image_type = getattr(cl.mem_object_type, kind.removesuffix("_t").removesuffix("_depth").upper())
    arrayed = "array" in kind
    desc.shape = (*sizes[:len(sizes) - arrayed], 1, 1)[:3]
    desc.array_size = sizes[-1] if arrayed else 0
    desc.pitches = (0, 0)
    desc.num_mip_levels = desc.num_samples = 0
    desc.buffer = buffer
    return desc


# What pyopencl has no names for.
CL_ARGB, CL_DEPTH, CL_UNORM_INT_101010_2 = 0x10B7, 0x10BD, 0x10E0
CL_SAMPLER_MIP_FILTER_MODE, CL_SAMPLER_LOD_MIN, CL_SAMPLER_LOD_MAX = 0x1155, 0x1156, 0x1157
# pyopencl's names of formats, where they are not those of launch files in capitals.
ORDERS = {"rx": "Rx", "rgx": "RGx", "rgbx": "RGBx", "srgb": "sRGB", "srgba": "sRGBA", "srgbx": "sRGBx", "sbgra": "sBGRA"}
TYPES = {"snorm8": "SNORM_INT8", "snorm16": "SNORM_INT16", "unorm8": "UNORM_INT8", "unorm16": "UNORM_INT16",
         "unorm565": "UNORM_SHORT_565", "unorm555": "UNORM_SHORT_555", "unorm101010": "UNORM_INT_101010", "unorm101010_2": "UNORM_INT_101010_2",
         "int8": "SIGNED_INT8", "int16": "SIGNED_INT16", "int32": "SIGNED_INT32", "uint8": "UNSIGNED_INT8",
         "uint16": "UNSIGNED_INT16", "uint32": "UNSIGNED_INT32", "half": "HALF_FLOAT", "float": "FLOAT"}
# Dimensions of the array of an image's texels.
DIMENSIONS = {"image1d_t": 1, "image1d_buffer_t": 1, "image1d_array_t": 2, "image2d_t": 2, "image2d_depth_t": 2,
              "image2d_array_t": 3, "image2d_array_depth_t": 3, "image3d_t": 3}


def arguments(kernel):
    """Name, type name, address space and constness of each argument."""
    info, result = cl.kernel_arg_info, []
    for index in range(kernel.num_args):
        address = kernel.get_arg_info(index, info.ADDRESS_QUALIFIER)
        const = bool(kernel.get_arg_info(index, info.TYPE_QUALIFIER) & cl.kernel_arg_type_qualifier.CONST)
        address_name = {cl.kernel_arg_address_qualifier.GLOBAL: "global",
                        cl.kernel_arg_address_qualifier.LOCAL: "local",
                        cl.kernel_arg_address_qualifier.CONSTANT: "constant"}.get(address, "private")
        # PoCL puts _cl_ before argument names that are also names of built-in functions.
        result.append({"name": kernel.get_arg_info(index, info.NAME).removeprefix("_cl_"),
                       "type": kernel.get_arg_info(index, info.TYPE_NAME),
                       "address": address_name, "const": const or address_name == "constant"})
    return result


def by_value(numbers, type_name):
    """The memory of a scalar or vector argument of OpenCL type `type_name`."""
    base = type_name.rstrip("0123456789")
    width = int(type_name[len(base):] or 1)
    if base not in SCALARS:
        raise values.LaunchError(f"cannot give numbers to an argument of type '{type_name}'; use bytes:")
    if len(numbers.texts) != width:
        raise values.LaunchError(f"{len(numbers.texts)} numbers for an argument of type '{type_name}'")
    dtype = values.DTYPES[SCALARS[base]]
    data = np.zeros(4 if width == 3 else width, dtype)
    for index, text in enumerate(numbers.texts):
        data[index] = values.number(text, dtype)
    return data
