"""The speed goals: what is asked, what was measured, and how."""

import json
from dataclasses import dataclass

import common
import compile_time
import cycles
from common import Failed


# Cycles an iteration that a loop of interval 1 may take in a run of thousands: start, end, memory latency.
RUN_MARGIN = 1.15
STREAM_LATENCY = 200  # cycles to the first word from memory, for the kernels of STREAM
PACKETS = 4000  # through a pipeline of kernels
# Launches of `memory_rates`: requests or updates, least rate a cycle, and what they are called.
RATES = {
    "large": (32768, 0.8, "random reads of 4 bytes", ">= 0.8 requests a cycle"),
    "global_large": (65536, 0.8, "histogram by global atomics, 1024 bins at random", ">= 0.8 updates a cycle, filling and emptying the cache included"),
    "local_large": (131072, 0.9, "histogram by local atomics, 256 bins at random", ">= 0.9 updates a cycle, with clearing and adding up"),
}
# Arrays on the chip with more loads than a RAM has ports: folder and launch, iterations of a work-item, least rate a cycle, what it is.
PORTS = {
    "stencil": ("stencil_tile", "five_large", 1, 0.9, "five-point stencil on tiles of 16x16", ">= 0.9 work-items a cycle"),
    "matmul": ("matmul_unrolled", "large", 8, 0.9, "tiled matmul 64x64x128, loop of 16 unrolled", ">= 0.9 of its iterations a cycle"),
}


@dataclass
class Goal:
    """A row of the goals' table; `met` is None when nothing was measured."""

    name: str
    asked: str
    measured: str
    met: bool | None

    @property
    def word(self):
        return {True: "met", False: "MISSED", None: "not measured"}[self.met]


def at_least(name, asked, limit, value, text):
    return Goal(name, asked, text, None if value is None else value >= limit)


def launch_of(kernel, name):
    """The kernel with another of its launches as its representative."""
    import tomllib
    with open(kernel.folder / "launches.toml", "rb") as file:
        document = tomllib.load(file)
    chosen = next(launch for launch in document["launch"] if launch["name"] == name)
    return common.Kernel(kernel.name, chosen, kernel.local_bytes, kernel.cl_std, kernel.options, kernel.sub_group_size)


def hardware(clhls, kernel, label, simd=1, units=1, latency=cycles.LATENCY):
    """Builds for u250, runs the representative launch; its figures and the folder of the design."""
    folder = common.OUT / "goals" / label
    common.build(clhls, kernel, cycles.BOARD, folder, simd=simd, units=units)
    return cycles.figures(cycles.simulate(clhls, folder, kernel.launch, kernel.folder, latency), folder), folder


def without_barriers(clhls, kernel):
    """Cycles of the kernel with its barriers taken out of the source: wrong results, the same accesses and operations."""
    folder = common.OUT / "goals"
    folder.mkdir(parents=True, exist_ok=True)
    module = folder / f"{kernel.name}.no-barriers.spv"
    common.run([common.ROOT / "scripts" / "compile-cl", "-p", common.PRODUCER, "-s", kernel.cl_std, "-o", module,
                kernel.folder / "kernel.cl", "--", *kernel.options, "-Dbarrier(flags)=", "-Wno-everything"])
    design = folder / f"{kernel.name}.no-barriers"
    common.run([clhls, "--quiet", "build", module, "--board", cycles.BOARD, "-o", design, "--kernel", kernel.function,
                "--compute-units", 1])
    return cycles.simulate(clhls, design, kernel.launch, kernel.folder)["cycles"]


# The measurements beyond the table of kernels: name, what gives a JSON value.
def measure_simd(clhls):
    found, _ = hardware(clhls, common.kernel("vadd"), "vadd.simd16", simd=16)
    return {"cycles": found["cycles"], "read": found["read"], "write": found["write"]}


def measure_stream(clhls):
    """Beats a cycle of the four kernels of STREAM, with the work-items a token that clhls chooses."""
    result = {}
    for name, launch in (("copy", "large_copy"), ("scale", "large_scale"), ("add", "large_add"), ("triad", "large")):
        kernel = launch_of(common.kernel("stream"), launch)
        found, _ = hardware(clhls, kernel, f"stream.{name}", simd=None, units=None, latency=STREAM_LATENCY)
        result[name] = {key: found[key] for key in ("cycles", "read", "write")}
    return result


def measure_rates(clhls):
    """Requests or updates a cycle of each launch in `RATES`."""
    result = {}
    for launch, (count, *_) in RATES.items():
        found, _ = hardware(clhls, launch_of(common.kernel("memory_rates"), launch), f"memory_rates.{launch}")
        result[launch] = {"cycles": found["cycles"], "rate": round(count / found["cycles"], 4)}
    return result


def measure_naive(clhls):
    found, _ = hardware(clhls, common.kernel("matmul_naive"), "matmul_naive")
    return {"cycles": found["cycles"], "rate": round(64**3 / found["cycles"], 4)}


def measure_tiled(clhls):
    kernel = common.kernel("matmul_tiled")
    found, _ = hardware(clhls, kernel, "matmul_tiled")
    free = without_barriers(clhls, kernel)
    columns, rows = kernel.launch["global"]
    depth = int(kernel.launch["args"]["K"])
    return {"cycles": found["cycles"], "free": free, "bubble": round((found["cycles"] - free) / found["cycles"], 4),
            "rate": round(columns * rows * depth / found["cycles"], 3)}


def measure_ports(clhls):
    """What arrays with many loads let through a cycle: work-items of a stencil, iterations of a product whose loop is unrolled."""
    result = {}
    for name, (folder, launch, iterations, *_) in PORTS.items():
        kernel = launch_of(common.kernel(folder), launch)
        found, _ = hardware(clhls, kernel, f"{folder}.{launch}")
        result[name] = {"cycles": found["cycles"], "rate": round(iterations * found["work_items"] / found["cycles"], 4)}
    return result


def measure_task(clhls, name, launch):
    """Longest interval of the loops, cycles per iteration, the reason of that loop."""
    kernel = launch_of(common.kernel(name), launch)
    found, folder = hardware(clhls, kernel, f"{name}.{launch}")
    kind, ii, reason = max(found["loops"], key=lambda loop: loop[1])
    adders = sorted(int(path.stem.rsplit("_l", 1)[1]) for path in (folder / "rtl").glob("clhls_op_fadd_f32_l*.v"))
    return {"ii": ii, "kind": kind, "reason": reason, "per_iteration": round(found["cycles"] / int(kernel.launch["args"]["n"]), 3),
            "adder_latency": adders[0] if adders else None}


def measure_pipeline(clhls):
    """Cycles of four kernels that pipes join, which nobody declares single work-items, from the first's start to the last's end."""
    kernel = common.kernel("implied_task")
    folder = common.OUT / "goals" / "pipeline"
    names = ("source", "twice", "plus", "sink")
    joints = [f"--connect={a}.out={b}.in" for a, b in zip(names, names[1:])]
    common.run([clhls, "--quiet", "build", kernel.module, "--board", cycles.BOARD, "-o", folder,
                *(option for name in names for option in ("--kernel", name)), *joints])
    beside = [option for name in names[1:] for option in ("--beside", f"{name} global=1 n={PACKETS}" + (f" out=zeros:i32[{PACKETS}]" if name == "sink" else ""))]
    out = common.run([clhls, "--quiet", "run", folder, "--kernel", "source", "--global", "1", "--json",
                      f"--arg=in=rand:i32[{PACKETS}]:1", f"--arg=n={PACKETS}", *beside], kernel.folder, env=cycles.ENVIRONMENT)[1]
    found = json.loads(out)["cycles"]
    return {"cycles": found, "rate": round(PACKETS / found, 4)}


MEASUREMENTS = {
    "pipeline": measure_pipeline,
    "simd16": measure_simd,
    "stream": measure_stream,
    "rates": measure_rates,
    "matmul_naive": measure_naive,
    "matmul_tiled": measure_tiled,
    "ports": measure_ports,
    "dot_task": lambda clhls: measure_task(clhls, "dot_product", "task_large"),
    "fir_int": lambda clhls: measure_task(clhls, "fir_task", "large"),
    "sum_float": lambda clhls: measure_task(clhls, "accumulate_task", "float_large"),
}


def stage(clhls, results):
    """Fills results["goals"]: the measurements that the goals need beyond the table of kernels."""
    found = results.setdefault("goals", {})
    progress = common.Progress("goals", len(MEASUREMENTS))
    for name, measure in MEASUREMENTS.items():
        progress.begin(name)
        try:
            found[name] = measure(clhls)
            progress.end(json.dumps(found[name]))
        except Failed as error:
            found[name] = None
            progress.end(f"failed: {error}")


def judge(results):
    """All goals, in the order of the table."""
    kernels, found = results.get("kernels", {}), results.get("goals", {})
    rows = [vector_add(kernels), simd(found.get("simd16")), *stream(found.get("stream")), *rates(found.get("rates")), naive(found.get("matmul_naive")), tiled(found.get("matmul_tiled")), *ports(found.get("ports"))]
    rows += [interval_one(name, found.get(key)) for name, key in (("integer dot product (task)", "dot_task"), ("integer FIR (task)", "fir_int"))]
    rows += [pipeline(found.get("pipeline"))]
    rows += [accumulation(found.get("sum_float")), routed(kernels), bits(results.get("bitstream"))]
    rows += [compile_times(kernels), *scaling(results.get("scaling", {})), *simulation(results.get("sim"))]
    return rows


def vector_add(kernels):
    found = kernels.get("vadd", {}).get("cycles")
    text = f"{found['rate']} ({found['cycles']} cycles)" if found else "-"
    return at_least("vector add, n = 65536, SIMD 1", ">= 0.95 work-items a cycle", 0.95, found and found["rate"], text)


def simd(found):
    text = f"read {found['read']}, write {found['write']} beats a cycle ({found['cycles']} cycles); one port, two beats read for each written" if found else "-"
    return at_least("vector add, --simd 16, 512 bits", ">= 0.85 beats a cycle on the busiest channel", 0.85, found and max(found["read"], found["write"]), text)


def stream(found):
    """Of each kernel, how near its busiest channel is to a beat a cycle."""
    for name in ("copy", "scale", "add", "triad"):
        of = found and found.get(name)
        busiest = of and max(of["read"], of["write"])
        text = f"read {of['read']}, write {of['write']} beats a cycle ({of['cycles']} cycles)" if of else "-"
        yield at_least(f"STREAM {name}, 65536 doubles, no options, memory latency {STREAM_LATENCY}", ">= 0.9 beats a cycle on the busiest channel", 0.9, busiest, text)


def rates(found):
    for launch, (_, limit, name, asked) in RATES.items():
        of = found and found.get(launch)
        yield at_least(name, asked, limit, of and of["rate"], f"{of['rate']} ({of['cycles']} cycles)" if of else "-")


def ports(found):
    for key, (*_, limit, name, asked) in PORTS.items():
        of = found and found.get(key)
        yield at_least(name, asked, limit, of and of["rate"], f"{of['rate']} ({of['cycles']} cycles)" if of else "-")


def naive(found):
    text = f"{found['rate']} ({found['cycles']} cycles)" if found else "-"
    return at_least("naive matmul 64x64x64", ">= 0.9 inner iterations a cycle", 0.9, found and found["rate"], text)


def tiled(found):
    if not found:
        return Goal("tiled matmul 48x48x48", "barrier bubble <= 10 %", "-", None)
    text = (f"{100 * found['bubble']:.1f} %: {found['cycles']} cycles, {found['free']} with the barriers taken out; "
            f"{found['rate']} inner iterations a cycle")
    return Goal("tiled matmul 48x48x48", "barrier bubble <= 10 %", text, found["bubble"] <= 0.10)


def interval_one(name, found):
    if not found:
        return Goal(name, "II = 1, also in the run", "-", None)
    text = f"II = {found['ii']}, {found['per_iteration']} cycles an iteration"
    return Goal(name, "II = 1, also in the run", text, found["ii"] == 1 and found["per_iteration"] <= RUN_MARGIN)


def pipeline(found):
    text = f"{found['rate']} ({found['cycles']} cycles)" if found else "-"
    return at_least(f"four kernels joined by pipes, {PACKETS} packets", ">= 0.9 packets a cycle", 0.9, found and found["rate"], text)


def accumulation(found):
    name, asked = "float accumulation (task)", "II = latency of the adder from register to register, and says so"
    if not found:
        return Goal(name, asked, "-", None)
    text = f"II = {found['ii']}, adder of {found['adder_latency']} stages and the sum's register, {found['per_iteration']} cycles an iteration; \"{found['reason']}\""
    return Goal(name, asked, text, found["ii"] == found["adder_latency"] + 1 and "fadd" in found["reason"])


def routed(kernels):
    status = [row["area"]["status"] for row in kernels.values() if row.get("area")]
    done = [s for s in status if s == "ok" or s.startswith("does not fit") or s.endswith("over limit")]
    rates = sorted(row["area"]["fmax"] for row in kernels.values() if row.get("area", {}).get("status") == "ok")
    text = f"{status.count('ok')} placed and routed of {len(kernels)}"
    if rates:
        text += f", {rates[0]} to {rates[-1]} MHz, median {rates[len(rates) // 2]}"
    return Goal("area and clock of every kernel on ECP5-85F", "in the table", text, len(done) == len(kernels) if status else None)


def bits(found):
    name, asked = "bit stream for ULX3S (vadd)", "made, at the board's clock"
    if not found:
        return Goal(name, asked, "-", None)
    return Goal(name, asked, f"{found['bytes']} bytes, {found['fmax']} MHz of {found['wanted']} MHz", found["fmax"] >= found["wanted"])


def compile_times(kernels):
    times = sorted(row["compile"]["seconds"] for row in kernels.values() if row.get("compile"))
    name, asked = "clhls build, without clang", "< 1 s for 90 % of the kernels"
    if not times:
        return Goal(name, asked, "-", None)
    below = sum(t < 1 for t in times)
    text = f"{below} of {len(kernels)}; median {times[len(times) // 2]:.2f} s, longest {times[-1]:.2f} s"
    return Goal(name, asked, text, below >= 0.9 * len(kernels))


def scaling(points):
    for shape, series in points.items():
        times = compile_time.growth(series)
        text = f"{series[-1][0]} instructions in {series[-1][1]} s CPU, {series[-1][2]} MB; time / (n log n) grows by {times} from {compile_time.GROWTH_FROM}"
        yield Goal(f"growth of compile time, {shape} code", f"n log n (factor <= {compile_time.GROWTH_MARGIN})", text, times <= compile_time.GROWTH_MARGIN)


def simulation(found):
    if not found:
        return [Goal("verilated model", "built < 20 s, cached < 0.3 s", "-", None)]
    what = f"of {found['kernel']}"
    return [Goal(f"verilated model {what}, built", "< 20 s", f"{found['build_wall']} s ({found['build_cpu']} s CPU)", found["build_wall"] < 20),
            Goal(f"verilated model {what}, cached", "< 0.3 s", f"{found['cached']} s, with starting and a small launch", found["cached"] < 0.3),
            Goal(f"simulation {what}", "stated", f"{found['cycles_per_second'] / 1e3:.0f} thousand cycles a second", True)]
