"""speed.md: the goals and what was measured, for people."""

import area
import intervals

PAGE = """# Speed: goals and measurements

Written by `make qor BLESS=1`, with {tools}, Verilator as installed by `scripts/setup`, kernels compiled by clang-22.
Commits of the stages: {commits}.
`README.md` of this folder says what each figure is and how it is measured.

## Goals

| goal | asked | measured | |
|---|---|---|---|
{goals}

![compile time by size](compile-time.svg)

## Area and clock on ECP5-85F

`{synth}`, then `nextpnr-ecp5 {pnr}`; above a size of {large}, and where nets are routed anew without end, `{pnr_large}`. Cores alone, without the board's shell.

{area}

Critical paths of the slowest kernels (register to register; the cells' names begin with the instance):

| kernel | MHz | ns | of it logic | LUT levels | from | to |
|---|---|---|---|---|---|---|
{paths}

## Loops

What limits the loops that do not start an iteration (of any work-item) every cycle:

| kernel | loop | II | why |
|---|---|---|---|
{loops}

Of the loops of all kernels whose iterations overlap, those that have more than one cycle and of which z3 has not proved that this is the least (`intervals.py`): they wait for
memory, or have a division that is as small as the board asks for.

{intervals}
"""


def page(results, rows, judged):
    kernels = results.get("kernels", {})
    try:
        tools = ", ".join(area.versions())
    except Exception:  # the page can be written where the tools are not installed
        tools = "unknown tools"
    dates = results.get("dates", {})
    commits = ", ".join(f"{stage} {commit}" + (f" ({dates[stage]})" if stage in dates else "") for stage, commit in sorted(results.get("commits", {}).items()))
    table = "\n".join(f"| {g.name} | {cell(g.asked)} | {cell(g.measured)} | {g.word} |" for g in judged)
    return PAGE.format(tools=tools, commits=commits, goals=table, synth=area.SYNTH, pnr=" ".join(area.PNR), large=f"{area.LARGE} (LUTs, and {area.BLOCK} for each block RAM and multiplier)", pnr_large=" ".join(area.PNR_LARGE),
                       area=statistics(kernels), paths=paths(kernels), loops=loops(kernels), intervals=intervals.page(results.get("intervals")))


def cell(text):
    return str(text).replace("|", "\\|").replace("<", "&lt;")


def statistics(kernels):
    """Sentences about the kernels' area."""
    done = [row["area"] for row in kernels.values() if row.get("area", {}).get("status") == "ok"]
    if not done:
        return "Not measured."
    lines = []
    for figure, unit in (("lut", "LUT"), ("ff", "flip-flops"), ("dsp", "DSP tiles"), ("bram", "block RAMs"), ("fmax", "MHz")):
        values = sorted(row[figure] for row in done)
        lines.append(f"* {unit}: {values[0]} to {values[-1]}, median {values[len(values) // 2]}")
    below = sorted(name for name, row in kernels.items() if row.get("area", {}).get("fmax", area.CLOCK_MHZ) < area.CLOCK_MHZ)
    lines.append(f"* below {area.CLOCK_MHZ} MHz: {', '.join(below) or 'none'}")
    lines.append(estimates(kernels))
    other = sorted((name, row["area"]) for name, row in kernels.items() if row.get("area", {}).get("status", "ok") != "ok")
    lines += [f"* {name}: {row['status']}" + (f", {row['lut']} LUT by yosys" if "lut" in row else "") for name, row in other]
    absent = sorted(name for name, row in kernels.items() if not row.get("area"))
    if absent:
        lines.append(f"* not run: {', '.join(absent)}")
    return "\n".join(lines)


def estimates(kernels):
    """How far the estimate in report.json is from what yosys or nextpnr found."""
    rows = [row["area"] for row in kernels.values() if row.get("area", {}).get("estimate") and "lut" in row["area"]]
    parts = []
    for figure, unit in (("lut", "LUT"), ("ff", "flip-flops"), ("dsp", "DSP tiles"), ("bram", "block RAMs")):
        ratios = sorted(row["estimate"][figure] / row[figure] for row in rows if row[figure] >= 8)
        if ratios:
            parts.append(f"{unit} {ratios[0]:.2f} to {ratios[-1]:.2f}, median {ratios[len(ratios) // 2]:.2f}")
    return "* estimated by `clhls build` over measured: " + ("; ".join(parts) or "not compared")


def paths(kernels, count=12):
    done = [(row["area"]["fmax"], name, row["area"]["path"]) for name, row in kernels.items() if row.get("area", {}).get("path")]
    return "\n".join(f"| {name} | {fmax} | {p['ns']} | {p['logic_ns']} | {p['levels']} | `{p['from']}` | `{p['to']}` |"
                     for fmax, name, p in sorted(done, key=lambda d: d[:2])[:count])


def loops(kernels):
    lines = []
    for name, row in sorted(kernels.items()):
        for kind, ii, reason in (row.get("cycles") or {}).get("loops", []):
            if ii != 1:
                lines.append(f"| {name} | {kind} | {ii} | {cell(reason)} |")
    return "\n".join(lines)
