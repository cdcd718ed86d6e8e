"""All work-items of a group at once, round by round."""

import numpy as np


def expected(launch, args):
    if launch.kernel == "sweep_tile":
        return {"out": sweep(args["in"], int(args["rounds"].texts[0]))}
    size = launch.local_size[0]
    if launch.kernel == "until_settled":
        return settle(args["data"].reshape(-1, size).copy(), int(args["limit"].texts[0]), args["data"].shape)
    if launch.kernel == "mailbox":
        return mailbox(launch.global_size[0] // size, size)
    rows = args["in"].reshape(-1, size).copy()
    for g, row in enumerate(rows):
        if g % 2:
            row[:] = row[::-1] * 2
        else:
            for r in range(int(args["rounds"].texts[0])):
                row[:] = np.roll(row + r, -1)
    return {"out": rows.reshape(-1)}


def settle(rows, limit, shape):
    taken = []
    for row in rows:
        rounds = 0
        while True:
            before = row.copy()
            for low in range(rounds & 1, row.size - 1, 2):
                row[low : low + 2] = np.sort(row[low : low + 2])
            rounds += 1
            settled = (row == before).all() and rounds % 2 == 0 and rounds >= row.size
            if settled or rounds >= limit:
                break
        taken.append(rounds)
    return {"data": rows.reshape(shape), "rounds_taken": np.array(taken, np.int32)}


def mailbox(groups, size):
    lid, total, box = np.arange(size), np.zeros(size, np.int64), np.zeros(size, np.int64)
    step = 1
    while step < size:
        box = (lid + 1) * step + total % 1000
        total = total + box[(lid ^ step) % size]
        step *= 2
    return {"box": np.tile(box, groups).astype(np.int32), "out": np.tile(total, groups).astype(np.int32)}


def sweep(data, rounds):
    tiles = data.reshape(2, 4, 3, 8).copy()
    for _ in range(rounds):
        tiles = (tiles + np.roll(tiles, -1, axis=3)) & 0xFFFF
        tiles = (tiles + np.roll(tiles, -1, axis=1)) & 0xFFFF
    return tiles.reshape(data.shape)
