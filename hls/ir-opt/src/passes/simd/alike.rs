//! Branches that the work-items of a token may take differently, made predicates and selections.

use super::lanes::Lanes;
use super::set_lanes;
use crate::Context;
use crate::passes::if_convert::{self, Limits};
use crate::passes::simplify_cfg;
use ir::{Block, Function};

/// What is executed always, so that several work-items are computed in each cycle: the operators of both arms are there in any case.
const SIDE_BY_SIDE: Limits = Limits { arm: 4096, total: 4096, accesses: 64, in_condition: 0 };
/// Most branches that are converted.
const MOST_BRANCHES: usize = 64;

/// The kernel without branches that lanes may take differently; none where it has none of these, or keeps some, as those that leave
/// loops.
pub(super) fn run(func: &Function, lanes: u32, context: &Context<'_>) -> Option<Function> {
    let mut alike = func.clone();
    let mut diverging = branches(&mut alike, lanes, context);
    if diverging.is_empty() {
        return None;
    }
    let mut left = MOST_BRANCHES;
    while left > 0 {
        let before = left;
        // No branch diverges less for another being converted: all that can be are, before the lanes are looked at again.
        while left > 0
            && if_convert::run_once(&mut alike, &SIDE_BY_SIDE, |b| diverging.contains(&b))
        {
            left -= 1;
        }
        // Branches inside of the arms of others may be the same for all.
        if left == before {
            if !if_convert::run_once(&mut alike, &SIDE_BY_SIDE, |_| true) {
                return None;
            }
            left -= 1;
        }
        simplify_cfg::run(&mut alike);
        diverging = branches(&mut alike, lanes, context);
        if diverging.is_empty() {
            return Some(alike);
        }
    }
    None
}

/// The blocks whose branches lanes may take differently.
fn branches(func: &mut Function, lanes: u32, context: &Context<'_>) -> Vec<Block> {
    let before = func.kernel.as_ref().and_then(|k| k.simd_lanes);
    set_lanes(func, Some(lanes));
    let analysis = Lanes::new(func, lanes, context.options.max_work_group_size);
    let blocks = func.layout.iter().copied();
    let found = blocks.filter(|b| analysis.diverges(func, *b)).collect();
    set_lanes(func, before);
    found
}
