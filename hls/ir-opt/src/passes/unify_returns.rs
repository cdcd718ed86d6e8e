//! One exit block.

use ir::{Block, BlockCall, Function, Terminator};

/// Lets all returns of a kernel share one block; what is unreachable ends there too.
pub fn run(func: &mut Function) {
    let ends: Vec<_> = func
        .layout
        .iter()
        .copied()
        .filter(|b| {
            matches!(func.blocks[*b].term, Terminator::Return(None) | Terminator::Unreachable)
        })
        .collect();
    if ends.is_empty() || func.result.is_some() {
        return;
    }
    if let [only] = ends[..] {
        func.blocks[only].term = Terminator::Return(None);
        return;
    }
    let bare = |b: &&Block| {
        let data = &func.blocks[**b];
        data.insts.is_empty() && data.params.is_empty() && **b != func.entry()
    };
    let exit = match ends.iter().find(bare) {
        Some(b) => *b,
        None => func.add_block(),
    };
    for b in ends {
        if b != exit {
            func.blocks[b].term = Terminator::Jump(BlockCall::new(exit, []));
        }
    }
    func.blocks[exit].term = Terminator::Return(None);
}
