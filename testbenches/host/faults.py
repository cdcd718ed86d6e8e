"""Kernels that go wrong, on devices that notice it: their commands fail, and nothing else does.

usage: faults.py PLATFORM DEVICE     parts of the names of a platform and a device
"""

import os
import sys
import tempfile

import numpy as np
import pyopencl as cl

from arrays import Device

SOURCE = """
kernel void copy(global const int *from, global int *to, int shift) {
  to[get_global_id(0)] = from[get_global_id(0) + shift];
}
"""

PIPES = """
kernel void take(read_only pipe int in, global int *to) {
  int value;
  while (read_pipe(in, &value) != 0);
  to[0] = value;
}
kernel void ahead(read_only pipe int in, write_only pipe int out, int count) {
  for (int i = 0; i < count; i++) {
    int value;
    while (read_pipe(in, &value) != 0);
    while (write_pipe(out, &value) != 0);
  }
}
kernel void behind(read_only pipe int in, write_only pipe int out, int count) {
  for (int i = 0; i < count; i++) {
    int value;
    while (read_pipe(in, &value) != 0);
    while (write_pipe(out, &value) != 0);
  }
}
"""
POLLS = "500"


def said(work):
    """What `work` writes to standard error, from C as well."""
    with tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            work()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        return file.read().decode()


def must_fail(event):
    """Waits for a command whose kernel goes wrong."""
    try:
        event.wait()
    except cl.RuntimeError:
        if event.command_execution_status == -5:  # CL_OUT_OF_RESOURCES
            return
    raise SystemExit(f"the status is {event.command_execution_status}")


def endless_attempts(device, target):
    """A packet that nobody writes is asked for again and again; the variable says how often."""
    os.environ["CLHLS_POLL_LIMIT"] = POLLS
    take = device.kernel(PIPES, "take", ["-cl-std=CL3.0"])
    del os.environ["CLHLS_POLL_LIMIT"]
    pipe = cl.Pipe(device.context, 0, 4, 8)
    message = said(lambda: must_fail(take(device.queue, (1,), (1,), pipe, target)))
    if f"{POLLS} operations" not in message or "`in`" not in message:
        raise SystemExit(f"the message does not say that the pipe `in` is empty: {message!r}")


def waiting_for_one_another(device):
    """Two kernels whose first packet is to come from the other one; the pipes that connect them are FIFOs."""
    options = ["-cl-std=CL3.0", "-clhls-connect=ahead.out=behind.in:4", "-clhls-connect=behind.out=ahead.in:4"]
    program = cl.Program(device.context, PIPES).build(options)
    pipes = [cl.Pipe(device.context, 0, 4, 8) for _ in range(2)]
    queues = [cl.CommandQueue(device.context) for _ in range(2)]

    def run():
        launches = []
        for queue, name, ends in zip(queues, ("ahead", "behind"), (pipes, pipes[::-1])):
            launches.append(cl.Kernel(program, name)(queue, (1,), (1,), *ends, np.int32(3)))
            queue.flush()
        for launch in launches:
            must_fail(launch)

    message = said(run)
    for part in ("kernel `ahead`: it hangs", "kernel `behind`: it hangs", "pipe `in` is empty", "waits for a packet of `in`"):
        if part not in message:
            raise SystemExit(f"the message of kernels that wait for one another does not say \"{part}\": {message!r}")


def main():
    device = Device(*sys.argv[1:3])
    kernel = device.kernel(SOURCE, "copy")
    numbers = np.arange(64, dtype=np.int32)
    source, target = device.buffer(numbers), device.buffer(np.zeros_like(numbers))

    def launch(shift):
        return kernel(device.queue, numbers.shape, (8,), source, target, np.int32(shift))

    # the last work-item reads behind the end
    message = said(lambda: must_fail(launch(1)))
    if "`from`" not in message or "256" not in message:
        raise SystemExit(f"the message does not say which buffer: {message!r}")
    launch(0).wait()  # the queue goes on
    if not np.array_equal(device.read(target, numbers), numbers):
        raise SystemExit("a launch after one that failed is wrong")
    endless_attempts(device, target)
    if "sim" in sys.argv[2]:
        waiting_for_one_another(device)
    print("faults")


if __name__ == "__main__":
    main()
