#!/usr/bin/env python3
"""Speed of native code (hls/emulator) against PoCL: the same kernels, sizes and machine, in turns.

usage: bench_emulator.py BENCH [--rounds N]

BENCH is the program `bench` of hls/emulator. Prints a table with the time of each launch, the best of all rounds,
and the ratio of speeds; then the same of the processors' time, which counts on a machine that has other things to do.
Fails if a ratio of speeds is below 0.3, or if the time from SPIR-V to the end of a first launch is above 50 ms. Needs scripts/setup test and testbenches/kernels/compile.
"""

import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
VENV = ROOT / "build" / "venv" / "bin" / "python"
if sys.prefix == sys.base_prefix and VENV.exists():
    os.execv(VENV, [str(VENV), __file__, *sys.argv[1:]])
os.environ.setdefault("OCL_ICD_VENDORS", "/etc/OpenCL/vendors")

import numpy as np  # noqa: E402
import pyopencl as cl  # noqa: E402

KERNELS = ROOT / "testbenches" / "kernels"
LEAST_RATIO = 0.3
MOST_FIRST = 0.050
REPEAT = 3
SIZES = {"matmul": 512, "mandelbrot": 1024, "nbody": 8192, "saxpy": 1 << 24}


class Pocl:
    """Launches on PoCL, timed on the host from enqueue to finish."""

    def __init__(self):
        platform = next(p for p in cl.get_platforms() if "Portable" in p.name)
        self.device = platform.get_devices()[0]
        self.context = cl.Context([self.device])
        self.queue = cl.CommandQueue(self.context)
        self.random = np.random.default_rng(1)
        self.launches = {name: getattr(self, name)(size) for name, size in SIZES.items()}

    def kernel(self, folder, name):
        source = next((KERNELS / folder).glob("*.cl")).read_text()
        options = ["-cl-std=CL1.2", "-cl-fp32-correctly-rounded-divide-sqrt"]
        return cl.Kernel(cl.Program(self.context, source).build(options), name)

    def buffer(self, array):
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        return cl.Buffer(self.context, flags, hostbuf=array)

    def floats(self, *shape):
        return self.buffer(self.random.random(shape, np.float32) + np.float32(0.5))

    def matmul(self, n):
        args = [self.floats(n, n), self.floats(n, n), self.floats(n, n), np.int32(n), np.int32(n)]
        return self.kernel("matmul_naive", "matmul"), (n, n), (16, 16), args

    def mandelbrot(self, n):
        out = self.buffer(np.zeros((n, n), np.uint16))
        args = [out, np.int32(n), np.float32(-2.2), np.float32(-1.5), np.float32(3 / n), np.int32(256)]
        return self.kernel("mandelbrot", "mandelbrot"), (n, n), (16, 16), args

    def nbody(self, n):
        args = [self.floats(n, 4), self.floats(n, 4), self.floats(n, 4),
                np.int32(n), np.float32(0.01), np.float32(0.05), cl.LocalMemory(64 * 16)]
        return self.kernel("nbody", "nbody_step"), (n,), (64,), args

    def saxpy(self, n):
        return self.kernel("saxpy", "saxpy"), (n,), (256,), [np.float32(2.5), self.floats(n), self.floats(n)]

    def time(self, name):
        kernel, size, local, args = self.launches[name]
        kernel.set_args(*args)
        times = []
        for _ in range(REPEAT):
            start, before = time.perf_counter(), time.process_time()
            cl.enqueue_nd_range_kernel(self.queue, kernel, size, local)
            self.queue.finish()
            times.append((time.perf_counter() - start, time.process_time() - before))
        return [min(column) for column in zip(*times)]


class Native:
    """Launches as native code, timed in the process that runs them."""

    def __init__(self, program):
        command = [program, str(ROOT / "build" / "kernels")]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, question):
        self.process.stdin.write(question + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"bench_emulator: no answer to `{question}`")
        return [float(word) for word in answer.split()]

    def time(self, name):
        return self.ask(f"{name} {SIZES[name]}")


def main():
    arguments = sys.argv[1:]
    rounds = 3
    if "--rounds" in arguments:
        at = arguments.index("--rounds")
        rounds = int(arguments[at + 1])
        del arguments[at:at + 2]
    if len(arguments) != 1:
        sys.exit(__doc__)
    pocl, native = Pocl(), Native(arguments[0])
    print(f"{pocl.device.platform.version.strip()}, {pocl.device.max_compute_units} processors")
    columns = f"{'PoCL ms':>10}{'native ms':>11}{'ratio':>8}"
    print(f"{'launch':<22}{columns}{'processors:':>14}{columns}")
    slow = []
    for name, size in SIZES.items():
        turns = [pocl.time(name) + native.time(name) for _ in range(rounds)]
        theirs, their_work, ours, our_work = (min(column) for column in zip(*turns))
        ratio = theirs / ours
        row = "".join(f"{a * 1e3:>10.2f}{b * 1e3:>11.2f}{a / b:>8.2f}{' ' * 14}"
                      for a, b in ((theirs, ours), (their_work, our_work)))
        print(f"{name + ' ' + str(size):<22}{row.rstrip()}", flush=True)
        if ratio < LEAST_RATIO:
            slow.append(f"{name}: {ratio:.2f} of PoCL's speed, at least {LEAST_RATIO} is wanted")
    first = min(native.ask("first saxpy")[0] for _ in range(rounds))
    print(f"SPIR-V to the end of a first launch of saxpy: {first * 1e3:.1f} ms")
    if first > MOST_FIRST:
        slow.append(f"first launch after {first * 1e3:.1f} ms, at most {MOST_FIRST * 1e3:.0f} are wanted")
    if slow:
        sys.exit("\n".join(slow))


if __name__ == "__main__":
    main()
