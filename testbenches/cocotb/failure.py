"""What a launch can fail with."""


class Failure(Exception):
    """Something is wrong with the design under test.

    `kind` is one of: result (wrong contents of a buffer), outside (memory accessed outside of all buffers), unknown (X where a
    value must be known), protocol (a rule of AXI), register (control protocol or contents of registers), counter, interrupt,
    hang.
    """

    def __init__(self, kind, text):
        super().__init__(f"{kind}: {text}")
        self.kind = kind
