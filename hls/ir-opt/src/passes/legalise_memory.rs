//! Memory accesses as hardware has them: words ([`is_word`]) in a known space, on the chip aligned to their size.

use super::infer_spaces::spaces_of_bases;
use crate::bits::{Pieces, build_word, push_word, slice};
use crate::edit::{self, Step};
use crate::legal::{DEVICE_WORD, is_word, widest_word, word_type};
use base::entity::SecondaryMap;
use base::{Diagnostic, Result};
use ir::analysis::{Cfg, Provenance};
use ir::op::generic_tag;
use ir::{Builder, Function, Inst, IntCC, MemFlags, Op, Space, Type, Value};
use std::collections::BTreeSet;

/// Splits accesses that are too wide, or not aligned where they must be, and resolves the generic space. Expects the
/// form that `scalarise` leaves.
pub fn run(func: &mut Function) -> Result<()> {
    resolve_generic(func);
    check_atomics(func)?;
    let mut lanes_of_loads = SecondaryMap::new();
    edit::rewrite(func, |b, inst| match b.func.insts[inst].op {
        Op::Load(flags) => split_load(b, inst, flags, &mut lanes_of_loads),
        Op::Store(flags) => split_store(b, inst, flags),
        Op::VecExtract(k) => {
            let vector = b.func.insts[inst].args[0];
            let lanes: &Vec<Value> = &lanes_of_loads[vector];
            let lane = lanes.get(usize::from(k)).copied().or_else(|| built_lane(b, vector, k));
            lane.map_or(Step::Keep, Step::Value)
        }
        _ => Step::Keep,
    });
    Ok(())
}

/// Sizes in bytes, at most `widest`, of the words that cover `bytes` bytes at an address aligned
/// to `align`.
fn word_sizes(bytes: u32, align: u32, widest: u32) -> Vec<u32> {
    let mut sizes = vec![];
    let mut at = 0;
    while at < bytes {
        let left = bytes - at;
        let aligned = if at == 0 { align } else { align.min(1 << at.trailing_zeros()) };
        let size = aligned.min(widest).min(1 << left.ilog2());
        sizes.push(size);
        at += size;
    }
    sizes
}

/// A load may touch the padding of a 3-vector when its alignment promises that it is there.
fn load_bytes(ty: Type, align: u32, widest: u32, addr_bits: u32) -> u32 {
    let bytes = ty.mem_bytes(addr_bits);
    let padded = bytes.next_power_of_two();
    if ty.lanes == 3 && padded <= align && padded <= widest { padded } else { bytes }
}

fn is_legal(ty: Type, flags: MemFlags, space: Space, addr_bits: u32) -> bool {
    is_word(ty, space, addr_bits) && split_align(flags, space) >= ty.mem_bytes(addr_bits)
}

/// The alignment by which an access is split: words of device memory may begin anywhere, because one unit that puts
/// them together is smaller than several for their parts.
fn split_align(flags: MemFlags, space: Space) -> u32 {
    let anywhere = widest_word(space) == DEVICE_WORD && !flags.volatile;
    if anywhere { flags.align().max(DEVICE_WORD) } else { flags.align() }
}

fn space_of(func: &Function, ptr: Value) -> Space {
    func.ty(ptr).space().unwrap_or(Space::Generic)
}

pub(super) fn at_offset(b: &mut Builder<'_>, ptr: Value, offset: u32) -> Value {
    if offset == 0 {
        return ptr;
    }
    let n = b.size(u64::from(offset));
    b.ptr_add(ptr, n)
}

/// The flags of a word `offset` bytes into an access.
pub(super) fn word_flags(flags: MemFlags, offset: u32) -> MemFlags {
    let place = if offset == 0 { u32::from(flags.align_log2) } else { offset.trailing_zeros() };
    MemFlags { align_log2: flags.align_log2.min(place as u8), ..flags }
}

fn split_load(
    b: &mut Builder<'_>,
    inst: Inst,
    flags: MemFlags,
    lanes_of: &mut SecondaryMap<Value, Vec<Value>>,
) -> Step {
    let data = b.func.insts[inst].clone();
    let Some(result) = data.result else { return Step::Keep };
    let ty = b.func.ty(result);
    let addr_bits = b.func.addr_bits;
    let space = space_of(b.func, data.args[0]);
    if is_legal(ty, flags, space, addr_bits) {
        return Step::Keep;
    }
    let mut pieces = Pieces::new();
    let mut offset = 0;
    let widest = widest_word(space);
    let bytes = load_bytes(ty, flags.align(), widest, addr_bits);
    for size in word_sizes(bytes, split_align(flags, space), widest) {
        let ptr = at_offset(b, data.args[0], offset);
        let predicate = data.args.get(1).copied();
        let op = Op::Load(word_flags(flags, offset));
        let word = b.value(op, [ptr].into_iter().chain(predicate), word_type(size));
        push_word(b, &mut pieces, word);
        offset += size;
    }
    let lane_bytes = ty.mem_bytes(addr_bits) / u32::from(ty.lanes);
    let lanes: Vec<Value> = (0..u32::from(ty.lanes))
        .map(|k| pieces.extract_as(b, k * lane_bytes * 8, ty.lane()))
        .collect();
    if !ty.is_vector() {
        return Step::Value(lanes[0]);
    }
    lanes_of[result] = lanes;
    Step::Gone
}

fn split_store(b: &mut Builder<'_>, inst: Inst, flags: MemFlags) -> Step {
    let data = b.func.insts[inst].clone();
    let ty = b.func.ty(data.args[1]);
    let addr_bits = b.func.addr_bits;
    let space = space_of(b.func, data.args[0]);
    if is_legal(ty, flags, space, addr_bits) {
        return Step::Keep;
    }
    let mut pieces = Pieces::new();
    if ty.is_vector() {
        let Some(build) = b.func.def_inst(data.args[1]) else { return Step::Keep };
        for lane in b.func.insts[build].args.clone() {
            pieces.push(b, lane);
        }
    } else {
        pieces.push(b, data.args[1]);
    }
    let mut offset = 0;
    let bytes = ty.mem_bytes(addr_bits);
    for size in word_sizes(bytes, split_align(flags, space), widest_word(space)) {
        let ptr = at_offset(b, data.args[0], offset);
        let word = build_word(b, &pieces, offset, size);
        let predicate = data.args.get(2).copied();
        let op = Op::Store(word_flags(flags, offset));
        b.inst(op, [ptr, word].into_iter().chain(predicate), None);
        offset += size;
    }
    Step::Gone
}

/// A lane of a vector that was stored and, by way of memory, is used again.
fn built_lane(b: &Builder<'_>, vector: Value, lane: u8) -> Option<Value> {
    let data = &b.func.insts[b.func.def_inst(vector)?];
    if data.op == Op::VecBuild { data.args.get(usize::from(lane)).copied() } else { None }
}

fn check_atomics(func: &Function) -> Result<()> {
    for b in &func.layout {
        for i in &func.blocks[*b].insts {
            let d = &func.insts[*i];
            let (Op::Atomic(_, flags), Some(r)) = (d.op, d.result) else { continue };
            let ty = func.ty(r);
            let bytes = ty.mem_bytes(func.addr_bits);
            if ty.is_vector() || bytes > 8 || flags.align() < bytes {
                let text = format!("atomic operation on {ty} aligned to {} bytes", flags.align());
                return Err(Diagnostic::error("E0303", text)
                    .at(d.loc)
                    .help("atomic objects must be aligned to their size")
                    .into());
            }
        }
    }
    Ok(())
}

/// Accesses through generic pointers become accesses in each space that is possible, the right
/// one chosen by the pointer's tag.
fn resolve_generic(func: &mut Function) {
    let generic = Type::ptr(Space::Generic);
    if !func.values.values().any(|v| v.ty == generic) {
        return;
    }
    let provenance = Provenance::new(func, &Cfg::new(func));
    let anywhere = cast_spaces(func);
    let mut known: SecondaryMap<Value, Vec<Space>> = SecondaryMap::new();
    for v in func.values.keys() {
        if func.ty(v) == generic {
            let bases = spaces_of_bases(func, &provenance, v);
            known[v] = bases.filter(|s| !s.is_empty()).unwrap_or_else(|| anywhere.clone());
        }
    }
    edit::rewrite(func, |b, inst| {
        let data = &b.func.insts[inst];
        if data.op.mem_flags().is_none() || b.func.ty(data.args[0]) != generic {
            return Step::Keep;
        }
        // A pointer that was loaded through another one has been replaced, and may point anywhere.
        let spaces = &known[data.args[0]];
        let spaces = if spaces.is_empty() { &anywhere } else { spaces };
        access_by_tag(b, inst, spaces)
    });
}

/// Spaces that a pointer from memory may point into: those from which pointers are cast to generic, as far as there are objects;
/// global always.
fn cast_spaces(func: &Function) -> Vec<Space> {
    let mut spaces = BTreeSet::from([Space::Global]);
    for b in &func.layout {
        for i in &func.blocks[*b].insts {
            let d = &func.insts[*i];
            if d.op == Op::SpaceCast
                && let Some(space) = func.ty(d.args[0]).space()
                && func.objects.values().any(|o| o.space == space)
            {
                spaces.insert(space);
            }
        }
    }
    spaces.into_iter().filter(|space| *space != Space::Generic).collect()
}

fn access_by_tag(b: &mut Builder<'_>, inst: Inst, spaces: &[Space]) -> Step {
    let data = b.func.insts[inst].clone();
    let (Some(flags), Some((ptr, rest))) = (data.op.mem_flags(), data.args.split_first()) else {
        return Step::Keep;
    };
    let result_ty = data.result.map(|r| b.func.ty(r));
    if let [space] = spaces {
        let cast = b.value(Op::SpaceCast, [*ptr], Type::ptr(*space));
        b.func.insts[inst].args[0] = cast;
        return Step::Keep;
    }
    let (operands, predicate) =
        if flags.predicated { rest.split_at(rest.len() - 1) } else { (rest, &[] as &[Value]) };
    let address = b.value(Op::PtrToInt, [*ptr], Type::int(b.func.addr_bits));
    let tag = slice(b, address, b.func.addr_bits - 2, 2);
    let mut result: Option<Value> = None;
    for &space in spaces {
        let want = b.constant(Type::int(2), u128::from(generic_tag(space)));
        let mut here = b.icmp(IntCC::Eq, tag, want);
        if let Some(p) = predicate.first() {
            here = b.binary(Op::And, here, *p);
        }
        let cast = b.value(Op::SpaceCast, [*ptr], Type::ptr(space));
        let op = data.op.with_mem_flags(flags.with_predicate());
        let args = [cast].into_iter().chain(operands.iter().copied()).chain([here]);
        let access = b.inst(op, args, result_ty);
        if let Some(r) = b.func.insts[access].result {
            result = Some(match result {
                Some(other) => select_lanes(b, here, r, other),
                None => r,
            });
        }
    }
    result.map_or(Step::Gone, Step::Value)
}

/// A select between values that are loaded. Vectors are chosen lane by lane, because their loads are to be split.
fn select_lanes(b: &mut Builder<'_>, c: Value, x: Value, y: Value) -> Value {
    let ty = b.func.ty(x);
    if !ty.is_vector() {
        return b.select(c, x, y);
    }
    let mut lanes = vec![];
    for k in 0..ty.lanes {
        let x = b.value(Op::VecExtract(k), [x], ty.lane());
        let y = b.value(Op::VecExtract(k), [y], ty.lane());
        lanes.push(b.select(c, x, y));
    }
    b.value(Op::VecBuild, lanes, ty)
}

#[cfg(test)]
mod tests {
    use super::word_sizes;

    #[test]
    fn words_cover_and_are_aligned() {
        // by hand: the largest power of two that is aligned and fits, from the front
        assert_eq!(word_sizes(12, 16, 16), [8, 4]);
        assert_eq!(word_sizes(12, 4, 16), [4, 4, 4]);
        assert_eq!(word_sizes(24, 32, 16), [16, 8]);
        assert_eq!(word_sizes(64, 64, 16), [16, 16, 16, 16]);
        assert_eq!(word_sizes(64, 64, 64), [64]);
        assert_eq!(word_sizes(128, 128, 64), [64, 64]);
        assert_eq!(word_sizes(96, 128, 64), [64, 32]);
        assert_eq!(word_sizes(64, 16, 64), [16, 16, 16, 16]);
        assert_eq!(word_sizes(3, 4, 64), [2, 1]);
        assert_eq!(word_sizes(4, 1, 64), [1, 1, 1, 1]);
        assert_eq!(word_sizes(6, 2, 64), [2, 2, 2]);
        assert_eq!(word_sizes(7, 8, 64), [4, 2, 1]);
    }
}
