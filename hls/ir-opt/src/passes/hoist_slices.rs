//! Slices are taken where a value is made, so that only the bits that other blocks use travel.

use crate::edit;
use base::entity::SecondaryMap;
use base::{FxHashMap, Loc};
use ir::{Block, Function, Inst, Op, Type, Value};

/// Where other blocks use nothing of a value but slices, the ranges of bits that they use become values of the block that
/// makes it. Words of memory are taken apart where they are made.
pub fn run(func: &mut Function) {
    repeat_where_used(func);
    parts(func, |op| matches!(op, Op::VecExtract(_)));
    parts(func, |op| matches!(op, Op::Slice { .. }));
}

/// The parts, lowest bit and width, that the block that makes a value takes of it.
type Made = FxHashMap<(Value, (u32, u32)), Value>;

/// A slice, or lane, of a value in a block that did not make the value.
#[derive(Clone, Debug)]
struct Use {
    inst: Inst,
    lo: u32,
    width: u32,
}

/// Lets each block take the slices that it uses itself, from values that are no slices: then all that blocks want of a value is
/// known together.
fn repeat_where_used(func: &mut Function) {
    let homes = func.homes();
    edit::localise(func, |func, block, value| {
        let (mut from, mut lo) = (value, 0);
        while homes.get(from).copied().flatten() != Some(block)
            && let Some(inst) = func.def_inst(from)
            && let Op::Slice { lo: more } = func.insts[inst].op
        {
            lo += u32::from(more);
            from = func.insts[inst].args[0];
        }
        if from == value {
            return value;
        }
        let loc = func.def_inst(value).map_or(Loc::UNKNOWN, |i| func.insts[i].loc);
        let copy = func.make_inst(Op::Slice { lo: lo as u8 }, [from], Some(func.ty(value)), loc);
        func.blocks[block].insts.push(copy);
        func.insts[copy].result.unwrap_or(value)
    });
}

/// Moves the parts that `is_part` takes of values.
fn parts(func: &mut Function, is_part: fn(Op) -> bool) {
    let homes = func.homes();
    let mut uses: SecondaryMap<Value, Vec<Use>> = SecondaryMap::new();
    let mut whole: SecondaryMap<Value, bool> = SecondaryMap::new();
    let mut made: Made = FxHashMap::default();
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            let part = part(func, inst).filter(|_| is_part(data.op));
            for &arg in &data.args {
                match (part, homes[arg] == Some(block)) {
                    (Some((lo, width)), false) => uses[arg].push(Use { inst, lo, width }),
                    (Some(range), true) => {
                        _ = made.insert((arg, range), data.result.unwrap_or(arg))
                    }
                    (None, is_here) => whole[arg] |= !is_here,
                }
            }
        }
        func.blocks[block].term.for_each_use(|v| whole[v] |= homes[v] != Some(block));
    }
    let values: Vec<Value> =
        func.values.keys().filter(|v| !uses[*v].is_empty() && !whole[*v]).collect();
    let mut replaced: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    for value in values {
        if let Some(home) = homes[value] {
            take(func, value, home, &uses[value], &mut made, &mut replaced);
        }
    }
    func.substitute(&replaced);
}

/// Lowest bit and number of bits of the operand that a slice or lane is.
fn part(func: &Function, inst: Inst) -> Option<(u32, u32)> {
    let data = &func.insts[inst];
    let width = func.bits(data.result?);
    match data.op {
        Op::Slice { lo } => Some((lo.into(), width)),
        Op::VecExtract(lane) => Some((u32::from(lane) * width, width)),
        _ => None,
    }
}

/// Makes the ranges of bits that are used values of `home`, and lets the uses take their bits from these.
fn take(
    func: &mut Function,
    value: Value,
    home: Block,
    uses: &[Use],
    made: &mut Made,
    replaced: &mut SecondaryMap<Value, Option<Value>>,
) {
    let ty = func.ty(value);
    let ranges = ranges(uses);
    if !ty.is_vector() && ranges == [(0, func.bits(value))] {
        return;
    }
    for u in uses {
        let within = |(lo, width): &(u32, u32)| *lo <= u.lo && u.lo + u.width <= lo + width;
        let range = ranges.iter().copied().find(|r| within(r) && !ty.is_vector());
        let (lo, width) = range.unwrap_or((u.lo, u.width));
        let op = if ty.is_vector() { func.insts[u.inst].op } else { Op::Slice { lo: lo as u8 } };
        let loc = func.insts[u.inst].loc;
        let from = *made.entry((value, (lo, width))).or_insert_with(|| {
            let inst = func.make_inst(op, [value], Some(Type::int(width)), loc);
            func.blocks[home].insts.push(inst);
            func.insts[inst].result.unwrap_or(value)
        });
        if (lo, width) == (u.lo, u.width) {
            if let Some(result) = func.insts[u.inst].result {
                replaced[result] = Some(from);
            }
        } else {
            func.insts[u.inst].op = Op::Slice { lo: (u.lo - lo) as u8 };
            func.insts[u.inst].args[0] = from;
        }
    }
}

/// The bits that are used, as ranges (lowest bit, number) that have none in common. Those that only touch stay apart: one may
/// have to travel further than the other.
fn ranges(uses: &[Use]) -> Vec<(u32, u32)> {
    let mut all: Vec<(u32, u32)> = uses.iter().map(|u| (u.lo, u.width)).collect();
    all.sort_unstable();
    let mut merged: Vec<(u32, u32)> = vec![];
    for (lo, width) in all {
        match merged.last_mut() {
            Some((at, w)) if lo < *at + *w => *w = (*w).max(lo + width - *at),
            _ => merged.push((lo, width)),
        }
    }
    merged
}
