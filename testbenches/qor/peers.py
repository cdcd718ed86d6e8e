"""Comparison with PandA-Bambu: the same algorithms at the same sizes, on the same device.

Ours are test kernels, built without options for the board and clock of area.py, run in Verilator with the board's memory latency,
placed and routed by area.py. Bambu's figures are data: bambu.tsv.
"""

import csv
import json
import math

import area
import common
import cycles
import goals
from common import HERE, Failed
from goals import Goal

BAMBU = HERE / "bambu.tsv"
BAMBU_MHZ = 100  # its target of 10 ns, which is taken for designs that were not placed

# Name in bambu.tsv: the test kernel and its launch.
KERNELS = {
    "vadd f32": ("vadd", "peer"),
    "saxpy f32": ("saxpy", "peer"),
    "dot f32": ("dot_float4", "peer"),
    "matmul i32": ("matmul_vector", "int_peer"),
    "matmul f32": ("matmul_vector", "peer"),
    "conv 3x3 i32": ("conv3x3", "peer"),
    "FIR i32, 32 taps": ("fir32", "peer"),
    "histogram, 256 bins": ("histogram_bytes", "peer"),
    "exclusive scan i32": ("scan_task", "peer"),
    "insertion sort i32": ("insertion_sort_vector", "peer"),
    "SHA-256": ("sha256_block", "peer"),
    "Black-Scholes f32": ("black_scholes", "peer"),
}

PAGE = """# Comparison with PandA-Bambu

Written by `make qor QOR="--stage peers" BLESS=1` with {tools}. Both for LFE5U-85F, speed grade 6; cycles from Verilator.

*Bambu* (`bambu.tsv`): C to Verilog, built from its public source, 10 ns target. *Plain*: pointer arguments, BAMBU-PERFORMANCE-MP, -O3. *Best*: the fastest of all its
designs, other memory interfaces and sources rewritten by hand among them. Where a design was not placed, its target of {bambu_mhz} MHz is taken for
its clock; those that were placed reached {placed} MHz.

*Ours*: one source of ordinary OpenCL C, no options (`--compute-units 1` where a launch is one work-group), `{board}` at {clock} MHz, memory that answers after {latency} cycles; Fmax and LUTs of the core with its
memory interface, as in `speed.md`. Time is cycles over Fmax. `make sim` checks that the results are right.

| goal | asked | measured | |
|---|---|---|---|
{goals}

| kernel | size | our kernel | cycles | MHz | µs | Bambu plain, µs | times as fast | Bambu best | µs | times as fast | our loops |
|---|---|---|--:|--:|--:|--:|--:|---|--:|--:|---|
{rows}

Area, and throughput per LUT against that of Bambu's placed design which has most of it:

| kernel | LUT | FF | DSP | BRAM | Bambu | its LUT | FF | DSP | throughput per LUT |
|---|--:|--:|--:|--:|---|--:|--:|--:|--:|
{areas}

Bambu's design of the histogram is large because its table became registers; without that kernel the geometric mean is {rest}.
"""


def bambu():
    """Designs by kernel, in the order of the file, with their time in microseconds."""
    designs = {}
    with open(BAMBU, newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            row["us"] = int(row["cycles"]) / float(row["mhz"] or BAMBU_MHZ)
            designs.setdefault(row["kernel"], []).append(row)
    return designs


def plain(designs):
    return next(design for design in designs if design["design"] == "plain")


def best(designs):
    return min(designs, key=lambda design: design["us"])


def leanest(designs):
    """The placed design with most throughput per LUT; None where none was placed."""
    return min((d for d in designs if d["lut"]), key=lambda d: d["us"] * int(d["lut"]), default=None)


def stage(clhls, found, kernels, keep):
    """Fills found["peers"] with the rows whose test kernel is among `kernels`; `keep` saves what is there so far."""
    names = {kernel.name for kernel in kernels}
    chosen = {row: of for row, of in KERNELS.items() if of[0] in names}
    results, progress = found.setdefault("peers", {}), common.Progress("peers", len(chosen))
    for row, (name, launch) in chosen.items():
        progress.begin(row)
        try:
            results[row] = measure(clhls, goals.launch_of(common.kernel(name), launch))
            progress.end(f"{results[row]['cycles']} cycles, {area.summary(results[row])}")
        except Failed as error:
            print(f"{row}: {error}")
            progress.end("failed")
        keep()


def measure(clhls, kernel):
    """Cycles, loops and area of a launch, as clhls builds it without options; a launch of one work-group for one compute unit."""
    design = common.OUT / "peers" / f"{kernel.name}.{kernel.launch['name']}"
    alone = kernel.launch.get("local") == kernel.launch["global"]
    sources, texts = area.prepare(clhls, kernel, design, simd=None, units=1 if alone else None)
    latency = json.loads((design / "report.json").read_text())["kernels"][0]["memory_latency"]
    run = cycles.figures(cycles.simulate(clhls, design, kernel.launch, kernel.folder, latency), design)
    return area.measure(sources, texts) | {"cycles": run["cycles"], "loops": run["loops"], "latency": latency, "commit": common.commit()}


def compared(found):
    """(kernel, our row, Bambu's designs, our microseconds) of those that were placed and routed."""
    for name, designs in bambu().items():
        ours = found.get(name, {})
        if "fmax" in ours:
            yield name, ours, designs, ours["cycles"] / ours["fmax"]


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def judge(found):
    """The goals, in the form of goals.py."""
    rows = list(compared(found))
    names = ("throughput of twelve kernels, Bambu's plain designs", "throughput of twelve kernels, Bambu's best designs",
             "each of the twelve kernels, Bambu's best design", "throughput per LUT, Bambu's placed designs")
    asked = (">= 10 times, geometric mean", ">= 1.5 times, geometric mean", "none below", ">= 1 times, geometric mean")
    if len(rows) < len(KERNELS):
        return [Goal(name, text, f"{len(rows)} of {len(KERNELS)} kernels", None) for name, text in zip(names, asked)]
    over_plain = mean([plain(designs)["us"] / us for _, _, designs, us in rows])
    over_best = {name: best(designs)["us"] / us for name, _, designs, us in rows}
    below = [f"{name} {ratio:.2f} times" for name, ratio in over_best.items() if ratio < 1]
    lean = per_lut(rows)
    return [Goal(names[0], asked[0], f"{over_plain:.1f} times", over_plain >= 10),
            Goal(names[1], asked[1], f"{mean(over_best.values()):.2f} times", mean(over_best.values()) >= 1.5),
            Goal(names[2], asked[2], ", ".join(below) or f"least {min(over_best.values()):.2f} times", not below),
            Goal(names[3], asked[3], f"{mean(lean.values()):.2f} times, {len(lean)} kernels", mean(lean.values()) >= 1)]


def per_lut(rows):
    """Our throughput per LUT over Bambu's, by kernel."""
    return {name: theirs["us"] * int(theirs["lut"]) / (us * ours["lut"])
            for name, ours, designs, us in rows if (theirs := leanest(designs))}


def page(found):
    """peers.md"""
    ratios = per_lut(compared(found))
    rest = [ratio for name, ratio in ratios.items() if name != "histogram, 256 bins"]
    latencies = {str(row["latency"]) for row in found.values()}
    clocks = sorted(float(d["mhz"]) for designs in bambu().values() for d in designs if d["mhz"])
    judged = "\n".join(f"| {g.name} | {g.asked} | {g.measured} | {g.word} |" for g in judge(found))
    return PAGE.format(tools=", ".join(area.versions()), bambu_mhz=BAMBU_MHZ, placed=f"{clocks[0]:.0f} to {clocks[-1]:.0f}",
                       board=area.BOARD, clock=area.CLOCK_MHZ, latency=" or ".join(sorted(latencies)), goals=judged,
                       rows="\n".join(times(found)), areas="\n".join(areas(found, ratios)),
                       rest=f"{mean(rest):.2f} times" if rest else "not known")


def times(found):
    """Rows of the first table."""
    for name, designs in bambu().items():
        ours, fastest, slow = found.get(name, {}), best(designs), plain(designs)
        us = ours["cycles"] / ours["fmax"] if "fmax" in ours else None
        measured = f"{ours['fmax']} | {us:.2f}" if us else f"{ours.get('status', '-')} | -"
        over = [f"{design['us'] / us:.2f}" if us else "-" for design in (slow, fastest)]
        yield (f"| {name} | {slow['size']} | `{KERNELS[name][0]}` | {ours.get('cycles', '-')} | {measured} | {slow['us']:.2f} | {over[0]} | "
               f"{fastest['design']} | {fastest['us']:.2f} | {over[1]} | {limits(ours['loops']) if ours else '-'} |")


def limits(loops):
    """`II 1, II 5: the recurrence ...` of the loops."""
    texts = [f"II {ii}" + (f": {reason}" if ii > 1 else "") for _, ii, reason in loops]
    return ", ".join(dict.fromkeys(texts)) or "no loops"


def areas(found, ratios):
    """Rows of the second table."""
    for name, designs in bambu().items():
        ours, theirs = found.get(name, {}), leanest(designs)
        figures = [str(ours.get(what, "-")) for what in ("lut", "ff", "dsp", "bram")]
        figures += [theirs[what] for what in ("design", "lut", "ff", "dsp")] if theirs else ["not placed", "-", "-", "-"]
        ratio = f"{ratios[name]:.2f} times" if name in ratios else "-"
        yield f"| {name} | {' | '.join(figures)} | {ratio} |"
