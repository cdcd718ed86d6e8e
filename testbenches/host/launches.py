"""The VALUE grammar and launch files of docs/launches.md, in Python.

Used by testbenches/kernels/expect to compute expected results on an OpenCL
implementation that is not ours. The Rust implementation follows the same page
and shares no code with this one.
"""

import hashlib
import itertools
import pathlib
import re
import tomllib
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

DTYPES = {
    "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16,
    "i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64,
    "f16": np.float16, "f32": np.float32, "f64": np.float64,
}
TYPE_NAMES = {np.dtype(v): k for k, v in DTYPES.items()}

BUFFER = re.compile(r"^(zeros|fill|iota|rand|data):([a-z]+[0-9]+)\[([0-9,]+)\](?::(.*))?$")


class LaunchError(ValueError):
    """A VALUE or launch file that does not follow docs/launches.md."""


@dataclass(frozen=True)
class LocalMemory:
    """`local:BYTES`: the size of a __local pointer argument."""

    size: int


@dataclass(frozen=True)
class RawBytes:
    """`bytes:HEX`: a buffer of u8, or the bytes of an argument by value."""

    data: bytes


@dataclass(frozen=True)
class Numbers:
    """A scalar or vector argument by value: its component texts."""

    texts: tuple


@dataclass(frozen=True)
class ImageValue:
    """`image:ORDER:TYPE:VALUE;VALUE...`: texels and their format; of mip levels behind the first None, where they are zeros."""

    order: str
    data_type: str
    texels: np.ndarray
    mips: tuple = ()


@dataclass(frozen=True)
class Sampler:
    """`sampler:...`"""

    normalized: bool
    mode: str
    filter: str
    mip_filter: str = "nearest"
    lods: tuple = (Fraction(0), None)  # the least and the largest level of detail; None: no limit


@dataclass(frozen=True)
class Queue:
    """`queue`: the default queue on the device; `queue:none`: no queue."""

    exists: bool


@dataclass(frozen=True)
class PipeValue:
    """`pipe:CAPACITY:VALUE`, or `pipe:NAME` of a launch file: the packets in it, the oldest first."""

    capacity: int
    packets: np.ndarray
    name: str = ""


@dataclass
class Launch:
    """One [[launch]] of a launch file."""

    name: str
    kernel: str
    global_size: tuple
    local_size: tuple | None
    offset: tuple | None
    args: dict
    expect: dict = field(default_factory=dict)
    origin: str = ""
    any_order: tuple = ()  # pipes whose packets may come in any order
    follows: str = ""  # the launch that leaves its pipes for this one
    ulp: int | dict = 0  # by which floats may differ from what is expected; by buffer, if it is a dict
    sub_group_size: int = 16  # the file's


@dataclass
class LaunchFile:
    """A launches.toml, parsed; `path` is the file."""

    path: pathlib.Path
    cl_std: str
    options: list
    local_bytes: dict
    launches: list
    pipes: dict = field(default_factory=dict)  # CAPACITY:VALUE by name


def splitmix64(seed, count):
    """The first `count` outputs of splitmix64 started at `seed`, as uint64."""
    with np.errstate(over="ignore"):
        i = np.arange(1, count + 1, dtype=np.uint64)
        z = np.uint64(seed) + i * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def number(text, dtype):
    """The number `text` as a scalar of `dtype`, rounded once for floats."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return _float_number(text, dtype)
    try:
        value = int(text, 16) if text.lower().startswith("0x") else int(text, 10)
    except ValueError:
        raise LaunchError(f"'{text}' is not an integer") from None
    bits = 8 * dtype.itemsize
    if not -(1 << (bits - 1)) <= value < (1 << bits):
        raise LaunchError(f"{text} does not fit {TYPE_NAMES[dtype]}")
    return np.frombuffer((value % (1 << bits)).to_bytes(dtype.itemsize, "little"), dtype)[0]


def _float_number(text, dtype):
    if text.lower().startswith("0x"):
        text = str(int(text, 16))
    try:
        double = float(text)
    except ValueError:
        raise LaunchError(f"'{text}' is not a number") from None
    if dtype == np.float64 or not np.isfinite(double):
        return dtype.type(double)
    with np.errstate(over="ignore"):
        near = dtype.type(double)
    if not np.isfinite(near):
        return near
    # The conversion above rounded twice; that matters only if the double lies half way.
    exact, first = Fraction(text), Fraction(double)
    if exact != first:
        other = np.nextafter(near, dtype.type(np.inf if exact > Fraction(float(near)) else -np.inf))
        if np.isfinite(other) and Fraction(float(near)) + Fraction(float(other)) == 2 * first:
            low, high = sorted((near, other))
            return high if exact > first else low
    return near


def random_elements(dtype, count, seed, how):
    """`count` elements of rand:T[..]:seed with the range text `how` (or None)."""
    dtype = np.dtype(dtype)
    h = splitmix64(seed, count)
    if how == "bits" or (how is None and dtype.kind != "f"):
        return h.astype(f"<u{dtype.itemsize}").view(dtype)
    if how is None:
        drop, half = {2: (53, 2**10), 4: (40, 2**23), 8: (11, 2**52)}[dtype.itemsize]
        return (((h >> np.uint64(drop)).astype(np.int64) - half) / half).astype(dtype)
    parts = how.split("..")
    if len(parts) != 2:
        raise LaunchError(f"'{how}' is not LO..HI")
    if dtype.kind == "f":
        low, high = float(parts[0]), float(parts[1])
        u = (h >> np.uint64(11)).astype(np.float64) / 2.0**53
        return (low + u * (high - low)).astype(dtype)
    low, high = int(parts[0]), int(parts[1])
    if low >= high:
        raise LaunchError(f"the range {how} is empty")
    number(str(low), dtype)
    number(str(high - 1), dtype)
    mask = (1 << (8 * dtype.itemsize)) - 1
    values = [(low + ((int(x) * (high - low)) >> 64)) & mask for x in h]
    return np.array(values, dtype=f"<u{dtype.itemsize}").view(dtype)


def parse(text, folder=".", pipes=None):
    """The value of a VALUE text: ndarray (buffer), RawBytes, LocalMemory, ImageValue, PipeValue, Sampler, Queue or Numbers. `pipes`
    are those of the launch file."""
    if text.startswith("@"):
        return np.load(pathlib.Path(folder) / text[1:], allow_pickle=False)
    if text.startswith("local:"):
        return LocalMemory(int(text[6:]))
    if text.startswith("bytes:"):
        return RawBytes(bytes.fromhex(text[6:]))
    if text.startswith("image:"):
        _, order, data_type, levels = text.split(":", 3)
        texels, *mips = (parse(level, folder) if level else None for level in levels.split(";"))
        return ImageValue(order, data_type, texels, tuple(mips))
    if text.startswith("pipe:"):
        name = text[5:] if text.count(":") == 1 else ""
        capacity, packets = (pipes[name] if name else text[5:]).split(":", 1)
        return PipeValue(int(capacity), parse(packets, folder), name)
    if text in ("queue", "queue:none"):
        return Queue(text == "queue")
    if text.startswith("sampler:"):
        normalized, mode, how, *mips = text[8:].split(",")
        sampler = Sampler(normalized == "normalized", mode, how)
        if mips:
            limits = tuple(Fraction(x) for x in mips[1].split("..")) if len(mips) > 1 else sampler.lods
            sampler = Sampler(sampler.normalized, mode, how, mips[0].removeprefix("mip_"), limits)
        return sampler
    match = BUFFER.match(text)
    if match is None:
        if ":" in text:
            raise LaunchError(f"'{text}' is not a VALUE")
        return Numbers(tuple(text.split(",")))
    kind, type_name, shape, rest = match.groups()
    if type_name not in DTYPES:
        raise LaunchError(f"unknown element type '{type_name}' in '{text}'")
    return _buffer(kind, np.dtype(DTYPES[type_name]), tuple(int(s) for s in shape.split(",")), rest, text)


def _buffer(kind, dtype, shape, rest, text):
    count = int(np.prod(shape, dtype=np.int64))
    if (rest is None) != (kind in ("zeros", "iota")):
        raise LaunchError(f"'{text}' is not a VALUE")
    if kind == "zeros":
        flat = np.zeros(count, dtype)
    elif kind == "fill":
        flat = np.full(count, number(rest, dtype), dtype)
    elif kind == "iota":
        flat = np.arange(count, dtype=np.int64).astype(dtype)
    elif kind == "data":
        items = rest.split(",")
        if len(items) != count:
            raise LaunchError(f"{len(items)} numbers for {count} elements in '{text}'")
        flat = np.array([number(item, dtype) for item in items], dtype)
    else:
        seed, _, how = rest.partition(":")
        flat = random_elements(dtype, count, int(seed), how or None)
    return flat.reshape(shape)


def load(path):
    """Reads a launches.toml."""
    path = pathlib.Path(path)
    with open(path, "rb") as file:
        doc = tomllib.load(file)
    launches = []
    for item in doc.get("launch", []):
        launches.append(Launch(
            name=item["name"], kernel=item["kernel"], global_size=tuple(item["global"]),
            local_size=tuple(item["local"]) if "local" in item else None,
            offset=tuple(item["offset"]) if "offset" in item else None,
            args=dict(item["args"]), expect=dict(item.get("expect", {})), origin=item.get("origin", ""),
            any_order=tuple(item.get("any_order", ())), follows=item.get("follows", item.get("beside", "")),
            ulp=item.get("ulp", 0), sub_group_size=doc.get("sub_group_size", 16)))
    names = [launch.name for launch in launches]
    if len(set(names)) != len(names):
        raise LaunchError(f"{path}: launch names are not unique")
    return LaunchFile(path, doc.get("cl_std", "CL1.2"), doc.get("options", "").split(),
                      doc.get("local_bytes", {}), launches, doc.get("pipes", {}))


def work_groups(launch):
    """(linear global ids of the work-items by local linear id, local size, id) of each work-group; remainder groups are smaller."""
    size, local = ((*(n or ()), 1, 1, 1)[:3] for n in (launch.global_size, launch.local_size))
    counts = [-(-s // n) for s, n in zip(size, local)]
    for group in itertools.product(*(range(n) for n in reversed(counts))):
        first = [g * n for g, n in zip(group[::-1], local)]
        actual = [min(n, s - f) for f, n, s in zip(first, local, size)]
        ids = [((first[2] + z) * size[1] + first[1] + y) * size[0] + first[0] + x
               for z, y, x in itertools.product(*(range(n) for n in reversed(actual)))]
        yield np.array(ids), actual, group[::-1]


def equal(a, b, ulp=0, signed_zeros=True):
    """Where elements are equal bit by bit; NaNs are equal to one another, finite floats up to `ulp` units in the last place
    apart, and, if so wanted, zeros of either sign."""
    bits = f"u{a.dtype.itemsize}"
    equal = np.ascontiguousarray(a).view(bits) == np.ascontiguousarray(b).view(bits)
    if a.dtype.kind == "f":
        equal |= np.isnan(a) & np.isnan(b)
        apart = np.abs(ordered(a) - ordered(b))  # 0 and not equal: zeros of different sign
        equal |= np.isfinite(a) & np.isfinite(b) & (apart > (0 if signed_zeros else -1)) & (apart <= ulp)
    return equal


def same(a, b, ulp=0, signed_zeros=True):
    """Whether arrays are of one type and shape, and their elements equal."""
    return a.dtype == b.dtype and a.shape == b.shape and bool(equal(a, b, ulp, signed_zeros).all())


def first_difference(got, want, ulp=0, signed_zeros=False):
    """Which elements are not equal, for people."""
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype}{got.shape}, expected {want.dtype}{want.shape}"
    wrong = np.flatnonzero(~equal(got, want, ulp, signed_zeros))
    k = wrong[0]
    return f"{len(wrong)} of {got.size} elements, first at {k}: got {got.flat[k]!r}, expected {want.flat[k]!r}"


def ordered(array):
    """Floats as integers that count the floats from 0 to each."""
    bits = np.ascontiguousarray(array).view(f"i{array.dtype.itemsize}").astype(np.int64)
    sign = np.int64(1) << (8 * array.dtype.itemsize - 1)
    return np.where(bits < 0, -(bits & (sign - 1)), bits)


def in_order(packets):
    """The packets of a pipe in an order of their own."""
    flat = np.ascontiguousarray(packets).reshape(len(packets), -1)
    return packets if not flat.size else packets[np.lexsort(flat.T[::-1])]


def meets(array, expectation, folder, ulp=0, any_order=False):
    """Whether `array` is what the text of an `expect` entry says; with `any_order` its rows may come in any order."""
    if any_order:
        return same(in_order(array), in_order(parse(expectation, folder)), ulp)
    if expectation.startswith("sha256:"):
        return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest() == expectation[7:]
    return same(array, parse(expectation, folder), ulp)
