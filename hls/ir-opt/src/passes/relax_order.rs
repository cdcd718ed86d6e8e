//! Effects of a block are ordered only where it matters.

use crate::alias::Alias;
use base::{FxHashMap, SmallVec};
use ir::{Block, Function, Inst};

/// Recomputes the `after` lists: of the order there was, what remains is the order between
/// effects that conflict ([`Alias::conflict`]), without what follows from the rest.
pub fn run(func: &mut Function) {
    let mut lists: Vec<(Inst, SmallVec<[Inst; 2]>)> = vec![];
    let alias = Alias::new(func);
    for &block in &func.layout {
        relax(func, &alias, block, &mut lists);
    }
    for (inst, after) in lists {
        func.insts[inst].after = after;
    }
}

/// A set of effects of the block, by their number.
#[derive(Clone)]
struct Set(Vec<u64>);

impl Set {
    fn new(size: usize) -> Self {
        Set(vec![0; size.div_ceil(64)])
    }

    fn has(&self, k: usize) -> bool {
        self.0[k / 64] >> (k % 64) & 1 == 1
    }

    fn insert(&mut self, k: usize) {
        self.0[k / 64] |= 1 << (k % 64);
    }

    fn union(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }
}

fn relax(
    func: &Function,
    alias: &Alias<'_>,
    block: Block,
    lists: &mut Vec<(Inst, SmallVec<[Inst; 2]>)>,
) {
    let insts = func.blocks[block].insts.iter().copied();
    let effects: Vec<Inst> = insts.filter(|i| func.insts[*i].op.is_effect()).collect();
    let number: FxHashMap<Inst, usize> = effects.iter().enumerate().map(|(k, i)| (*i, k)).collect();
    // What came before each effect so far, and what must in future; both transitive.
    let mut old: Vec<Set> = vec![];
    let mut new: Vec<Set> = vec![];
    for (k, &inst) in effects.iter().enumerate() {
        let mut before = Set::new(effects.len());
        for e in &func.insts[inst].after {
            if let Some(&n) = number.get(e) {
                before.insert(n);
                let earlier = old[n].clone();
                before.union(&earlier);
            }
        }
        let mut needed = Set::new(effects.len());
        let mut after: SmallVec<[Inst; 2]> = SmallVec::new();
        for j in (0..k).rev() {
            // The nearest first: what they come after is then implied.
            if before.has(j) && !needed.has(j) && alias.conflict(effects[j], inst) {
                after.push(effects[j]);
                needed.insert(j);
                let earlier = new[j].clone();
                needed.union(&earlier);
            }
        }
        after.reverse();
        lists.push((inst, after));
        old.push(before);
        new.push(needed);
    }
}
