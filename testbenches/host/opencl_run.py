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
        for index, info in enumerate(infos):
            value = values.parse(launch.args[info["name"]], folder)
            if isinstance(value, values.RawBytes) and info["address"] != "private":
                value = np.frombuffer(value.data, np.uint8)
            if isinstance(value, np.ndarray):
                host[info["name"]] = np.array(value, order="C")
                buffers[info["name"]] = cl.Buffer(
                    self.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=host[info["name"]])
                kernel.set_arg(index, buffers[info["name"]])
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
                cl.enqueue_copy(self.queue, after, buffers[name])
                if info["const"]:
                    if not values.same(after, host[name]):
                        raise RuntimeError(f"{launch.name}: constant buffer {name} has changed")
                else:
                    results[name] = after
        return results


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
