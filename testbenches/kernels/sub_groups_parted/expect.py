"""Each work-item as a coroutine, by the definitions of the OpenCL extension specification.

A work-item yields what it calls, with a key that says where: the keys of calls are in the order of the program, with the numbers of
rounds of the loops around them. In each sub-group those that have come to the call with the least key have come together there.
"""

import operator

import numpy as np

from launches import work_groups

POCL = False  # PoCL 3.1 has no sub-groups

SIZE = 16


def c32(x):
    return (int(x) + 2**31) % 2**32 - 2**31


def remainder(x, y):
    return int(np.fmod(x, y))


def fold(values, combine):
    """What the values up to each one come to."""
    out = []
    for v in values:
        out.append(combine(out[-1], v) if out else v)
    return out


def add(x, y):
    return x + y if isinstance(x, np.floating) else c32(x + y)


def mul(x, y):
    return x * y if isinstance(x, np.floating) else c32(x * y)


OPERATIONS = {"add": (add, 0), "mul": (mul, 1), "min": (min, 2**31 - 1), "max": (max, -2**31), "or": (operator.or_, 0),
              "xor": (operator.xor, 0)}
FLOATS = {"add": np.float32(0), "min": np.float32(np.inf), "max": np.float32(-np.inf)}


def call(name, ids, values):
    """The results of a function for those that call it: by local id, and what they give to it."""
    kind, _, operation = name.partition(" ")
    if kind in ("reduce", "inclusive", "exclusive"):
        combine, identity = OPERATIONS[operation]
        scan = fold(values, combine)
        if isinstance(values[0], np.floating):
            identity = FLOATS.get(operation)
        return {"reduce": [scan[-1]] * len(ids), "inclusive": scan, "exclusive": [identity] + scan[:-1]}[kind]
    if kind == "cluster":
        operation, size = operation.split()
        cluster = [[v for j, v in zip(ids, values) if j // int(size) == i // int(size)] for i in ids]
        return [fold(c, OPERATIONS[operation][0])[-1] for c in cluster]
    if kind == "ballot":
        return [c32(sum(bool(v) << i for i, v in zip(ids, values)))] * len(ids)
    if kind == "elect":
        return [i == ids[0] for i in ids]
    if kind == "first":
        return [values[0]] * len(ids)
    if kind == "all":
        return [all(values)] * len(ids)
    if kind == "any":
        return [any(values)] * len(ids)
    if kind == "equal":
        return [all(v == values[0] for v in values)] * len(ids)
    assert kind == "member"  # (value, local id): of one that calls, or else the own one
    have = dict(zip(ids, values))
    return [have[j][0] if j in have else own for own, j in values]


def run(groups, program):
    """Runs the work-items of the work-groups; `program(work-item, state of the group)` makes one's coroutine."""
    for ids, number in groups:
        shared = {}
        items = [program(dict(at=int(at), me=me, n=len(ids), id=me % SIZE, sub=me // SIZE, group=number,
                              count=min(SIZE, len(ids) - me // SIZE * SIZE)), shared)
                 for me, at in enumerate(ids)]
        waiting = {}

        def go(me, value):
            try:
                waiting[me] = items[me].send(value)
            except StopIteration:
                waiting.pop(me, None)

        for me in range(len(items)):
            go(me, None)
        while waiting:
            calls = {me: w for me, w in waiting.items() if w[1] != "barrier"}
            if not calls:
                assert len(waiting) == len(items)
                for me in sorted(waiting):
                    go(me, None)
                continue
            sub = min(calls) // SIZE
            calls = {me: w for me, w in calls.items() if me // SIZE == sub}
            least = min(w[0] for w in calls.values())
            here = sorted(me for me, w in calls.items() if w[0] == least)
            assert len({calls[me][1] for me in here}) == 1
            results = call(calls[here[0]][1], [me % SIZE for me in here], [calls[me][2] for me in here])
            for me, result in zip(here, results):
                go(me, result)


def of_caller(key, x, j):
    """A call of the helper function."""
    return (key, "member", (x, j))


def branches(data, out):
    def item(w, _):
        x, o = int(data[w["at"]]), out[w["at"]]
        if w["sub"] % 2 == 1:
            o[0] = yield (0, 0), "reduce add", x
            o[1] = yield (0, 1), "member", (x, w["count"] - 1)
            o[2] = yield (0, 2), "exclusive max", x
            some = yield (0, 3), "any", x > 95
            o[3] = some + 2 * (yield (0, 4), "all", x > 5)
        if x & 1:
            o[4] = yield (1, 0), "reduce add", x
            o[5] = yield (1, 1), "elect", None
            if x % 3 == 0:
                o[6] = yield (1, 2), "ballot", x > 20
                o[7] = yield (1, 3), "exclusive mul", x
            elif w["id"] < 7:
                o[6] = yield (1, 4), "equal", x // 50
                o[7] = yield (1, 5), "first", x
        else:
            o[8] = yield (2, 0), "exclusive min", x
            o[9] = yield of_caller((2, 1), x, w["id"] ^ 2)
            o[10] = yield of_caller((2, 2), x, 3)
            o[11] = yield (2, 3), "cluster max 4", x
            o[12] = yield (2, 4), "inclusive xor", x
            every = yield (2, 5), "all", x > 10
            o[13] = every + 2 * (yield (2, 6), "any", x > 90)
        o[14] = yield (3, 0), "ballot", x > 50
        o[15] = yield (3, 1), "elect", None
    return item


def rounds(data, out):
    def item(w, _):
        x = int(data[w["at"]])
        total, k = 0, 0
        while k < (x & 7):
            if (x + k) % 3 == 0:
                total = c32(total + (yield (0, k, 0), "reduce add", x + k))
                if total & 1:
                    k += 1
                    continue
            for j in range(x >> 3 & 3):
                total ^= c32((yield (0, k, 1, j), "ballot", (x + j) & 1) << j)
            if remainder(total, 11) == 5:
                break
            total = c32(3 * total + (yield (0, k, 2), "inclusive add", 1))
            k += 1
        out[w["at"]] = total, k, (yield (1,), "reduce max", k)
    return item


def one_call(data, out):
    def item(w, _):
        x = int(data[w["at"]])
        for k in range(x % 5 + 1):
            x = c32(x + (yield (k,), "reduce min", x) + 1)
        out[w["at"]] = x
    return item


def left(data, out, n):
    def three_ways(x):
        kind = x % 5
        if kind == 0:
            return (yield (0, 0), "reduce min", x)
        if kind == 1:
            x = yield (0, 1), "reduce or", x
        if kind in (1, 2):
            x += yield (0, 2), "reduce add", 1
        if kind == 3:
            return -x
        return x + (yield (0, 3), "reduce max", x)

    def item(w, _):
        x, o = int(data[w["at"]]), out[w["at"]]
        if x % 4 == 0:
            o[0] = -1
            return
        o[0] = yield from three_ways(x)
        if w["at"] >= n:
            return
        o[1] = yield (1,), "ballot", x > 30
        if x > 70:
            return
        o[2] = yield (2,), "exclusive add", x
    return item


def effects(data, counts, lists, out):
    def item(w, shared):
        x, kept = int(data[w["at"]]), [1, 2, 3, 4, 5]
        k, slot = x % 5, 5 * ((w["at"] - w["id"]) // 16) + x % 5
        number = yield (k, 0), "exclusive add", 1
        count = bin((yield (k, 1), "ballot", 1)).count("1")
        place = 0
        if (yield (k, 2), "elect", None):
            place = int(counts[slot])
            counts[slot] += count
            shared[k] = max(shared.get(k, 0), count)
        place = (yield (k, 3), "first", place) + number
        lists[16 * slot + place] = x
        kept[x & 3] = place
        yield (9,), "barrier", None
        out[w["at"]] = shared[k] + 100 * kept[x % 4] + 10000 * kept[4]
    return item


def floats(data, out):
    def item(w, _):
        x, o = data[w["at"]], out[w["at"]]
        if x < np.float32(0.5):
            for k, name in enumerate(["reduce add", "reduce min", "reduce max", "inclusive add", "inclusive mul", "exclusive add",
                                      "exclusive min", "exclusive max", "cluster add 8"]):
                o[k] = yield (k,), name, -x if k in (0, 5) else x
    return item


def wide(data, out):
    def item(w, _):
        x = data[w["at"]]
        out[w["at"]] = (yield (0,), "first", x) if x[0] & 1 else x
    return item


def beside_barriers(ways, data, out, group_count):
    def item(w, shared):
        x = int(data[w["at"]])
        if ways[w["group"]] > 0:
            shared[w["me"]] = x
            if x & 1:
                x = yield (0,), "reduce add", x
            yield (1,), "barrier", None
            x = c32(x + shared[w["n"] - 1 - w["me"]])
            shared.setdefault("all", []).append(x)
            yield (2,), "barrier", None
            x = c32(x + max(shared["all"]))
            x = c32(x + (yield (3,), "reduce add", x))
        out[w["at"]] = ways[group_count + w["at"]] = x
    return item


def expected(launch, args):
    written = ["out"] + {"effects": ["counts", "lists"], "beside_barriers": ["ways"]}.get(launch.kernel, [])
    have = {name: args[name].copy() for name in written}
    data, out = args["in"], have["out"]
    groups = [(ids, group[0]) for ids, _, group in work_groups(launch)]
    program = {
        "branches": lambda: branches(data, out),
        "rounds": lambda: rounds(data, out),
        "one_call": lambda: one_call(data, out),
        "left": lambda: left(data, out, int(args["n"].texts[0])),
        "effects": lambda: effects(data, have["counts"], have["lists"], out),
        "floats": lambda: floats(data, out),
        "wide": lambda: wide(data, out),
        "beside_barriers": lambda: beside_barriers(have["ways"], data, out, len(groups)),
    }[launch.kernel]()
    run(groups, program)
    return have
