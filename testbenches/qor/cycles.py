"""Cycles of simulated hardware: u250, memory answers after 100 cycles and never pauses."""

import json
import os

import common
from common import Failed

BOARD = "u250"
LATENCY = 100
ENVIRONMENT = dict(os.environ, XDG_CACHE_HOME=str(common.OUT / "models"))


def command(clhls, folder, launch, latency=LATENCY):
    """The command that runs a launch on the design in `folder`; files in arguments are relative to where it runs."""
    words = [clhls, "--quiet", "run", folder, "--kernel", launch["kernel"], "--device", "sim", "--json",
             "--mem-latency", latency, "--stall-rate", "0", "--seed", "1", "--global", ",".join(map(str, launch["global"]))]
    for option in ("local", "offset"):
        if option in launch:
            words += [f"--{option}", ",".join(map(str, launch[option]))]
    for name, value in launch["args"].items():
        words += ["--arg", f"{name}={value}"]
    return words


def simulate(clhls, folder, launch, inputs, latency=LATENCY):
    """Runs a launch, in the folder of its input files; the JSON of `clhls run`."""
    return json.loads(common.run(command(clhls, folder, launch, latency), inputs, env=ENVIRONMENT)[1])


def figures(outcome, folder):
    """The figures of a run that are compared with the baseline."""
    cycles = outcome["cycles"]
    report = json.loads((folder / "report.json").read_text())
    ports = max(1, len(report["kernels"][0]["memory_ports"]))
    return {"cycles": cycles, "work_items": outcome["work_items"], "rate": round(outcome["work_items"] / cycles, 4),
            "read": round(outcome["read_beats"] / cycles / ports, 4), "write": round(outcome["write_beats"] / cycles / ports, 4),
            "loops": [[loop["kind"], loop["ii"], loop["reason"]] for loop in outcome["loops"]]}


def stage(clhls, kernels, results, keep):
    """Fills results[kernel]["cycles"]; `keep` saves what is there so far."""
    progress = common.Progress("cycles", len(kernels))
    for kernel in kernels:
        progress.begin(kernel.name)
        folder = common.OUT / BOARD / kernel.name
        try:
            common.build(clhls, kernel, BOARD, folder)
            found = figures(simulate(clhls, folder, kernel.launch, kernel.folder), folder)
        except Failed as error:
            print(f"{kernel.name}: {error}")
            progress.end("failed")
            results.setdefault(kernel.name, {})["cycles"] = None
            continue
        results.setdefault(kernel.name, {})["cycles"] = found
        progress.end(f"{found['work_items']} work-items in {found['cycles']} cycles, {found['rate']} a cycle; "
                     f"loops: {intervals(found) or 'none'}")
        keep()


def intervals(found):
    """`threaded:1 pipelined:6`: kind and interval of each loop."""
    return " ".join(f"{kind}:{ii}" for kind, ii, _ in found["loops"])
