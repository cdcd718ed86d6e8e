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


class Implementation:
    """One device of one OpenCL platform, with a context and a queue."""

    def __init__(self, platform_name):
        platforms = [p for p in cl.get_platforms() if platform_name.lower() in p.name.lower()]
        if not platforms:
            raise RuntimeError(f"no OpenCL platform called '{platform_name}' is installed")
        self.device = platforms[0].get_devices()[0]
        self.context = cl.Context([self.device])
        self.queue = cl.CommandQueue(self.context)

    def build(self, source, cl_std, options):
        """Builds OpenCL C source. Argument information is kept: scalars need their types."""
        return cl.Program(self.context, source).build(
            [f"-I{HEADERS}", f"-cl-std={cl_std}", "-cl-kernel-arg-info", "-cl-fp32-correctly-rounded-divide-sqrt", *options])

    def image(self, value, texels, kind):
        """An image object with these contents, for an argument of type `kind`."""
        # kernels need not be able to write images in sRGB's space
        device = self.context.devices[0]
        writable = not value.order.startswith("s") or "cl_khr_srgb_image_writes" in device.extensions
        access = cl.mem_flags.READ_WRITE if writable else cl.mem_flags.READ_ONLY
        flags = access | cl.mem_flags.COPY_HOST_PTR
        cl_format = image_format(value)
        sizes = tuple(reversed(texels.shape[:DIMENSIONS[kind]]))
        if kind == "image1d_buffer_t":
            buffer = cl.Buffer(self.context, flags, hostbuf=texels)
            return cl.Image(self.context, cl.mem_flags.READ_WRITE, cl_format, desc=descriptor(kind, sizes, buffer))
        return cl.Image(self.context, flags, cl_format, desc=descriptor(kind, sizes), hostbuf=texels)

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
                samplers.append(cl.Sampler(
                    self.context, value.normalized, getattr(cl.addressing_mode, value.mode.upper()),
                    getattr(cl.filter_mode, value.filter.upper())))
                kernel.set_arg(index, samplers[-1])
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
                after = np.empty_like(host[name])
                if isinstance(buffers[name], cl.Image):
                    region = image_sizes(host[name], info["type"])
                    cl.enqueue_copy(self.queue, after, buffers[name], origin=(0, 0, 0), region=region)
                else:
                    cl.enqueue_copy(self.queue, after, buffers[name])
                if info["const"]:
                    if not values.same(after, host[name]):
                        raise RuntimeError(f"{launch.name}: constant buffer {name} has changed")
                else:
                    results[name] = after
        return results


def image_format(value):
    """The cl_image_format of an ImageValue."""
    name = ORDERS.get(value.order, value.order.upper())
    return cl.ImageFormat(getattr(cl.channel_order, name, CL_ARGB),
                          getattr(cl.channel_type, TYPES[value.data_type], CL_UNORM_INT_101010_2))


def image_sizes(texels, kind):
    """Width, height or layers, depth or layers of the region that is a whole image."""
    shape = texels.shape[:DIMENSIONS[kind]]
    return tuple((*reversed(shape), 1, 1)[:3])


def descriptor(kind, sizes, buffer=None):
    """A cl_image_desc."""
    desc = cl.ImageDescriptor()
    desc.image_type = getattr(cl.mem_object_type, kind.removesuffix("_t").upper())
    arrayed = "array" in kind
    desc.shape = (*sizes[:len(sizes) - arrayed], 1, 1)[:3]
    desc.array_size = sizes[-1] if arrayed else 0
    desc.pitches = (0, 0)
    desc.num_mip_levels = desc.num_samples = 0
    desc.buffer = buffer
    return desc


# What pyopencl has no names for.
CL_ARGB, CL_UNORM_INT_101010_2 = 0x10B7, 0x10E0
# pyopencl's names of formats, where they are not those of launch files in capitals.
ORDERS = {"rx": "Rx", "rgx": "RGx", "rgbx": "RGBx", "srgba": "sRGBA", "srgbx": "sRGBx", "sbgra": "sBGRA"}
TYPES = {"snorm8": "SNORM_INT8", "snorm16": "SNORM_INT16", "unorm8": "UNORM_INT8", "unorm16": "UNORM_INT16",
         "unorm565": "UNORM_SHORT_565", "unorm555": "UNORM_SHORT_555", "unorm101010": "UNORM_INT_101010", "unorm101010_2": "UNORM_INT_101010_2",
         "int8": "SIGNED_INT8", "int16": "SIGNED_INT16", "int32": "SIGNED_INT32", "uint8": "UNSIGNED_INT8",
         "uint16": "UNSIGNED_INT16", "uint32": "UNSIGNED_INT32", "half": "HALF_FLOAT", "float": "FLOAT"}
# Dimensions of the array of an image's texels.
DIMENSIONS = {"image1d_t": 1, "image1d_buffer_t": 1, "image1d_array_t": 2, "image2d_t": 2, "image2d_array_t": 3,
              "image3d_t": 3}


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
