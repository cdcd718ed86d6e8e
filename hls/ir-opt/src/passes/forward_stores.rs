//! Values that a loop stores and loads again a fixed number of iterations later, carried beside memory.
//!
//! ```text
//! do { a[i] = f(a[i - 2]); } while (..)         do { x = g2 ? a[i - 2] : c2; y = f(x); a[i] = y;
//!                                                    c2 = c1; c1 = y; g2 = g1; g1 = false; } while (..)      with g1 = g2 = true at first
//! ```
//!
//! A load that waits for the store of an earlier iteration waits for memory. Where it reads exactly what the store wrote `D` iterations before,
//! the value can come through a delay line of `D` parameters: then the recurrence is that of the computation alone, and `D` of them can be
//! under way. Only the first `D` iterations load, what was in memory before the loop. Nothing is loaded that the program does not load.

use crate::Context;
use crate::alias::{Alias, Kind, kind};
use crate::dependence::{Assume, Iterations};
use crate::known::Ranges;
use crate::linear::steps::Steps;
use base::entity::SecondaryMap;
use ir::analysis::{Cfg, Loops, back_edge};
use ir::{Block, Builder, Function, Inst, Op, Type, Value};

/// Longest delay line: partial sums have as many places.
const MOST_ITERATIONS: u32 = 16;
/// Most bits of a loop's delay lines.
const MOST_BITS: u32 = 1024;

/// Looks at the loops of one block of a kernel with a single work-item: only there a load waits for another iteration.
pub fn run(func: &mut Function, context: &Context<'_>) {
    if !func.is_task() {
        return;
    }
    for plan in plans(func, context) {
        plan.apply(func);
    }
}

/// What a block carries beside memory.
struct Plan {
    block: Block,
    /// The loads with the store whose value they read, and how many iterations later.
    loads: Vec<(Inst, Inst, u32)>,
    /// The least number of iterations from an access to one that touches the same bytes, of all other pairs; none where they never do.
    nearest: Option<u32>,
}

fn plans(func: &Function, context: &Context<'_>) -> Vec<Plan> {
    let ranges = Ranges::new(func, context.options.max_work_group_size);
    let alias = Alias::new(func);
    let (loops, homes) = (Loops::new(func, &Cfg::new(func)), func.homes());
    let mut plans = vec![];
    for (id, data) in loops.loops.iter().filter(|(_, l)| l.blocks == [l.header]) {
        let block = data.header;
        // Who waits at a barrier, fence or pipe may wait for what others write.
        let mut insts = func.blocks[block].insts.iter().map(|i| func.insts[*i].op);
        let walls = insts.any(|op| op.is_effect() && kind(op) == Kind::Wall);
        if walls || func.blocks[block].hint.ivdep || back_edge(func, block).is_none() {
            continue;
        }
        let Some(steps) = Steps::new(func, &ranges, &loops, &homes, id) else { continue };
        let iterations = Iterations::new(func, &ranges, block, steps);
        plans.extend(Plan::find(func, &alias, block, &iterations));
    }
    plans
}

impl Plan {
    fn find(
        func: &Function,
        alias: &Alias<'_>,
        block: Block,
        iterations: &Iterations<'_>,
    ) -> Option<Plan> {
        let inst = |k: usize| iterations.accesses[k].inst;
        let count = iterations.accesses.len();
        let is_load = |k: &usize| matches!(func.insts[inst(*k)].op, Op::Load(_));
        let is_store = |k: &usize| matches!(func.insts[inst(*k)].op, Op::Store(_));
        let (mut loads, mut served, mut bits) = (vec![], vec![], 0);
        for load in (0..count).filter(is_load) {
            let found = (0..count).filter(is_store).filter_map(|store| {
                let fits = carried_type(func, inst(store), inst(load)).is_some();
                let distance = iterations.carries(alias, store, load).filter(|_| fits)?;
                Some((store, distance)).filter(|_| distance <= MOST_ITERATIONS)
            });
            let Some((store, distance)) = found.min_by_key(|(_, d)| *d) else { continue };
            let more = distance * func.bits(func.insts[inst(store)].args[1]);
            if bits + more <= MOST_BITS {
                bits += more;
                loads.push((inst(load), inst(store), distance));
                served.push((load.min(store), load.max(store)));
            }
        }
        if loads.is_empty() {
            return None;
        }
        // What the rest of the block does may change: passes follow.
        let rest = iterations.pairs(alias).into_iter().filter(|pair| !served.contains(pair));
        let nearest = rest.filter_map(|(a, b)| iterations.nearest(a, b, Assume::Nothing)).min();
        Some(Plan { block, loads, nearest })
    }

    fn apply(self, func: &mut Function) {
        let block = self.block;
        let longest = self.loads.iter().map(|(.., d)| *d).max().unwrap_or(0);
        let no = Builder::at(func, block).bool(false);
        let first = delay_line(func, block, (Type::BOOL, 1), no, longest);
        let mut lines: Vec<(Inst, Vec<Value>)> = vec![];
        for &(_, store, _) in &self.loads {
            if lines.iter().any(|(s, _)| *s == store) {
                continue;
            }
            let of_store = self.loads.iter().filter(|(_, s, _)| *s == store);
            let longest = of_store.map(|(.., d)| *d).max().unwrap_or(0);
            let stored = func.insts[store].args[1];
            let line = delay_line(func, block, (func.ty(stored), 0), stored, longest);
            lines.push((store, line));
        }
        for (load, store, distance) in self.loads {
            let place = distance as usize - 1;
            let line = lines.iter().find(|(s, _)| *s == store);
            if let Some((_, line)) = line {
                choose(func, block, load, first[place], line[place]);
            }
        }
        let hint = &mut func.blocks[block].hint;
        match self.nearest {
            None => hint.ivdep = true,
            Some(n) if n > 1 => hint.dependency_length = hint.dependency_length.max(n),
            Some(_) => {}
        }
    }
}

/// The type of what is carried from a store to a load, when that can be made what the load gives without arithmetic.
fn carried_type(func: &Function, store: Inst, load: Inst) -> Option<Type> {
    let stored = func.ty(func.insts[store].args[1]);
    let loaded = func.ty(func.insts[load].result?);
    let plain = |t: Type| t.space().is_none() && !t.is_vector();
    let same_bits = func.bits(func.insts[store].args[1]) == func.bits(func.insts[load].result?);
    (stored == loaded && !stored.is_vector() || plain(stored) && plain(loaded) && same_bits)
        .then_some(stored)
}

/// Parameters of a block through which a value passes from iteration to iteration, that of the last iteration first; all begin with a
/// constant of the type.
fn delay_line(
    func: &mut Function,
    block: Block,
    (ty, initial): (Type, u128),
    value: Value,
    places: u32,
) -> Vec<Value> {
    let line: Vec<Value> = (0..places).map(|_| func.add_param(block, ty)).collect();
    for from in func.layout.clone() {
        let targets = func.blocks[from].term.targets().into_iter().enumerate();
        let ways: Vec<usize> = targets.filter(|(_, t)| t.block == block).map(|(k, _)| k).collect();
        for k in ways {
            let passed: Vec<Value> = match from == block {
                true => [value].into_iter().chain(line.iter().copied()).collect(),
                false => {
                    let initial = Builder::at(func, from).constant(ty, initial);
                    vec![initial; places as usize]
                }
            };
            let mut targets = func.blocks[from].term.targets_mut();
            targets[k].args.extend(passed.into_iter().take(places as usize));
        }
    }
    line
}

/// Lets a load happen only in the first iterations, and its users take what was carried in the others.
fn choose(func: &mut Function, block: Block, load: Inst, first: Value, carried: Value) {
    let Some(loaded) = func.insts[load].result else { return };
    let (ty, loc) = (func.ty(loaded), func.insts[load].loc);
    let op = func.insts[load].op.with_predicate(true);
    func.insts[load].op = op;
    func.insts[load].args.push(first);
    let mut made = vec![];
    let mut value = carried;
    if func.ty(carried) != ty {
        let cast = func.make_inst(Op::Bitcast, [carried], Some(ty), loc);
        made.push(cast);
        value = func.insts[cast].result.unwrap_or(carried);
    }
    let select = func.make_inst(Op::Select, [first, loaded, value], Some(ty), loc);
    made.push(select);
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    map[loaded] = func.insts[select].result;
    func.substitute(&map);
    func.insts[select].args[1] = loaded;
    let insts = &mut func.blocks[block].insts;
    let at = insts.iter().position(|i| *i == load).map_or(insts.len(), |k| k + 1);
    insts.splice(at..at, made);
}
