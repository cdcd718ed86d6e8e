"""The memory behind a kernel's AXI4 master: cocotbext-axi's slave, random pauses, responses out of order, buffers with guards."""

import collections

from cocotb.triggers import Event, RisingEdge
from cocotbext.axi import AxiBus, AxiSlave

import cocotb
from failure import Failure

ALIGN = 128           # bytes: the least alignment of a buffer that OpenCL allows
GAP = 1 << 16         # bytes between buffers that nothing may touch


class Buffers:
    """Contents of the buffers. Every byte outside of them is a guard: it may not be written, and no bus word without a byte of
    a buffer may be read.

    It is the target of the AXI slave. Writes are held back until `commit`: a write that has no response yet has not happened.
    """

    def __init__(self, random):
        self.random = random
        self.faults = []
        self.clear()

    def clear(self):
        """Forgets all buffers."""
        self.buffers = {}
        self.pending = []
        self.next = self.random.randrange(1 << 38, 1 << 45, 1 << 20)

    def place(self, name, contents):
        """Puts a buffer somewhere; gives its address."""
        address = self.next + ALIGN * self.random.randrange(GAP // ALIGN)
        self.buffers[name] = (address, bytearray(contents))
        self.next = -(-(address + len(contents) + GAP) // ALIGN) * ALIGN
        return address

    def patch(self, name, offset, data):
        """Changes bytes of a buffer."""
        self.buffers[name][1][offset:offset + len(data)] = data

    def contents(self, name):
        return bytes(self.buffers[name][1])

    async def read(self, address, length):
        """The bytes at an address, for a read burst; what is in no buffer is random."""
        data = bytearray(self.random.randbytes(length))
        inside = False
        for base, contents in self.buffers.values():
            low, high = max(base, address), min(base + len(contents), address + length)
            if low < high:
                data[low - address:high - address] = contents[low - base:high - base]
                inside = True
        if not inside:
            self.faults.append(f"read of {length} bytes at {address:#x}, {self.nearest(address)}")
        return bytes(data)

    async def write(self, address, data):
        """Takes the bytes that a beat writes; they are stored by `commit`."""
        end = address + len(data)
        if any(base <= address and end <= base + len(contents) for base, contents in self.buffers.values()):
            self.pending.append((address, data))
        else:
            self.faults.append(f"write of {len(data)} bytes at {address:#x}, {self.nearest(address)}")

    def take_pending(self):
        """The writes since the last call: those of one burst."""
        writes, self.pending = self.pending, []
        return writes

    def commit(self, writes):
        for address, data in writes:
            for base, contents in self.buffers.values():
                if base <= address < base + len(contents):
                    contents[address - base:address - base + len(data)] = data

    def nearest(self, address):
        """Where an address is, relative to the buffer below it."""
        below = [(base, name, len(c)) for name, (base, c) in self.buffers.items() if base <= address]
        if not below:
            return "below all buffers"
        base, name, size = max(below)
        return f"byte {address - base} of '{name}', which has {size}"

    def check(self):
        """Fails if something outside of the buffers was accessed since the last call."""
        faults, self.faults = self.faults, []
        if faults:
            raise Failure("outside", faults[0] + (f" (and {len(faults) - 1} more)" if faults[1:] else ""))


class Responses:
    """Stands between cocotbext-axi's slave and its response channel (R or B): delays responses, and hands on those of different
    ids in any order, beats of reads mixed. Within an id the order stays."""

    def __init__(self, channel, id_name, clock, random, before_send=None):
        self.channel = channel
        self.id_name = id_name
        self.clock = clock
        self.random = random
        self.latency = 0              # a response waits up to so many cycles
        self.take, self.commit = before_send or (lambda: None, lambda _: None)
        self.queues = collections.defaultdict(collections.deque)
        self.arrived = Event()
        self.cycle = 0
        cocotb.start_soon(self._run())

    @property
    def _transaction_obj(self):
        return self.channel._transaction_obj

    async def send(self, item):
        """Called by the slave for each response."""
        due = self.cycle + self.random.randint(0, self.latency)
        self.queues[int(getattr(item, self.id_name))].append((due, item, self.take()))
        self.arrived.set()

    def clear(self):
        """Called by the slave at reset."""
        self.queues.clear()
        self.channel.clear()

    async def _run(self):
        edge = RisingEdge(self.clock)
        while True:
            if not any(self.queues.values()):
                self.arrived.clear()
                await self.arrived.wait()
            await edge
            self.cycle += 1
            due = [queue for queue in self.queues.values() if queue and queue[0][0] <= self.cycle]
            if due and self.channel.count() < 2:
                _, item, writes = self.random.choice(due).popleft()
                self.commit(writes)
                self.channel.send_nowait(item)


class MemoryPort:
    """Everything behind one AXI4 master."""

    def __init__(self, dut, prefix, buffers, random):
        self.buffers = buffers
        self.slave = AxiSlave(AxiBus.from_prefix(dut, prefix), dut.clk, dut.rst_n, target=buffers, reset_active_level=False)
        write, read = self.slave.write_if, self.slave.read_if
        self.b = write.b_channel = Responses(write.b_channel, "bid", dut.clk, random, (buffers.take_pending, buffers.commit))
        self.r = read.r_channel = Responses(read.r_channel, "rid", dut.clk, random)
        self.channels = [write.aw_channel, write.w_channel, self.b.channel, read.ar_channel, self.r.channel]

    def set_latency(self, cycles):
        self.b.latency = self.r.latency = cycles
