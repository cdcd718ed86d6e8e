//! Loads of constants, and accesses with constant predicates.

use crate::Context;
use crate::edit::Step;
use ir::{Builder, Inst, MemFlags, ObjectKind, Op, Space, Type, Value};

/// The value of a load from a constant variable at a known offset.
pub(super) fn constant_load(
    b: &mut Builder<'_>,
    inst: Inst,
    context: &Context<'_>,
) -> Option<Value> {
    let data = b.func.insts[inst].clone();
    let Op::Load(flags) = data.op else { return None };
    let ty = b.func.ty(data.result?);
    if flags.predicated {
        return match b.func.as_const(data.args[1])? {
            0 => Some(zero(b, ty)),
            c if c == crate::bits::ones(b.func.bits(data.args[1])) => {
                let op = Op::Load(MemFlags { predicated: false, ..flags });
                Some(b.value(op, [data.args[0]], ty))
            }
            _ => None,
        };
    }
    if flags.volatile || ty.is_vector() || ty.space().is_some() {
        return None;
    }
    let (global, offset) = constant_place(b, data.args[0])?;
    let variable = context.globals.get(global)?;
    let size = u64::from(ty.mem_bytes(b.func.addr_bits));
    let relocated = |(at, _, _): &(u64, ir::Global, i64)| {
        *at < offset.saturating_add(size) && offset < at.saturating_add(8)
    };
    if variable.relocations.iter().any(relocated) || offset.checked_add(size)? > variable.size {
        return None;
    }
    let byte = |k: u64| match &variable.init {
        Some(init) => init.get((offset + k) as usize).copied(),
        None => Some(0),
    };
    let mut bits = 0;
    for k in (0..size).rev() {
        bits = bits << 8 | u128::from(byte(k)?);
    }
    let width = ty.lane_bits(b.func.addr_bits);
    Some(b.constant(Type { ..ty }, bits & crate::bits::ones(width)))
}

fn constant_place(b: &Builder<'_>, ptr: Value) -> Option<(ir::Global, u64)> {
    let (mut at, mut offset) = (ptr, 0u64);
    loop {
        let data = &b.func.insts[b.func.def_inst(at)?];
        match data.op {
            Op::PtrAdd => {
                offset = offset.wrapping_add(b.func.as_const(data.args[1])? as u64);
                at = data.args[0];
            }
            Op::ObjAddr(o) => {
                let object = &b.func.objects[o];
                return match object.kind {
                    ObjectKind::Global(g) if object.space == Space::Constant => Some((g, offset)),
                    _ => None,
                };
            }
            _ => return None,
        }
    }
}

/// Accesses whose predicate is constant happen always or never.
pub(super) fn predicate(b: &mut Builder<'_>, inst: Inst) -> Step {
    let data = b.func.insts[inst].clone();
    if data.op.predicated() != Some(true) {
        return Step::Keep;
    }
    let Some((last, rest)) = data.args.split_last() else { return Step::Keep };
    let ones = crate::bits::ones(b.func.bits(*last));
    match b.func.as_const(*last) {
        Some(all) if all == ones => {
            let op = data.op.with_predicate(false);
            let ty = data.result.map(|r| b.func.ty(r));
            let new = b.inst(op, rest.iter().copied(), ty);
            b.func.insts[new].result.map_or(Step::Gone, Step::Value)
        }
        Some(0) => match data.result {
            Some(r) => {
                let ty = b.func.ty(r);
                Step::Value(zero(b, ty))
            }
            None => Step::Gone,
        },
        _ => Step::Keep,
    }
}

/// The value 0; vectors are built of scalars, as the hardware's form has it.
fn zero(b: &mut Builder<'_>, ty: Type) -> Value {
    let lane = b.constant(ty.lane(), 0);
    match ty.lanes {
        1 => lane,
        n => b.value(Op::VecBuild, vec![lane; n.into()], ty),
    }
}
