"""What the e-graph is worth: each kernel built with and without the pass `egraph`. Areas are the estimates of `clhls build`."""

import json
import shutil
import statistics

import common
from common import Failed
from goals import Goal

BOARDS = ("ulx3s", "u250")
FIGURES = ("lut", "ff", "dsp", "bram")
# Builds that are compared, by the passes that they go without. What `egraph` can do with widths other passes do in part before and
# after it, so what rewriting by rules, ranges and known bits is worth as a whole shows only where they are missing, too.
WAYS = {"on": (), "off": ("egraph",), "plain": ("egraph", "narrow", "narrow-addresses", "sink-wires", "hoist-slices")}
# What the issue asks: LUTs in the median, and of the worst kernel.
ASKED_LESS, ASKED_WORST = 15.0, 2.0

PAGE = """# E-graph on against off

Written by `make qor BLESS=1`, stage `egraph`, on {date}. `README.md` of this folder says how it is measured. Areas are **estimates** of `clhls build`:
how far they are from placed designs stands in `speed.md`. "Datapath" is the part in the pipelines of the segments: what the pass can change. The rest
is memory units, ports, queues and control. {shares}

## Goals

| goal | asked | measured | |
|---|---|---|---|
{goals}

Without those that were made smaller in other ways to fit their board, with the pass and without: {refitted}.

## Change by the pass, percent

{summary}

"All" is LUTs, DSP tiles and block RAMs together, each DSP tile and block RAM as as many LUTs as the device has for one: narrower values
need fewer of both, and what a FIFO then takes of LUT RAM instead of a block counts as more LUTs otherwise.

## Change by all passes that rewrite or narrow, percent

The same against builds that go without {plain}: what the pass could not do if the
others had not done it before.

{whole}

Recurrence-bound loops, on `ulx3s` or `u250`, whose interval differs: {faster}.

## How far the choice of terms is from the best one

The best choice is searched for by branch and bound (`measure-extraction`, `hls/ir-opt/src/egraph/exact.rs`), which gives up after a number of steps.
Costs are those that the pass compares, of all regions for which the best is known, as percent above it.

| regions | best known | choice | is the best | above it, all together | worst region |
|---|---|---|---|---|---|
{exact}

{tables}
"""


def stage(clhls, kernels, results, keep):
    """Fills results[kernel]["egraph"]: by board, what is built with and without the pass."""
    progress = common.Progress("egraph", len(kernels))
    for kernel in kernels:
        progress.begin(kernel.name)
        found = {}
        for board in BOARDS:
            try:
                found[board] = {way: build(clhls, kernel, board, *(word for name in passes for word in ("--without-pass", name)))
                                for way, passes in WAYS.items()}
            except Failed as error:
                print(f"{kernel.name} on {board}: {error}")
        results.setdefault(kernel.name, {})["egraph"] = found
        results[kernel.name]["extraction"] = regions(clhls, kernel)
        progress.end("; ".join(f"{board} LUT {percent(pair, 'area', 'lut'):+.1f} %, of the datapath {percent(pair, 'datapath', 'lut'):+.1f} %"
                               for board, pair in found.items()))
    keep()


def build(clhls, kernel, board, *options):
    folder = common.OUT / "egraph"
    common.build(clhls, kernel, board, folder, *options)
    report = json.loads((folder / "report.json").read_text())["kernels"][0]
    loops = [[loop["kind"], loop["ii"], loop["latency"], loop["constraint"]["limit"]] for loop in report["loops"]]
    fitted = json.loads((folder / "manifest.json").read_text())["kernels"][0].get("notes", [])
    return {"area": with_equivalent(report["estimated_area"], report["available_area"]), "datapath": report["datapath_area"], "loops": loops, "notes": len(fitted)}


def with_equivalent(area, available):
    """The area with `all`: LUTs, and DSP tiles and block RAMs as the LUTs that the device has for each."""
    return area | {"all": round(area["lut"] + sum(area[part] * available["lut"] / available[part] for part in ("dsp", "bram")))}


def regions(clhls, kernel):
    """What the terms of each region cost: as they were, greedily chosen, as chosen, and at least where that is known."""
    dump = common.OUT / "egraph-dump"
    shutil.rmtree(dump, ignore_errors=True)
    try:
        common.build(clhls, kernel, BOARDS[0], common.OUT / "egraph", "--dump-dir", dump)
    except Failed:
        return []
    before = sorted(dump.glob("*-opt.*.clir"))
    at = next(k for k, path in enumerate(before) if path.name.endswith("-opt.egraph.clir"))
    return json.loads(common.run([clhls.parent / "measure-extraction", BOARDS[0], before[at - 1]])[1])


def percent(pair, part, figure, against="off"):
    """Change by the pass, or by all of WAYS[against]: negative is smaller."""
    on, off = (pair[way][part][figure] for way in ("on", against))
    return 100.0 * (on - off) / off if off else (0.0 if on == off else 100.0)


def is_same_design(pair):
    """Neither of both was made smaller in another way to fit its board: then areas say nothing of the pass."""
    return pair["on"]["notes"] == pair["off"]["notes"]


def refitted(kernels):
    found = [f"{name} on {board}" for board in BOARDS for name, pair in pairs(kernels, board) if not is_same_design(pair)]
    return ", ".join(found) or "none"


def pairs(kernels, board):
    """(name, on and off) of what was measured on a board."""
    return [(name, row["egraph"][board]) for name, row in sorted(kernels.items()) if row.get("egraph", {}).get(board)]


def pipelined(side):
    """Interval, latency and limit of the loops whose iterations overlap."""
    return [(ii, latency, limit) for kind, ii, latency, limit in side["loops"] if kind == "pipelined"]


def recurrent(pair):
    """Pairs of intervals (on, off) of loops that a value or a condition limits without the pass; none where the loops are others."""
    on, off = pipelined(pair["on"]), pipelined(pair["off"])
    if len(on) != len(off):
        return []
    return [(a[0], b[0]) for a, b in zip(on, off) if b[2] in ("recurrence", "condition") or a[2] in ("recurrence", "condition")]


def judge(kernels):
    """The goals, a row a board."""
    for board in BOARDS:
        rows = pairs(kernels, board)
        if not rows:
            yield Goal(f"e-graph on {board}", f">= {ASKED_LESS:.0f} % fewer LUTs", "-", None)
            continue
        rows = [(name, pair) for name, pair in rows if is_same_design(pair)]
        change = {name: percent(pair, "area", "lut") for name, pair in rows}
        # What they grow is named beside the worst kernel: shorter intervals may be worth it. The goal makes no exception.
        shorter = {name for name, pair in rows if any(on < off for on, off in recurrent(pair))}
        median = statistics.median(change.values())
        inner = statistics.median(percent(pair, "datapath", "lut") for _, pair in rows)
        yield Goal(f"e-graph: LUTs in the median, {board}", f">= {ASKED_LESS:.0f} % fewer", f"{0.0 - median:.1f} % fewer ({0.0 - inner:.1f} % of the datapath)", -median >= ASKED_LESS)
        whole = {name: percent(pair, "area", "all") for name, pair in rows}
        for what, found in (("LUTs", change), ("LUTs, DSP tiles and block RAMs", whole)):
            worst = max(found, key=found.get)
            others = ", ".join(f"{name} {found[name]:+.1f} %" for name in sorted(shorter))
            text = f"{found[worst]:+.1f} % ({worst})" + (f"; with shorter intervals: {others}" if others else "")
            yield Goal(f"e-graph: {what} of the worst kernel, {board}", f"<= {ASKED_WORST:.0f} % more", text, found[worst] <= ASKED_WORST)
        bound = [(name, *ii) for name, pair in rows for ii in recurrent(pair)]
        lower, higher = (sorted({name for name, on, off in bound if way(on, off)}) for way in (lambda a, b: a < b, lambda a, b: a > b))
        text = f"{len(lower)} kernels lower, {len(higher)} higher, of {len({b[0] for b in bound})}"
        yield Goal(f"e-graph: intervals of recurrence-bound loops, {board}", "lower", text, bool(lower) and not higher)


def page(kernels, date):
    """egraph.md"""
    goals = "\n".join(f"| {g.name} | {g.asked.replace('<', '&lt;')} | {g.measured} | {g.word} |" for g in judge(kernels))
    tables = "\n\n".join(table(kernels, board) for board in BOARDS)
    return PAGE.format(date=date, goals=goals, shares=shares(kernels), refitted=refitted(kernels), summary=summary(kernels), whole=summary(kernels, "plain"),
                       plain=", ".join(f"`{name}`" for name in WAYS["plain"]), faster=faster(kernels), exact=exact(kernels), tables=tables)


def shares(kernels):
    """What the pass could save at most."""
    texts = []
    for board in BOARDS:
        part = [100.0 * pair["off"]["datapath"]["lut"] / pair["off"]["area"]["lut"] for _, pair in pairs(kernels, board)]
        if part:
            texts.append(f"{statistics.median(part):.1f} % on {board}")
    return f"Of a kernel's LUTs the datapath is in the median {' and '.join(texts)}, without the pass." if texts else ""


def summary(kernels, against="off"):
    lines = ["| board | kernels | figure | best | median | mean | worst |", "|---|---|---|---|---|---|---|"]
    for board in BOARDS:
        rows = pairs(kernels, board)
        for part, figure in (("area", "lut"), ("datapath", "lut"), ("area", "ff"), ("datapath", "ff"), ("area", "all")):
            change = sorted(percent(pair, part, figure, against) for _, pair in rows)
            if change:
                name = {"lut": "LUT", "ff": "flip-flops", "all": "all"}[figure] + {"area": "", "datapath": " of the datapath"}[part]
                lines.append(f"| {board} | {len(change)} | {name} | {change[0]:+.1f} | {statistics.median(change):+.1f} | {statistics.mean(change):+.1f} | {change[-1]:+.1f} |")
    return "\n".join(lines)


def faster(kernels):
    found = [f"{name} on {board} {off} to {on}" for board in BOARDS for name, pair in pairs(kernels, board) for on, off in recurrent(pair) if on != off]
    return ", ".join(found) or "none"


def exact(kernels):
    rows = [region for row in kernels.values() for region in row.get("extraction", [])]
    known = [region for region in rows if region["least"] is not None]
    lines = []
    for way, name in (("original", "as the program has it"), ("greedy", "greedy"), ("chosen", "as taken")):
        least, cost = (sum(region[key] for region in known) for key in ("least", way))
        worst = max((above(region[way], region["least"]) for region in known), default=0.0)
        best = sum(region[way] == region["least"] for region in known)
        lines.append(f"| {len(rows)} | {len(known)} | {name} | {best} | {above(cost, least):.2f} | {worst:.1f} |")
    return "\n".join(lines)


def above(cost, least):
    return 100.0 * (cost - least) / least if least else 0.0


def table(kernels, board):
    lines = [f"## {board}", "",
             "Without and with the pass. Loops: interval/latency of those whose iterations overlap.", "",
             "| kernel | LUT | % | datapath LUT | % | FF | % | DSP | BRAM | loops |", "|---|---|---|---|---|---|---|---|---|---|"]
    for name, pair in pairs(kernels, board):
        on, off = pair["on"], pair["off"]
        cells = [name]
        for part, figure in (("area", "lut"), ("datapath", "lut"), ("area", "ff")):
            cells += [f"{off[part][figure]} {on[part][figure]}", f"{percent(pair, part, figure):+.1f}"]
        cells += [same(off["area"][figure], on["area"][figure]) for figure in ("dsp", "bram")]
        cells.append(same(*(" ".join(f"{ii}/{latency}" for ii, latency, _ in pipelined(side)) for side in (off, on))))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def same(off, on):
    """One text where both are equal."""
    return str(on) if on == off else f"{off} → {on}"
