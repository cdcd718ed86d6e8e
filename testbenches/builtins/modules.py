"""A module: kernels in OpenCL C, their launches (docs/launches.md) and the arrays that these name."""

from dataclasses import dataclass, field

import numpy as np

HEADER = """\
#pragma OPENCL FP_CONTRACT OFF
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

"""


def load(buffer, index, width):
    """An expression for vector number `index`."""
    return f"{buffer}[{index}]" if width == 1 else f"vload{width}({index}, {buffer})"


def store(value, index, buffer, width):
    """A statement that writes vector number `index`."""
    return f"{buffer}[{index}] = {value};" if width == 1 else f"vstore{width}({value}, {index}, {buffer});"


def function(name, arguments, lines):
    """A kernel in which `i` is the work-item's number."""
    pad = " " * len(f"__kernel void {name}(")
    head = f"__kernel void {name}(" + f",\n{pad}".join(arguments) + ")"
    return head + "\n{\n    size_t i = get_global_id(0);\n" + "".join(f"    {line}\n" for line in lines) + "}\n"


@dataclass
class Launch:
    """One launch."""

    name: str
    kernel: str
    work_items: int
    args: dict = field(default_factory=dict)
    expect: dict = field(default_factory=dict)
    ulp: dict = field(default_factory=dict)
    local: int = 0  # work-items of a work-group; 0: as the implementation likes

    def output(self, name, t, file, count, ulp=0):
        """A buffer that starts with zeros and must become what the file holds."""
        self.args[name] = f"zeros:{t.value_name}[{count}]"
        self.expect[name] = f"@{file}.npy"
        if ulp:
            self.ulp[name] = ulp


@dataclass
class Module:
    """Kernels that are compiled together."""

    name: str
    std: str
    text: list = field(default_factory=list)
    launches: list = field(default_factory=list)
    arrays: dict = field(default_factory=dict)

    def write(self, folder):
        """Writes kernel.cl, launches.toml and the arrays; files that would not change are left alone."""
        folder = folder / self.name
        folder.mkdir(parents=True, exist_ok=True)
        replace(folder / "kernel.cl", HEADER + "\n".join(self.text))
        lines = [f'cl_std = "{self.std}"\n']
        for launch in self.launches:
            lines.append(f'\n[[launch]]\nname = "{launch.name}"\nkernel = "{launch.kernel}"\nglobal = [{launch.work_items}]\n')
            if launch.local:
                lines.append(f"local = [{launch.local}]\n")
            for key in ("args", "expect"):
                lines.append(f"{key} = {{ " + ", ".join(f'{k} = "{v}"' for k, v in getattr(launch, key).items()) + " }\n")
            if launch.ulp:
                lines.append("ulp = { " + ", ".join(f"{k} = {v}" for k, v in launch.ulp.items()) + " }\n")
        replace(folder / "launches.toml", "".join(lines))
        for name, array in self.arrays.items():
            np.save(folder / f"{name}.npy", np.ascontiguousarray(array))


def replace(path, text):
    """Writes a file if its text differs: its time tells the compiler whether there is anything to do."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
