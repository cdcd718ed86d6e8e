"""The sum along a path, by the reference in testbenches/host/image_reference.py."""

import numpy as np

import image_reference as reference

POCL_ULP = 16


def expected(launch, args):
    image = reference.image(args["image"], "image2d_t")
    start, step = (np.array([float(t) for t in args[name].texts], np.float32) for name in ("start", "step"))
    total = np.zeros(4, np.float32)
    for i in range(int(args["steps"].texts[0])):
        at = start + step * np.float32(i)
        color = np.array(reference.read(image, (False, "clamp_to_edge", "linear"), at), np.float32)
        total = total * np.float32(0.875) + color
    return {"out": total.reshape(1, 4)}
