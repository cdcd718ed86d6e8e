"""cocotb's side of the bench, inside the simulator: runs the launches that the file in CLHLS_BENCH names.

Appends a JSON object to the outcome file for each launch.
"""

import dataclasses
import json
import os
import pathlib
import random

import cocotb
from cocotb.triggers import Timer

import launches as values
from failure import Failure
from kernel import Kernel

JOB = json.loads(pathlib.Path(os.environ["CLHLS_BENCH"]).read_text()) if "CLHLS_BENCH" in os.environ else {}

RATES = (0.0, 0.0, 0.2, 0.5, 0.9)      # of pauses, for normal runs
LATENCIES = (0, 5, 60)                 # cycles that responses are held back at most

# Faults of harness.v and the kinds of failure that they must be seen as.
FAULTS = {
    "wrong write data": (1, {"result"}), "too many strobes": (2, {"outside", "result"}), "wrong read address": (3, {"outside"}),
    "unknown write data": (4, {"unknown"}), "unknown ARVALID": (5, {"unknown"}), "AWADDR not stable": (6, {"protocol"}),
    "AWVALID dropped": (7, {"protocol"}), "no interrupt": (8, {"interrupt"}), "early interrupt": (9, {"interrupt"}),
    "unknown register": (10, {"unknown"}), "error response": (11, {"register"}), "wrong register bit": (12, {"register"}),
}


def tell(**outcome):
    with open(JOB["outcomes"], "a") as file:
        file.write(json.dumps(outcome) + "\n")


async def start(dut, seed):
    """A kernel after reset."""
    manifest = json.loads(pathlib.Path(JOB["manifest"]).read_text())
    kernel = Kernel(dut, manifest, random.Random(seed))
    await Timer(1, "ns")
    await kernel.reset()
    return kernel


def chosen():
    """The launches to run, and the folder that their files are relative to."""
    file = values.load(JOB["launches"])
    return [launch for launch in file.launches if launch.name in JOB["names"]], file.path.parent


@cocotb.test(skip=JOB.get("self_test", False))
async def run_launches(dut):
    """Every launch twice without a reset in between: the end seen in CTRL, then by the interrupt."""
    launches, folder = chosen()
    kernel = await start(dut, JOB["seed"])
    for launch in launches:
        for interrupt in (False, True):
            name = f"{launch.name}, {'interrupt' if interrupt else 'polled'}"
            kernel.set_pauses(RATES, kernel.random.choice(LATENCIES))
            try:
                cycles = await kernel.launch(launch, folder, interrupt)
                tell(name=name, ok=True, text=f"{cycles} cycles")
            except Failure as failure:
                tell(name=name, ok=False, text=str(failure))
                await kernel.reset()


@cocotb.test(skip=not JOB.get("self_test", False))
async def self_test(dut):
    """The bench finds faults: those of the harness, and a wrong expectation."""
    (launch,), folder = chosen()
    kernel = await start(dut, JOB["seed"])
    kernel.set_pauses((0.9,), 20)

    async def attempt(name, kinds, launch):
        try:
            await kernel.launch(launch, folder, True)
            seen = "nothing"
        except Failure as failure:
            seen = failure.kind
            tell(name=name, ok=seen in kinds, text=f"found: {failure}")
        else:
            tell(name=name, ok="nothing" in kinds, text="found: nothing")
        dut.fault.value = 0
        await kernel.reset()

    await attempt("no fault", {"nothing"}, launch)
    buffer = next(iter(launch.expect))
    wrong = dataclasses.replace(launch, expect={buffer: launch.args[buffer]})
    await attempt("wrong expectation", {"result"}, wrong)
    for name, (number, kinds) in FAULTS.items():
        dut.fault.value = number
        await attempt(name, kinds, launch)
