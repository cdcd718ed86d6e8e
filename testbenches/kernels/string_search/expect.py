"""bytes.startswith at every position."""

import numpy as np


def expected(launch, args):
    text, pattern = args["text"].tobytes(), args["pattern"].tobytes()
    found = np.array([text.startswith(pattern, at) for at in range(len(text))])
    if launch.kernel == "search":
        first = np.flatnonzero(found)[0] if found.any() else 0xFFFFFFFF
        return {"match": found.astype(np.uint8), "count": np.array([found.sum()], np.uint32),
                "first": np.array([first], np.uint32)}
    stretch = int(args["stretch"].texts[0])
    return {"counts": np.array([found[i * stretch : (i + 1) * stretch].sum() for i in range(launch.global_size[0])], np.uint32)}
