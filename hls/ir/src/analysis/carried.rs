//! Loop-carried values of blocks that loop on themselves.

use crate::{Block, Function, Terminator, Value};

/// Position of the target that leads back, for blocks that loop on themselves and can leave.
pub fn back_edge(func: &Function, block: Block) -> Option<usize> {
    match &func.blocks[block].term {
        Terminator::Branch { then_, else_, .. } => {
            match (then_.block == block, else_.block == block) {
                (true, false) => Some(0),
                (false, true) => Some(1),
                _ => None,
            }
        }
        _ => None,
    }
}

/// What a parameter of a block that loops on itself takes over: itself, the parameter whose value it has in the next iteration, and so on to
/// the last one, and what that gets, if this is no parameter of the block.
pub fn taken_over(func: &Function, block: Block, param: Value) -> (Vec<Value>, Option<Value>) {
    let targets = func.blocks[block].term.targets();
    let Some(back) = targets.iter().find(|t| t.block == block) else { return (vec![param], None) };
    let params = &func.blocks[block].params;
    let (mut chain, mut at) = (vec![], param);
    while let Some(k) = params.iter().position(|p| *p == at) {
        if chain.contains(&at) {
            // They go round in a circle.
            return (chain, None);
        }
        chain.push(at);
        at = back.args[k];
    }
    (chain, Some(at))
}
