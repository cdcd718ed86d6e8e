"""Time and memory of `clhls build` without clang: of each test kernel, and of generated kernels of growing size."""

import math

import chart
import common
import generate
from common import Failed

BOARD = "u250"
REPEATS = 3  # the fastest counts: other work on the machine only adds
SIZES = (300, 1000, 2000, 5000, 10000, 20000)
GROWTH_FROM = 1000  # instructions; below, starting the program is most of the time
GROWTH_MARGIN = 1.25  # of measuring


def fastest(command):
    """Least CPU time of several runs, and that run's cost."""
    costs = [common.run(command)[2] for _ in range(REPEATS)]
    return min(costs, key=lambda cost: cost.cpu)


def stage(clhls, kernels, results):
    """Fills results[kernel]["compile"]: all functions of the module, as `clhls build` makes them."""
    progress = common.Progress("compile", len(kernels))
    folder = common.OUT / "compile"
    for kernel in kernels:
        progress.begin(kernel.name)
        command = [clhls, "--quiet", "build", kernel.module, "--board", BOARD, "-o", folder, "--local-bytes", kernel.local_bytes]
        try:
            cost = fastest(command)
        except Failed as error:
            print(f"{kernel.name}: {error}")
            progress.end("failed")
            continue
        results.setdefault(kernel.name, {})["compile"] = {"seconds": round(cost.wall, 3), "megabytes": cost.peak // 2**20}
        progress.end(f"{cost.wall:.3f} s, {cost.peak // 2**20} MB")


def scaling(clhls):
    """Points (instructions, CPU seconds, megabytes) of each shape, and writes the chart."""
    points = {shape: [] for shape in generate.SHAPES}
    progress = common.Progress("scaling", len(points) * len(SIZES))
    folder = common.OUT / "scaling"
    folder.mkdir(parents=True, exist_ok=True)
    for shape in points:
        for size in SIZES:
            progress.begin(f"{shape} {size}")
            text, module = folder / f"{shape}-{size}.spvasm", folder / f"{shape}-{size}.spv"
            text.write_text(generate.generate(shape, size))
            common.run(["spirv-as", text, "-o", module])
            cost = fastest([clhls, "--quiet", "build", module, "--board", BOARD, "-o", folder / "design"])
            points[shape].append((size, round(cost.cpu, 3), cost.peak // 2**20))
            progress.end(f"{cost.cpu:.2f} s, {cost.peak // 2**20} MB")
    return points


def growth(points):
    """Time over n log n at the largest size, relative to the smallest that counts: 1 = grows as n log n."""
    counted = [(size, seconds / (size * math.log2(size))) for size, seconds, _ in points if size >= GROWTH_FROM]
    return round(counted[-1][1] / counted[0][1], 2)


def draw(points, path):
    """The chart of `points` as SVG."""
    path.write_text(chart.scaling(points))
