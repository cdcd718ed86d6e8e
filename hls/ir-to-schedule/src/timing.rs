//! Which hardware an IR operation is, and how long it takes on a device family.

use ir::{Function, Inst, IntCC, Op};
use schedule::OpTiming;
use target::{Family, OpKind};

/// Entries up to which a table is logic instead of a block RAM.
const LOGIC_TABLE_ENTRIES: usize = 64;

/// Register stages of a look-up.
pub fn lookup_latency(entries: usize) -> u32 {
    if entries <= LOGIC_TABLE_ENTRIES { 0 } else { 2 }
}

/// The operator of the target model that a pure integer operation is, with its operand width.
pub fn op_kind(func: &Function, inst: Inst) -> (OpKind, u32) {
    let d = &func.insts[inst];
    let width = d.args.last().map_or(1, |a| func.bits(*a));
    let constant_amount = || d.args.get(1).is_some_and(|a| func.as_const(*a).is_some());
    let kind = match d.op {
        Op::Add | Op::PtrAdd => OpKind::Add,
        Op::Sub => OpKind::Sub,
        Op::Mul => OpKind::Mul,
        Op::And | Op::FAbs => OpKind::And,
        Op::Or => OpKind::Or,
        Op::Xor => OpKind::Xor,
        Op::Not => OpKind::Not,
        Op::Shl | Op::LShr | Op::AShr if constant_amount() => OpKind::ConstShift,
        Op::Shl => OpKind::Shl,
        Op::LShr => OpKind::LShr,
        Op::AShr => OpKind::AShr,
        Op::Clz => OpKind::Lzc,
        Op::Popcount => OpKind::Popcount,
        Op::ICmp(IntCC::Eq | IntCC::Ne) => OpKind::CmpEq,
        Op::ICmp(_) => OpKind::CmpLt,
        Op::Select | Op::SpaceCast => OpKind::Mux { ways: 2 },
        _ => OpKind::Slice,
    };
    (kind, width)
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
        return OpTiming { latency: 2, input_ns: t.input_ns, output_ns: t.output_ns };
    }
    let (kind, width) = op_kind(func, inst);
    if kind == OpKind::Mul {
        // Products have been cut to single tiles: the tile's timing, whatever the width.
        let t = family.timing(OpKind::Mul, width.min(family.tile.b_signed));
        return OpTiming { latency: t.latency, input_ns: t.input_ns, output_ns: t.output_ns };
    }
    // A constant operand: comparison with 0, masks. The model has no cheaper rows for them.
    OpTiming::combinational(family.delay_ns(kind, width))
}
