"""A turned picture, by the reference in testbenches/host/image_reference.py."""

import numpy as np

import image_reference as reference

SAMPLER = (False, "clamp", "linear")


def expected(launch, args):
    image, after = reference.image(args["from"], "image2d_t"), args["to"].texels
    middle, direction = (np.array([np.float32(text) for text in args[name].texts]) for name in ("middle", "direction"))
    half = np.float32(0.5)
    out = np.zeros(after.shape, after.dtype)
    for y, x in np.ndindex(after.shape[:2]):
        rx, ry = (np.float32(k) + half - m for k, m in zip((x, y), middle))
        at = (direction[0] * rx + direction[1] * ry + middle[0], direction[0] * ry - direction[1] * rx + middle[1])
        out[y, x] = reference.encoded(args["to"].order, args["to"].data_type, reference.read(image, SAMPLER, at))
    return {"to": out}
