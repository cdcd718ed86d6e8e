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


def main():
    device = Device(*sys.argv[1:3])
    kernel = device.kernel(SOURCE, "copy")
    numbers = np.arange(64, dtype=np.int32)
    source, target = device.buffer(numbers), device.buffer(np.zeros_like(numbers))

    def launch(shift):
        return kernel(device.queue, numbers.shape, (8,), source, target, np.int32(shift))

    def beyond():
        event = launch(1)  # the last work-item reads behind the end
        try:
            event.wait()
        except cl.RuntimeError:
            if event.command_execution_status != -5:  # CL_OUT_OF_RESOURCES
                raise SystemExit(f"the status is {event.command_execution_status}")
        else:
            raise SystemExit("a kernel that reads behind the end of a buffer ended well")

    message = said(beyond)
    if "`from`" not in message or "256" not in message:
        raise SystemExit(f"the message does not say which buffer: {message!r}")
    launch(0).wait()  # the queue goes on
    if not np.array_equal(device.read(target, numbers), numbers):
        raise SystemExit("a launch after one that failed is wrong")
    print("faults")


if __name__ == "__main__":
    main()
