#!/usr/bin/env python3
"""Generates kernels of a given size as SPIR-V assembly, to see how compile time grows.

usage: testbenches/qor/generate.py SHAPE INSTRUCTIONS > kernel.spvasm

SHAPE is `straight` (one block: integer arithmetic, now and then a load, a store or a float operation) or `branchy`
(a sequence of loops over if/else diamonds, two deep). The same arguments give the same text. Operands are among the
last 24 values and everything computed reaches a store, so that nothing is dead and the width of the program stays that
of a real one while its length grows.
"""

import random
import sys

WINDOW = 24  # values that later instructions may use
ACCESSES = 80  # memory accesses at most: their number is limited by the hardware, not what is measured

HEAD = """OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %kernel "{shape}" %id
OpName %in "in"
OpName %out "out"
OpName %n "n"
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %id Constant
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%float = OpTypeFloat 32
%v3ulong = OpTypeVector %ulong 3
%idptr = OpTypePointer Input %v3ulong
%global = OpTypePointer CrossWorkgroup %uint
%type = OpTypeFunction %void %global %global %uint
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c5 = OpConstant %uint 5
%c13 = OpConstant %uint 13
%c63 = OpConstant %uint 63
%k = OpConstant %uint 2654435761
%one = OpConstant %float 1
%id = OpVariable %idptr Input
%kernel = OpFunction %void None %type
%in = OpFunctionParameter %global
%out = OpFunctionParameter %global
%n = OpFunctionParameter %uint
%entry = OpLabel
%ids = OpLoad %v3ulong %id
%gid = OpCompositeExtract %ulong %ids 0
%x = OpUConvert %uint %gid
"""


class Writer:
    """Appends instructions to a function and keeps the values that may be used next."""

    def __init__(self, shape):
        self.random = random.Random(f"{shape} 1")
        self.lines, self.count, self.names = [], 0, 0
        self.values = ["%x", "%n"]

    def name(self):
        self.names += 1
        return f"%v{self.names}"

    def plain(self, text):
        self.lines.append(text)
        self.count += 1

    def op(self, text, name=None):
        name = name or self.name()
        self.plain(f"{name} = {text}")
        return name

    def keep(self, value):
        self.values = [*self.values[-(WINDOW - 1):], value]

    def oldest(self):
        """Takes the value that has waited longest, so that none is lost."""
        return self.values.pop(0) if len(self.values) >= WINDOW else self.random.choice(self.values)

    def pointer(self, base, index):
        masked = self.op(f"OpBitwiseAnd %uint {index} %c63")
        return self.op(f"OpInBoundsPtrAccessChain %global {base} {self.op(f'OpUConvert %ulong {masked}')}")

    def arithmetic(self):
        """One to four instructions that leave one new value."""
        a, b = self.oldest(), self.random.choice(self.values)
        kind = self.random.randrange(20)
        if kind < 6:
            value = self.op(f"OpIAdd %uint {a} {b}")
        elif kind < 8:
            value = self.op(f"OpIMul %uint {a} {b}")
        elif kind < 12:
            value = self.op(f"OpBitwiseXor %uint {a} {b}")
        elif kind < 14:
            value = self.op(f"OpBitwiseOr %uint {self.op(f'OpShiftLeftLogical %uint {a} %c5')} {b}")
        elif kind < 16:
            value = self.op(f"OpISub %uint {self.op(f'OpShiftRightLogical %uint {a} %c13')} {b}")
        elif kind < 19:
            less = self.op(f"OpULessThan %bool {a} {b}")
            value = self.op(f"OpSelect %uint {less} {self.op(f'OpIAdd %uint {a} %k')} {b}")
        else:
            number = self.op(f"OpConvertUToF %float {a}")
            value = self.op(f"OpBitcast %uint {self.op(f'OpFAdd %float {number} %one')}")
            value = self.op(f"OpBitwiseXor %uint {value} {b}")
        self.keep(value)

    def memory(self):
        """A load, or a store."""
        if self.random.randrange(3):
            self.keep(self.op(f"OpLoad %uint {self.pointer('%in', self.oldest())} Aligned 4"))
        else:
            self.plain(f"OpStore {self.pointer('%out', '%x')} {self.oldest()} Aligned 4")

    def finish(self):
        """Everything that is left goes into one store."""
        total = self.values[0]
        for value in self.values[1:]:
            total = self.op(f"OpBitwiseXor %uint {total} {value}")
        self.plain(f"OpStore {self.pointer('%out', '%x')} {total} Aligned 4")
        self.plain("OpReturn")


def straight(writer, size):
    spacing = max(40, size // ACCESSES)  # instructions between memory accesses
    while writer.count < size - WINDOW:
        start = writer.count
        while writer.count < start + spacing:
            writer.arithmetic()
        writer.memory()


def diamond(writer):
    """if/else, some instructions on either side, one value out."""
    yes, no, join = writer.name(), writer.name(), writer.name()
    kept = list(writer.values)
    less = writer.op(f"OpULessThan %bool {writer.random.choice(kept)} {writer.random.choice(kept)}")
    writer.plain(f"OpBranchConditional {less} {yes} {no}")
    ends = []
    for label in (yes, no):
        writer.plain(f"{label} = OpLabel")
        writer.values = list(kept)
        for _ in range(6):
            writer.arithmetic()
        total = writer.values[-1]
        for value in writer.values[-6:-1]:
            if value not in kept:
                total = writer.op(f"OpBitwiseXor %uint {total} {value}")
        ends.append(total)
        writer.plain(f"OpBranch {join}")
    writer.plain(f"{join} = OpLabel")
    writer.values = kept
    writer.keep(writer.op(f"OpPhi %uint {ends[0]} {yes} {ends[1]} {no}"))
    return join


def loop(writer, before, depth, memory):
    """A counted loop with a carried value, from block `before`; gives the block after it."""
    header, body, latch, after = (writer.name() for _ in range(4))
    count, carried = writer.name(), writer.name()
    next_count, next_carried = writer.name(), writer.name()
    start = writer.values[-1]
    bound = writer.op(f"OpBitwiseAnd %uint {writer.random.choice(writer.values)} %c63")
    kept = list(writer.values)
    writer.plain(f"OpBranch {header}")
    writer.plain(f"{header} = OpLabel")
    writer.op(f"OpPhi %uint %c0 {before} {next_count} {latch}", count)
    writer.op(f"OpPhi %uint {start} {before} {next_carried} {latch}", carried)
    more = writer.op(f"OpULessThan %bool {count} {bound}")
    writer.plain(f"OpBranchConditional {more} {body} {after}")
    writer.plain(f"{body} = OpLabel")
    writer.values = [*kept[-6:], carried, count]
    block = diamond(writer)
    if memory:
        writer.memory()
    if depth > 1:
        block = loop(writer, block, depth - 1, False)
    total = carried
    for value in writer.values[-3:]:
        total = writer.op(f"OpIAdd %uint {total} {value}")
    writer.plain(f"OpBranch {latch}")
    writer.plain(f"{latch} = OpLabel")
    writer.op(f"OpBitwiseXor %uint {total} {count}", next_carried)
    writer.op(f"OpIAdd %uint {count} %c1", next_count)
    writer.plain(f"OpBranch {header}")
    writer.plain(f"{after} = OpLabel")
    writer.values = kept
    writer.keep(carried)
    return after


def branchy(writer, size):
    block, accessed = "%entry", 0
    while writer.count < size - WINDOW:
        memory = writer.count * ACCESSES >= accessed * size
        accessed += memory
        block = loop(writer, block, 2, memory)
        block = diamond(writer)


SHAPES = {"straight": straight, "branchy": branchy}


def generate(shape, size):
    """SPIR-V assembly of a kernel `shape` with about `size` instructions in its body."""
    writer = Writer(shape)
    SHAPES[shape](writer, size)
    writer.finish()
    return HEAD.format(shape=shape) + "\n".join(writer.lines) + "\nOpFunctionEnd\n"


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in SHAPES or not sys.argv[2].isdigit():
        print(__doc__, file=sys.stderr)
        return 2
    print(generate(sys.argv[1], int(sys.argv[2])), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
