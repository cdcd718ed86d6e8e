//! Which hardware an IR operation is, and how long it takes on a device family.

use base::entity::SecondaryMap;
use ir::{Function, Inst, Op, Value};
use schedule::OpTiming;
use target::{Family, OpKind, Room, op_kind};

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

/// LUTs of logic around a multiplier tile, and of those that use a bit of an operand of a unit, about.
const LUTS_BESIDE_TILE: f64 = 20.0;
const LUTS_PER_UNIT_BIT: f64 = 2.0;

/// Adds to the operations of a block the nanoseconds that nets of their results take that lead to many or large operations: these spread over the device.
/// Operands that come out of registers have most of a cycle for that. `is_unit`: operations that are datapaths of their own.
pub fn add_nets(
    func: &Function,
    insts: &[Inst],
    family: &Family,
    is_unit: &dyn Fn(Inst) -> bool,
    timing: &mut SecondaryMap<Inst, OpTiming>,
) {
    if family.room == Room::Usual {
        return;
    }
    // LUTs of what uses a value, through wires.
    let mut luts: SecondaryMap<Value, f64> = SecondaryMap::new();
    for &inst in insts.iter().rev() {
        let d = &func.insts[inst];
        let t = timing[inst];
        let is_wire = !d.op.is_effect() && t.latency == 0 && t.output_ns == 0.0;
        let behind = d.result.map_or(0.0, |r| luts[r]);
        let own = match op_kind(func, inst) {
            _ if is_wire => behind,
            _ if d.op.is_effect() || matches!(d.op, Op::Lookup(_)) => 0.0,
            (_, width) if is_unit(inst) => LUTS_PER_UNIT_BIT * f64::from(width),
            (OpKind::Mul, _) => LUTS_BESIDE_TILE,
            (kind, width) => family.area(kind, width).lut,
        };
        for (k, &a) in d.args.iter().enumerate() {
            if !d.args[..k].contains(&a) {
                luts[a] += own;
            }
        }
        if !is_wire && !d.op.is_effect() {
            let ns = family.broadcast_ns(behind);
            timing[inst].output_ns += ns;
            timing[inst].input_ns += if t.latency == 0 { ns } else { 0.0 };
        }
    }
}
