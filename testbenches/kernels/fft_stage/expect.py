"""Butterflies in numpy's f32 with separate real and imaginary parts, for the single stage."""

import numpy as np


def expected(launch, args):
    if launch.kernel != "fft_stage":
        got = np.fft.fft(args["in"].astype(np.float64).reshape(-1, 16, 2) @ [1, 1j], axis=1)
        assert np.isfinite(got).all()
        return {}
    half, step = (int(args[n].texts[0]) for n in ("half_size", "twiddle_step"))
    blocks = args["data"].reshape(-1, 2, half, 2)
    w = args["twiddle"][np.arange(half) * step]
    a, b = blocks[:, 0], blocks[:, 1]
    product = np.stack([b[..., 0] * w[:, 0] - b[..., 1] * w[:, 1], b[..., 0] * w[:, 1] + b[..., 1] * w[:, 0]], axis=-1)
    return {"data": np.stack([a + product, a - product], axis=1).reshape(args["data"].shape)}
