"""`make bitstream` of a generated design for ULX3S: the whole chip, with the board's shell, at its default clock."""

import json
import os

import area
import common

KERNEL = "vadd"


def stage(clhls):
    """Achieved frequency and size of the bit stream."""
    progress = common.Progress("bitstream", 1)
    progress.begin(KERNEL)
    kernel = common.kernel(KERNEL)
    folder = common.OUT / "bitstream"
    common.build(clhls, kernel, area.BOARD, folder)
    texts = [path.read_bytes() for part in ("rtl/*.v", "package/**/*.v", "package/Makefile", "package/*.lpf")
             for path in sorted(folder.glob(part))]
    found, known = common.cached(f"bitstream-{common.digest(*area.versions(), *texts)}", lambda: make(folder))
    progress.end(f"{found['bytes']} bytes, {found['fmax']} MHz of {found['wanted']} MHz" + ("  (cached)" if known else ""))
    return found


def make(folder):
    environment = dict(os.environ, PATH=f"{common.VENV}:{os.environ['PATH']}")
    cost = common.run(["make", "-C", folder / "package", "bitstream"], env=environment)[2]
    bits, = (folder / "package").glob("*.bit")
    report = json.loads(bits.with_suffix(".report.json").read_text())
    # of the clocks, the kernel's: the one with the most logic is the slowest
    slowest = min(report["fmax"].values(), key=lambda clock: clock["achieved"] / clock["constraint"])
    return {"kernel": KERNEL, "bytes": bits.stat().st_size, "fmax": round(slowest["achieved"], 1),
            "wanted": round(slowest["constraint"], 1), "seconds": round(cost.cpu)}
