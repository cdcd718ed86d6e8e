//! Loop unrolling: fully when the number of iterations is known and the result is small (or the
//! source asks for it), by a factor when the source asks for that.

mod sliding;

use crate::consteval::eval_inst;
use crate::{Context, Level, edit, passes, weight};
use base::FxHashMap;
use base::entity::SecondaryMap;
use base::{Diagnostic, Loc};
use ir::analysis::loops::LoopData;
use ir::analysis::{Cfg, Dominators, Loops};
use ir::{
    Block, BlockCall, Function, Inst, LoopHint, MemFlags, ObjectData, ObjectKind, Op, Scalar,
    Space, Terminator, Type, Value, ValueDef,
};

/// Most iterations of a loop that is unrolled fully.
const MOST_ITERATIONS: u32 = 1024;
/// Most weight of a loop that the source wants unrolled.
const WANTED_LIMIT: u32 = 20_000;
/// The same of loops that only move a window over data, which cost registers or memory, no operations.
const SLIDING_LIMIT: u32 = 800_000;
/// Most iterations of these.
const MOST_MOVED: u32 = 1 << 16;

/// Unrolls innermost loops, one after the other, until none qualifies.
pub fn run(func: &mut Function, context: &Context<'_>) {
    if context.options.level == Level::O2 {
        sliding::forget_remainders(func);
    }
    for _ in 0..256 {
        edit::remove_unreachable(func);
        let cfg = Cfg::new(func);
        let loops = Loops::new(func, &cfg);
        let inner = |l: &LoopData| !loops.loops.values().any(|m| is_inside(&loops, m, l));
        let candidates = loops.loops.values().filter(|l| l.is_reducible() && inner(l));
        let Some((data, plan)) =
            candidates.filter_map(|l| Some((l, decide(func, &cfg, &loops, l, context)?))).next()
        else {
            return;
        };
        unroll(func, data, plan);
        context.unrolled.set(true);
        passes::simplify_cfg::run(func);
        // a copy behind a branch begins with what its only way in passes
        passes::dce::run(func);
        passes::fold::run(func, context);
        passes::simplify_cfg::run(func);
        passes::sroa::run(func);
        passes::fold::run(func, context);
        passes::simplify_cfg::run(func);
        passes::dce::run(func);
    }
}

/// Whether loop `m` is inside `l`.
fn is_inside(loops: &Loops, m: &LoopData, l: &LoopData) -> bool {
    let mut at = m.parent;
    while let Some(id) = at {
        if std::ptr::eq(&loops.loops[id], l) {
            return true;
        }
        at = loops.loops[id].parent;
    }
    false
}

#[derive(Clone, Copy, Debug)]
enum Plan {
    /// This many iterations; the header is entered once more.
    Full(u32),
    /// This many copies in a loop.
    Partial(u32),
}

fn decide(
    func: &Function,
    cfg: &Cfg,
    loops: &Loops,
    data: &LoopData,
    context: &Context<'_>,
) -> Option<Plan> {
    let hint = func.blocks[data.header].hint;
    let slides = context.options.level == Level::O2 && sliding::slides(func, loops, data);
    if hint.unroll == Some(1) {
        return None;
    }
    let asked = hint.unroll.is_some();
    let weight = loop_weight(func, data, asked)?;
    let insts: usize = data.blocks.iter().map(|b| func.blocks[*b].insts.len()).sum();
    let divisor = context.options.unroll_less.get(&func.name).copied().unwrap_or(1).max(1);
    let most = if slides { MOST_MOVED } else { MOST_ITERATIONS };
    let limit = match (hint.unroll, context.options.level) {
        _ if slides => SLIDING_LIMIT,
        (Some(_), _) => WANTED_LIMIT,
        (None, Level::O2) if indexes_private(func, data) => 512,
        (None, Level::O2) => 128,
        (None, _) => 32,
    } / divisor;
    // Without a reason to be small, a loop is asked for its iterations up to what unrolling may cost.
    let countable = if asked && divisor > 1 { WANTED_LIMIT } else { limit };
    let iterations = trip_count(func, cfg, data, (countable / weight).min(most));
    match (hint.unroll, iterations) {
        (None | Some(0), Some(n))
            if n.saturating_mul(weight) <= limit
                && n as usize * insts <= 4 * (limit.max(WANTED_LIMIT)) as usize =>
        {
            Some(Plan::Full(n))
        }
        (Some(0), Some(n)) => fewer(context, func, data, n, limit / weight),
        (Some(0), None) => {
            let text = "this loop is not unrolled: its number of iterations is not a constant";
            remark(context, func.blocks[data.header].term_loc, text);
            None
        }
        (Some(n), Some(m)) if m <= n && m.saturating_mul(weight) <= limit => Some(Plan::Full(m)),
        (Some(n), _) if n.saturating_mul(weight) <= limit => Some(Plan::Partial(n)),
        (Some(n), m) if divisor > 1 => {
            fewer(context, func, data, m.unwrap_or(n).min(n), limit / weight)
        }
        _ => None,
    }
}

/// Unrolls by a factor of `wanted` that is at most `most`, and says so.
fn fewer(
    context: &Context<'_>,
    func: &Function,
    data: &LoopData,
    wanted: u32,
    most: u32,
) -> Option<Plan> {
    let factor = (2..wanted).rev().find(|n| wanted.is_multiple_of(*n) && *n <= most);
    let less = factor.map_or("not unrolled".to_owned(), |n| format!("unrolled {n} times"));
    let text = format!("this loop is {less} instead of {wanted} times, for smaller hardware");
    remark(context, func.blocks[data.header].term_loc, &text);
    factor.map(Plan::Partial)
}

/// Weight of the loop's body. Unless unrolling is asked for, a loop with a barrier has none (a
/// barrier keeps the state of a whole work-group), and an access to device memory counts as the
/// unit that it needs.
fn loop_weight(func: &Function, data: &LoopData, asked: bool) -> Option<u32> {
    /// Weight of a unit for accesses to device memory.
    const ACCESS_UNIT: u32 = 8;
    let mut weight = 1;
    for &i in data.blocks.iter().flat_map(|b| &func.blocks[*b].insts) {
        let d = &func.insts[i];
        weight += weight::of_inst(func, i);
        if asked {
            continue;
        }
        let space = d.op.mem_flags().and_then(|_| func.ty(d.args[0]).space());
        match d.op {
            Op::Barrier(..) => return None,
            _ if matches!(space, Some(Space::Global | Space::Constant)) => weight += ACCESS_UNIT,
            _ => {}
        }
    }
    Some(weight)
}

fn remark(context: &Context<'_>, loc: Loc, text: &str) {
    let remark = Diagnostic::remark("W0310", text).at(loc);
    let mut all = context.remarks.borrow_mut();
    if !all.contains(&remark) {
        all.push(remark);
    }
}

/// Whether the loop accesses a private variable at an offset that is not constant: unrolled,
/// the variable may become registers.
fn indexes_private(func: &Function, data: &LoopData) -> bool {
    let insts = data.blocks.iter().flat_map(|b| &func.blocks[*b].insts);
    insts.into_iter().any(|i| {
        let d = &func.insts[*i];
        let Some(pointer) = d.args.first().filter(|_| d.op.mem_flags().is_some()) else {
            return false;
        };
        let root = ir::analysis::root(func, *pointer).0;
        func.ty(*pointer).space() == Some(Space::Private)
            && !matches!(func.def_op(root), Some(Op::ObjAddr(_)))
    })
}

/// How often the loop goes back, when that follows from constants: executes the loop on what is
/// constant until an exit that every iteration passes is taken.
fn trip_count(func: &Function, cfg: &Cfg, data: &LoopData, most: u32) -> Option<u32> {
    let inside = |b: Block| data.blocks.contains(&b);
    let entering: Vec<Block> =
        cfg.preds[data.header].iter().copied().filter(|b| !inside(*b)).collect();
    let [entering] = entering[..] else { return None };
    let dominators = Dominators::new(func, cfg);
    let always = |b: Block| data.latches.iter().all(|l| dominators.dominates(b, *l));
    let header_params = &func.blocks[data.header].params;
    let mut values: Vec<Option<u128>> =
        call_to(func, entering, data.header)?.args.iter().map(|a| func.as_const(*a)).collect();
    for iteration in 0..=most {
        let mut known: FxHashMap<Value, u128> = FxHashMap::default();
        for (&p, v) in header_params.iter().zip(&values) {
            v.map(|bits| known.insert(p, bits));
        }
        for &b in &data.blocks {
            if b != data.header {
                join_params(func, cfg, data, b, &mut known);
            }
            for &i in &func.blocks[b].insts {
                let get = |v: Value| known.get(&v).copied().or_else(|| func.as_const(v));
                if let Some(r) = func.insts[i].result
                    && !func.insts[i].op.is_effect()
                    && let Some(bits) = eval_inst(func, i, get)
                {
                    known.insert(r, bits);
                }
            }
            if let Terminator::Branch { cond, then_, else_ } = &func.blocks[b].term
                && let Some(c) = known.get(cond)
                && always(b)
            {
                let next = if c & 1 == 1 { then_ } else { else_ };
                if !inside(next.block) {
                    return Some(iteration);
                }
            }
        }
        let [latch] = data.latches[..] else { return None };
        let get = |v: &Value| known.get(v).copied().or_else(|| func.as_const(*v));
        values = call_to(func, latch, data.header)?.args.iter().map(get).collect();
        if values.iter().all(Option::is_none) {
            return None;
        }
    }
    None
}

/// The only jump from `from` to `to`.
fn call_to(func: &Function, from: Block, to: Block) -> Option<&BlockCall> {
    let calls: Vec<&BlockCall> =
        func.blocks[from].term.targets().into_iter().filter(|c| c.block == to).collect();
    match calls[..] {
        [call] => Some(call),
        _ => None,
    }
}

/// Parameters of a block inside the loop, where all that jump there agree.
fn join_params(
    func: &Function,
    cfg: &Cfg,
    data: &LoopData,
    block: Block,
    known: &mut FxHashMap<Value, u128>,
) {
    for (k, &p) in func.blocks[block].params.iter().enumerate() {
        let mut joined: Option<Option<u128>> = None;
        for &pred in &cfg.preds[block] {
            for call in func.blocks[pred].term.targets() {
                if call.block == block {
                    let arg = call.args[k];
                    let bits = known.get(&arg).copied().or_else(|| func.as_const(arg));
                    let bits = bits.filter(|_| data.blocks.contains(&pred));
                    joined = Some(joined.map_or(bits, |j| j.filter(|x| Some(*x) == bits)));
                }
            }
        }
        if let Some(bits) = joined.flatten() {
            known.insert(p, bits);
        }
    }
}

fn unroll(func: &mut Function, data: &LoopData, plan: Plan) {
    values_through_memory(func, data);
    let (copies, last) = match plan {
        Plan::Full(n) => (n, None),
        Plan::Partial(n) => (n - 1, Some(data.header)),
    };
    let hint = &mut func.blocks[data.header].hint;
    match plan {
        // no loop is left that something could be said of
        Plan::Full(_) => *hint = LoopHint::default(),
        // what is so many iterations apart is at least so many of the new ones
        Plan::Partial(n) => {
            hint.unroll = Some(1);
            hint.dependency_length /= n.max(1);
        }
    }
    let mut previous: Vec<Block> = data.blocks.clone();
    let originals: Vec<BlockCopy> = data.blocks.iter().map(|b| BlockCopy::of(func, *b)).collect();
    for _ in 0..copies {
        let fresh = copy_blocks(func, &originals);
        let header = fresh[0];
        redirect(func, &previous, data.header, header);
        previous = fresh;
    }
    // The last copy never goes back (it leaves), or goes back to the first.
    if last.is_none() {
        let dead = func.add_block();
        let types: Vec<Type> =
            func.blocks[data.header].params.iter().map(|p| func.ty(*p)).collect();
        for ty in types {
            func.add_param(dead, ty);
        }
        redirect(func, &previous, data.header, dead);
    }
}

/// Lets jumps from `blocks` to the loop's header go to `to` instead.
fn redirect(func: &mut Function, blocks: &[Block], header: Block, to: Block) {
    for &b in blocks {
        for call in func.blocks[b].term.targets_mut() {
            if call.block == header {
                call.block = to;
            }
        }
    }
}

/// A block as it was before unrolling.
struct BlockCopy {
    block: Block,
    data: ir::BlockData,
}

impl BlockCopy {
    fn of(func: &Function, block: Block) -> Self {
        BlockCopy { block, data: func.blocks[block].clone() }
    }
}

/// Copies the loop's blocks. Jumps to the header still go to the original one.
fn copy_blocks(func: &mut Function, originals: &[BlockCopy]) -> Vec<Block> {
    let mut blocks: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
    let mut values: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let mut insts: FxHashMap<Inst, Inst> = FxHashMap::default();
    let mut fresh = vec![];
    for original in originals {
        let copy = func.add_block();
        for &p in &original.data.params {
            let ty = func.ty(p);
            values[p] = Some(func.add_param(copy, ty));
        }
        for &i in &original.data.insts {
            let d = func.insts[i].clone();
            let ty = d.result.map(|r| func.ty(r));
            let new = func.make_inst(d.op, d.args.iter().copied(), ty, d.loc);
            func.insts[new].fast_math = d.fast_math;
            func.insts[new].after = d.after.iter().map(|e| insts[e]).collect();
            insts.insert(i, new);
            if let (Some(old), Some(r)) = (d.result, func.insts[new].result) {
                values[old] = Some(r);
            }
            func.blocks[copy].insts.push(new);
        }
        blocks[original.block] = Some(copy);
        fresh.push(copy);
    }
    for (original, &copy) in originals.iter().zip(&fresh) {
        for k in 0..func.blocks[copy].insts.len() {
            let inst = func.blocks[copy].insts[k];
            func.insts[inst].args.iter_mut().for_each(|a| *a = values[*a].unwrap_or(*a));
        }
        let mut term = original.data.term.clone();
        term.map_uses(|v| values[v].unwrap_or(v));
        for call in term.targets_mut() {
            if call.block != originals[0].block {
                call.block = blocks[call.block].unwrap_or(call.block);
            }
        }
        func.blocks[copy].term = term;
        func.blocks[copy].term_loc = original.data.term_loc;
    }
    fresh
}

/// Values of the loop that are used behind it go through private variables, which `sroa` turns
/// into values again when the copies are there.
fn values_through_memory(func: &mut Function, data: &LoopData) {
    let mut home: SecondaryMap<Value, bool> = SecondaryMap::new();
    for &b in &data.blocks {
        func.blocks[b].params.iter().for_each(|p| home[*p] = true);
        for &i in &func.blocks[b].insts {
            func.insts[i].result.into_iter().for_each(|r| home[r] = true);
        }
    }
    let mut variables: base::IndexMap<Value, Value> = base::IndexMap::default();
    for block in func.layout.clone() {
        if data.blocks.contains(&block) {
            continue;
        }
        let mut used: base::IndexSet<Value> = base::IndexSet::default();
        for &i in &func.blocks[block].insts {
            used.extend(func.insts[i].args.iter().copied().filter(|a| home[*a]));
        }
        func.blocks[block].term.for_each_use(|v| {
            if home[v] {
                used.insert(v);
            }
        });
        for v in used {
            let address = match variables.get(&v) {
                Some(a) => *a,
                None => {
                    let a = spill(func, v);
                    variables.insert(v, a);
                    a
                }
            };
            reload(func, block, v, address);
        }
    }
}

/// Type under which a value is kept in memory.
fn memory_type(ty: Type) -> Type {
    match ty.scalar {
        Scalar::Int(w) => Type::int(u32::from(w).div_ceil(8) * 8),
        _ => ty,
    }
}

fn spill(func: &mut Function, value: Value) -> Value {
    let ty = func.ty(value);
    let memory = memory_type(ty);
    let object = func.objects.push(ObjectData {
        name: format!("unroll.{value}"),
        space: Space::Private,
        size: 16,
        align: 16,
        kind: ObjectKind::Variable,
        loc: Loc::UNKNOWN,
    });
    let pointer = Some(Type::ptr(Space::Private));
    let address_inst = func.make_inst(Op::ObjAddr(object), [], pointer, Loc::UNKNOWN);
    let entry = func.entry();
    func.blocks[entry].insts.insert(0, address_inst);
    let address = func.insts[address_inst].result.unwrap_or(value);
    let (block, at) = match func.values[value].def {
        ValueDef::Param(block, _) => (block, 0),
        ValueDef::Inst(inst) => {
            let found = func.layout.iter().find_map(|b| {
                func.blocks[*b].insts.iter().position(|i| *i == inst).map(|k| (*b, k + 1))
            });
            found.unwrap_or((entry, 1))
        }
    };
    let mut new = vec![];
    let mut stored = value;
    if memory != ty {
        let wide = func.make_inst(Op::Zext, [value], Some(memory), Loc::UNKNOWN);
        stored = func.insts[wide].result.unwrap_or(value);
        new.push(wide);
    }
    let flags = MemFlags::aligned(16);
    new.push(func.make_inst(Op::Store(flags), [address, stored], None, Loc::UNKNOWN));
    func.blocks[block].insts.splice(at..at, new);
    address
}

/// Reads the variable at the start of `block`, where `value` was used.
fn reload(func: &mut Function, block: Block, value: Value, address: Value) {
    let ty = func.ty(value);
    let memory = memory_type(ty);
    let op = Op::Load(MemFlags::aligned(16));
    let load = func.make_inst(op, [address], Some(memory), Loc::UNKNOWN);
    let mut new = vec![load];
    let mut result = func.insts[load].result.unwrap_or(value);
    if memory != ty {
        let cut = func.make_inst(Op::Slice { lo: 0 }, [result], Some(ty), Loc::UNKNOWN);
        result = func.insts[cut].result.unwrap_or(value);
        new.push(cut);
    }
    for k in 0..func.blocks[block].insts.len() {
        let inst = func.blocks[block].insts[k];
        func.insts[inst].args.iter_mut().filter(|a| **a == value).for_each(|a| *a = result);
    }
    func.blocks[block].term.map_uses(|v| if v == value { result } else { v });
    // behind the address, which stands first in the entry
    let at = usize::from(block == func.entry());
    func.blocks[block].insts.splice(at..at, new);
}
