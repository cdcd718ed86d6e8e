//! Every reducible loop is entered by one jump and goes back by one jump.

use base::entity::SecondaryMap;
use ir::analysis::{Cfg, Loops};
use ir::{Block, BlockCall, Function, Op, Terminator, Value};

/// Gives each reducible loop a preheader (a block with no other successor that is the only way
/// in) and a single latch.
pub fn run(func: &mut Function) {
    crate::edit::remove_unreachable(func);
    while fix_one(func) {}
    crate::edit::remove_unreachable(func);
}

/// Mends one loop; gives whether there was one to mend.
fn fix_one(func: &mut Function) -> bool {
    let cfg = Cfg::new(func);
    let loops = Loops::new(func, &cfg);
    for data in loops.loops.values().filter(|l| l.is_reducible()) {
        let mut inside: SecondaryMap<Block, bool> = SecondaryMap::new();
        data.blocks.iter().for_each(|b| inside[*b] = true);
        let (back, entering): (Vec<Block>, Vec<Block>) =
            cfg.preds[data.header].iter().partition(|b| inside[**b]);
        let dedicated = entering.len() == 1 && cfg.succs[entering[0]].len() == 1;
        if !dedicated {
            join_edges(func, data.header, &entering);
            return true;
        }
        if back.len() > 1 {
            join_edges(func, data.header, &back);
            return true;
        }
    }
    false
}

/// Most operations between arguments and a value that counts as there.
const MOST_STEPS: u32 = 4;

/// Whether a value follows from constants and arguments by few operations: it is the same in the whole launch.
fn stands_by_itself(func: &Function, value: Value, steps: u32) -> bool {
    let Some(inst) = func.def_inst(value) else { return false };
    let data = &func.insts[inst];
    match data.op {
        Op::Const(_) | Op::Arg { .. } => true,
        Op::WorkItem(query, _) => query.is_launch_uniform(),
        op if op.is_effect() || data.args.is_empty() || steps == 0 => false,
        _ => data.args.iter().all(|v| stands_by_itself(func, *v, steps - 1)),
    }
}

/// Sends all edges from the blocks `from` to `to` through a new block. It has no parameters for what is there without being carried along,
/// if all edges pass the same: what a loop begins with stays in sight.
fn join_edges(func: &mut Function, to: Block, from: &[Block]) {
    let calls = from.iter().flat_map(|b| func.blocks[*b].term.targets());
    let passed: Vec<Vec<Value>> =
        calls.filter(|call| call.block == to).map(|call| call.args.to_vec()).collect();
    let differs: Vec<bool> = (0..func.blocks[to].params.len())
        .map(|k| {
            !stands_by_itself(func, passed[0][k], MOST_STEPS)
                || passed.iter().any(|args| args[k] != passed[0][k])
        })
        .collect();
    let join = func.add_block();
    let mut args = vec![];
    for (k, differs) in differs.iter().enumerate() {
        args.push(match differs {
            true => func.add_param(join, func.ty(func.blocks[to].params[k])),
            false => passed[0][k],
        });
    }
    func.blocks[join].term = Terminator::Jump(BlockCall::new(to, args));
    func.blocks[join].term_loc = func.blocks[to].term_loc;
    for &b in from {
        for call in func.blocks[b].term.targets_mut() {
            if call.block == to {
                call.block = join;
                let mut differs = differs.iter();
                call.args.retain(|_| differs.next().copied().unwrap_or(true));
            }
        }
    }
}
