"""The committed table `baseline.tsv`, and what changed against it."""

import csv
import io

import cycles

# column: how much worse is a regression, relative; `up` = more is worse, `down` = less is worse, None = only shown
COLUMNS = {
    "kernel": None, "function": None, "launch": None, "work_items": None,
    "cycles": ("up", 0.02), "items_per_cycle": None, "read_beats_per_cycle": None, "write_beats_per_cycle": None,
    "loops": ("same", 0), "lut": ("up", 0.05), "ff": ("up", 0.05), "dsp": ("up", 0), "bram": ("up", 0),
    "fmax_mhz": ("down", 0.10), "pnr": ("same", 0), "area_commit": None, "build_s": ("up", 1.0), "build_mb": ("up", 0.5),
}
# Changes below this many units are measuring noise or too small to matter.
NEGLIGIBLE = {"cycles": 8, "lut": 40, "ff": 40, "build_s": 0.1, "build_mb": 8}
RED, GREEN, PLAIN = "\033[31m", "\033[32m", "\033[0m"


def rows(kernels, results):
    """One row a kernel, as texts by column; empty where nothing was measured."""
    for kernel in kernels:
        found = results.get("kernels", {}).get(kernel.name, {})
        run, area, build = (found.get(part) or {} for part in ("cycles", "area", "compile"))
        row = {"kernel": kernel.name, "function": kernel.function, "launch": kernel.launch["name"],
               "work_items": run.get("work_items"), "cycles": run.get("cycles"), "items_per_cycle": f"{run['work_items'] / run['cycles']:.4g}" if run else None,
               "read_beats_per_cycle": run.get("read"), "write_beats_per_cycle": run.get("write"),
               "loops": cycles.intervals(run) or "-" if run else None,
               "lut": area.get("lut"), "ff": area.get("ff"), "dsp": area.get("dsp"), "bram": area.get("bram"),
               "fmax_mhz": area.get("fmax"), "pnr": area.get("status"), "area_commit": area.get("commit"),
               "build_s": f"{build['seconds']:.2f}" if build else None, "build_mb": build.get("megabytes")}
        yield {column: "" if value is None else str(value) for column, value in row.items()}


def write(path, table):
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    path.write_text(text.getvalue())


def read(path):
    """Rows by kernel; none when there is no such file."""
    if not path.exists():
        return {}
    with open(path, newline="") as file:
        return {row["kernel"]: row for row in csv.DictReader(file, delimiter="\t")}


def compare(column, old, new):
    """-1 worse, 0 as before or not to judge, 1 better."""
    rule = COLUMNS[column]
    if rule is None or not old or not new or old == new:
        return 0
    way, tolerance = rule
    if way == "same":
        return verdict_of_text(column, old, new)
    before, after = float(old), float(new)
    worse = after - before if way == "up" else before - after
    if abs(worse) <= max(tolerance * before, NEGLIGIBLE.get(column, 0)):
        return 0
    return -1 if worse > 0 else 1


def verdict_of_text(column, old, new):
    if column == "pnr":
        return -1 if old == "ok" else 1 if new == "ok" else 0
    intervals = [[int(word.split(":")[1]) for word in text.split() if ":" in word] for text in (old, new)]
    before, after = max(intervals[0], default=0), max(intervals[1], default=0)
    return (after < before) - (after > before)


def differences(table, baseline):
    """(kernel, column, old, new, verdict) of what is judged and changed, and of rows on one side only."""
    for row in table:
        old = baseline.get(row["kernel"])
        if old is None:
            yield row["kernel"], "", "", "new", 0
            continue
        for column in COLUMNS:
            verdict = compare(column, old.get(column, ""), row[column])
            if verdict:
                yield row["kernel"], column, old[column], row[column], verdict
            elif old.get(column) and not row[column]:
                yield row["kernel"], column, old[column], "not measured", 0
    for kernel in sorted(set(baseline) - {row["kernel"] for row in table}):
        yield kernel, "", "", "gone", 0


def show(changes, colour):
    """Prints the changes; gives the number of regressions."""
    worse = 0
    for kernel, column, old, new, verdict in changes:
        worse += verdict < 0
        word, paint = {-1: ("WORSE ", RED), 0: ("      ", ""), 1: ("better", GREEN)}[verdict]
        change = f"{old} -> {new}" if old else new
        line = f"{word}  {kernel:<20} {column:<10} {change}"
        print(f"{paint}{line}{PLAIN}" if colour and paint else line)
    return worse
