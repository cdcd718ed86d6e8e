//! Splits accesses to device memory that are wider than its bus.

use crate::Options;
use crate::memories::cached;
use crate::multiply::{concat, slice};
use base::entity::SecondaryMap;
use base::{FxHashMap, FxHashSet, SmallVec};
use ir::analysis::{Cfg, Provenance};
use ir::{Builder, Function, Inst, MemFlags, Op, Space, Type, Value};

/// Splits loads and stores of integers wider than the bus, except loads that have a cache, which is as wide as they are. The parts
/// take the place of the access in the order of effects and are not ordered among themselves.
pub fn run(func: &mut Function, options: &Options) {
    let bus_bytes = options.bus_bytes;
    let provenance = Provenance::new(func, &Cfg::new(func));
    let keep: FxHashSet<Inst> = func
        .layout
        .iter()
        .flat_map(|b| func.blocks[*b].insts.iter().copied())
        .filter(|i| {
            wide(func, *i, bus_bytes).is_some_and(|(_, bits)| cached::lines(bits / 8, options) > 0)
        })
        .filter(|i| cached::reads_image(func, &provenance, *i))
        .collect();
    let mut replaced: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut parts_of: FxHashMap<Inst, Vec<Inst>> = FxHashMap::default();
        for inst in insts {
            let after = std::mem::take(&mut func.insts[inst].after);
            let after: SmallVec<[Inst; 2]> = after
                .iter()
                .flat_map(|e| parts_of.get(e).cloned().unwrap_or_else(|| vec![*e]))
                .collect();
            let wide = wide(func, inst, bus_bytes).filter(|_| !keep.contains(&inst));
            let Some((flags, bits)) = wide else {
                func.insts[inst].after = after;
                func.blocks[block].insts.push(inst);
                continue;
            };
            let mut b = Builder::at(func, block);
            b.loc = b.func.insts[inst].loc;
            let (parts, value) = split(&mut b, inst, flags, bits, 8 * bus_bytes);
            for &part in &parts {
                func.insts[part].after = after.clone();
            }
            if let (Some(old), Some(new)) = (func.insts[inst].result, value) {
                replaced[old] = Some(new);
            }
            parts_of.insert(inst, parts);
        }
    }
    func.substitute(&replaced);
}

/// Flags and width in bits of an access that must be split.
fn wide(func: &Function, inst: Inst, bus_bytes: u32) -> Option<(MemFlags, u32)> {
    let data = &func.insts[inst];
    let (flags, value) = match data.op {
        Op::Load(flags) => (flags, data.result?),
        Op::Store(flags) => (flags, data.args[1]),
        _ => return None,
    };
    let space = func.ty(data.args[0]).space()?;
    let device = matches!(space, Space::Global | Space::Constant);
    let bits = func.bits(value);
    (device && func.ty(value).is_int() && bits > 8 * bus_bytes).then_some((flags, bits))
}

fn split(
    b: &mut Builder,
    inst: Inst,
    flags: MemFlags,
    bits: u32,
    part_bits: u32,
) -> (Vec<Inst>, Option<Value>) {
    let data = b.func.insts[inst].clone();
    let part_bytes = part_bits / 8;
    let flags = MemFlags { align_log2: flags.align_log2.min(part_bytes.ilog2() as u8), ..flags };
    let predicate = data.args.last().copied().filter(|_| flags.predicated);
    let part_type = match part_bits {
        0..=128 => Type::int(part_bits),
        _ => Type::int(128).with_lanes((part_bits / 128) as u8),
    };
    let mut parts = vec![];
    let mut values = vec![];
    for k in 0..bits / part_bits {
        let offset = b.size(u64::from(k * part_bytes));
        let pointer = b.ptr_add(data.args[0], offset);
        let predicate = predicate.map(|p| part_predicate(b, p, k, bits / part_bits));
        let part = match data.op {
            Op::Load(_) => {
                let args = [pointer].into_iter().chain(predicate);
                let part = b.inst(Op::Load(flags), args, Some(part_type));
                values.extend(b.func.insts[part].result);
                part
            }
            _ => {
                let piece = word_slice(b, data.args[1], k * part_bits, part_bits);
                b.inst(Op::Store(flags), [pointer, piece].into_iter().chain(predicate), None)
            }
        };
        parts.push(part);
    }
    let value = data.result.map(|r| join(b, &values, b.func.ty(r)));
    (parts, value)
}

/// The bits of a mask for part `k` of `n`; a mask of fewer bits than parts stands for several.
fn part_predicate(b: &mut Builder, mask: Value, k: u32, n: u32) -> Value {
    let bits = b.func.bits(mask);
    let count = (bits / n).max(1);
    slice(b, mask, k * bits / n, count)
}

/// Bits `lo..lo + bits` of a word, as a word.
fn word_slice(b: &mut Builder, word: Value, lo: u32, bits: u32) -> Value {
    let ty = b.func.ty(word);
    if !ty.is_vector() {
        return slice(b, word, lo, bits);
    }
    let lane_bits = b.func.bits(word) / u32::from(ty.lanes);
    let lane = |b: &mut Builder, at: u32| {
        b.value(Op::VecExtract((at / lane_bits) as u8), [word], ty.lane())
    };
    if bits <= lane_bits {
        let whole = lane(b, lo);
        return slice(b, whole, lo % lane_bits, bits);
    }
    let lanes: Vec<Value> = (0..bits / lane_bits).map(|k| lane(b, lo + k * lane_bits)).collect();
    b.value(Op::VecBuild, lanes, ty.with_lanes((bits / lane_bits) as u8))
}

/// The word that consists of `parts`, the lowest first.
fn join(b: &mut Builder, parts: &[Value], ty: Type) -> Value {
    let lane_bits = ty.lane_bits(b.func.addr_bits);
    let mut lanes = vec![];
    let mut open: Option<Value> = None;
    for &part in parts {
        let part_ty = b.func.ty(part);
        if part_ty.is_vector() {
            let lane = |k| b.value(Op::VecExtract(k), [part], part_ty.lane());
            lanes.extend((0..part_ty.lanes).map(lane));
            continue;
        }
        let whole = match open.take() {
            Some(low) => concat(b, part, low),
            None => part,
        };
        match b.func.bits(whole) == lane_bits {
            true => lanes.push(whole),
            false => open = Some(whole),
        }
    }
    match lanes[..] {
        [whole] => whole,
        _ => b.value(Op::VecBuild, lanes, ty),
    }
}
