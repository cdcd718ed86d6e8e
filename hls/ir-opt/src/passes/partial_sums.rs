//! Several partial results of sums that a single work-item carries from iteration to iteration.
//!
//! ```text
//! loop(s) { s' = s + x; }        loop(p1, .. pN) { p1' = pN + x; p2' = p1; .. pN' = pN-1; }    s = (p1 + p2) + ..
//! ```
//!
//! An addition of floating-point numbers takes several cycles, and the next iteration's waits for it. Where the order of additions does
//! not matter to the program, each iteration adds to what one `N` iterations before left, so that `N` additions can be under way.
//! `N` is the same whatever the device and its clock: so are results, on all devices and in the emulator.

use crate::edit;
use base::FxHashMap;
use ir::analysis::{Cfg, Dominators, LoopId, Loops};
use ir::{
    Block, Builder, FastMath, FloatKind, FlushedOp, Function, Inst, Op, Scalar, Terminator, Type,
    Value,
};

/// Partial results of a sum: more than the cycles of a double-precision addition at any clock that boards have.
pub const PARTIAL_SUMS: usize = 16;

/// Splits the sums of loops that no other loop repeats, in kernels of a single work-item: the partial results are added up behind the loop,
/// which takes longer than a few iterations gain.
pub fn run(func: &mut Function) {
    if !func.is_task() {
        return;
    }
    crate::passes::loop_simplify::run(func);
    // One at a time: edges and values change.
    while let Some(sum) = Sum::find(func) {
        sum.split(func);
    }
}

/// A sum that a loop carries.
struct Sum {
    header: Block,
    /// The loop's only way back.
    latch: Block,
    /// The only way out: block and number of the target.
    exit: (Block, usize),
    /// The blocks of the loop.
    blocks: Vec<Block>,
    /// Parameter of the header, and its place.
    param: Value,
    place: usize,
    /// What adds to it.
    inst: Inst,
}

impl Sum {
    fn find(func: &Function) -> Option<Sum> {
        let cfg = Cfg::new(func);
        let loops = Loops::new(func, &cfg);
        let dominators = Dominators::new(func, &cfg);
        loops.loops.keys().find_map(|l| Sum::of_loop(func, &loops, &dominators, l))
    }

    fn of_loop(func: &Function, loops: &Loops, dominators: &Dominators, id: LoopId) -> Option<Sum> {
        let data = &loops.loops[id];
        let &[latch] = &data.latches[..] else { return None };
        if data.depth > 1 || !data.is_reducible() {
            return None;
        }
        let ways = data.blocks.iter().flat_map(|b| {
            let targets = func.blocks[*b].term.targets();
            let out = targets.iter().enumerate().filter(|(_, t)| !loops.contains(id, t.block));
            out.map(|(k, _)| (*b, k)).collect::<Vec<_>>()
        });
        let ways: Vec<(Block, usize)> = ways.collect();
        let &[exit] = &ways[..] else { return None };
        let params = func.blocks[data.header].params.iter().enumerate();
        params.map(|(place, param)| (place, *param)).find_map(|(place, param)| {
            let back =
                func.blocks[latch].term.targets().into_iter().find(|t| t.block == data.header);
            let next = back?.args[place];
            let inst = func.def_inst(next).filter(|i| adds(func, *i, param))?;
            let home =
                data.blocks.iter().copied().find(|b| func.blocks[*b].insts.contains(&inst))?;
            // In every iteration, once.
            let always = dominators.dominates(home, latch) && loops.innermost(home) == Some(id);
            let passed_out = &func.blocks[exit.0].term.targets()[exit.1].args;
            let inside = |v: Value| {
                let out = passed_out.iter().filter(|a| **a == v).count();
                used_inside(func, &data.blocks, v) - out
            };
            // Nothing else in the loop looks at the sum.
            let alone = inside(param) == 1 && inside(next) == 1;
            let (header, blocks) = (data.header, data.blocks.clone());
            (always && alone).then_some(Sum { header, latch, exit, blocks, param, place, inst })
        })
    }

    fn split(self, func: &mut Function) {
        let ty = func.ty(self.param);
        let line: Vec<Value> = (1..PARTIAL_SUMS).map(|_| func.add_param(self.header, ty)).collect();
        // From the newest partial result to the oldest: what is added to is the last one.
        let mut all = line.clone();
        all.push(self.param);
        self.pass_on(func, &all, ty);
        let Some(next) = func.insts[self.inst].result else { return };
        // Behind the loop.
        let end = edit::split_edge(func, self.exit.0, self.exit.1);
        let jump = std::mem::replace(&mut func.blocks[end].term, Terminator::Unreachable);
        let before = self.total(func, end, &all);
        let mut newest = vec![next];
        newest.extend(&all[..PARTIAL_SUMS - 1]);
        let executed = self.is_executed(func);
        let after = if executed { Some(self.total(func, end, &newest)) } else { None };
        func.blocks[end].term = jump;
        let mut instead: FxHashMap<Value, Value> = FxHashMap::default();
        instead.insert(self.param, before);
        instead.extend(after.map(|a| (next, a)));
        self.replace_outside(func, end, &instead);
    }

    /// Gives the partial results their values: at the beginning, where the sum's goes to the last one, and from iteration to iteration.
    fn pass_on(&self, func: &mut Function, all: &[Value], ty: Type) {
        for block in func.layout.clone() {
            let again = block == self.latch;
            let targets = func.blocks[block].term.targets().into_iter().enumerate();
            let ways = targets.filter(|(_, t)| t.block == self.header).map(|(k, _)| k);
            for k in ways.collect::<Vec<usize>>() {
                let neutral = self.neutral(func);
                let nothing = (!again).then(|| Builder::at(func, block).constant(ty, neutral));
                let mut targets = func.blocks[block].term.targets_mut();
                let args = &mut targets[k].args;
                match nothing {
                    Some(nothing) => args.extend(all[1..].iter().map(|_| nothing)),
                    None => {
                        // The newest is what the sum was given; the sum takes over the last one but one.
                        let newest = args[self.place];
                        args.push(newest);
                        args.extend(all[..all.len() - 2].iter().copied());
                        args[self.place] = all[all.len() - 2];
                    }
                }
            }
        }
    }

    /// What changes no result: -0 in a sum, 1 in a product.
    fn neutral(&self, func: &Function) -> u128 {
        match (func.insts[self.inst].op.gradual(), func.ty(self.param).scalar) {
            (Op::FMul, Scalar::Float(FloatKind::F16)) => 0x3c00,
            (Op::FMul, Scalar::Float(FloatKind::BF16)) => 0x3f80,
            (Op::FMul, Scalar::Float(FloatKind::F32)) => 0x3f80_0000,
            (Op::FMul, Scalar::Float(FloatKind::F64)) => 0x3ff0_0000_0000_0000,
            (Op::Mul, _) => 1,
            _ => 1 << (func.bits(self.param) - 1),
        }
    }

    /// All partial results together, by pairs.
    fn total(&self, func: &mut Function, block: Block, parts: &[Value]) -> Value {
        let data = &func.insts[self.inst];
        let (flags, loc) = (data.fast_math, data.loc);
        let op = match data.op {
            Op::FSub | Op::Fma => Op::FAdd,
            Op::Flushed(FlushedOp::Sub | FlushedOp::Fma) => Op::Flushed(FlushedOp::Add),
            op => op,
        };
        let mut b = Builder::at(func, block);
        (b.fast_math, b.func.loc) = (flags, loc);
        let mut level = parts.to_vec();
        while level.len() > 1 {
            level = level.chunks(2).map(|pair| b.binary(op, pair[0], pair[1])).collect();
        }
        level[0]
    }

    /// Whether the addition has happened where the loop is left.
    fn is_executed(&self, func: &Function) -> bool {
        let cfg = Cfg::new(func);
        let dominators = Dominators::new(func, &cfg);
        let home = self.blocks.iter().find(|b| func.blocks[**b].insts.contains(&self.inst));
        home.is_some_and(|h| dominators.dominates(*h, self.exit.0))
    }

    /// Lets code behind the loop use totals.
    fn replace_outside(&self, func: &mut Function, end: Block, instead: &FxHashMap<Value, Value>) {
        let total = |v: Value| instead.get(&v).copied().unwrap_or(v);
        for block in func.layout.clone() {
            if self.blocks.contains(&block) {
                continue;
            }
            if block != end {
                for i in func.blocks[block].insts.clone() {
                    func.insts[i].args.iter_mut().for_each(|a| *a = total(*a));
                }
            }
            func.blocks[block].term.map_uses(total);
        }
    }
}

/// Whether an instruction adds to a value, and the order of such additions does not matter.
fn adds(func: &Function, inst: Inst, sum: Value) -> bool {
    let data = &func.insts[inst];
    let args = &data.args;
    let ordered = !data.fast_math.has(FastMath::FAST);
    let once = args.iter().filter(|a| **a == sum).count() == 1;
    once && match data.op.gradual() {
        Op::FAdd | Op::FMul => !ordered,
        Op::FSub => !ordered && args[0] == sum,
        Op::Fma => !ordered && args[2] == sum,
        Op::Mul => true,
        _ => false,
    }
}

/// How often blocks use a value, arguments of their branches included.
fn used_inside(func: &Function, blocks: &[Block], value: Value) -> usize {
    let mut count = 0;
    for block in blocks.iter().map(|b| &func.blocks[*b]) {
        let args = block.insts.iter().flat_map(|i| func.insts[*i].args.iter());
        count += args.filter(|a| **a == value).count();
        block.term.for_each_use(|v| count += usize::from(v == value));
    }
    count
}
