//! Recomputes cheap values where they are used, instead of carrying them there.
//!
//! What a work-item needs later travels with it: through the FIFO at the end of each segment, beside each access
//! to memory, along each edge. A sum of 64 bits costs less than one such place. Seven addresses `out + k * n + i`,
//! kept over six accesses, are 42 of them; the index `i` alone is six.
//!
//! A *candidate* is a cheap pure operation. It is either computed once, where its operands stand, and carried to its users;
//! or *rematerialised*: computed again in each segment that uses it, which needs its operands there. What is
//! carried then depends on all choices together, so they are made by local search: everything is rematerialised at
//! first, and then each choice is changed that is better otherwise. The classical form of the idea for register
//! allocation is Briggs, Cooper, Torczon, "Rematerialization", PLDI 1992; here the registers are the FIFOs.

use crate::carried::{Carrying, Region};
use crate::memories::Memories;
use crate::uniform::{Uniform, Uniformity};
use base::FxHashMap;
use base::entity::SecondaryMap;
use ir::analysis::Cfg;
use ir::{Block, Function, Inst, Op, Value, ValueDef};

/// Longest chain of candidates: bounds how much is computed again for one use. Wires count an
/// eighth.
const LONGEST_CHAIN: u32 = 5 * OPERATION;
const OPERATION: u32 = 8;

/// Cost of a bit of an adder, in the unit of [`crate::carried`]: two LUTs and half a register.
const ADDER: u64 = 5;
/// Cost of a bit of a logical operation or multiplexer.
const LOGIC: u64 = 3;

/// First segment in which an operation may stand, for the operations that were copied into one.
pub type NotBefore = SecondaryMap<Inst, u32>;

/// Segments of the operations of each block, and its last one.
type Cuts = SecondaryMap<Block, Option<(FxHashMap<Inst, u32>, u32)>>;

/// Moves and repeats operations. The segments of accesses do not change.
pub fn run(func: &mut Function, found: &Memories, task: bool) -> NotBefore {
    let cfg = Cfg::new(func);
    let uniform = Uniform::new(func, &cfg, &|block, inst| found.may_fetch(func, task, block, inst));
    let not_before = NotBefore::new();
    let cutter = found.cutter(func, &uniform, &not_before);
    let mut cuts = Cuts::new();
    for &block in &cfg.rpo {
        cuts[block] = Some(cutter.cut(block, &FxHashMap::default()));
    }
    let segment = |block: Block, inst: Inst| cuts[block].as_ref()?.0.get(&inst).copied();
    let last = |block: Block| cuts[block].as_ref().map_or(0, |c| c.1);

    let mut carrying = Carrying::new(func, &cfg, found, &segment, &last);
    // Iterations of such a loop overlap by rules of their own: it stays as it is.
    let fixed_loop = |b: Block| task && ir::analysis::back_edge(func, b).is_some();
    let order = candidates(func, &cfg, &uniform, &fixed_loop, &segment, &mut carrying);
    let demand = |c: &mut Carrying, v: Value, block: Block, position: u32| {
        if !uniform.is_fixed(func, v) {
            c.demand(v, block, position);
        }
    };
    for &block in &cfg.rpo {
        for &inst in &func.blocks[block].insts {
            let Some(k) = segment(block, inst) else { continue };
            let effect = cutter.is_boundary(inst);
            if func.insts[inst].result.is_some_and(|r| carrying.is_candidate(r)) {
                continue; // present through the demands for its result
            }
            for &a in &func.insts[inst].args {
                demand(&mut carrying, a, block, 2 * k + u32::from(effect));
            }
        }
        let end = 2 * last(block) + 1;
        func.blocks[block].term.for_each_use(|v| demand(&mut carrying, v, block, end));
    }
    if !carrying.search(&order) {
        return not_before;
    }
    rewrite(func, &cfg, &carrying, &cuts)
}

/// Registers the candidates; they come in an order in which operands come first.
fn candidates(
    func: &Function,
    cfg: &Cfg,
    uniform: &Uniform,
    fixed_loop: &dyn Fn(Block) -> bool,
    segment: &dyn Fn(Block, Inst) -> Option<u32>,
    carrying: &mut Carrying,
) -> Vec<Value> {
    let mut chain: FxHashMap<Value, u32> = FxHashMap::default();
    let mut barred: FxHashMap<Value, ()> = FxHashMap::default();
    for &block in cfg.rpo.iter().filter(|b| fixed_loop(**b)) {
        let insts = &func.blocks[block].insts;
        insts.iter().flat_map(|i| &func.insts[*i].args).for_each(|a| {
            barred.insert(*a, ());
        });
        func.blocks[block].term.for_each_use(|a| {
            barred.insert(a, ());
        });
    }
    let mut order = vec![];
    for &block in cfg.rpo.iter().filter(|b| !fixed_loop(**b)) {
        for &inst in &func.blocks[block].insts {
            let (Some(k), Some(result)) = (segment(block, inst), func.insts[inst].result) else {
                continue;
            };
            let varying: Vec<Value> = func.insts[inst]
                .args
                .iter()
                .copied()
                .filter(|a| !uniform.is_fixed(func, *a))
                .collect();
            let Some(cost) = cost(func, inst).filter(|_| !barred.contains_key(&result)) else {
                continue;
            };
            let own = if cost == 0 { 1 } else { OPERATION };
            let length = own + varying.iter().filter_map(|a| chain.get(a)).max().unwrap_or(&0);
            if uniform.of(inst) != Uniformity::Varying || length > LONGEST_CHAIN {
                continue;
            }
            chain.insert(result, length);
            carrying.add_candidate(result, Region { block, segment: k }, cost, varying);
            order.push(result);
        }
    }
    order
}

/// What it costs to compute a value once more, if it is cheap.
fn cost(func: &Function, inst: Inst) -> Option<u64> {
    use Op::*;
    let data = &func.insts[inst];
    let bits = u64::from(func.bits(data.result?));
    match data.op {
        Add | Sub | PtrAdd => Some(ADDER * bits),
        And | Or | Xor | Not | Select => Some(LOGIC * bits),
        ICmp(_) => Some(LOGIC * u64::from(func.bits(data.args[0]))),
        Shl | LShr | AShr if func.as_const(data.args[1]).is_some() => Some(0),
        Zext | Sext | Slice { .. } | Concat | Bitcast | PtrToInt | IntToPtr => Some(0),
        _ => None,
    }
}

/// Puts copies where they were chosen and drops what nothing uses any more.
fn rewrite(func: &mut Function, cfg: &Cfg, carrying: &Carrying, cuts: &Cuts) -> NotBefore {
    let mut w = Rewriter {
        func,
        carrying,
        block: cfg.rpo[0],
        copies: FxHashMap::default(),
        not_before: NotBefore::new(),
    };
    for &block in &cfg.rpo {
        let Some((at, last)) = &cuts[block] else { continue };
        (w.block, w.copies) = (block, FxHashMap::default());
        for inst in std::mem::take(&mut w.func.blocks[block].insts) {
            if let Some(&k) = at.get(&inst) {
                let result = w.func.insts[inst].result;
                let gone = |r| !carrying.stays(r, Region { block, segment: k });
                if result.is_some_and(gone) {
                    continue;
                }
                for a in 0..w.func.insts[inst].args.len() {
                    let arg = w.func.insts[inst].args[a];
                    w.func.insts[inst].args[a] = w.local(arg, k);
                }
            }
            w.func.blocks[block].insts.push(inst);
        }
        let mut term = w.func.blocks[block].term.clone();
        term.map_uses(|v| w.local(v, *last));
        w.func.blocks[block].term = term;
    }
    w.not_before
}

struct Rewriter<'a> {
    func: &'a mut Function,
    carrying: &'a Carrying,
    block: Block,
    /// Copies in this block by original and segment.
    copies: FxHashMap<(Value, u32), Value>,
    not_before: NotBefore,
}

impl Rewriter<'_> {
    /// `value` as it is to be used in a segment of this block.
    fn local(&mut self, value: Value, segment: u32) -> Value {
        let region = Region { block: self.block, segment };
        let ValueDef::Inst(inst) = self.func.values[value].def else { return value };
        if !self.carrying.is_copied(value, region) {
            return value;
        }
        if let Some(copy) = self.copies.get(&(value, segment)) {
            return *copy;
        }
        let data = self.func.insts[inst].clone();
        let args: Vec<Value> = data.args.iter().map(|a| self.local(*a, segment)).collect();
        let copy = self.func.make_inst(data.op, args, Some(self.func.ty(value)), data.loc);
        self.func.blocks[self.block].insts.push(copy);
        self.not_before[copy] = segment;
        let result = self.func.insts[copy].result.unwrap_or(value);
        self.copies.insert((value, segment), result);
        result
    }
}
