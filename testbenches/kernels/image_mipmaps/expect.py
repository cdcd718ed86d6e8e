"""Mip levels of images, by the reference in testbenches/host/image_reference.py."""

import numpy as np

import image_reference as reference

POCL = False  # PoCL 3.1 has no mip levels

KINDS = {"row": "image1d_t", "row_array": "image1d_array_t", "plane_array": "image2d_array_t", "volume": "image3d_t",
         "volume_gradients": "image3d_t", "write_row": "image1d_t", "write_row_array": "image1d_array_t",
         "write_plane_array": "image2d_array_t", "write_volume": "image3d_t"}


def expected(launch, args):
    if launch.kernel == "counts":
        return {"count": np.array([3, 4, 2, 1, 9, 3], np.int32)}
    kind = KINDS.get(launch.kernel, "image2d_t")
    if launch.kernel == "halve":
        return halved(args)
    if launch.kernel.startswith("write"):
        return written(args, kind)
    mips = reference.levels(args["image"], kind)
    how = args.get("how")
    sampler, mip_filter, limits = (True, "clamp_to_edge", "linear"), "nearest", (0, None)
    if how:
        sampler, mip_filter, limits = (how.normalized, how.mode, how.filter), how.mip_filter, how.lods
    places = args["at"].reshape(len(args["at"]), -1)[:, :mips[0].axes + mips[0].arrayed]
    colors = []
    for k, at in enumerate(places):
        if launch.kernel == "first":
            colors.append(reference.read(mips[0], sampler, at))
            continue
        if "change" in args:
            lod = reference.detail(mips, sampler, np.split(args["change"][k], 2))
        else:
            lod = args["lod"][k]
        colors.append(reference.read_lod(mips, sampler, mip_filter, limits, at, lod))
    after = args["color"]
    if after.ndim == 1:  # a depth is one number
        colors = [color[0] for color in colors]
    bits = np.array(colors, np.int64).astype(after.dtype) if after.dtype.kind != "f" else np.array(colors, np.float32)
    return {"color": bits.reshape(after.shape)}


def halved(args):
    level = int(args["level"].texts[0])
    source = reference.levels(args["from"], "image2d_t")[level - 1].texels.astype(np.float32)
    if args["from"].data_type == "unorm8":
        source = np.vectorize(lambda x: reference.rounded(reference.Fraction(int(x), 255)), otypes=[np.float32])(source)
    height, width = source.shape[1:3]

    def texel(y, x):
        return source[0, min(y, height - 1), min(x, width - 1)]

    result = {}
    for k, target in enumerate(reference.levels(args["to"], "image2d_t")):
        after = target.texels[0].copy()
        if k == level:
            for y, x in np.ndindex(after.shape[:2]):
                total = texel(2 * y, 2 * x) + texel(2 * y, 2 * x + 1)
                total = (total + texel(2 * y + 1, 2 * x)) + texel(2 * y + 1, 2 * x + 1)
                after[y, x] = reference.encoded(target.order, target.data_type, total * np.float32(0.25))
        result[f"to.{k}" if k else "to"] = after
    return result


def written(args, kind):
    number = int(args["level"].texts[0])
    shape = args["to"].texels.shape
    result = {}
    for k, level in enumerate(reference.levels(args["to"], kind)):
        after = level.texels.copy()
        if k == number:
            flat = after.reshape(-1, after.shape[-1])
            for texel, color in zip(flat, args["color"]):
                texel[:] = reference.encoded(level.order, level.data_type, color)
        given = [args["to"].texels, *args["to"].mips][k]
        result[f"to.{k}" if k else "to"] = after.reshape(given.shape)
    return result
