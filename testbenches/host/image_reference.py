"""What OpenCL's image functions give, in exact arithmetic.

Written from the chapters "Image addressing and filtering" of OpenCL C and "Image addressing and filtering" of the OpenCL
SPIR-V environment specification, for mip levels from cl_khr_mipmap_image and section 3.9.7 of the OpenGL 3.0
specification, which that extension refers to. Nothing here knows how this project computes them: numbers are fractions, and rounding
happens once, where a specification says so.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log2

import numpy as np

ZERO, ONE = "zero", "one"

# Memory channel of red, green, blue, alpha.
ORDERS = {
    "r": (0, ZERO, ZERO, ONE), "rx": (0, ZERO, ZERO, ONE), "a": (ZERO, ZERO, ZERO, 0), "rg": (0, 1, ZERO, ONE),
    "rgx": (0, 1, ZERO, ONE), "ra": (0, ZERO, ZERO, 1), "rgb": (0, 1, 2, ONE), "rgbx": (0, 1, 2, ONE),
    "rgba": (0, 1, 2, 3), "bgra": (2, 1, 0, 3), "argb": (1, 2, 3, 0), "abgr": (3, 2, 1, 0),
    "intensity": (0, 0, 0, 0), "luminance": (0, 0, 0, ONE), "depth": (0, ZERO, ZERO, ONE),
    "srgb": (0, 1, 2, ONE), "srgba": (0, 1, 2, 3), "srgbx": (0, 1, 2, ONE), "sbgra": (2, 1, 0, 3),
}
# The specification does not name sRGB, which has no alpha either, as OpenCL's conformance tests have it.
OPAQUE_BORDER = ("r", "rg", "rgb", "srgb", "luminance")
# Bits of the channels of packed types, the first one in the upper bits.
PACKED = {"unorm565": (5, 6, 5), "unorm555": (5, 5, 5), "unorm101010": (10, 10, 10), "unorm101010_2": (10, 10, 10, 2)}
INTEGERS = ("int8", "int16", "int32", "uint8", "uint16", "uint32")


@dataclass
class Image:
    """An image: texels[slice or layer, row, column, element]."""

    texels: np.ndarray
    order: str
    data_type: str
    axes: int = 2
    arrayed: bool = False

    @property
    def sizes(self):
        """Width, height, depth or layers."""
        depth, height, width = self.texels.shape[:3]
        return width, height, depth


def image(value, kind):
    """The Image of an `image:` value (launches.ImageValue) for an argument of type `kind`."""
    axes = {"image1d": 1, "image2d": 2, "image3d": 3}[kind.split("_")[0]]
    arrayed = "array" in kind
    array = value.texels
    dims = axes + arrayed
    if array.ndim == dims:
        array = array[..., None]
    shape = array.shape[:-1]
    width, channels = shape[-1], array.shape[-1]
    height = shape[-2] if axes >= 2 else 1
    depth = shape[0] if axes == 3 or arrayed else 1
    return Image(array.reshape(depth, height, width, channels), value.order, value.data_type, axes, arrayed)


def rounded(x, dtype=np.float32):
    """A fraction rounded to nearest even; floats as they are."""
    if not isinstance(x, Fraction):
        return dtype(x)
    if x == 0:
        return dtype(0)
    digits, least = (24, -149) if dtype == np.float32 else (11, -24)
    sign, x = (-1, -x) if x < 0 else (1, x)
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    if Fraction(2) ** exponent > x:
        exponent -= 1
    unit = Fraction(2) ** max(exponent - digits + 1, least)
    return dtype(sign * float(round(x / unit) * unit))  # round() is to nearest even


def linear(x):
    """The linear value of an sRGB component from 0 to 1, as a fraction near enough to round."""
    from decimal import Decimal, getcontext

    getcontext().prec = 50
    x = Decimal(x.numerator) / Decimal(x.denominator)
    y = x / Decimal("12.92") if x <= Decimal("0.04045") else ((x + Decimal("0.055")) / Decimal("1.055")) ** Decimal("2.4")
    return Fraction(y)


def channels(data_type, elements):
    """The channels of a texel: fractions, floats or integers."""
    if data_type in PACKED:
        word, place, out = int(elements[0]), sum(PACKED[data_type]), []
        for bits in PACKED[data_type]:
            place -= bits
            out.append(Fraction(word >> place & (1 << bits) - 1, (1 << bits) - 1))
        return out
    out = []
    for element in elements:
        if data_type in ("float", "half"):
            out.append(np.float32(element))
        elif data_type in INTEGERS:
            out.append(int(element))
        else:
            most = {"unorm8": 255, "unorm16": 65535, "snorm8": 127, "snorm16": 32767}[data_type]
            out.append(max(Fraction(-1), Fraction(int(element), most)))
    return out


def color(im, place):
    """The color of a texel, each component rounded; the border color outside."""
    one, zero = (1, 0) if im.data_type in INTEGERS else (np.float32(1), np.float32(0))
    if not all(0 <= p < n for p, n in zip(place, im.sizes)):
        return [zero, zero, zero, one if im.order in OPAQUE_BORDER else zero]
    x, y, z = place
    found = channels(im.data_type, im.texels[z, y, x])
    out = []
    for k, source in enumerate(ORDERS[im.order]):
        if source in (ZERO, ONE):
            out.append(one if source == ONE else zero)
        elif im.data_type in INTEGERS:
            out.append(found[source])
        else:
            value = found[source]
            if im.order.startswith("s") and k < 3:
                value = linear(value)
            out.append(rounded(value))
    return out


def addressed(mode, i, size):
    """`address_mode`"""
    if mode == "clamp_to_edge":
        return min(max(i, 0), size - 1)
    return min(max(i, -1), size)  # outside all the same


def nearest_place(sampler, s, size):
    normalized, mode, _ = sampler
    if mode == "repeat":
        i = floor((s - floor(s)) * size)
        return i - size if i > size - 1 else i
    if mode == "mirrored_repeat":
        s = abs(s - 2 * round(s / 2))
        return min(floor(s * size), size - 1)
    return addressed(mode, floor(s * size if normalized else s), size)


def linear_places(sampler, s, size):
    """Both texels along a coordinate, and the weight of the second."""
    normalized, mode, _ = sampler
    half = Fraction(1, 2)
    if mode == "repeat":
        u = (s - floor(s)) * size - half
        i, j = floor(u), floor(u) + 1
        return i + size if i < 0 else i, j - size if j > size - 1 else j, u - floor(u)
    if mode == "mirrored_repeat":
        u = abs(s - 2 * round(s / 2)) * size - half
        return max(floor(u), 0), min(floor(u) + 1, size - 1), u - floor(u)
    u = (s * size if normalized else s) - half
    return addressed(mode, floor(u), size), addressed(mode, floor(u) + 1, size), u - floor(u)


def read(im, sampler, coordinates):
    """A color, as a list of four numbers of np.float32 or int. Coordinates are ints or np.float32."""
    exact = [Fraction(int(c)) if isinstance(c, (int, np.integer)) else Fraction(float(c)) for c in coordinates]
    sizes = im.sizes
    layer = []
    if im.arrayed:
        layer = [min(max(round(exact[im.axes]), 0), sizes[2] - 1)]
    fill = [0] * (3 - im.axes - im.arrayed)

    def place(along):
        return tuple(list(along) + fill + layer)

    if sampler[2] == "nearest":
        return color(im, place(nearest_place(sampler, exact[k], sizes[k]) for k in range(im.axes)))
    axes = [linear_places(sampler, exact[k], sizes[k]) for k in range(im.axes)]
    total = [Fraction(0)] * 4
    for corner in range(1 << im.axes):
        weight, along = Fraction(1), []
        for k, (first, second, a) in enumerate(axes):
            is_second = corner >> k & 1
            weight *= a if is_second else 1 - a
            along.append(second if is_second else first)
        for n, component in enumerate(color(im, place(along))):
            total[n] += weight * Fraction(float(component))
    return [rounded(t) for t in total]


def levels(value, kind):
    """The Image of each mip level of an `image:` value, the largest one first."""
    axes, arrayed = {"image1d": 1, "image2d": 2, "image3d": 3}[kind.split("_")[0]], "array" in kind
    everything = [image(value, kind)]
    for number, mip in enumerate(value.mips, start=1):
        shape = list(value.texels.shape)
        for k in range(arrayed, axes + arrayed):  # layers come first
            shape[k] = max(shape[k] >> number, 1)
        texels = np.zeros(shape, value.texels.dtype) if mip is None else mip
        assert texels.shape == tuple(shape), f"level {number} is {texels.shape}, not {shape}"
        everything.append(image(type(value)(value.order, value.data_type, texels), kind))
    return everything


def detail(mips, sampler, gradients):
    """The level of detail of gradients along x and y: the base 2 logarithm of the longer one, in texels."""
    normalized = sampler[0]
    squares = []
    for gradient in gradients:
        sizes = mips[0].sizes if normalized else (1, 1, 1)
        squares.append(sum((Fraction(float(g)) * n) ** 2 for g, n in zip(gradient[:mips[0].axes], sizes)))
    longest = max(squares)
    return -1000.0 if longest == 0 else log2(longest) / 2


def read_lod(mips, sampler, mip_filter, limits, coordinates, lod):
    """A color at a level of detail, a float. `mips`: the image's levels; `limits`: least and largest lod of the sampler."""
    lod = Fraction(float(lod))
    least, largest = limits
    last = len(mips) - 1
    lod = max(lod, least)
    lod = min(lod, last if largest is None else min(largest, last))
    if mip_filter == "nearest" or mips[0].data_type in INTEGERS:
        # "nearest": ceil(lod + 1/2) - 1
        return read(mips[max(ceil(lod + Fraction(1, 2)) - 1, 0)], sampler, coordinates)
    lower = floor(lod)
    weight = lod - lower
    first = read(mips[lower], sampler, coordinates)
    if not weight:
        return first
    second = read(mips[lower + 1], sampler, coordinates)
    return [rounded((1 - weight) * Fraction(float(a)) + weight * Fraction(float(b))) for a, b in zip(first, second)]


def nonlinear(x):
    """A linear number in sRGB's space, not rounded."""
    x = 0 if np.isnan(x) else min(max(float(x), 0), 1)
    return 12.92 * x if x < 0.0031308 else 1.055 * x ** (1 / 2.4) - 0.055


def encoded(order, data_type, color):
    """The elements of a texel that a color is written to; in sRGB's space what is to be rounded to them, within 0.6."""
    wanted = {}
    for component, channel in enumerate(ORDERS[order]):
        if channel not in (ZERO, ONE):
            wanted.setdefault(channel, component)
    values = [color[wanted[k]] for k in sorted(wanted)]

    def normal(x, low, high, most):
        if np.isnan(x):
            return 0
        if np.isinf(x):
            return high if x > 0 else low
        return min(max(round(Fraction(float(x)) * most), low), high)

    if order.startswith("s"):
        return [255 * nonlinear(x) for x in values[:3]] + [normal(x, 0, 255, 255) for x in values[3:]]
    if data_type in PACKED:
        word = 0
        for bits, x in zip(PACKED[data_type], values):
            word = word << bits | normal(x, 0, (1 << bits) - 1, (1 << bits) - 1)
        return [word]
    limits = {"unorm8": (0, 255, 255), "unorm16": (0, 65535, 65535), "snorm8": (-128, 127, 127),
              "snorm16": (-32768, 32767, 32767)}
    if data_type in limits:
        low, high, most = limits[data_type]
        return [normal(x, low, high, most) for x in values]
    if data_type in INTEGERS:
        bits, signed = int(data_type.lstrip("uint")), not data_type.startswith("u")
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        return [min(max(int(x), low), high) for x in values]
    return [rounded(Fraction(float(x)), np.float16) if data_type == "half" and np.isfinite(x)
            else (np.float16 if data_type == "half" else np.float32)(x) for x in values]
