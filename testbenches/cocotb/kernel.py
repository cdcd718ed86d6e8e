"""Drives a kernel as docs/abi.md says: registers, launches, counters."""

import itertools
import math

import cocotb
import numpy as np
from cocotb.triggers import ClockCycles, First, RisingEdge, Timer
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiStreamBus, AxiStreamSink, AxiStreamSource

import launches as values
from failure import Failure
from memory import Buffers, MemoryPort

CTRL, GIE, IER, ISR, ARGUMENTS = 0x00, 0x04, 0x08, 0x0C, 0x10
CYCLES, WORK_ITEMS, READ_BEATS, WRITE_BEATS, ERROR = 0xF00, 0xF08, 0xF10, 0xF18, 0xF20
START, DONE_IDLE_READY, IDLE = 0x1, 0xE, 0x4

PERIOD = 4            # ns, of the harness
LIMIT = 60_000        # cycles that a launch may take
QUIET = 40            # cycles after the end in which nothing may happen
DRAIN = 2_000         # cycles in which the last packets may leave a stream


def pauses(random, rates):
    """A pause generator: phases with a rate of pauses each."""
    while True:
        rate = random.choice(rates)
        for _ in range(random.randint(10, 100)):
            yield random.random() < rate


class Kernel:
    """The kernel in the harness `dut`; `manifest` is the build's."""

    def __init__(self, dut, manifest, random):
        self.dut = dut
        self.random = random
        self.kernel, = manifest["kernels"]
        self.program = manifest.get("program_memory")
        self.buffers = Buffers(random)
        port, = self.kernel["memory_ports"]
        self.control = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi_control"), dut.clk, dut.rst_n, reset_active_level=False)
        self.port = MemoryPort(dut, port["name"], self.buffers, random)
        write, read = self.control.write_if, self.control.read_if
        self.streams = {arg["name"]: self._stream(arg["stream"]) for arg in self.kernel["args"] if "stream" in arg}
        self.channels = self.port.channels + list(self.streams.values()) + [
            write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel]

    def _stream(self, stream):
        """What stands at an AXI4-Stream: its transfers are packets, each a number."""
        side = AxiStreamSink if stream["writes"] else AxiStreamSource
        bus = AxiStreamBus.from_prefix(self.dut, stream["name"])
        return side(bus, self.dut.clk, self.dut.rst_n, reset_active_level=False, byte_lanes=1)

    async def reset(self):
        """Resets the design. The first access may follow at once."""
        self.dut.rst_n.value = 0
        await ClockCycles(self.dut.clk, 20)
        self.dut.rst_n.value = 1
        self.buffers.faults.clear()

    def set_pauses(self, rates, latency):
        """Random pauses on all channels, with one of these rates at a time."""
        for channel in self.channels:
            channel.set_pause_generator(pauses(self.random, rates))
        self.port.set_latency(latency)

    # -- registers

    async def write(self, offset, value):
        await self.control.write(offset, value.to_bytes(4, "little"))

    async def read(self, offset, size=4):
        return int.from_bytes((await self.control.read(offset, size)).data, "little")

    async def expect(self, offset, wanted, what):
        got = await self.read(offset)
        if got != wanted:
            raise Failure("register", f"{what}: {got:#x} instead of {wanted:#x} at {offset:#05x}")

    def check(self):
        """Fails if the harness or the memory has seen something wrong."""
        report = int(self.dut.report.value)
        if report:
            kind, _, text = report.to_bytes(40, "big").lstrip(b"\0").decode().partition(": ")
            raise Failure(kind, text)
        self.buffers.check()

    # -- a launch

    async def launch(self, launch, folder, interrupt):
        """Runs a launch and checks everything; gives the cycles of the kernel. The end is waited for with the interrupt, or by
        reading CTRL."""
        work = self._work(launch)
        task = cocotb.start_soon(outcome(self._launch(launch, folder, interrupt, work)))
        watchdog = Timer((LIMIT + 4000) * PERIOD, "ns")
        if await First(task.complete, watchdog, RisingEdge(self.dut.stopped)) is not task.complete:
            task.cancel()
            self.check()
            raise Failure("hang", f"no end after {LIMIT} cycles")
        result = task.result()
        if isinstance(result, Failure):
            raise result
        return result

    async def _launch(self, launch, folder, interrupt, work):
        arrays, image = self._prepare(launch, folder, work)
        await self._write_arguments(image)
        for offset in (GIE, IER):
            await self.write(offset, int(interrupt))
            await self.expect(offset, int(interrupt), "interrupt enable")
        await self.expect(CTRL, IDLE, "CTRL before the start")
        before = {name: int(getattr(self.dut, name).value) for name in ("cycle", "read_beats", "write_beats")}
        await self.write(CTRL, 1)
        if interrupt:
            await self._end_by_interrupt()
        else:
            await self._end_by_polling()
        elapsed = int(self.dut.cycle.value) - before["cycle"]
        await self.expect(CTRL, IDLE, "CTRL after done was read")
        beats = [int(getattr(self.dut, name).value) - before[name] for name in ("read_beats", "write_beats")]
        cycles = await self._check_counters(math.prod(launch.global_size), *beats, elapsed)
        self.check()
        await self._check_streams(launch, folder)
        self._check_buffers(launch, folder, arrays)
        await self._check_quiet()
        return cycles

    def _work(self, launch):
        """Hidden arguments of a launch by name."""
        sizes = tuple(launch.global_size) + (1,) * (3 - len(launch.global_size))
        local = tuple(launch.local_size or self._choose_local(sizes))
        local += (1,) * (3 - len(local))
        offset = tuple(launch.offset or ())
        offset += (0,) * (3 - len(offset))
        work = {"work_dim": len(launch.global_size)}
        for d, axis in enumerate("xyz"):
            work |= {f"global_size_{axis}": sizes[d], f"local_size_{axis}": local[d],
                     f"num_groups_{axis}": -(-sizes[d] // local[d]), f"global_offset_{axis}": offset[d]}
        return work

    def _choose_local(self, sizes):
        """A work-group size for a launch that leaves it open."""
        if self.kernel["reqd_work_group_size"]:
            return self.kernel["reqd_work_group_size"]
        if "sub_groups" in self.kernel:
            return self._divided(sizes, **self.kernel["sub_groups"])
        room, local = self.kernel["max_work_group_size"], []
        for size in sizes:
            local.append(max(n for n in range(1, min(size, room) + 1) if size % n == 0))
            room //= local[-1]
        return local

    def _divided(self, sizes, count, size):
        """The same where work-groups must have `count` sub-groups of `size` work-items."""
        most = min(count * size, self.kernel["max_work_group_size"])
        divisors = [[n for n in range(min(all_items, most), 0, -1) if all_items % n == 0] for all_items in sizes]
        for local in itertools.product(*divisors):
            if (count - 1) * size < math.prod(local) <= most:
                return local
        raise Failure("launch", f"{sizes} work-items do not divide into work-groups of {count} sub-groups of {size}")

    def _prepare(self, launch, folder, work):
        """Places the buffers; gives the arrays put into them and {(offset, size): bytes} for the registers."""
        self.buffers.clear()
        arrays, image = {}, {}
        for arg in self.kernel["args"]:
            value = values.parse(launch.args[arg["name"]], folder)
            if "stream" in arg:
                self._fill(arg, value)
                continue
            if isinstance(value, values.LocalMemory):
                if value.size > arg["local_capacity"]:
                    raise Failure("register", f"{arg['name']}: local memory too small")
                continue
            if arg["kind"] in ("global_ptr", "constant_ptr"):
                if isinstance(value, values.RawBytes):
                    value = np.frombuffer(value.data, np.uint8)
                arrays[arg["name"]] = value
                data = self.buffers.place(arg["name"], value.tobytes()).to_bytes(8, "little")
            else:
                data = by_value(value, arg)
            image[arg["offset"], len(data)] = data
        for hidden in self.kernel["hidden"]:
            if hidden["name"] == "program_base":
                value = self._place_program()
            else:
                value = work[hidden["name"]]
            image[hidden["offset"], hidden["size"]] = value.to_bytes(hidden["size"], "little")
        return arrays, image

    def _place_program(self):
        """Places the program-scope variables; gives their address, which the pointers among them need."""
        contents = bytearray.fromhex(self.program["init"] or "").ljust(self.program["size"], b"\0")
        address = self.buffers.place("program_base", contents)
        for pointer in self.program["relocations"]:
            value = (address + pointer["target"]).to_bytes(pointer["size"], "little")
            self.buffers.patch("program_base", pointer["offset"], value)
        return address

    async def _write_arguments(self, image):
        """Writes everything from 0x10 on, reserved words too, in pieces that need not begin or end at words; reads it back."""
        end = -(-max(offset + size for offset, size in image) // 4) * 4
        block = bytearray(self.random.randbytes(end - ARGUMENTS))
        for (offset, size), data in image.items():
            block[offset - ARGUMENTS:offset - ARGUMENTS + size] = data
        cut = self.random.randrange(1, len(block))
        await self.control.write(ARGUMENTS + cut, block[cut:])
        await self.control.write(ARGUMENTS, block[:cut])
        got = (await self.control.read(ARGUMENTS, len(block))).data
        for (offset, size), data in image.items():
            if got[offset - ARGUMENTS:offset - ARGUMENTS + size] != data:
                raise Failure("register", f"argument at {offset:#05x} does not read as written")

    async def _end_by_polling(self):
        while True:
            state = await self.read(CTRL)
            self._no_interrupt()
            if state == DONE_IDLE_READY:
                break
            if state != START:
                raise Failure("register", f"CTRL of a running kernel: {state:#x}")
        self._nothing_open("done")
        await self.expect(ISR, 0, "ISR without interrupts")

    async def _end_by_interrupt(self):
        rises = RisingEdge(self.dut.interrupt)
        if int(self.dut.interrupt.value) == 0 and await First(rises, Timer(LIMIT * PERIOD, "ns")) is not rises:
            done = await self.read(CTRL) == DONE_IDLE_READY
            raise Failure("interrupt", "it does not come") if done else Failure("hang", f"no end after {LIMIT} cycles")
        self._nothing_open("the interrupt")
        isr = await self.read(ISR)
        if isr != 1:
            raise Failure("interrupt", f"ISR is {isr:#x} instead of 1")
        await self.write(ISR, isr)
        await ClockCycles(self.dut.clk, 2)
        self._no_interrupt()
        await self.expect(ISR, 0, "ISR after the acknowledgement")
        await self.expect(CTRL, DONE_IDLE_READY, "CTRL after the interrupt")

    def _no_interrupt(self):
        if int(self.dut.interrupt.value):
            raise Failure("interrupt", "it is 1 although nothing asks for one")

    def _nothing_open(self, when):
        """At the end the host may use its buffers: every write must have been answered."""
        for what in ("writes", "reads"):
            count = int(getattr(self.dut, f"{what}_open").value)
            if count:
                raise Failure("interrupt" if when == "the interrupt" else "register", f"{count} {what} unanswered at {when}")

    async def _check_counters(self, work_items, read_beats, write_beats, elapsed):
        for name, offset, wanted in (("WORK_ITEMS", WORK_ITEMS, work_items), ("READ_BEATS", READ_BEATS, read_beats),
                                     ("WRITE_BEATS", WRITE_BEATS, write_beats), ("ERROR", ERROR, 0)):
            got = await self.read(offset, 4 if name == "ERROR" else 8)
            if got != wanted:
                raise Failure("counter", f"{name} is {got} instead of {wanted}")
        cycles = await self.read(CYCLES, 8)
        if not 0 < cycles <= elapsed:
            raise Failure("counter", f"CYCLES is {cycles}, but {elapsed} have passed")
        return cycles

    def _fill(self, arg, pipe):
        """The packets of a pipe that the kernel reads."""
        stream = self.streams[arg["name"]]
        stream.clear()
        if not arg["stream"]["writes"]:
            for packet in pipe.packets:
                stream.send_nowait([int.from_bytes(np.ascontiguousarray(packet).tobytes(), "little")])

    async def _check_streams(self, launch, folder):
        """Packets that the kernel read are gone, those that it wrote are as expected, and no others come."""
        for arg in (arg for arg in self.kernel["args"] if "stream" in arg):
            name, stream = arg["name"], self.streams[arg["name"]]
            before = values.parse(launch.args[name], folder)
            wanted = values.parse(launch.expect[name], folder) if name in launch.expect else before.packets
            if not arg["stream"]["writes"]:
                if not stream.idle():
                    raise Failure("result", f"packets of '{name}' were not taken")
                continue
            new = len(wanted) - len(before.packets)
            for _ in range(DRAIN):
                if stream.count() >= new:
                    break
                await ClockCycles(self.dut.clk, 1)
            await ClockCycles(self.dut.clk, QUIET)
            size = arg["stream"]["data_bits"] // 8
            got = [stream.recv_nowait(compact=False).tdata[0] for _ in range(stream.count())]
            data = b"".join(int(packet).to_bytes(size, "little") for packet in got)
            after = before.packets.tobytes() + data
            if name in launch.any_order:
                after, wanted = (sorted(b[k:k + size] for k in range(0, len(b), size)) for b in (after, wanted.tobytes()))
                same = after == wanted
            else:
                same = after == wanted.tobytes()
            if not same:
                raise Failure("result", f"{len(got)} packets came from '{name}', {new} were expected, or with other contents")

    def _check_buffers(self, launch, folder, arrays):
        for name, array in arrays.items():
            after = np.frombuffer(self.buffers.contents(name), array.dtype).reshape(array.shape)
            if name not in launch.expect:
                if after.tobytes() != array.tobytes():
                    raise Failure("result", f"'{name}' has changed")
            elif not values.meets(after, launch.expect[name], folder):
                raise Failure("result", f"'{name}' is not as expected: {difference(after, launch.expect[name], folder)}")

    async def _check_quiet(self):
        """After the end the kernel does nothing on its own."""
        before = [int(getattr(self.dut, name).value) for name in ("read_beats", "write_beats", "reads_open", "writes_open")]
        await ClockCycles(self.dut.clk, QUIET)
        self.check()
        after = [int(getattr(self.dut, name).value) for name in ("read_beats", "write_beats", "reads_open", "writes_open")]
        if before != after:
            raise Failure("register", "memory is accessed after the end")


async def outcome(launch):
    """What a launch gives, or its failure: an exception of a task would end the simulation."""
    try:
        return await launch
    except Failure as failure:
        return failure


def by_value(value, arg):
    """The register bytes of an argument by value."""
    if isinstance(value, values.RawBytes):
        data = value.data
    else:
        dtype = values.DTYPES[arg["element"]["scalar"]]
        lanes = np.zeros(arg["size"] // np.dtype(dtype).itemsize, dtype)
        for index, text in enumerate(value.texts):
            lanes[index] = values.number(text, dtype)
        data = lanes.tobytes()
    if len(data) != arg["size"]:
        raise Failure("register", f"{arg['name']}: {len(data)} bytes for an argument of {arg['size']}")
    return data


def difference(after, expectation, folder):
    """The first element that differs."""
    if expectation.startswith("sha256:"):
        return "another SHA-256"
    wanted = values.parse(expectation, folder).reshape(-1)
    for index, (got, want) in enumerate(zip(after.reshape(-1), wanted)):
        if got.tobytes() != want.tobytes() and not (got != got and want != want):
            return f"element {index} is {got!r} instead of {want!r}"
    return "another shape or type"
