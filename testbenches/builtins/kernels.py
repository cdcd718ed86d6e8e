"""OpenCL C kernels, launches and expected results of the families of table.py."""

import itertools

import floats
import inputs
import integers
from modules import Launch, Module, load, store
from modules import function as text
from table import RESULTS
from values import BY_NAME, array, integer, to_bits

INT = BY_NAME["int"]
LETTERS = "abcd"


def vector(t, width):
    return t.name if width == 1 else f"{t.name}{width}"


def result_type(family, function, t):
    kind = RESULTS.get(function, "g") if family.result == "mixed" else family.result
    if family.raw and t.kind == "f":
        return integer("u", t.bits)
    return {"g": t, "S": t, "i": INT, "n": INT, "u": integer("u", t.bits), "b": integer("i", t.bits),
            "w": integer(t.kind, 2 * t.bits) if t.kind != "f" and t.bits < 64 else None}[kind]


def second_type(family, t):
    """The type behind the pointer operand, if there is one."""
    return {">g": t, ">i": INT}.get(family.args.split()[-1])


def per_vector(family):
    """Whether there is one result for each vector, not for each element."""
    return family.result in ("S", "n")


def kernel(family, functions, t, width, name):
    """The text of one kernel."""
    kinds = [a for a in family.args.split() if not a.startswith(">")]
    types = inputs.kinds(t, family.args)
    second = second_type(family, t)
    arguments = [f"__global const {ty.name} *{LETTERS[k]}" for k, ty in enumerate(types)]
    lines, names = [], []
    for k, (kind, ty) in enumerate(zip(kinds, types)):
        if kind in "sk" and width > 1:
            lines.append(f"{ty.name} {LETTERS[k]}_ = {LETTERS[k]}[{width} * i];")
        else:
            lines.append(f"{vector(ty, width)} {LETTERS[k]}_ = {load(LETTERS[k], 'i', width)};")
        names.append(f"{LETTERS[k]}_")
    for function in functions:
        out = result_type(family, function, t)
        arguments.append(f"__global {out.name} *o_{function}")
        call = f"{function}({', '.join(names + (['&second'] if second else []))})"
        if family.raw and t.kind == "f":
            call = f"as_{vector(out, width)}({call})"
        lanes = 1 if per_vector(family) else width
        if second:
            arguments.append(f"__global {second.name} *p_{function}")
            body = f"{vector(second, width)} second; {vector(out, width)} first = {call}; "
            lines.append("{ " + body + store("first", "i", f"o_{function}", width) + " "
                         + store("second", "i", f"p_{function}", width) + " }")
        else:
            lines.append(store(call, "i", f"o_{function}", lanes))
    return text(name, arguments, lines)


def reference(family, function, t):
    """The function that computes one element, or one whole vector (then it takes lists)."""
    if t.kind == "f" and function in ("dot", "length", "distance", "normalize", "cross", "fast_length", "fast_distance",
                                      "fast_normalize"):
        return getattr(floats, function.removeprefix("fast_"))
    if function == "select":
        return None
    if family.raw and t.kind == "f":
        f, u = integers.FUNCTIONS[function], integer("u", t.bits)
        return lambda _, *xs: f(u, *(to_bits(t, x) for x in xs))
    return integers.FUNCTIONS.get(function) if t.kind != "f" else floats.of(function)


def top_bit(t, x):
    return x >> (t.bits - 1) & 1


def expected(family, function, t, width, columns):
    """(results, second results or None) of all elements."""
    count = len(columns[0])
    kinds = [a for a in family.args.split() if not a.startswith(">")]
    columns = [[column[k - k % width] for k in range(count)] if kind in "sk" else column
               for kind, column in zip(kinds, columns)]
    if function == "select":
        condition = inputs.kinds(t, family.args)[2]
        chosen = (b if (c != 0 if width == 1 else top_bit(condition, c)) else a for a, b, c in zip(*columns))
        return [to_bits(t, x) if t.kind == "f" else x for x in chosen], None
    if function in ("any", "all"):
        tops = [top_bit(t, x) for x in columns[0]]
        of = {"any": any, "all": all}[function]
        return [int(of(tops[k:k + width])) for k in range(0, count, width)], None
    f = reference(family, function, t)
    if per_vector(family):
        return [f(t, *(c[k:k + width] for c in columns)) for k in range(0, count, width)], None
    if family.name in ("normalize", "cross", "fast_normalize"):
        vectors = (f(t, *(c[k:k + width] for c in columns)) for k in range(0, count, width))
        return list(itertools.chain.from_iterable(vectors)), None
    results = [f(t, *xs) for xs in zip(*columns)]
    if second_type(family, t):
        return [x[0] for x in results], [x[1] for x in results]
    if family.result == "b":
        return [int(x) if width == 1 else -int(x) for x in results], None
    return results, None


def depends_on_width(family, width):
    """What the results depend on besides the operands: one set of expectations is made for each."""
    if per_vector(family) or family.name in ("normalize", "cross", "fast_normalize"):
        return width
    if any(k in "sk" for k in family.args.split()):
        return width
    return 1 if width == 1 and (family.result == "b" or family.name.startswith("select")) else 0


def build(family, t, functions, count):
    """The module of a family at an element type."""
    module = Module(f"{family.name}_{t.name}", family.std)
    columns = inputs.choose(family, t, count)
    types = inputs.kinds(t, family.args)
    for letter, ty, column in zip(LETTERS, types, columns):
        module.arrays[letter] = array(ty, column)
    known = {}
    for width in family.widths:
        name = f"{family.name}_{vector(t, width)}"
        module.text.append(kernel(family, functions, t, width, name))
        launch = Launch(f"v{width}", name, count // width)
        for letter, ty in zip(LETTERS, types):
            launch.args[letter] = f"@{letter}.npy"
        for function in functions:
            key = depends_on_width(family, width)
            if (function, key) not in known:
                known[function, key] = expected(family, function, t, width, columns)
            outs = (("o", result_type(family, function, t)), ("p", second_type(family, t)))
            for (letter, ty), results in zip(outs, known[function, key]):
                if results is None:
                    continue
                file = f"{letter}_{function}" + (f".{key}" if key else "")
                if file not in module.arrays:
                    module.arrays[file] = array(ty, results)
                launch.output(f"{letter}_{function}", ty, file, len(results), family.bound(function, t))
        module.launches.append(launch)
    return module
