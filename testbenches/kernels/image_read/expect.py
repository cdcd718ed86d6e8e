"""Reads of images, by the reference in testbenches/host/image_reference.py."""

import numpy as np

import image_reference as reference
import launches as values

KINDS = {"row": "image1d_t", "row_array": "image1d_array_t", "row_buffer": "image1d_buffer_t",
         "plane_array": "image2d_array_t", "volume": "image3d_t"}
PLAIN = (False, "none", "nearest")

POCL_ULP = 1  # it multiplies by 1 / 255 rounded
FORMAT = "PoCL 3.1 does not have the format"
WITHOUT_POCL = {
    **dict.fromkeys((
        "argb_snorm8", "abgr_unorm8", "rg_snorm16", "ra_half", "rgb_unorm565", "rgb_unorm555",
        "rgb_unorm101010", "luminance_unorm8", "intensity_snorm16", "rx_unorm8", "rgx_half",
        "srgba_unorm8", "sbgra_unorm8", "srgb_unorm8", "rgba_unorm101010_2", "int_none", "int_clamp_to_edge",
        "int_clamp", "linear_srgb", "linear_srgb_clamp", "rg_uint16", "row_array", "row_array_linear", "sizes"), FORMAT),
    "r_unorm16": "PoCL 3.1 has a transparent border for CL_R",
    "linear_float_clamp": "PoCL 3.1 has a transparent border for CL_R",
    "r_int8_repeat": "PoCL 3.1 reads CL_R with alpha 0",
    **dict.fromkeys(("row", "row_linear", "row_buffer"), "PoCL 3.1 cannot copy images of one dimension"),
    "plane_array_linear": "PoCL 3.1 interpolates between layers",
}


def expected(launch, args):
    if launch.kernel == "sizes":
        rg, half = 0x10B2, 0x10DD
        return {"size": np.array([11, 12, 3, 13, 14, 5, 14, 5, 15, 6, 2, 16, 7, 4, 4, rg, half], np.int32)}
    image = reference.image(args["image"], KINDS.get(launch.kernel, "image2d_t"))
    how = args.get("how")
    sampler = (how.normalized, how.mode, how.filter) if how else PLAIN
    coordinates = args["at"].reshape(len(args["at"]), -1)
    coordinates = coordinates[:, :image.axes + image.arrayed]
    if launch.kernel == "literal":
        smooth, sharp = (True, "clamp_to_edge", "linear"), (False, "clamp", "nearest")
        pairs = [(reference.read(image, smooth, at), reference.read(image, sharp, at)) for at in coordinates]
        colors = [[a + b for a, b in zip(*pair)] for pair in pairs]
    else:
        colors = [reference.read(image, sampler, at) for at in coordinates]
    after = args["color"]
    bits = np.array(colors, np.int64).astype(after.dtype) if after.dtype.kind != "f" else np.array(colors, np.float32)
    return {"color": bits.reshape(after.shape)}
