"""Speed of simulation: building a model, taking it from the cache, and cycles a second."""

import json
import os
import shutil

import common
import cycles

TYPICAL = "conv2d"
SMALL = {"global": [16, 8], "args": {"in": "zeros:f32[128]", "filter": "zeros:f32[9]", "out": "zeros:f32[128]",
                                     "width": "16", "height": "8", "radius": "1"}}  # a launch that takes no time
BOARD = "u250"
REPEATS = 3


def stage(clhls):
    """Seconds to build and to reuse the model of a typical kernel, and its simulation speed."""
    kernel = common.kernel(TYPICAL)
    progress = common.Progress("sim", 1)
    progress.begin(kernel.name)
    folder, cache = common.OUT / "sim" / kernel.name, common.OUT / "sim" / "cache"
    common.build(clhls, kernel, BOARD, folder)
    shutil.rmtree(cache, ignore_errors=True)
    small = dict(kernel.launch, **SMALL)
    command = cycles.command(clhls, folder, small)
    environment = dict(os.environ, XDG_CACHE_HOME=str(cache))
    built = common.run(command, kernel.folder, env=environment)[2]
    reused = min((common.run(command, kernel.folder, env=environment)[2] for _ in range(REPEATS)), key=lambda c: c.wall)
    outcomes = [json.loads(common.run(cycles.command(clhls, folder, kernel.launch), kernel.folder, env=environment)[1])
                for _ in range(REPEATS)]
    seconds = min(outcome["seconds"] for outcome in outcomes)
    found = {"kernel": kernel.name, "build_wall": round(built.wall, 1), "build_cpu": round(built.cpu, 1),
             "cached": round(reused.wall, 3), "cycles": outcomes[0]["cycles"],
             "cycles_per_second": round(outcomes[0]["cycles"] / seconds, -3)}
    progress.end(f"model built in {found['build_wall']} s ({found['build_cpu']} s CPU), from the cache in {found['cached']} s, "
                 f"{found['cycles_per_second'] / 1e3:.0f} thousand cycles a second")
    return found

