"""What the stages share: places, subprocesses with their cost, the kernels and their representative launches."""

import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KERNELS = ROOT / "testbenches" / "kernels"
OUT = ROOT / "build" / "qor"
CACHE = OUT / "cache"
VENV = ROOT / "build" / "venv" / "bin"
PRODUCER = "clang-22"

# Launches that stand for their kernel where the rule of `representative` would take another.
CHOSEN = {
    # all launches have one work-item: the longest ones
    "delay_lines_task": "sums_1500",
    "image_path": "diagonal",
    "linked_list_task": "odd",
    "relaxed_sums_task": "dot_1000",
    "matmul_naive": "cube64",  # the size that the speed goal names
}


class Failed(Exception):
    """A command that failed: for people."""


@dataclass
class Cost:
    """What a process took: wall and CPU seconds, peak memory in bytes.

    The system counts the interpreter that started it too: less than its 22 MB cannot be seen.
    """

    wall: float
    cpu: float
    peak: int


@dataclass
class Kernel:
    """A folder of testbenches/kernels and the launch that stands for it."""

    name: str
    launch: dict
    local_bytes: int
    cl_std: str
    options: list
    sub_group_size: int = 16

    @property
    def folder(self):
        return KERNELS / self.name

    @property
    def module(self):
        return ROOT / "build" / "kernels" / f"{self.name}.{PRODUCER}.spv"

    @property
    def function(self):
        return self.launch["kernel"]


def volume(launch):
    product = 1
    for size in launch["global"]:
        product *= size
    return product


def representative(name, launches):
    """The launch called `large`, else the first `*_large`, else `peer`, else the first of those with most work-items."""
    wanted = CHOSEN.get(name, "large")
    for suits in (lambda n: n == wanted, lambda n: n.endswith("_large"), lambda n: n == "peer"):
        for launch in launches:
            if suits(launch["name"]):
                return launch
    most = max(map(volume, launches))
    return next(launch for launch in launches if volume(launch) == most)


def local_capacity(document):
    """Bytes of on-chip memory that every local-pointer argument of the file fits in (docs/launches.md)."""
    sizes = list(document.get("local_bytes", {}).values())
    for launch in document["launch"]:
        sizes += [int(v[6:]) for v in launch["args"].values() if v.startswith("local:")]
    return max(sizes, default=1)


def kernel(name):
    with open(KERNELS / name / "launches.toml", "rb") as file:
        document = tomllib.load(file)
    return Kernel(name, representative(name, document["launch"]), local_capacity(document),
                  document.get("cl_std", "CL1.2"), document.get("options", "").split(),
                  document.get("sub_group_size", 16))


def is_measured(path):
    """Whether a launch file's kernels all become hardware, each by itself: others test functions one by one, or wait for one
    another; their cost says nothing. Those that the producer of the measurements cannot compile are left out, too."""
    with open(path, "rb") as file:
        document = tomllib.load(file)
    return document.keys().isdisjoint({"hardware", "connect"}) and PRODUCER in document.get("producers", [PRODUCER])


def kernels(names=()):
    """The kernels of these names, or all, in the order of their names."""
    known = sorted(path.parent.name for path in KERNELS.glob("*/launches.toml") if is_measured(path))
    unknown = [name for name in names if name not in known]
    if unknown:
        raise Failed(f"no test kernel is called {unknown[0]}")
    return [kernel(name) for name in known if not names or name in names]


def run(command, cwd=None, limit=None, check=True, env=None, stop=None):
    """Runs a command; gives (exit code, standard output, cost). Without `check` a failure is not an exception, and the
    output ends with the error messages.

    `limit` is CPU seconds, so that a busy machine does not change what is found out; None = no limit. `stop` is asked every second
    whether the command shall be ended.
    """
    start = time.monotonic()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([str(word) for word in command], cwd=cwd, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=errors, env=env, preexec_fn=_limit(limit))
        ended = threading.Event()
        if stop:
            threading.Thread(target=_stop, args=(process, stop, ended), daemon=True).start()
        output = process.stdout.read().decode(errors="replace")
        ended.set()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = code = os.waitstatus_to_exitcode(status)
        cost = Cost(time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
        if code != 0:
            errors.seek(0)
            output += errors.read().decode(errors="replace")
    if check and code != 0:
        last = "\n  ".join(output.strip().splitlines()[-12:])
        raise Failed(f"{' '.join(map(str, command[:3]))} ... ended with {code}:\n  {last}")
    return code, output, cost


def _stop(process, stop, ended):
    while not ended.wait(1):
        if stop():
            os.kill(process.pid, signal.SIGTERM)
            return


def _limit(seconds):
    if seconds is None:
        return None
    import resource

    def apply():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))

    return apply


def over_limit(code):
    """Whether an exit code of `run` says that the CPU limit was reached."""
    return code in (-signal.SIGXCPU, -signal.SIGKILL)


def commit():
    """Short name of the commit that is checked out."""
    done = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() or "?"


def digest(*parts):
    """Short hash of texts."""
    state = hashlib.sha256()
    for part in parts:
        state.update(part.encode() if isinstance(part, str) else part)
        state.update(b"\0")
    return state.hexdigest()[:16]


def is_cached(key):
    return (CACHE / f"{key}.json").exists()


def cached(key, compute):
    """The JSON value kept under this key, or computed and kept; and whether it was there."""
    path = CACHE / f"{key}.json"
    if path.exists():
        return json.loads(path.read_text()), True
    value = compute()
    CACHE.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n")
    fresh.rename(path)
    return value, False


def build(clhls, kernel, board, folder, *options, simd=1, units=1):
    """`clhls build` of the kernel's representative function, one work-item a token in one compute unit (None: as many as clhls
    chooses); gives the cost."""
    if simd is not None:
        options = ["--simd", simd, *options]
    if units is not None:
        options = ["--compute-units", units, *options]
    command = [clhls, "--quiet", "build", kernel.module, "--board", board, "-o", folder, "--kernel", kernel.function,
               "--local-bytes", kernel.local_bytes, "--sub-group-size", kernel.sub_group_size, *options]
    return run(command)[2]


class Progress:
    """Lines `area 3 of 58  fir_task  41 s  ...` on standard output."""

    def __init__(self, stage, count):
        self.stage, self.count, self.done, self.start = stage, count, 0, time.monotonic()

    def begin(self, name):
        self.name, self.mark = name, time.monotonic()
        if sys.stdout.isatty():
            print(f"{self.stage} {self.done + 1} of {self.count}  {name} ...", end="\r", flush=True)

    def end(self, text):
        self.done += 1
        seconds = time.monotonic() - self.mark
        print(f"{self.stage} {self.done} of {self.count}  {self.name:<20} {seconds:6.1f} s  {text}", flush=True)
