//! Carries sums of a counter and a constant beside the counter, where a decision would be late if it waited for the sum.
//!
//! ```text
//! do { more = i + 2 < n; i = i + 1; } while (...)        do { more = j < n; i = i + 1; j = j + 1; } while (...)     with j = i + 2
//! ```

use super::retime_selects::Recurrence;
use crate::Context;
use crate::recurrence::{self, Clock};
use ir::{Block, BlockCall, Builder, Function, Inst, Op, Value, ValueDef};

/// Most sums that a block carries besides.
const MOST_SUMS: usize = 8;

/// Looks at the loops of one block of a kernel with a single work-item: only there a late decision makes the next iteration wait.
pub fn run(func: &mut Function, context: &Context<'_>) {
    if !func.is_task() {
        return;
    }
    for block in func.layout.clone() {
        carry(func, block, context.clock());
    }
}

/// Carries the sums of a block that are in the way.
pub fn carry(func: &mut Function, block: Block, clock: Clock<'_>) {
    let Some(back) = ir::analysis::back_edge(func, block) else { return };
    for _ in 0..MOST_SUMS {
        let Some(sum) = Sum::find(func, block, back, clock) else { return };
        sum.carry(func, block, back);
    }
}

/// An addition to a loop-carried value that decisions wait for.
struct Sum {
    inst: Inst,
    /// Which parameter is added to.
    place: usize,
    /// What is added; it does not change in the loop.
    addend: Value,
    counter: Recurrence,
    /// The instructions that wait for the sum.
    users: Vec<Inst>,
}

impl Sum {
    fn find(func: &Function, block: Block, back: usize, clock: Clock<'_>) -> Option<Sum> {
        let tail = recurrence::ns_to_decisions(func, block, clock);
        let insts = func.blocks[block].insts.iter().copied();
        insts.filter(|i| func.insts[*i].op == Op::Add).find_map(|inst| {
            let data = &func.insts[inst];
            let &[x, y] = &data.args[..] else { return None };
            let (param, addend) = match [x, y].map(|v| varies(func, block, v)) {
                [true, false] => (x, y),
                [false, true] => (y, x),
                _ => return None,
            };
            let ValueDef::Param(_, place) = func.values[param].def else { return None };
            let place = place as usize;
            let without = clock.entry_ns() + tail[data.result?]?;
            let cycles = |ns: f64| (ns / clock.period_ns).ceil();
            let late = cycles(without + clock.ns(func, inst)) > cycles(without);
            let next = func.blocks[block].term.targets()[back].args[place];
            let counter = Recurrence::find(func, block, param, next).filter(Recurrence::counts)?;
            let own = counter.selections();
            let users: Vec<Inst> = users(func, block, inst).filter(|u| !own.contains(u)).collect();
            let found = Sum { inst, place, addend, counter, users };
            (late && !found.users.is_empty()).then_some(found)
        })
    }

    fn carry(self, func: &mut Function, block: Block, back: usize) {
        let ty = func.ty(self.addend);
        let ahead = func.add_param(block, ty);
        for pred in func.layout.clone() {
            let all = func.blocks[pred].term.targets().into_iter().enumerate();
            let ways: Vec<(usize, Value)> = all
                .filter(|(k, t)| t.block == block && (pred, *k) != (block, back))
                .map(|(k, t)| (k, t.args[self.place]))
                .collect();
            for (k, init) in ways {
                let mut b = Builder::at(func, pred);
                let addend = match b.func.as_const(self.addend) {
                    Some(bits) => b.constant(ty, bits),
                    None => self.addend,
                };
                let first = b.binary(Op::Add, init, addend);
                push(func, pred, k, first);
            }
        }
        let next = self.counter.rebuild(func, block, Some((ahead, self.addend)));
        let (Some(next), Some(sum)) = (next, func.insts[self.inst].result) else {
            unreachable!("a counter has a next value, and an addition a result")
        };
        push(func, block, back, next);
        for user in self.users {
            func.insts[user].args.iter_mut().filter(|a| **a == sum).for_each(|a| *a = ahead);
        }
    }
}

/// Whether a value is a parameter of the block, or computed in it of more than nothing.
fn varies(func: &Function, block: Block, value: Value) -> bool {
    match func.values[value].def {
        _ if func.as_const(value).is_some() => false,
        ValueDef::Param(b, _) => b == block,
        ValueDef::Inst(i) => func.blocks[block].insts.contains(&i),
    }
}

/// The instructions of a block that use what another one computes.
fn users(func: &Function, block: Block, inst: Inst) -> impl Iterator<Item = Inst> {
    let result = func.insts[inst].result;
    let insts = func.blocks[block].insts.iter().copied();
    insts.filter(move |i| result.is_some_and(|r| func.insts[*i].args.contains(&r)))
}

/// Adds an argument to a way out of a block.
fn push(func: &mut Function, block: Block, way: usize, arg: Value) {
    let mut targets = func.blocks[block].term.targets_mut();
    let call: &mut BlockCall = targets[way];
    call.args.push(arg);
}
