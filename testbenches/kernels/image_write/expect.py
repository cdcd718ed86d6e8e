"""Writes of images, by the reference in testbenches/host/image_reference.py."""

import numpy as np

import image_reference as reference

EDGE = (False, "clamp_to_edge", "nearest")
WITHOUT_POCL = {
    **dict.fromkeys((
        "argb_snorm8", "abgr_unorm8", "rg_snorm16", "rgb_unorm565", "rgb_unorm101010",
        "rgba_unorm101010_2", "luminance_unorm8", "ra_unorm8", "a_snorm16", "rg_uint16", "row_array"), "PoCL 3.1 does not have the format"),
    **dict.fromkeys(("srgba_unorm8", "sbgra_unorm8", "srgb_unorm8"), "PoCL 3.1 does not write images in sRGB's space"),
    **dict.fromkeys(("row", "row_buffer"), "PoCL 3.1 cannot copy images of one dimension"),
}


def box(image, place):
    """The sum of nine texels in the order of the kernel, divided by 9, in single precision."""
    total = np.zeros(4, np.float32)
    for y in (-1, 0, 1):
        for x in (-1, 0, 1):
            total = total + np.array(reference.read(image, EDGE, [place[0] + x, place[1] + y]), np.float32)
    return total / np.float32(9)


def expected(launch, args):
    name = "to" if launch.kernel == "box" else "image"
    value = args[name]
    count = int(np.prod(launch.global_size))
    if launch.kernel == "box":
        image = reference.image(args["from"], "image2d_t")
        width = launch.global_size[0]
        colors = [box(image, (i % width, i // width)) for i in range(count)]
    else:
        colors = args["color"].reshape(count, 4)
    texels = np.array([reference.encoded(value.order, value.data_type, color) for color in colors])
    after = value.texels
    if value.order.startswith("s"):
        texels = np.rint(texels)  # none of them near the middle between two numbers
    return {name: texels.astype(after.dtype).reshape(after.shape)}
