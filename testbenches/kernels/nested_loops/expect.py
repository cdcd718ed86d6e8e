"""Triples by brute force, ranks by fractions of a field, the last kernel by hand."""

import itertools

import numpy as np


def expected(launch, args):
    if launch.kernel == "triples":
        rows = [triples(int(n)) for n in args["limit"]]
        return {"count": np.array([r[0] for r in rows], np.uint32), "sum": np.array([r[1] for r in rows], np.uint32)}
    if launch.kernel == "rank_modulo":
        prime = int(args["prime"].texts[0])
        return {"rank": np.array([rank(m.astype(int) % prime, prime) for m in args["matrix"]], np.int32)}
    return {"out": np.array([shrinking(int(x)) for x in args["in"]], np.int32)}


def triples(n):
    found = [a * b * c for a, b, c in itertools.combinations(range(1, n + 1), 3) if a % 4 != 2 and a * a + b * b == c * c]
    return len(found[:10]), sum(found[:10])


def rank(m, prime):
    done = 0
    for c in range(len(m)):
        pivots = [r for r in range(done, len(m)) if m[r, c]]
        if not pivots:
            continue
        m[[done, pivots[0]]] = m[[pivots[0], done]]
        m[done] = m[done] * pow(int(m[done, c]), -1, prime) % prime
        for r in range(len(m)):
            if r != done:
                m[r] = (m[r] - m[r, c] * m[done]) % prime
        done += 1
    return done


def shrinking(x):
    end, total, rounds, k = x & 63, 0, 0, 0
    while k < end:
        v = k
        while v:
            total, v, rounds = total + (v & 3), v >> 1, rounds + 1
        if total & 7 == 5:
            end -= 2
        elif total & 7 == 3:
            k += 1
        k += 1
    return total, rounds
