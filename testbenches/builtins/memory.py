"""Functions that move vectors: vloadn, vstoren, the half_ loads and stores, prefetch, shuffle and shuffle2."""

import math

from modules import Launch, Module, function, load, store
from table import ALL, VECTORS, WIDTHS
from values import DOUBLE, FLOAT, HALF, array, float_corners, integer, operands, rng, rounded, to_bits

from fractions import Fraction

GROUP = 8  # work-items of a work-group
MODES = ("", "_rte", "_rtz", "_rtp", "_rtn")

VECTOR_KERNEL = """\
__kernel void {name}(__global const {t} *a, __constant {t} *c, __global {t} *o_global, __global {t} *o_constant,
                     __global {t} *o_local, __global {t} *o_private)
{{
    __local {t} l[{group} * {n} + 1];
    {t} p[2 * {n} + 1];
    size_t i = get_global_id(0), k = get_local_id(0);
    prefetch(a + {n} * i, {n});
    {t}{n} v = vload{n}(i, a + 1);
    vstore{n}(v, i, o_global);
    vstore{n}(vload{n}(i, c), i, o_constant);
    vstore{n}(v, k, l + 1);
    vstore{n}(v, i & 1, p + 1);
    vstore{n}(vload{n}(i, c), 1 - (i & 1), p + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    vstore{n}(vload{n}(k ^ 1, l + 1), i, o_local);
    vstore{n}(vload{n}(a[i] != a[i + 1], p + 1), i, o_private);
}}
"""


def vectors(t, count):
    """Loads and stores in all address spaces, one element off the vectors' natural places."""
    module = Module(f"vectors_{t.name}", "CL1.2")
    r = rng("vectors", t.name)
    a, c = operands(t, count + 1, r), operands(t, count, r)
    module.arrays.update(a=array(t, a), c=array(t, c), o_global=array(t, a[1:]))
    a_bits = [math.nan if x != x else x for x in a]
    for n in VECTORS:
        items = count // n // GROUP * GROUP
        name = f"vectors_{t.name}{n}"
        module.text.append(VECTOR_KERNEL.format(name=name, t=t.name, n=n, group=GROUP))
        v, w = a[1:], c
        swapped, private = [], []
        for i in range(items):
            j = i ^ 1
            swapped += v[n * j:n * j + n]
            second = a_bits[i] != a_bits[i + 1]
            private += (v if second == (i & 1) else w)[n * i:n * i + n]
        launch = Launch(f"v{n}", name, items, {"a": "@a.npy", "c": "@c.npy"}, local=GROUP)
        for what, values in (("global", v[:n * items]), ("constant", w[:n * items]), ("local", swapped), ("private", private)):
            module.arrays[f"o_{what}.{n}"] = array(t, values)
            launch.output(f"o_{what}", t, f"o_{what}.{n}", n * items)
        module.launches.append(launch)
    return module


def shuffles(t, count):
    """Both shuffles from and to all numbers of elements, with masks of any bits."""
    module = Module(f"shuffle_{t.name}", "CL1.2")
    r = rng("shuffle", t.name)
    mask_type = integer("u", t.bits)
    items = count // 16
    a, b = operands(t, 16 * items, r), operands(t, 16 * items, r)
    mask = [r.getrandbits(t.bits) for _ in range(16 * items)]
    module.arrays.update(a=array(t, a), b=array(t, b), m=array(mask_type, mask))
    out = mask_type if t.kind == "f" else t
    for m in (2, 4, 8, 16):
        for n in (2, 4, 8, 16):
            name = f"shuffle_{t.name}{m}_{n}"
            lines = [f"{t.name}{m} x = {load('a', 'i', m)}, y = {load('b', 'i', m)};",
                     f"{mask_type.name}{n} pick = {load('m', 'i', n)};"]
            launch = Launch(f"from{m}_to{n}", name, items, {"a": "@a.npy", "b": "@b.npy", "m": "@m.npy"})
            for what, sources in (("shuffle", "x"), ("shuffle2", "x, y")):
                call = f"{what}({sources}, pick)"
                lines.append(store(f"as_{out.name}{n}({call})" if t.kind == "f" else call, "i", f"o_{what}", n))
                values = []
                for i in range(items):
                    pool = a[m * i:m * i + m] + (b[m * i:m * i + m] if what == "shuffle2" else [])
                    values += [pool[k % len(pool)] for k in mask[n * i:n * i + n]]
                file = f"o_{what}.{m}.{n}"
                module.arrays[file] = array(out, [to_bits(t, x) for x in values] if t.kind == "f" else values)
                launch.output(f"o_{what}", out, file, n * items)
            arguments = [f"__global const {t.name} *a", f"__global const {t.name} *b", f"__global const {mask_type.name} *m",
                         f"__global {out.name} *o_shuffle", f"__global {out.name} *o_shuffle2"]
            module.text.append(function(name, arguments, lines))
            module.launches.append(launch)
    return module


def half_loads(count):
    """vload_halfn and vloada_halfn."""
    module = Module("half_loads", "CL1.2")
    a = operands(HALF, count, rng("half_loads"))
    module.arrays["a"] = array(HALF, a)
    for n in WIDTHS:
        suffix, step = "" if n == 1 else str(n), 4 if n == 3 else n
        items = count // step
        name = f"half_loads_{n}"
        layouts = [("packed", "", n)] + ([("aligned", "a", step)] if n > 1 else [])
        arguments, lines = ["__global const half *a"], []
        launch = Launch(f"v{n}", name, items, {"a": "@a.npy"})
        for what, letter, distance in layouts:
            arguments.append(f"__global float *o_{what}")
            lines.append(store(f"vload{letter}_half{suffix}(i, a)", "i", f"o_{what}", n))
            module.arrays[f"o_{what}.{n}"] = array(FLOAT, [a[distance * i + k] for i in range(items) for k in range(n)])
            launch.output(f"o_{what}", FLOAT, f"o_{what}.{n}", n * items)
        module.text.append(function(name, arguments, lines))
        module.launches.append(launch)
    return module


def half_stores(t, count):
    """vstore_halfn and vstorea_halfn in all rounding modes."""
    module = Module(f"half_stores_{t.name}", "CL1.2")
    r = rng("half_stores", t.name)
    corners = float_corners(HALF)
    a = []
    for k in range(count):
        x = r.choice(corners) if k % 2 else operands(HALF, 1, r)[0]
        if math.isfinite(x) and r.randrange(3):
            x = rounded(t, Fraction(x) + Fraction(r.choice((-1, 1, 1)), 2 ** r.choice((11, 12, 13, 25, 26))) * Fraction(x or 2.0 ** -14))
        a.append(x if k % 7 else operands(t, 1, rng(k))[0])
    module.arrays["a"] = array(t, a)
    for n in WIDTHS:
        suffix, step = "" if n == 1 else str(n), 4 if n == 3 else n
        name = f"half_stores_{t.name}{suffix}"
        items = count // step
        launch = Launch(f"v{n}", name, items, {"a": "@a.npy"})
        arguments, lines = [f"__global const {t.name} *a"], [f"{t.name}{suffix} x = {load('a', 'i', n)};"]
        for what, distance in (("", n), ("a", step))[:1 + (n > 1)]:
            for mode in MODES:
                out = f"o{what}{mode}"
                arguments.append(f"__global half *{out}")
                lines.append(f"vstore{what}_half{suffix}{mode}(x, i, {out});")
                values = [0.0] * (distance * items)
                for i in range(items):
                    for k in range(n):
                        x = a[n * i + k]
                        values[distance * i + k] = (rounded(HALF, Fraction(x), mode[1:] or "rte")
                                                    if math.isfinite(x) and x else x)
                module.arrays[f"{out}.{n}"] = array(HALF, values)
                launch.output(out, HALF, f"{out}.{n}", len(values))
        module.text.append(function(name, arguments, lines))
        module.launches.append(launch)
    return module


def modules(count):
    """All modules of this page, as (name, function that builds it)."""
    for t in ALL:
        yield f"vectors_{t.name}", lambda t=t: vectors(t, count)
        yield f"shuffle_{t.name}", lambda t=t: shuffles(t, count)
    yield "half_loads", lambda: half_loads(count)
    for t in (FLOAT, DOUBLE):
        yield f"half_stores_{t.name}", lambda t=t: half_stores(t, count)
