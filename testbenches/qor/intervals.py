"""Whether loops whose iterations overlap have the shortest interval that there is.

The schedule's text (`clhls build --emit schedule`) says what a loop computes, what each operation takes, and which values the next iteration
needs. That is given to z3 with an interval that is one cycle shorter: operations may start in any cycle and any order that their operands allow, may follow one
another in a cycle while they fit the clock, and what an iteration computes stands in a register a cycle before the next one reads it. No
solution: the loop cannot be faster. Nothing of the scheduler is used but these facts; conditions are left out where that makes no difference to the proof
(other segments, multiplexers of shared instances), so that a proof holds with them, too.
"""

import dataclasses
import re
import subprocess

import common
from common import Failed
from goals import Goal

BOARDS = ("ulx3s", "u250")

SCHEDULE = re.compile(r'^schedule "(?P<name>.*)" period (?P<period>\S+) overhead (?P<overhead>\S+)')
LOOP = re.compile(r'^loop (?P<block>b\d+) (?P<kind>\w+) ii (?P<ii>\d+) latency (?P<latency>\d+) .*?"(?P<reason>.*)"$')
FEEDBACK = re.compile(r"^feedback (?P<block>b\d+) (?P<param>v\d+) (?P<next>v\d+) segment (?P<segment>\d+) .*?(?: distance (?P<distance>\d+))?$")
BLOCK = re.compile(r"^(?P<block>b\d+)(?:\((?P<params>.*)\))?:")
# A place: segment, cycle, when loop-carried operands stand, and a delay in ns or latency and delays at both ends.
PLACED = re.compile(r"^  \[s(?P<segment>\d+)@\d+(?: (?:(?P<entry>[\d.]+)>)?(?P<timing>[\d.:]*))?[^\]]*\]\s+(?P<rest>.*)$")
RESULT = re.compile(r"^(?P<value>v\d+):\S+ = (?P<what>.*)$")
VALUE = re.compile(r"\bv\d+\b")


@dataclasses.dataclass
class Operation:
    """An operation of a segment: cycles and ns."""

    segment: int
    operands: list
    entry: float     # loop-carried operands stand so late in the cycle
    latency: int     # 0: combinational
    before: float    # delay, or that in front of the first register
    behind: float    # behind the last register


@dataclasses.dataclass
class Loop:
    """A loop of a schedule."""

    kernel: str
    block: str
    kind: str
    ii: int
    reason: str
    clock: float                                   # ns that operations of a cycle have
    operations: dict = dataclasses.field(default_factory=dict)  # by their results
    carried: dict = dataclasses.field(default_factory=dict)     # parameter: (next value, iterations, cycles from one to the other)

    def origin(self, param):
        """The value that a parameter is, and how many iterations and cycles before: parameters may take over from others."""
        value, iterations, cycles = self.carried[param]
        seen = {param}
        while value in self.carried and value not in seen:
            seen.add(value)
            value, more, _ = self.carried[value]
            iterations += more
        return value, iterations, cycles


def read(text):
    """The loops of the schedules in a text."""
    loops, at, kernel = [], None, {}
    for line in text.splitlines():
        if m := SCHEDULE.match(line):
            name, clock, kernel, inside = m["name"], float(m["period"]) - float(m["overhead"]), {}, False
        elif m := LOOP.match(line):
            kernel[m["block"]] = Loop(name, m["block"], m["kind"], int(m["ii"]), m["reason"], clock)
            loops.append(kernel[m["block"]])
        elif m := FEEDBACK.match(line):
            distance = int(m["distance"] or 1)
            kernel[m["block"]].carried[m["param"]] = (m["next"], distance, 1 if distance == 1 else 2)
        elif line.startswith("kernel "):
            inside = True
        elif line.startswith("}"):
            inside, at = False, None
        elif inside and (m := BLOCK.match(line)):
            at = kernel.get(m["block"])
        elif inside and at and (m := PLACED.match(line)) and (r := RESULT.match(m["rest"])):
            timing = [float(x) for x in (m["timing"] or "0").split(":")]
            latency, before, behind = (0, timing[0], 0.0) if len(timing) == 1 else (int(timing[0]), timing[1], timing[2])
            operands = VALUE.findall(r["what"].split(" after ")[0])
            at.operations[r["value"]] = Operation(int(m["segment"]), operands, float(m["entry"] or 0), latency, before, behind)
    return loops


def recurrent(loop):
    """The operations whose results come back to them."""
    users = {}
    for value, operation in loop.operations.items():
        for operand in operation.operands:
            source = loop.origin(operand)[0] if operand in loop.carried else operand
            users.setdefault(source, []).append(value)

    def reached(start):
        found, todo = set(), list(users.get(start, []))
        while todo:
            value = todo.pop()
            if value not in found:
                found.add(value)
                todo += users.get(value, [])
        return found

    return {value for value in loop.operations if value in reached(value)}


def problem(loop, interval):
    """The rules of a loop's recurrences for an interval, as SMT-LIB."""
    inside = recurrent(loop)
    text = ["(set-logic QF_LIRA)"]
    for value in sorted(inside):
        text += [f"(declare-const c_{value} Int)", f"(declare-const s_{value} Real)", f"(assert (>= c_{value} 0))"]
    for value in sorted(inside):
        op = loop.operations[value]
        carried = any(operand in loop.carried for operand in op.operands)
        earliest = op.entry if carried else 0.0
        text.append(f"(assert (>= s_{value} {earliest:.6f}))")
        # What does not fit a cycle by itself has one for itself.
        text.append(f"(assert (<= s_{value} {max(loop.clock - op.before, earliest):.6f}))")
        for operand in op.operands:
            if operand in loop.carried:
                source, iterations, cycles = loop.origin(operand)
                if source in inside:
                    ready = f"(+ c_{source} {loop.operations[source].latency + cycles})"
                    text.append(f"(assert (<= {ready} (+ c_{value} {iterations * interval})))")
            elif operand in inside:
                source = loop.operations[operand]
                ready = f"(+ c_{operand} {source.latency})"
                stands = f"{source.behind:.6f}" if source.latency else f"(+ s_{operand} {source.before:.6f})"
                same = f"(and (= c_{value} {ready}) (>= s_{value} {stands}))"
                text.append(f"(assert (or (> c_{value} {ready}) {same}))")
    text.append("(check-sat)")
    return "\n".join(text) + "\n"


def solvable(loop, interval):
    """Whether there is a schedule of the recurrences with this interval: true, false, or none if z3 does not know."""
    done = subprocess.run(["z3", "-in"], input=problem(loop, interval), capture_output=True, text=True, check=False)
    return {"sat": True, "unsat": False}.get(done.stdout.strip())


# What limits a loop, as its reason says. Loops of several blocks have no overlapping iterations of one work-item.
KINDS = (("recurrence", "the recurrence of"), ("memory", "depends on a memory access"), ("memory", "from a memory access"),
         ("order", "touch the same bytes"), ("order", "each iteration waits"), ("steps", "loop of steps"), ("port", "the memory port"),
         ("condition", "the exit condition takes"), ("shared", "share an instance"))


def verdict(loop):
    """What is known of a loop's interval: `one`, `least`, `threaded`, or, where the proof fails, what limits it."""
    if loop.kind != "pipelined":
        return "threaded"
    if loop.ii == 1:
        return "one"
    if solvable(loop, loop.ii) is False:
        raise Failed(f"{loop.kernel}, loop {loop.block}: the interval {loop.ii} is too short for the model")
    if solvable(loop, loop.ii - 1) is False:
        return "least"
    return next((kind for kind, words in KINDS if words in loop.reason), "other")


def stage(clhls, kernels, known):
    """By board and kernel: how many loops of each verdict, and those that are neither one cycle nor proved to be least. `known` is of
    kernels that are not asked for."""
    found = {board: dict(known.get(board, {})) for board in BOARDS}
    progress = common.Progress("intervals", len(kernels))
    for kernel in kernels:
        progress.begin(kernel.name)
        for board in BOARDS:
            text = common.OUT / "intervals.txt"
            local = ["--local-bytes", kernel.local_bytes]
            common.run([clhls, "--quiet", "build", kernel.module, "--board", board, "--emit", "schedule", "-o", text,
                        "--sub-group-size", kernel.sub_group_size, *local])
            count, others = {}, []
            for loop in read(text.read_text()):
                kind = verdict(loop)
                count[kind] = count.get(kind, 0) + 1
                if kind not in ("one", "threaded", "least"):
                    others.append([loop.kernel, loop.block, loop.ii, kind, loop.reason])
            found[board][kernel.name] = {"count": count, "others": others}
        progress.end(", ".join(f"{n} {kind}" for kind, n in sorted(found[BOARDS[0]][kernel.name]["count"].items())) or "no loops")
    return found


def counts(found, board):
    total = {}
    for row in found[board].values():
        for kind, n in row["count"].items():
            total[kind] = total.get(kind, 0) + n
    return total


def judge(found):
    """The goal of each board: what values and conditions limit has the least interval."""
    for board in BOARDS if found else ():
        total = counts(found, board)
        missed = sum(total.get(kind, 0) for kind in ("recurrence", "condition", "shared", "other"))
        text = f"{total.get('least', 0)} proved to be least, {missed} not; {total.get('one', 0)} have one iteration a cycle"
        yield Goal(f"intervals of overlapping iterations, {board}", "the least", text, not missed)


def page(found):
    """Lines for speed.md."""
    lines = ["| board | kernel | loop | II | what limits it |", "|---|---|---|---|---|"]
    for board in BOARDS if found else ():
        for name, row in sorted(found[board].items()):
            lines += [f"| {board} | {name} | {kernel}, {block} | {ii} | {reason} |" for kernel, block, ii, _, reason in row["others"]]
    return "\n".join(lines)
