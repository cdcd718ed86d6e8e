//! Expands a kernel into what hardware has: constant tables instead of loads, small float
//! operations inline, wide products as tiles, counts and wide shifts as trees, work-item
//! queries at the entry.

use crate::multiply::{self, concat, slice};
use base::entity::SecondaryMap;
use base::{FxHashMap, Result};
use ir::analysis::{Base, Cfg, Provenance};
use ir::{
    BlockCall, Builder, Function, Inst, IntCC, Module, Object, ObjectKind, Op, Query, Scalar,
    Space, Table, TableData, Terminator, Type, Value,
};
use schedule::product::factor;
use target::{Family, OpKind};

/// Bytes up to which a constant object becomes an on-chip table.
const MAX_TABLE_BYTES: u64 = 1 << 16;

/// Expands the whole kernel.
pub fn run(func: &mut Function, module: &Module, family: &Family) -> Result<()> {
    fold_empty_latches(func);
    hoist_queries(func);
    tables(func, module);
    datapath(func, family);
    Ok(())
}

/// Expands the operations of every block that hardware does not have as one operator.
pub fn datapath(func: &mut Function, family: &Family) {
    let mut replaced: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        for inst in insts {
            let loc = func.insts[inst].loc;
            for k in 0..func.insts[inst].args.len() {
                let mut v = func.insts[inst].args[k];
                while let Some(n) = replaced[v] {
                    v = n;
                }
                func.insts[inst].args[k] = v;
            }
            let mut b = Builder::at(func, block);
            b.loc = loc;
            match (expand_inst(&mut b, inst, family), b.func.insts[inst].result) {
                (Some(new), Some(old)) => replaced[old] = Some(new),
                _ => func.blocks[block].insts.push(inst),
            }
        }
    }
    func.substitute(&replaced);
}

fn expand_inst(b: &mut Builder, inst: Inst, family: &Family) -> Option<Value> {
    let data = b.func.insts[inst].clone();
    let ty = b.func.ty(data.result?);
    let args = data.args;
    match data.op {
        Op::Mul if family.timing(OpKind::Mul, 1).latency == 0 => None,
        Op::Mul if !multiply::is_tile(b.func, args[0], args[1], family.tile) => {
            Some(multiply::build(b, args[0], args[1], family))
        }
        Op::FNeg | Op::FAbs | Op::FCopysign | Op::FMin | Op::FMax | Op::FCmp(_) => {
            inline_float(b, data.op, &args, ty)
        }
        Op::Clz => Some(leading_zeros(b, args[0])),
        Op::Popcount => Some(ones(b, args[0])),
        Op::Shl | Op::LShr | Op::AShr if b.func.as_const(args[1]).is_none() => {
            split_shift(b, data.op, args[0], args[1])
        }
        Op::ICmp(cc @ (IntCC::Eq | IntCC::Ne)) => compare_before_step(b, cc, args[0], args[1]),
        _ => None,
    }
}

/// `x + c == n` as `x == n - c` where `n` is launch-uniform: the comparison of a loop's counter
/// no longer waits for the addition, and `n - c` is computed once.
fn compare_before_step(b: &mut Builder, cc: IntCC, x: Value, y: Value) -> Option<Value> {
    let uniform = |b: &Builder, v: Value| {
        let inst = b.func.def_inst(v);
        inst.is_some_and(|i| match b.func.insts[i].op {
            Op::Arg { .. } | Op::Const(_) => true,
            Op::Slice { .. } | Op::Zext | Op::Sext => {
                let source = b.func.insts[i].args[0];
                matches!(b.func.def_op(source), Some(Op::Arg { .. } | Op::Const(_)))
            }
            _ => false,
        })
    };
    let (sum, bound) = if uniform(b, y) { (x, y) } else { (y, x) };
    if !uniform(b, bound) || b.func.as_const(bound).is_some() {
        return None;
    }
    let add = b.func.def_inst(sum).filter(|i| b.func.insts[*i].op == Op::Add)?;
    let (p, q) = (b.func.insts[add].args[0], b.func.insts[add].args[1]);
    let (value, step) = if b.func.as_const(q).is_some() { (p, q) } else { (q, p) };
    b.func.as_const(step)?;
    let before = b.binary(Op::Sub, bound, step);
    Some(b.icmp(cc, value, before))
}

/// Small float operations as integer operations on the bits.
fn inline_float(b: &mut Builder, op: Op, args: &[Value], ty: Type) -> Option<Value> {
    let operator = arith::Operator::from_ir(op, b.func.ty(args[0]), ty)?;
    let bits: Vec<Value> = args.iter().map(|a| to_bits(b, *a)).collect();
    let out = arith::expand(operator, b, &bits)[0];
    Some(if ty.is_float() { b.value(Op::Bitcast, [out], ty) } else { out })
}

/// A float as an integer of its width. Constants stay constants: what is compared with them is folded.
pub fn to_bits(b: &mut Builder, v: Value) -> Value {
    let ty = b.func.ty(v);
    match (ty.scalar, b.func.as_const(v)) {
        (Scalar::Float(k), Some(bits)) => b.constant(Type::int(k.bits()), bits),
        (Scalar::Float(k), None) => b.value(Op::Bitcast, [v], Type::int(k.bits())),
        _ => v,
    }
}

/// Leading zeros by halving: the count's bits from the top down.
fn leading_zeros(b: &mut Builder, v: Value) -> Value {
    let width = b.func.bits(v);
    let padded = width.next_power_of_two();
    let mut x = v;
    if padded > width {
        // Ones below the value stop the count at its width.
        let ones = b.constant(Type::int(padded - width), u128::MAX);
        x = concat(b, v, ones);
    }
    let mut digits = vec![];
    let mut w = padded;
    while w > 1 {
        let half = w / 2;
        let (high, low) = (slice(b, x, half, half), slice(b, x, 0, half));
        let zero = b.constant(Type::int(half), 0);
        let empty = b.icmp(IntCC::Eq, high, zero);
        digits.push(empty);
        x = b.select(empty, low, high);
        w = half;
    }
    // An all-zero power-of-two value: the last remaining bit tells.
    let count = digits.into_iter().reduce(|hi, lo| concat(b, hi, lo));
    let wide = |b: &mut Builder, v: Value| b.zext_or_trunc(v, width);
    let count = count.map(|c| wide(b, c));
    let rest = b.unary(Op::Not, x);
    if padded > width {
        return count.unwrap_or(rest);
    }
    let rest = wide(b, rest);
    match count {
        Some(c) => b.binary(Op::Add, c, rest),
        None => rest,
    }
}

/// Number of ones by an adder tree.
fn ones(b: &mut Builder, v: Value) -> Value {
    let width = b.func.bits(v);
    let mut terms: Vec<Value> = (0..width).map(|k| slice(b, v, k, 1)).collect();
    while terms.len() > 1 {
        let mut next = vec![];
        for pair in terms.chunks(2) {
            let &[x, y] = pair else {
                next.push(pair[0]);
                continue;
            };
            let bits = b.func.bits(x).max(b.func.bits(y)) + 1;
            let (x, y) = (b.zext_or_trunc(x, bits), b.zext_or_trunc(y, bits));
            next.push(b.binary(Op::Add, x, y));
        }
        terms = next;
    }
    b.zext_or_trunc(terms[0], width)
}

/// A variable shift in two steps, by the low and by the high half of the amount, so that the
/// scheduler can put a register between them; amounts that reach the width are caught last.
fn split_shift(b: &mut Builder, op: Op, x: Value, amount: Value) -> Option<Value> {
    let width = b.func.bits(x);
    let bits = width.next_power_of_two().ilog2();
    let known = factor(b.func, amount);
    if width < 16 || known.width < bits.min(4) || is_split_amount(b.func, amount) {
        return None;
    }
    let used = bits.min(known.width);
    let half = used / 2;
    let low = slice(b, amount, 0, half);
    let low = b.zext_or_trunc(low, width);
    let high = slice(b, amount, half, used - half);
    let zeros = b.constant(Type::int(half), 0);
    let high = concat(b, high, zeros);
    let high = b.zext_or_trunc(high, width);
    let first = b.binary(op, x, low);
    let second = b.binary(op, first, high);
    if known.width <= bits && width.is_power_of_two() {
        return Some(second);
    }
    // Amounts above: bits that the two steps did not look at, or past a width that is no power
    // of two (which the steps handle themselves).
    if known.width <= used {
        return Some(second);
    }
    let rest = slice(b, amount, used, width - used);
    let zero = b.constant(Type::int(width - used), 0);
    let over = b.icmp(IntCC::Ne, rest, zero);
    let fill = if op == Op::AShr {
        let sign = slice(b, x, width - 1, 1);
        b.sext_or_trunc(sign, width)
    } else {
        b.constant(Type::int(width), 0)
    };
    Some(b.select(over, fill, second))
}

/// Whether an amount is a half of [`split_shift`]: few bits, perhaps above zeros.
fn is_split_amount(func: &Function, amount: Value) -> bool {
    shift_select_bits(func, amount) < 4
}

/// Number of bits of a shift amount that can vary.
pub fn shift_select_bits(func: &Function, amount: Value) -> u32 {
    let f = factor(func, amount);
    match func.def_inst(f.value).map(|i| (func.insts[i].op, &func.insts[i].args)) {
        Some((Op::Concat, args)) if func.as_const(args[1]) == Some(0) => func.bits(args[0]),
        _ => f.width,
    }
}

/// Removes empty blocks between the end of a loop's only block and its beginning, so that the
/// block jumps to itself. Splitting critical edges put them there.
fn fold_empty_latches(func: &mut Function) {
    for latch in func.layout.clone() {
        let data = &func.blocks[latch];
        let Terminator::Jump(back) = &data.term else { continue };
        let (back, params) = (back.clone(), data.params.clone());
        if !data.insts.is_empty() || back.block == latch {
            continue;
        }
        let body = back.block;
        let edges = func.layout.iter().flat_map(|b| func.blocks[*b].term.targets());
        let into = edges.filter(|t| t.block == latch).count();
        let mut term = func.blocks[body].term.clone();
        let mut changed = false;
        for t in term.targets_mut() {
            if t.block == latch && into == 1 {
                let value = |v: &Value| match params.iter().position(|p| p == v) {
                    Some(k) => t.args[k],
                    None => *v,
                };
                let args = back.args.iter().map(value).collect();
                *t = BlockCall { block: body, args };
                changed = true;
            }
        }
        if changed {
            func.blocks[body].term = term;
            func.layout.retain(|b| *b != latch);
        }
    }
}

/// Moves every query whose answer differs between work-items to the top of the entry block,
/// once: the dispatcher delivers it with the work-item.
fn hoist_queries(func: &mut Function) {
    let entry = func.entry();
    let mut first: FxHashMap<(Query, u8), Value> = FxHashMap::default();
    let mut order: Vec<Inst> = vec![];
    let mut replaced: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut kept = vec![];
        for inst in insts {
            match (func.insts[inst].op, func.insts[inst].result) {
                (Op::WorkItem(q, dim), Some(v)) if !q.is_launch_uniform() => {
                    let known = *first.entry((q, dim)).or_insert(v);
                    if known == v {
                        order.push(inst);
                    } else {
                        replaced[v] = Some(known);
                    }
                }
                _ => kept.push(inst),
            }
        }
        func.blocks[block].insts = kept;
    }
    order.append(&mut func.blocks[entry].insts);
    func.blocks[entry].insts = order;
    func.substitute(&replaced);
}

/// Turns loads from initialised constant variables into look-ups in on-chip tables, where the
/// variable is only ever loaded from through pointers that lead nowhere else.
fn tables(func: &mut Function, module: &Module) {
    let provenance = Provenance::new(func, &Cfg::new(func));
    let good = table_objects(func, module, &provenance);
    let mut made: FxHashMap<(Object, u32, u32), Table> = FxHashMap::default();
    let mut replaced: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut gone: Vec<Inst> = vec![];
        for inst in insts {
            let object = match func.insts[inst].op {
                Op::Load(_) => provenance.single(func.insts[inst].args[0]),
                _ => None,
            };
            let Some(Base::Object(object)) = object.filter(|o| good.contains(o)) else {
                bypass(func, inst, &gone);
                func.blocks[block].insts.push(inst);
                continue;
            };
            let Some(old) = func.insts[inst].result else { continue };
            let bytes = func.ty(old).mem_bytes(func.addr_bits);
            let step = steps_of(func, inst).unwrap_or(bytes);
            let table = *made
                .entry((object, bytes, step))
                .or_insert_with(|| make_table(func, module, object, bytes, step));
            let mut b = Builder::at(func, block);
            b.loc = b.func.insts[inst].loc;
            replaced[old] = Some(look_up(&mut b, inst, object, table, step));
            bypass(func, inst, &gone);
            gone.push(inst);
        }
    }
    func.substitute(&replaced);
}

/// Effects ordered after a removed effect are ordered after what that one was ordered after.
fn bypass(func: &mut Function, inst: Inst, gone: &[Inst]) {
    let mut after = std::mem::take(&mut func.insts[inst].after);
    while let Some(k) = after.iter().position(|e| gone.contains(e)) {
        let e = after.swap_remove(k);
        for &p in &func.insts[e].after {
            if !after.contains(&p) {
                after.push(p);
            }
        }
    }
    after.sort();
    func.insts[inst].after = after;
}

/// Bytes between places at which a load may begin, at most those that it reads; none if `inst` is no load.
fn steps_of(func: &Function, inst: Inst) -> Option<u32> {
    let data = &func.insts[inst];
    let bytes = func.ty(data.result?).mem_bytes(func.addr_bits);
    Some(data.op.mem_flags()?.align().min(bytes))
}

/// The value that a load reads from a table that has an entry every `step` bytes.
fn look_up(b: &mut Builder, load: Inst, object: Object, table: Table, step: u32) -> Value {
    let data = b.func.insts[load].clone();
    let ty = data.result.map_or(Type::I8, |r| b.func.ty(r));
    let bits = b.func.tables[table].width.into();
    let size = b.size_type();
    let address = b.value(Op::PtrToInt, [data.args[0]], size);
    let base = b.obj_addr(object);
    let base = b.value(Op::PtrToInt, [base], size);
    let offset = b.binary(Op::Sub, address, base);
    let lo = step.ilog2();
    let index_bits = (b.func.tables[table].entries.len().max(2) - 1).ilog2() + 1;
    let index = slice(b, offset, lo, index_bits);
    let mut value = b.value(Op::Lookup(table), [index], Type::int(bits));
    if let Some(&predicate) = data.args.get(1) {
        value = masked(b, value, predicate);
    }
    match ty.scalar {
        Scalar::Int(_) => value,
        Scalar::Float(_) => b.value(Op::Bitcast, [value], ty),
        Scalar::Ptr(_) => b.value(Op::IntToPtr, [value], ty),
    }
}

/// The equal parts of `value` for which `mask` has a bit, zeros in place of the others.
fn masked(b: &mut Builder, value: Value, mask: Value) -> Value {
    let count = b.func.bits(mask);
    let width = b.func.bits(value) / count;
    let zero = b.constant(Type::int(width), 0);
    let parts = (0..count).map(|k| {
        let (happens, part) = (slice(b, mask, k, 1), slice(b, value, k * width, width));
        b.select(happens, part, zero)
    });
    let parts: Vec<Value> = parts.collect();
    parts.into_iter().reduce(|low, high| concat(b, high, low)).unwrap_or(value)
}

fn table_objects(func: &Function, module: &Module, p: &Provenance) -> Vec<Base> {
    let mut candidates: Vec<Base> = func
        .objects
        .iter()
        .filter(|(_, o)| o.space == Space::Constant && o.size <= MAX_TABLE_BYTES)
        .filter(|(_, o)| match o.kind {
            ObjectKind::Global(g) => {
                let g = &module.globals[g];
                g.init.is_some() && g.relocations.is_empty()
            }
            _ => false,
        })
        .map(|(o, _)| Base::Object(o))
        .collect();
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            let Some(flags) = data.op.mem_flags() else { continue };
            let plain = matches!(data.op, Op::Load(_)) && !flags.volatile;
            let alone = p.single(data.args[0]).is_some();
            let unknown = p.bases(data.args[0]).any(|b| b == Base::Unknown);
            let wide = data.result.is_some_and(|r| func.bits(r) > 128);
            let larger = |c: &Base| match (c, steps_of(func, inst)) {
                (Base::Object(o), Some(step)) => {
                    func.objects[*o].size * u64::from(func.accessed_bytes(inst) / step)
                        > MAX_TABLE_BYTES
                }
                _ => true,
            };
            let touched: Vec<Base> = p.bases(data.args[0]).collect();
            let suits = plain && alone && !wide;
            candidates.retain(|c| !touched.contains(c) || suits && !larger(c));
            let constant = matches!(
                func.ty(data.args[0]).space(),
                Some(Space::Constant | Space::Generic | Space::Global)
            );
            if unknown && constant {
                return vec![];
            }
            // A stored address escapes.
            for &a in &data.args[1..] {
                let touched: Vec<Base> = p.bases(a).collect();
                candidates.retain(|c| !touched.contains(c));
            }
        }
    }
    candidates
}

/// The table of what loads of `bytes` bytes at multiples of `step` bytes read.
fn make_table(
    func: &mut Function,
    module: &Module,
    object: Object,
    bytes: u32,
    step: u32,
) -> Table {
    let init = match func.objects[object].kind {
        ObjectKind::Global(g) => module.globals[g].init.clone().unwrap_or_default(),
        _ => vec![],
    };
    let entry = |at: usize| {
        let read = init[at..].iter().take(bytes as usize);
        read.rev().fold(0u128, |x, b| x << 8 | u128::from(*b))
    };
    let entries = (0..init.len()).step_by(step as usize).map(entry).collect();
    func.tables.push(TableData { width: (8 * bytes) as u8, entries })
}
