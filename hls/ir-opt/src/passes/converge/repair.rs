//! Values that live across a turn: their definitions no longer dominate their uses.
//!
//! Such a value goes into a private variable where it is made, and is read from there in other blocks; `sroa` then makes
//! parameters of blocks of it. What is made between the brackets of a function goes into the variable behind them, where only
//! those go on that called it: others may still need the value that they got there earlier.

use crate::edit;
use base::entity::{EntityRef, SecondaryMap};
use base::{IndexMap, IndexSet, Loc};
use ir::analysis::{Cfg, Dominators};
use ir::{
    Block, Builder, Function, Inst, MemFlags, Object, ObjectData, ObjectKind, Op, Space, Type,
    Value, ValueDef,
};

/// Repairs a function. `commits` has, for blocks between brackets, the block behind them.
pub(super) fn run(func: &mut Function, commits: &SecondaryMap<Block, Option<Block>>) {
    edit::remove_unreachable(func);
    let homes = func.homes();
    let mut variables: IndexMap<Value, Object> = IndexMap::default();
    for v in broken(func, &homes) {
        let object = variable(func, v);
        variables.insert(v, object);
    }
    edit::localise(func, |func, block, value| {
        let (Some(&object), Some(home)) = (variables.get(&value), homes[value]) else {
            return value;
        };
        let behind = commits[home];
        let same = behind.is_some() && (commits[block] == behind || behind == Some(block));
        if home == block || same {
            return value;
        }
        read(func, block, object, value)
    });
    for (value, object) in variables {
        if let Some(home) = homes[value] {
            write(func, value, home, commits[home], object);
        }
    }
}

/// Values with uses that their definitions do not dominate.
fn broken(func: &Function, homes: &SecondaryMap<Value, Option<Block>>) -> IndexSet<Value> {
    let cfg = Cfg::new(func);
    let dominators = Dominators::new(func, &cfg);
    let mut found: IndexSet<Value> = IndexSet::default();
    for &b in &cfg.rpo {
        let mut check = |v: Value| {
            if homes[v].is_some_and(|home| !dominators.dominates(home, b)) {
                found.insert(v);
            }
        };
        for &i in &func.blocks[b].insts {
            func.insts[i].args.iter().for_each(|v| check(*v));
        }
        func.blocks[b].term.for_each_use(check);
    }
    found
}

/// The type that a value has in memory: whole bytes.
fn memory_type(ty: Type) -> Type {
    let bits = ty.lane_bits(0);
    match ty.space().is_none() && !bits.is_multiple_of(8) {
        true => Type::int(bits.next_multiple_of(8)).with_lanes(ty.lanes),
        false => ty,
    }
}

fn flags(func: &Function, ty: Type) -> MemFlags {
    let bytes = memory_type(ty).mem_bytes(func.addr_bits);
    MemFlags::aligned(bytes.next_power_of_two())
}

fn variable(func: &mut Function, value: Value) -> Object {
    let bytes = memory_type(func.ty(value)).mem_bytes(func.addr_bits);
    let name = format!("kept{}", value.index());
    func.objects.push(ObjectData {
        name,
        space: Space::Private,
        size: bytes.into(),
        align: bytes.next_power_of_two(),
        kind: ObjectKind::Variable,
        loc: Loc::UNKNOWN,
    })
}

fn read(func: &mut Function, block: Block, object: Object, like: Value) -> Value {
    let ty = func.ty(like);
    let flags = flags(func, ty);
    let mut b = Builder::at(func, block);
    let place = b.obj_addr(object);
    let stored = b.load(memory_type(ty), place, flags);
    if memory_type(ty) == ty {
        return stored;
    }
    b.value(Op::Slice { lo: 0 }, [stored], ty)
}

/// Writes a value into its variable, behind its definition or at the start of the block behind the brackets.
fn write(func: &mut Function, value: Value, home: Block, behind: Option<Block>, object: Object) {
    let block = behind.unwrap_or(home);
    let at = match func.values[value].def {
        ValueDef::Inst(i) if behind.is_none() => place_of(func, home, i) + 1,
        _ => 0,
    };
    let rest = func.blocks[block].insts.split_off(at);
    let ty = func.ty(value);
    let flags = flags(func, ty);
    let before = func.blocks[block].insts.len();
    let mut b = Builder::at(func, block);
    let stored = match memory_type(ty) == ty {
        true => value,
        false => b.value(Op::Zext, [value], memory_type(ty)),
    };
    let place = b.obj_addr(object);
    b.store(place, stored, flags);
    // Nothing else is in the variable: its place in the order of effects does not matter.
    for k in before..func.blocks[block].insts.len() {
        let inst = func.blocks[block].insts[k];
        func.insts[inst].after.clear();
    }
    func.blocks[block].insts.extend(rest);
}

fn place_of(func: &Function, block: Block, inst: Inst) -> usize {
    func.blocks[block].insts.iter().position(|i| *i == inst).unwrap_or_default()
}
