//! Vectors to scalars: afterwards vectors occur only as the data of loads (taken apart at once)
//! and stores (built on the spot).

use crate::bits::{Pieces, slice};
use crate::edit::{Rewriter, Step};
use base::entity::SecondaryMap;
use ir::analysis::Cfg;
use ir::{Block, Builder, Function, Inst, IntCC, Op, Terminator, Type, Value};

type Lanes = SecondaryMap<Value, Vec<Value>>;

/// Replaces every vector operation by operations on its lanes.
pub fn run(func: &mut Function) {
    if !func.values.values().any(|v| v.ty.is_vector()) {
        return;
    }
    let cfg = Cfg::new(func);
    let mut lanes = Lanes::new();
    lanes.resize(func.values.len());
    for &b in &cfg.rpo {
        split_params(func, b, &mut lanes);
    }
    let mut rewriter = Rewriter::default();
    for &b in &cfg.rpo {
        rewriter.block(func, b, &mut |builder, inst| visit(builder, inst, &mut lanes));
        split_arguments(func, b, &lanes);
    }
    rewriter.finish(func);
}

/// One parameter for each lane, in the place of a vector parameter.
fn split_params(func: &mut Function, block: Block, lanes: &mut Lanes) {
    if !func.blocks[block].params.iter().any(|p| func.ty(*p).is_vector()) {
        return;
    }
    let old = std::mem::take(&mut func.blocks[block].params);
    for p in old {
        let ty = func.ty(p);
        if ty.is_vector() {
            lanes[p] = (0..ty.lanes).map(|_| func.add_param(block, ty.lane())).collect();
        } else {
            let k = func.blocks[block].params.len() as u32;
            func.values[p].def = ir::ValueDef::Param(block, k);
            func.blocks[block].params.push(p);
        }
    }
}

/// One argument for each lane. Vectors defined later in reverse postorder do not exist here:
/// definitions dominate jumps.
fn split_arguments(func: &mut Function, block: Block, lanes: &Lanes) {
    let mut term = std::mem::replace(&mut func.blocks[block].term, Terminator::Unreachable);
    for call in term.targets_mut() {
        if call.args.iter().any(|a| func.ty(*a).is_vector()) {
            let old = std::mem::take(&mut call.args);
            for a in old {
                if func.ty(a).is_vector() {
                    call.args.extend(lanes[a].iter().copied());
                } else {
                    call.args.push(a);
                }
            }
        }
    }
    func.blocks[block].term = term;
}

fn visit(b: &mut Builder<'_>, inst: Inst, lanes: &mut Lanes) -> Step {
    let data = b.func.insts[inst].clone();
    let ty = data.result.map(|r| b.func.ty(r));
    let is_vector = |b: &Builder<'_>, v: Value| b.func.ty(v).is_vector();
    if !ty.is_some_and(Type::is_vector) && !data.args.iter().any(|a| is_vector(b, *a)) {
        return Step::Keep;
    }
    let args = &data.args;
    match (data.op, ty) {
        (Op::Store(flags), _) => {
            let vector = b.func.ty(args[1]);
            let value = b.value(Op::VecBuild, lanes[args[1]].iter().copied(), vector);
            let rest = args.iter().skip(2).copied();
            b.inst(Op::Store(flags), [args[0], value].into_iter().chain(rest), None);
            Step::Gone
        }
        (Op::Pipe { op, .. }, None) if op.writes() => {
            let vector = b.func.ty(args[0]);
            let value = b.value(Op::VecBuild, lanes[args[0]].iter().copied(), vector);
            b.inst(data.op, [value].into_iter().chain(args.iter().skip(1).copied()), None);
            Step::Gone
        }
        (Op::Load(_) | Op::Pipe { .. }, Some(ty)) => {
            let whole = b.value(data.op, args.iter().copied(), ty);
            let result = data.result.unwrap_or(whole);
            lanes[result] =
                (0..ty.lanes).map(|k| b.value(Op::VecExtract(k), [whole], ty.lane())).collect();
            Step::Gone
        }
        (Op::VecExtract(k), _) => Step::Value(lanes[args[0]][usize::from(k)]),
        (Op::VecExtractDyn, Some(ty)) => {
            Step::Value(extract_dynamic(b, &lanes[args[0]], args[1], ty))
        }
        (Op::Bitcast, Some(ty)) if !ty.is_vector() => {
            let mut pieces = Pieces::new();
            lanes[args[0]].iter().for_each(|l| pieces.push(b, *l));
            Step::Value(pieces.extract_as(b, 0, ty))
        }
        (op, Some(ty)) => {
            if let Some(result) = data.result {
                lanes[result] = vector_op(b, op, args, ty, lanes);
            }
            Step::Gone
        }
        (_, None) => Step::Keep,
    }
}

/// The lanes of a pure operation whose result is a vector.
fn vector_op(b: &mut Builder<'_>, op: Op, args: &[Value], ty: Type, lanes: &Lanes) -> Vec<Value> {
    let lane_ty = ty.lane();
    let count = usize::from(ty.lanes);
    match op {
        Op::Const(c) => vec![b.constant(lane_ty, c); count],
        Op::Arg { index, offset } => {
            let step = lane_ty.mem_bytes(b.func.addr_bits);
            let at = |k: usize| Op::Arg { index, offset: offset + k as u32 * step };
            (0..count).map(|k| b.value(at(k), [], lane_ty)).collect()
        }
        Op::VecBuild => args.to_vec(),
        Op::VecInsert(k) => {
            let mut out = lanes[args[0]].clone();
            out[usize::from(k)] = args[1];
            out
        }
        Op::VecInsertDyn => {
            let old = lanes[args[0]].clone();
            let index_ty = b.func.ty(args[2]);
            let lane = |(k, old): (usize, Value)| {
                let number = b.constant(index_ty, k as u128);
                let here = b.icmp(IntCC::Eq, args[2], number);
                b.select(here, args[1], old)
            };
            old.into_iter().enumerate().map(lane).collect()
        }
        Op::Bitcast => bitcast(b, args[0], ty, lanes),
        _ => (0..count)
            .map(|k| {
                let lane = |a: &Value| lanes[*a].get(k).copied().unwrap_or(*a);
                let operands: Vec<Value> = args.iter().map(lane).collect();
                b.value(op, operands, lane_ty)
            })
            .collect(),
    }
}

fn bitcast(b: &mut Builder<'_>, from: Value, ty: Type, lanes: &Lanes) -> Vec<Value> {
    let width = ty.lane_bits(b.func.addr_bits);
    let mut pieces = Pieces::new();
    if b.func.ty(from).is_vector() {
        lanes[from].iter().for_each(|l| pieces.push(b, *l));
    } else {
        pieces.push(b, from);
    }
    (0..u32::from(ty.lanes)).map(|k| pieces.extract_as(b, k * width, ty.lane())).collect()
}

/// Selects a lane by the bits of the index; an index past the end gives 0.
fn extract_dynamic(b: &mut Builder<'_>, lanes: &[Value], index: Value, ty: Type) -> Value {
    let zero = b.constant(ty, 0);
    let index_bits = b.func.bits(index);
    let mut level: Vec<Value> = lanes.to_vec();
    let mut bit = 0;
    while level.len() > 1 && bit < index_bits {
        let chosen = slice(b, index, bit, 1);
        level = level
            .chunks(2)
            .map(|pair| b.select(chosen, pair.get(1).copied().unwrap_or(zero), pair[0]))
            .collect();
        bit += 1;
    }
    let mut result = level[0];
    if bit < index_bits {
        let high = slice(b, index, bit, index_bits - bit);
        let high_ty = b.func.ty(high);
        let none = b.constant(high_ty, 0);
        let inside = b.icmp(IntCC::Eq, high, none);
        result = b.select(inside, result, zero);
    }
    result
}
