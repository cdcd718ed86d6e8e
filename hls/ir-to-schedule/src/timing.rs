//! Which hardware an IR operation is, and how long it takes on a device family.

use ir::{Function, Inst, Op};
use schedule::OpTiming;
use target::{Family, OpKind, op_kind};

/// Entries up to which a table is logic instead of a block RAM.
const LOGIC_TABLE_ENTRIES: usize = 64;

/// Register stages of a look-up.
pub fn lookup_latency(entries: usize) -> u32 {
    if entries <= LOGIC_TABLE_ENTRIES { 0 } else { 2 }
}

/// What a value passes at the end of its segment: the multiplexer in front of the registers of an exit FIFO or skid buffer.
pub fn exit(family: &Family) -> OpTiming {
    OpTiming::combinational(family.delay_ns(OpKind::Mux { ways: 2 }, 1))
}

/// Timing of a pure operation that is not a unit.
pub fn op_timing(func: &Function, inst: Inst, family: &Family) -> OpTiming {
    let d = &func.insts[inst];
    if let Op::Lookup(table) = d.op {
        let n = func.tables[table].entries.len();
        if lookup_latency(n) == 0 {
            let ways = u32::try_from(n.max(2)).unwrap_or(u32::MAX);
            return OpTiming::combinational(family.delay_ns(OpKind::Mux { ways }, 1));
        }
        let t = family.timing(OpKind::RamRead, 1);
        return OpTiming {
            latency: 2,
            input_ns: t.input_ns,
            output_ns: t.output_ns,
            entry_ns: 0.0,
        };
    }
    let (kind, width) = op_kind(func, inst);
    if kind == OpKind::Mul {
        // Products have been cut to single tiles: the tile's timing, whatever the width.
        let t = family.timing(OpKind::Mul, width.min(family.tile.b_signed));
        return OpTiming {
            latency: t.latency,
            input_ns: t.input_ns,
            output_ns: t.output_ns,
            entry_ns: 0.0,
        };
    }
    // A constant operand: comparison with 0, masks. The model has no cheaper rows for them.
    OpTiming::combinational(family.delay_ns(kind, width))
}
