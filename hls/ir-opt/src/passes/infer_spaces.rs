//! Pointers into the generic space that can only point into one space become pointers into
//! that space.

use crate::edit::{Rewriter, Step};
use base::entity::SecondaryMap;
use ir::analysis::{Base, Cfg, Provenance};
use ir::{Builder, Function, Inst, Op, Space, Terminator, Type, Value};
use std::collections::BTreeSet;

/// Gives each generic pointer of known space a twin in that space, made by the same operations,
/// and lets accesses use the twin. The generic pointers that are then unused fall to `dce`.
pub fn run(func: &mut Function) {
    let cfg = Cfg::new(func);
    let spaces = unique_spaces(func, &cfg);
    if spaces.values().all(Option::is_none) {
        return;
    }
    let mut twins: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    for &b in &cfg.rpo {
        for p in func.blocks[b].params.clone() {
            if let Some(space) = spaces[p] {
                twins[p] = Some(func.add_param(b, Type::ptr(space)));
            }
        }
    }
    let mut rewriter = Rewriter::default();
    for &b in &cfg.rpo {
        rewriter.block(func, b, &mut |builder, inst| visit(builder, inst, &spaces, &mut twins));
        pass_twins(func, b, &twins);
    }
    rewriter.finish(func);
}

/// The one space that a generic pointer can point into, where there is one.
fn unique_spaces(func: &Function, cfg: &Cfg) -> SecondaryMap<Value, Option<Space>> {
    let provenance = Provenance::new(func, cfg);
    let mut spaces: SecondaryMap<Value, Option<Space>> = SecondaryMap::new();
    spaces.resize(func.values.len());
    for (v, data) in func.values.iter() {
        if data.ty == Type::ptr(Space::Generic) {
            spaces[v] = space_of_bases(func, &provenance, v);
        }
    }
    spaces
}

/// The space of all bases of `value`; none when they are in several, or unknown.
fn space_of_bases(func: &Function, provenance: &Provenance, value: Value) -> Option<Space> {
    match spaces_of_bases(func, provenance, value)?[..] {
        [space] => Some(space),
        _ => None,
    }
}

/// The spaces of all bases of `value`, in order; none when one is unknown.
pub fn spaces_of_bases(
    func: &Function,
    provenance: &Provenance,
    value: Value,
) -> Option<Vec<Space>> {
    let mut spaces = BTreeSet::new();
    for base in provenance.bases(value) {
        spaces.insert(match base {
            Base::Object(o) => func.objects[o].space,
            Base::Arg(_) => Space::Global,
            Base::Unknown => return None,
        });
    }
    Some(spaces.into_iter().collect())
}

fn visit(
    b: &mut Builder<'_>,
    inst: Inst,
    spaces: &SecondaryMap<Value, Option<Space>>,
    twins: &mut SecondaryMap<Value, Option<Value>>,
) -> Step {
    let data = b.func.insts[inst].clone();
    let space_at = |v: Value| spaces.get(v).copied().flatten();
    if data.op.mem_flags().is_some() {
        if let Some(space) = space_at(data.args[0]) {
            b.func.insts[inst].args[0] = twin(b, data.args[0], space, twins);
        }
        return Step::Keep;
    }
    let Some(result) = data.result else { return Step::Keep };
    if data.op == Op::SpaceCast
        && let Some(space) = space_at(data.args[0])
        && b.func.ty(result) == Type::ptr(space)
    {
        return Step::Value(twin(b, data.args[0], space, twins));
    }
    let Some(space) = space_at(result) else { return Step::Keep };
    let ty = Type::ptr(space);
    let new = match data.op {
        Op::SpaceCast if b.func.ty(data.args[0]) == ty => data.args[0],
        Op::PtrAdd => {
            let base = twin(b, data.args[0], space, twins);
            b.value(Op::PtrAdd, [base, data.args[1]], ty)
        }
        Op::Select => {
            let x = twin(b, data.args[1], space, twins);
            let y = twin(b, data.args[2], space, twins);
            b.value(Op::Select, [data.args[0], x, y], ty)
        }
        // Made in another way: the twin is cast from it where it is needed.
        _ => return Step::Keep,
    };
    twins[result] = Some(new);
    Step::Keep
}

/// The pointer into `space` that equals the generic `value`.
fn twin(
    b: &mut Builder<'_>,
    value: Value,
    space: Space,
    twins: &SecondaryMap<Value, Option<Value>>,
) -> Value {
    if let Some(t) = twins[value] {
        return t;
    }
    match b.func.def_inst(value).map(|i| b.func.insts[i].clone()) {
        Some(d) if matches!(d.op, Op::Const(0)) => b.constant(Type::ptr(space), 0),
        Some(d) if d.op == Op::SpaceCast && b.func.ty(d.args[0]) == Type::ptr(space) => d.args[0],
        _ => b.value(Op::SpaceCast, [value], Type::ptr(space)),
    }
}

/// Adds the arguments for the twins of parameters to the jumps of block `from`.
fn pass_twins(func: &mut Function, from: ir::Block, twins: &SecondaryMap<Value, Option<Value>>) {
    let mut term = std::mem::replace(&mut func.blocks[from].term, Terminator::Unreachable);
    let loc = func.blocks[from].term_loc;
    for call in term.targets_mut() {
        let old = call.args.clone();
        for (k, &arg) in old.iter().enumerate() {
            let param = func.blocks[call.block].params[k];
            let Some(t) = twins[param] else { continue };
            let space = func.ty(t).space().unwrap_or(Space::Generic);
            let mut b = Builder::at(func, from);
            b.loc = loc;
            let value = twin(&mut b, arg, space, twins);
            call.args.push(value);
        }
    }
    func.blocks[from].term = term;
}
