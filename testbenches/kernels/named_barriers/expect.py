"""Each sub-group as a coroutine, by the definition of OpMemoryNamedBarrier: who calls waits for as many sub-groups as the barrier is of.

A sub-group yields where it waits: a named barrier, or None for a barrier of the work-group. Which one goes on first does not
matter: each launch is computed in several orders.
"""

import random

import numpy as np

from launches import work_groups

POCL = False  # nothing but SPIR-V says it

ORDERS = 4


class Barrier:
    def __init__(self, count):
        self.count = count
        self.waiting = []


def run(program, subs, rng):
    """Lets the sub-groups of a work-group go on until all are over."""
    running, at_barrier, over = [program(k) for k in range(subs)], [], 0
    while over < subs:
        if len(at_barrier) == subs:
            running, at_barrier = at_barrier, []
        if not running:
            raise RuntimeError("sub-groups wait for ever")
        one = running.pop(rng.randrange(len(running)))
        try:
            place = next(one)
        except StopIteration:
            over += 1
            continue
        if place is None:
            at_barrier.append(one)
            continue
        place.waiting.append(one)
        if len(place.waiting) == place.count:
            running += place.waiting
            place.waiting.clear()


def members(n, size):
    """Local ids of each sub-group."""
    return [np.arange(k, min(k + size, n)) for k in range(0, n, size)]


def swapped(me, size, n):
    return np.where(me ^ size < n, me ^ size, me)


def hand_on(x, size, pair, mem):
    """`pair`: the numbers of rounds. The result is in `x`."""
    n, groups = len(x), members(len(x), size)
    subs = len(groups)
    full, empty, both = Barrier(min(subs, 2)), Barrier(min(subs, 2)), Barrier(2 if subs > 3 else 1)

    def first(me, ids):
        for r in range(pair[0]):
            mem[ids] = x[me] + np.uint32(r)
            yield full
            yield empty
            x[me] = 3 * x[me] + mem[ids]

    def second(me, ids):
        for _ in range(pair[0]):
            yield full
            x[me] = 5 * x[me] + mem[size - 1 - ids]
            mem[ids] = x[me]
            yield empty

    def others(me):
        for r in range(pair[1]):
            mem[me] = x[me] + np.uint32(r)
            yield both
            x[me] = 7 * x[me] + mem[swapped(me, size, n)]
            yield both

    def program(sub):
        me = groups[sub]
        if sub == 0:
            yield from first(me, me % size)
        elif sub == 1:
            yield from second(me, me % size)
        elif sub < 4:
            yield from others(me)
        else:
            x[me] = 0 - x[me]
    return program, subs


def places(x, size, mem):
    n, groups = len(x), members(len(x), size)
    subs = len(groups)
    two, everybody = Barrier(2 if subs > 2 else 1), Barrier(subs)
    parity = [Barrier((subs + 1) // 2), Barrier(subs // 2)]
    pair = Barrier(1 if subs % 2 else 2)

    def program(sub):
        me = groups[sub]
        ids = me % size
        if sub == 0:
            mem[ids] = x[me]
            yield two
        odd = me[x[me] % 2 == 1]
        x[odd] += x[odd].sum(dtype=np.uint32)
        if sub == 2:
            yield two
            x[me] += mem[ids]
        yield everybody
        mem[me] = x[me]
        yield parity[sub % 2]
        x[me] = 7 * x[me] + mem[np.where(me + 2 * size < n, me + 2 * size, me)]
        yield pair
        x[me] += np.uint32(1)
        yield everybody
        if sub + 1 < subs:
            x[me] ^= np.uint32(0x55)
        yield everybody
        mem[me] = x[me]
        yield None
        x[me] += mem[n - 1 - me]
    return program, subs


def beside(x, size, mem, work, rounds):
    n, groups = len(x), members(len(x), size)
    subs = len(groups)
    first = Barrier(min(subs, 2))
    sums = []

    def program(sub):
        me = groups[sub]
        for k in range(rounds):
            if sub < 2:
                work[me] = x[me] + np.uint32(k)
                yield first
                x[me] = 3 * x[me] + work[swapped(me, size, n)]
                yield first
                some = me[x[me] & 2 == 2]
                if len(some) > 0:
                    x[some] += (x[some] & 1023).max()
            else:
                for _ in range((sub & 3) + k):
                    x[me] = 5 * x[me] + (x[me] & 255).sum(dtype=np.uint32)
            if k == 1:
                mem[me] = x[me]
                yield None
                x[me] += mem[n - 1 - me]
                yield None
            if sub == 3 and k == 2:
                x[me] += np.uint32(9)
        sums.append(x[me].sum(dtype=np.uint32))
        yield None
        x[me] += np.array(sums).sum(dtype=np.uint32)
    return program, subs


def once(launch, args, rng):
    size, groups = launch.sub_group_size, list(work_groups(launch))
    written = ["out"] + (["work"] if "work" in args else [])
    have = {name: args[name].copy() for name in written}
    for ids, _, group in groups:
        x, mem = args["in"][ids].copy(), np.zeros(2 * len(ids) + size, np.uint32)
        if launch.kernel == "hand_on":
            pair = args["work"][2 * group[0]:2 * group[0] + 2]
            run(*hand_on(x, size, [int(n) for n in pair], mem), rng)
            have["work"][2 * len(groups) + ids] = x + np.uint32(1)
        elif launch.kernel == "places":
            run(*places(x, size, mem), rng)
        else:
            work = have["work"][ids]
            run(*beside(x, size, mem, work, int(args["rounds"].texts[0])), rng)
            have["work"][ids] = work
        have["out"][ids] = x
    return have


def expected(launch, args):
    results = [once(launch, args, random.Random(seed)) for seed in range(ORDERS)]
    for other in results[1:]:
        for name, array in results[0].items():
            assert (array == other[name]).all(), f"{launch.name}: {name} depends on the order"
    return results[0]
