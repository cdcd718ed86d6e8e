//! Begins iterations of a loop before it is known that the loop goes on.
//!
//! ```text
//! do {                                       alive = true;
//!   c = s[i];                                do {
//!   d[i] = c;                                  c = s[i];
//!   i = i + 1;                                 if (alive) d[i] = c;
//! } while (c != 0);                            i = i + 1;
//!                                              leaves = alive && c == 0;
//!                                              alive = alive && c != 0;
//!                                            } while (!leaves);
//! ```
//!
//! As a program both are the same: `alive` is 1 in every iteration. In hardware iterations go on beginning until one is known to leave, which
//! may be as many later as the load takes. `alive` is 0 in those that begin behind it: they store nothing and do not leave, and end
//! with the block. Their loads read what nobody uses, from wherever their addresses point.

use base::Loc;
use ir::analysis::back_edge;
use ir::{Block, BlockCall, Builder, Function, Inst, Op, Speculation, Terminator, Type, Value};
use schedule::{Feedback, KernelSchedule};

/// Loops whose iterations wait for nothing longer than for the branch's condition.
pub fn candidates(s: &KernelSchedule) -> Vec<Block> {
    let waits = s.pipelined.iter().filter(|(block, p)| {
        let registers = p.feedback.iter().map(Feedback::interval).max().unwrap_or(1);
        // Registers may be as late as the condition because that is.
        let late = p.condition.segment > 0 || p.condition.cycle + 1 >= registers.max(2);
        let hint = s.func.blocks[**block].hint;
        p.late.is_empty() && late && hint.speculation == Speculation::Automatic
    });
    waits.map(|(block, _)| *block).filter(|b| can_be_undone(&s.func, *b)).collect()
}

/// Whether iterations of a loop come so much sooner that it is worth those that the program does not have. About as many cycles as the condition
/// takes go into these each time the loop is left, which three iterations have to save. Where iterations wait for the accesses of those before,
/// as many more queue up in front of these as there is room for: that never pays.
pub fn pays(before: &KernelSchedule, ahead: &KernelSchedule, block: Block) -> bool {
    let interval = |s: &KernelSchedule| s.loops.iter().find(|l| l.header == block).map(|l| l.ii);
    let (Some(before), Some(after)) = (interval(before), interval(ahead)) else { return false };
    let own = ahead.blocks[block].segments.iter().map(|g| g.ii).max().unwrap_or(1);
    let Some(p) = ahead.pipelined.get(&block) else { return false };
    // What iterations do decides who is ahead: then the next one waits for that.
    let waits = !p.late.is_empty() || p.order.is_some() && after > own;
    3 * after <= 2 * before && !waits
}

/// The parameter that is 1 in the iterations that the program has, of a block with others: [`run`] made it the last one.
pub fn alive(func: &Function, block: Block) -> Option<Value> {
    let data = &func.blocks[block];
    data.params.last().copied().filter(|_| data.hint.speculation == Speculation::On)
}

/// Whether everything that a block does can be left out by a predicate, or does not matter.
fn can_be_undone(func: &Function, block: Block) -> bool {
    func.blocks[block].insts.iter().map(|i| func.insts[*i].op).all(|op| match op {
        Op::Load(flags) => !flags.volatile,
        op => !op.is_effect() || op.predicated().is_some(),
    })
}

/// Lets iterations of a block that loops on itself begin ahead.
pub fn run(func: &mut Function, block: Block) {
    let Some(back) = back_edge(func, block) else { return };
    let Terminator::Branch { cond, then_, else_ } = func.blocks[block].term.clone() else {
        return;
    };
    let alive = func.add_param(block, Type::int(1));
    begin_alive(func, block);
    let effects: Vec<Inst> = func.blocks[block].insts.clone();
    for inst in effects {
        let op = func.insts[inst].op;
        if op.is_effect() && !matches!(op, Op::Load(_)) {
            predicate(func, block, inst, alive);
        }
    }
    let loc = func.blocks[block].term_loc;
    let mut b = Builder::at(func, block);
    b.loc = loc;
    let one = b.bool(true);
    let not = b.binary(Op::Xor, cond, one);
    let (goes_on, leaves) = if back == 0 { (cond, not) } else { (not, cond) };
    let next = b.binary(Op::And, alive, goes_on);
    let leaves = b.binary(Op::And, alive, leaves);
    let (mut again, exit) = if back == 0 { (then_, else_) } else { (else_, then_) };
    again.args.push(next);
    b.terminate(Terminator::Branch { cond: leaves, then_: exit, else_: again });
    func.blocks[block].hint.speculation = Speculation::On;
}

/// Gives `alive`, the last parameter of a block, its value on the ways from outside.
fn begin_alive(func: &mut Function, block: Block) {
    for pred in func.layout.clone() {
        let into = |t: &BlockCall| t.block == block;
        if pred == block || !func.blocks[pred].term.targets().into_iter().any(into) {
            continue;
        }
        let one = Builder::at(func, pred).bool(true);
        for target in func.blocks[pred].term.targets_mut() {
            if target.block == block {
                target.args.push(one);
            }
        }
    }
}

/// Lets an effect happen only in iterations that the program has. A predicate may have a bit for each part of an access.
fn predicate(func: &mut Function, block: Block, inst: Inst, alive: Value) {
    let op = func.insts[inst].op;
    if op.predicated() != Some(true) {
        func.insts[inst].args.push(alive);
        func.insts[inst].op = op.with_predicate(true);
        return;
    }
    let Some(&old) = func.insts[inst].args.last() else { return };
    let ty = func.ty(old);
    let place = func.blocks[block].insts.iter().position(|i| *i == inst).unwrap_or(0);
    let none = func.make_inst(Op::Const(0), [], Some(ty), Loc::UNKNOWN);
    let zero = func.insts[none].result.unwrap_or(old);
    let both = func.make_inst(Op::Select, [alive, old, zero], Some(ty), func.insts[inst].loc);
    if let (Some(result), Some(last)) = (func.insts[both].result, func.insts[inst].args.last_mut())
    {
        *last = result;
    }
    func.blocks[block].insts.splice(place..place, [none, both]);
}
