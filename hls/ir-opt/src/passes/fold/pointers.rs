//! Addresses: base, then variable offset, then constant offset.

use super::{Match, definition};
use crate::consteval::eval_op;
use ir::op::generic_tag;
use ir::{Builder, IntCC, Op, Space, Type, Value};

/// Bits of a generic pointer that hold its tag, the upper ones.
const TAG_BITS: u32 = 2;

pub(super) fn fold(b: &mut Builder<'_>, m: &Match<'_>) -> Option<Value> {
    match m.op {
        Op::PtrAdd => offset(b, m),
        Op::ICmp(cc @ (IntCC::Eq | IntCC::Ne))
            if m.constant(b, 1) == Some(0) && is_object(b, m.args[0]) =>
        {
            Some(b.bool(cc == IntCC::Ne))
        }
        Op::ICmp(cc) => within_object(b, cc, m.args),
        Op::IntToPtr => match m.operand(b, 0)? {
            (Op::PtrToInt, inner) if b.func.ty(inner[0]) == m.ty => Some(inner[0]),
            (Op::Add, inner) => {
                let (Op::PtrToInt, p) = definition(b, inner[0])? else { return None };
                (b.func.ty(p[0]) == m.ty).then(|| b.ptr_add(p[0], inner[1]))
            }
            _ => None,
        },
        Op::PtrToInt => match m.operand(b, 0)? {
            (Op::IntToPtr, inner) => Some(inner[0]),
            _ => None,
        },
        Op::SpaceCast => match m.operand(b, 0)? {
            (Op::SpaceCast, inner) if b.func.ty(inner[0]) == m.ty => Some(inner[0]),
            _ => None,
        },
        Op::Slice { lo } => tag(b, m, lo.into()),
        _ => None,
    }
}

/// How two addresses in one object compare: by their offsets, because an object does not go round the end of its space.
fn within_object(b: &mut Builder<'_>, cc: IntCC, args: &[Value]) -> Option<Value> {
    let place = |v: Value| {
        let pointer = match definition(b, v) {
            Some((Op::PtrToInt, inner)) if b.func.bits(v) == b.func.addr_bits => inner[0],
            _ => v,
        };
        let (root, offset) = ir::analysis::root(b.func, pointer);
        let (Op::ObjAddr(object), _) = definition(b, root)? else { return None };
        let inside = (0..=i128::from(b.func.objects[object].size)).contains(&offset);
        inside.then_some((object, offset))
    };
    let ((first, x), (second, y)) = (place(args[0])?, place(args[1])?);
    if first != second || cc.is_signed() {
        return None;
    }
    let size = b.size_type();
    let offsets = [(size, x as u128), (size, y as u128)];
    let holds = eval_op(b.func, Op::ICmp(cc), Type::BOOL, &offsets)?;
    Some(b.bool(holds != 0))
}

/// The bits of a generic pointer that say in which space it lies, where that is known.
fn tag(b: &mut Builder<'_>, m: &Match<'_>, lo: u32) -> Option<Value> {
    let first = b.func.addr_bits - TAG_BITS;
    let (Op::PtrToInt, generic) = m.operand(b, 0)? else { return None };
    // arithmetic stays inside of an object, or behind its end
    let base = base_of(b, generic[0]);
    let (Op::SpaceCast, inner) = definition(b, base)? else { return None };
    if lo < first || b.func.ty(base).space() != Some(Space::Generic) {
        return None;
    }
    let space = b.func.ty(inner[0]).space()?;
    // null has the tag of global memory, whatever it was cast from
    let object = base_of(b, inner[0]);
    let known = space == Space::Global || is_object(b, object);
    known.then(|| b.constant(m.ty, u128::from(generic_tag(space) >> (lo - first))))
}

/// What a pointer was made from by adding offsets.
fn base_of(b: &Builder<'_>, mut v: Value) -> Value {
    while let Some((Op::PtrAdd, inner)) = definition(b, v) {
        v = inner[0];
    }
    v
}

/// Whether a value is the address of an object, which is not null in any space.
fn is_object(b: &Builder<'_>, mut v: Value) -> bool {
    loop {
        match definition(b, v) {
            Some((Op::ObjAddr(_), _)) => return true,
            // to a space in which it does not lie it would become null
            Some((Op::SpaceCast, inner)) if b.func.ty(v).space() == Some(Space::Generic) => {
                v = inner[0];
            }
            _ => return false,
        }
    }
}

fn offset(b: &mut Builder<'_>, m: &Match<'_>) -> Option<Value> {
    let (p, by) = (m.args[0], m.args[1]);
    let constant = b.func.as_const(by);
    if constant == Some(0) {
        return Some(p);
    }
    if let Some((Op::PtrAdd, inner)) = definition(b, p)
        && let Some(first) = b.func.as_const(inner[1])
    {
        if let Some(c) = constant {
            let ty = b.size_type();
            let sum = b.constant(ty, first.wrapping_add(c));
            return Some(b.ptr_add(inner[0], sum));
        }
        let moved = b.ptr_add(inner[0], by);
        return Some(b.ptr_add(moved, inner[1]));
    }
    // p + (x + c) = (p + x) + c
    if let Some((Op::Add, inner)) = definition(b, by)
        && b.func.as_const(inner[1]).is_some()
    {
        let moved = b.ptr_add(p, inner[0]);
        return Some(b.ptr_add(moved, inner[1]));
    }
    // p + ((x + c) << n) = (p + (x << n)) + (c << n)
    if let Some((Op::Shl, shifted)) = definition(b, by)
        && let Some(n) = b.func.as_const(shifted[1])
        && let Some((Op::Add, inner)) = definition(b, shifted[0])
        && let Some(c) = b.func.as_const(inner[1])
    {
        let ty = b.size_type();
        let variable = b.binary(Op::Shl, inner[0], shifted[1]);
        let moved = b.ptr_add(p, variable);
        let c = b.constant(ty, c << n);
        return Some(b.ptr_add(moved, c));
    }
    None
}
