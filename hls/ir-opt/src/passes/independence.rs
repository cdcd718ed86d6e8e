//! What is known of dependences through memory between iterations of loops.

use crate::Context;
use crate::alias::Alias;
use crate::dependence::{Assume, Iterations};
use crate::known::Ranges;
use crate::linear::steps::Steps;
use ir::analysis::{Cfg, Loops};
use ir::{Block, Function};

/// Marks blocks that loop on themselves as free of dependences through memory between iterations
/// ([`ir::LoopHint::ivdep`]) where that follows from their addresses, and others with the least number of iterations from an access to one
/// that touches the same bytes and must come behind it ([`ir::LoopHint::dependency_length`]), where that is more than one.
///
/// A store that may write what an *earlier* iteration has read is no obstacle where its own iteration must have read before: iterations
/// pass each place in their order.
pub fn run(func: &mut Function, context: &Context<'_>) {
    for (block, distance) in distances(func, context) {
        let hint = &mut func.blocks[block].hint;
        match distance {
            None => hint.ivdep = true,
            Some(1) => {}
            Some(n) => hint.dependency_length = hint.dependency_length.max(n),
        }
    }
}

/// The blocks that loop on themselves, not marked yet, whose iterations are independent.
pub fn independent(func: &Function, context: &Context<'_>) -> Vec<Block> {
    let free = distances(func, context).into_iter().filter(|(_, distance)| distance.is_none());
    free.map(|(block, _)| block).collect()
}

/// The blocks that loop on themselves and have accesses that may depend on one another, as far as objects go: after how many iterations, at the
/// least; none where they never do.
fn distances(func: &Function, context: &Context<'_>) -> Vec<(Block, Option<u32>)> {
    let ranges = Ranges::new(func, context.options.max_work_group_size);
    let alias = Alias::new(func);
    let (loops, homes) = (Loops::new(func, &Cfg::new(func)), func.homes());
    let mut found = vec![];
    for (id, data) in loops.loops.iter().filter(|(_, l)| l.blocks == [l.header]) {
        let block = data.header;
        if func.blocks[block].hint.ivdep {
            continue;
        }
        let Some(steps) = Steps::new(func, &ranges, &loops, &homes, id) else { continue };
        let iterations = Iterations::new(func, &ranges, block, steps);
        let pairs = iterations.pairs(&alias);
        let nearest = |(a, b): &(usize, usize)| iterations.nearest(*a, *b, Assume::DataFlow);
        if !pairs.is_empty() {
            found.push((block, pairs.iter().filter_map(nearest).min()));
        }
    }
    found
}
