//! Barriers stand at the start of a block.

use crate::edit;
use ir::{Function, Op};

/// Splits blocks in front of every barrier that is not the first instruction.
pub fn run(func: &mut Function) {
    let mut todo = func.layout.clone();
    while let Some(block) = todo.pop() {
        let is_barrier = |i: &ir::Inst| matches!(func.insts[*i].op, Op::Barrier(..));
        let insts = &func.blocks[block].insts;
        if let Some(at) = insts.iter().skip(1).position(is_barrier) {
            todo.push(edit::split_block(func, block, at + 1));
        }
    }
    edit::remove_unreachable(func);
}
