//! No edge from a block with several successors to a block with several predecessors.

use crate::edit;
use ir::Function;
use ir::analysis::Cfg;

/// Puts an empty block on every critical edge.
pub fn run(func: &mut Function) {
    let cfg = Cfg::new(func);
    for &block in &cfg.rpo {
        if cfg.succs[block].len() < 2 {
            continue;
        }
        for (k, s) in cfg.succs[block].iter().enumerate() {
            if cfg.preds[*s].len() > 1 {
                edit::split_edge(func, block, k);
            }
        }
    }
    edit::remove_unreachable(func);
}
