"""What the commands do, whatever runs them: a sorted array, a filled region, sums, and what events leave open of the order."""

import numpy as np

POCL = False  # PoCL 3.1 has no device-side enqueue

EVENTS = 1 << 14  # that there are


def number(args, name):
    return int(args[name].texts[0])


def flood(grid, x, y):
    grid = grid.copy()
    todo = [(x, y)]
    while todo:
        x, y = todo.pop()
        if 0 <= x < grid.shape[1] and 0 <= y < grid.shape[0] and grid[y, x] == 0:
            grid[y, x] = 2
            todo += [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
    return grid


def tree(numbers, count):
    numbers = numbers.copy()
    start, left = 0, count
    while left > 1:
        part = numbers[start:start + left]
        sums = [part[k:k + 8].sum() for k in range(0, left, 8)]
        start += left
        numbers[start:start + len(sums)] = sums
        left = len(sums)
    return numbers


def captured():
    out = []
    for y in range(5, 9):
        for x in range(3, 9):
            n = 1 + 10 * ((x - 3) // 3) + 100 * 2 + 1000 * ((y - 5) % 2)
            out.append(n * 1000000 + x * 100 + y)
    out += [x + 10 * y + 100 * z for z in range(2) for y in range(3) for x in range(2)]
    out += [(4 if i < 8 else 2) + 40 + 100 * (i + 2) for i in range(10)]
    out.append(-7 + 1000 + 123456789012)
    out.append(1 + 2 * 2 + 4 * 3 + 8 * 4)
    out.append(int(np.float64(0.1).view(np.uint64)))
    out.append((1 + 20 + 300 - 8000) % 2**64)
    return np.array(out, np.uint64)


def expected(launch, args):
    if launch.kernel == "quicksort":
        return {"data": np.sort(args["data"])}
    if launch.kernel == "flood":
        return {"grid": flood(args["grid"], number(args, "x"), number(args, "y"))}
    if launch.kernel == "tree_sum":
        return {"numbers": tree(args["numbers"], number(args, "count")), "codes": np.array([0, 1], np.int32)}
    if launch.kernel == "captures":
        return {"out": captured()}
    if launch.kernel == "gates":
        # the number of entries and 1, then their order
        return {"order": np.array([8, 1, 2, 3, 4, 5, 6, 7, 0, 0], np.uint32), "codes": np.array([0, 7, 1], np.int32)}
    if launch.kernel == "errors":
        codes = [300, -102, -160, -160, -57, -57, -57, -51, -57, -102, 256, 1, 0]
        return {"codes": np.array(codes + [0] * 8, np.int32)}
    if launch.kernel == "full":
        return {"failures": np.array([launch.global_size[0] - EVENTS], np.uint32), "codes": np.array([0, 1], np.int32)}
    if launch.kernel == "profile":
        return {"out": np.ones(10, np.int32)}
    raise ValueError(launch.kernel)
