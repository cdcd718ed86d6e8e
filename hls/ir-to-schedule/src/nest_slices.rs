//! Slices of a value that have bits in common become slices of one slice.
//!
//! [`crate::rematerialise`] asks of each value whether it is carried. Of two slices of a word, neither alone is worth carrying while
//! the other needs the word; the slice of all their bits is.

use base::FxHashMap;
use base::entity::SecondaryMap;
use ir::{Function, Inst, Op, Type, Value};

/// Lowest bit and number of bits.
type Range = (u32, u32);

/// Gives slices that have bits in common a slice that holds them, where the value is made.
pub fn run(func: &mut Function) {
    let mut slices: SecondaryMap<Value, Vec<Inst>> = SecondaryMap::new();
    for inst in func.layout.iter().flat_map(|b| &func.blocks[*b].insts) {
        if let Op::Slice { .. } = func.insts[*inst].op {
            slices[func.insts[*inst].args[0]].push(*inst);
        }
    }
    let mut replaced: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let mut holders: FxHashMap<Value, Vec<Inst>> = FxHashMap::default();
    let values: Vec<Value> = func.values.keys().filter(|v| slices[*v].len() > 1).collect();
    for value in values {
        for group in groups(func, &slices[value]) {
            let holder = hold(func, value, &group, &mut replaced);
            holders.entry(value).or_default().push(holder);
        }
    }
    place(func, &holders, &replaced);
    func.substitute(&replaced);
}

/// Slices that have bits in common, and the bits of all.
struct Group {
    all: Range,
    members: Vec<Inst>,
}

/// The groups whose members differ and are not the whole value together.
fn groups(func: &Function, slices: &[Inst]) -> Vec<Group> {
    let mut slices = slices.to_vec();
    slices.sort_by_key(|inst| (range(func, *inst), *inst));
    let mut groups: Vec<Group> = vec![];
    for inst in slices {
        let (lo, width) = range(func, inst);
        match groups.last_mut() {
            Some(Group { all, members }) if lo < all.0 + all.1 => {
                all.1 = all.1.max(lo + width - all.0);
                members.push(inst);
            }
            _ => groups.push(Group { all: (lo, width), members: vec![inst] }),
        }
    }
    groups.retain(|g| {
        let whole = func.bits(func.insts[g.members[0]].args[0]);
        let differ = g.members.iter().any(|i| range(func, *i) != range(func, g.members[0]));
        differ && g.all.1 < whole
    });
    groups
}

/// The bits that a slice takes of its operand.
fn range(func: &Function, slice: Inst) -> Range {
    let data = &func.insts[slice];
    let lo = if let Op::Slice { lo } = data.op { lo.into() } else { 0 };
    (lo, data.result.map_or(0, |r| func.bits(r)))
}

/// Makes the slice of all bits of a group and lets the others take theirs from it.
fn hold(
    func: &mut Function,
    value: Value,
    group: &Group,
    replaced: &mut SecondaryMap<Value, Option<Value>>,
) -> Inst {
    let (lo, width) = group.all;
    let loc = func.insts[group.members[0]].loc;
    let holder = func.make_inst(Op::Slice { lo: lo as u8 }, [value], Some(Type::int(width)), loc);
    let held = func.insts[holder].result.unwrap_or(value);
    for &member in &group.members {
        let own = range(func, member);
        if own == group.all {
            if let Some(result) = func.insts[member].result {
                replaced[result] = Some(held);
            }
        } else {
            func.insts[member].op = Op::Slice { lo: (own.0 - lo) as u8 };
            func.insts[member].args[0] = held;
        }
    }
    holder
}

/// Puts the new slices behind the values that they are of, and takes out those that they replace.
fn place(
    func: &mut Function,
    holders: &FxHashMap<Value, Vec<Inst>>,
    replaced: &SecondaryMap<Value, Option<Value>>,
) {
    let of = |value: Value| holders.get(&value).into_iter().flatten().copied();
    for block in func.layout.clone() {
        let mut insts: Vec<Inst> = func.blocks[block].params.iter().copied().flat_map(of).collect();
        for &inst in &func.blocks[block].insts {
            let result = func.insts[inst].result;
            if result.is_none_or(|r| replaced[r].is_none()) {
                insts.push(inst);
            }
            insts.extend(result.into_iter().flat_map(of));
        }
        func.blocks[block].insts = insts;
    }
}
