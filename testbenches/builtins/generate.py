#!/usr/bin/env python3
"""Writes kernels that call every built-in function, with their launches and expected results.

usage: testbenches/builtins/generate.py [--elements N] [--clhls PATH] [MODULE...]

To build/builtins/<family>_<type>/{kernel.cl,launches.toml,*.npy}. Functions that table.py marks as pending are left out
until PATH (target/release/clhls) builds hardware for them.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
VENV = ROOT / "build" / "venv" / "bin" / "python"
if sys.prefix == sys.base_prefix and VENV.exists():
    os.execv(VENV, [str(VENV), __file__, *sys.argv[1:]])
sys.dont_write_bytecode = True

import kernels  # noqa: E402
import memory  # noqa: E402
from table import FAMILIES  # noqa: E402

FOLDER = ROOT / "build" / "builtins"
ELEMENTS = 144  # by default; a multiple of 48: whole vectors of every width


def pending():
    """(family, type, function) that may not be there yet."""
    return [(f, t, function) for f in FAMILIES for t in f.types for function in f.functions if f.is_pending(function, t)]


def builds(clhls, family, t, function, scratch):
    """Whether clhls makes hardware of a kernel that calls the function."""
    name = f"{function}_{t.name}"
    source, module = scratch / f"{name}.cl", scratch / f"{name}.spv"
    from modules import HEADER
    source.write_text(HEADER + kernels.kernel(family, [function], t, 1, "probe"))
    subprocess.run([ROOT / "scripts" / "compile-cl", "-p", "clang-15", "-s", family.std, "-o", module, source], check=True)
    done = subprocess.run([clhls, "build", module, "--board", "unit", "-o", scratch / name], capture_output=True, text=True)
    if done.returncode != 0 and not re.search("E0111|E0404", done.stderr):
        raise SystemExit(f"{name}: not refused as unsupported:\n{done.stderr}")
    return done.returncode == 0


def available(clhls):
    """Names, as function/type, of the pending functions that are there by now; remembered for each compiler."""
    stamp = f"{clhls.stat().st_mtime_ns} {(HERE / 'table.py').stat().st_mtime_ns}"
    known = FOLDER / "available.json"
    if known.exists():
        cached = json.loads(known.read_text())
        if cached["stamp"] == stamp:
            return set(cached["names"])
    names = []
    with tempfile.TemporaryDirectory() as scratch:
        for family, t, function in pending():
            if f"{function}/{t.name}" not in names and builds(clhls, family, t, function, pathlib.Path(scratch)):
                names.append(f"{function}/{t.name}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    known.write_text(json.dumps({"stamp": stamp, "names": names}))
    return set(names)


def plan(there, count):
    """(name, function that builds it) of all modules."""
    for family in FAMILIES:
        for t in family.types:
            functions = [f for f in family.functions if not family.is_pending(f, t) or f"{f}/{t.name}" in there]
            if functions:
                yield f"{family.name}_{t.name}", lambda a=(family, t, functions): kernels.build(*a, count)
    yield from memory.modules(count)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elements", type=int, default=ELEMENTS, help="of each operand; a multiple of 48")
    parser.add_argument("--clhls", type=pathlib.Path, default=ROOT / "target" / "release" / "clhls")
    parser.add_argument("module", nargs="*")
    args = parser.parse_args()
    there = available(args.clhls)
    # What the results depend on: this folder and the options.
    stamp = json.dumps([args.elements, sorted(there)] + [p.read_text() for p in sorted(HERE.glob("*.py"))])
    names = []
    for name, build in plan(there, args.elements):
        names.append(name)
        mark = FOLDER / name / "stamp"
        if (args.module and name not in args.module) or (mark.exists() and mark.read_text() == stamp):
            continue
        module = build()
        module.write(FOLDER)
        mark.write_text(stamp)
    (FOLDER / "modules.txt").write_text("".join(f"{n}\n" for n in names))
    print(f"{len(names)} modules; {len(there)} of {len(pending())} pending functions are there")
    return 0


if __name__ == "__main__":
    sys.exit(main())
