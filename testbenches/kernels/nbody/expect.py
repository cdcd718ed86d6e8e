"""The same f32 operations, vectorised over the bodies."""

import numpy as np

from launches import number


def expected(launch, args):
    p, v = args["position"], args["velocity"].copy()
    dt, softening = (number(args[n].texts[0], np.float32) for n in ("dt", "softening"))
    total = np.zeros((len(p), 3), np.float32)
    for other in p:
        d = other[:3] - p[:, :3]
        distance2 = d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1] + d[:, 2] * d[:, 2] + softening
        inverse = np.float32(1) / np.sqrt(distance2)
        scale = other[3] * inverse * inverse * inverse
        total += d * scale[:, None]
    v[:, :3] += total * dt
    moved = p.copy()
    moved[:, :3] = p[:, :3] + v[:, :3] * dt
    return {"velocity": v, "moved": moved}
