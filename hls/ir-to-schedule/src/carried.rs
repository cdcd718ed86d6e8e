//! What it costs to carry values with work-items, and the choice of what is computed again instead.
//!
//! A block with segments `0..=n` has positions: `2k` is the inside of segment `k`, `2k + 1` its exit, where the
//! operands of accesses are taken. From `2k` to `2k + 1` a value goes through the exit FIFO of segment `k`, from `2k + 1` to
//! `2k + 2` beside the accesses of boundary `k`.

use crate::memories::Memories;
use crate::timed;
use base::FxHashMap;
use base::entity::SecondaryMap;
use ir::analysis::Cfg;
use ir::{Block, Function, Inst, Value};
use schedule::MemoryKind;
use std::collections::BTreeMap;

// Costs a bit, in half LUTs of a device with 16-deep LUT memories.
/// Exit FIFO of a segment, and a register or two in it.
const EXIT: u64 = 6;
/// Beside an access to device memory: the FIFO holds all work-items that wait for the memory.
const BESIDE_DEVICE: u64 = 16;
/// Beside an access to on-chip memory.
const BESIDE_ON_CHIP: u64 = 6;
/// Entry of a block with one predecessor: wires.
const ENTRY: u64 = 0;
/// Entry of a block with several: a multiplexer and its register.
const MERGE: u64 = 4;

/// Steps of the search after which it stops where it is. A step is a block through which a
/// value is followed; the largest of the test kernels takes a hundredth.
const MOST_STEPS: u64 = 50_000_000;

/// A segment of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Region {
    /// The block.
    pub block: Block,
    /// Number of the segment.
    pub segment: u32,
}

/// A value that can be computed again.
struct Candidate {
    /// Where it is computed otherwise.
    home: Region,
    /// Cost of computing it.
    cost: u64,
    /// Operands that are not launch-uniform.
    operands: Vec<Value>,
    /// Computed in each region that uses it.
    again: bool,
}

/// Where a value is used: block and position, with the number of users.
type Demands = BTreeMap<(Block, u32), u32>;

/// Values, what is carried of them, and the choices.
pub struct Carrying {
    /// Cost from the first position of a block to each, and on to the entry of the next block.
    along: SecondaryMap<Block, Vec<u64>>,
    entry: SecondaryMap<Block, u64>,
    preds: SecondaryMap<Block, Vec<Block>>,
    /// Block and position where a value first stands, and its bits.
    stands: SecondaryMap<Value, Option<(Block, u32, u32)>>,
    demands: SecondaryMap<Value, Demands>,
    candidates: FxHashMap<Value, Candidate>,
    /// Cost of carrying, of values that did not change since.
    cost: SecondaryMap<Value, u64>,
    /// Cost of all computations of candidates.
    computing: u64,
    touched: Vec<Value>,
    /// Number of the walk that last came to a block's entry, and to its end.
    seen: SecondaryMap<Block, (u32, u32)>,
    walk: u32,
    steps: u64,
}

impl Carrying {
    /// The blocks with their segments, and where each value stands.
    pub fn new(
        func: &Function,
        cfg: &Cfg,
        found: &Memories,
        segment: &dyn Fn(Block, Inst) -> Option<u32>,
        last: &dyn Fn(Block) -> u32,
    ) -> Self {
        let mut c = Carrying {
            along: SecondaryMap::new(),
            entry: SecondaryMap::new(),
            preds: SecondaryMap::new(),
            stands: SecondaryMap::new(),
            demands: SecondaryMap::new(),
            candidates: FxHashMap::default(),
            cost: SecondaryMap::new(),
            computing: 0,
            touched: vec![],
            seen: SecondaryMap::new(),
            walk: 0,
            steps: 0,
        };
        for &block in &cfg.rpo {
            let preds = cfg.preds[block].to_vec();
            c.entry[block] = if preds.len() > 1 { MERGE } else { ENTRY };
            c.preds[block] = preds;
            let mut beside = vec![0; last(block) as usize + 1];
            for &inst in &func.blocks[block].insts {
                let Some(k) = segment(block, inst) else { continue };
                let data = &func.insts[inst];
                if let Some(access) = found.accesses.get(&inst).filter(|a| a.has_response()) {
                    let device =
                        matches!(found.memories[access.memory].kind, MemoryKind::Device { .. });
                    let cost = if device { BESIDE_DEVICE } else { BESIDE_ON_CHIP };
                    beside[k as usize] = cost.max(beside[k as usize]);
                }
                if let Some(r) = data.result {
                    let behind = timed::is_boundary(func, &found.accesses, inst);
                    let position = 2 * (k + u32::from(behind));
                    c.stands[r] = Some((block, position, func.bits(r)));
                }
            }
            for &p in &func.blocks[block].params {
                c.stands[p] = Some((block, 0, func.bits(p)));
            }
            let mut sum = 0;
            for (k, beside) in beside.into_iter().enumerate() {
                if k == 0 {
                    c.along[block].push(0);
                }
                sum += EXIT;
                c.along[block].push(sum);
                sum += beside;
                c.along[block].push(sum);
            }
        }
        c
    }

    /// A value that could be computed again; all demands come later.
    pub fn add_candidate(&mut self, value: Value, home: Region, cost: u64, operands: Vec<Value>) {
        self.candidates.insert(value, Candidate { home, cost, operands, again: false });
    }

    /// Whether a value could be computed again.
    pub fn is_candidate(&self, value: Value) -> bool {
        self.candidates.contains_key(&value)
    }

    /// A use that is there whatever is chosen.
    pub fn demand(&mut self, value: Value, block: Block, position: u32) {
        self.change(value, (block, position), true);
    }

    /// Whether a use of `value` in `region` is one of a copy made there.
    pub fn is_copied(&self, value: Value, region: Region) -> bool {
        self.candidates.get(&value).is_some_and(|c| c.again && c.home != region)
    }

    /// Whether the original in its region `home` still has users. True of what is no candidate. Without any use it is not
    /// computed, and its operands may be gone.
    pub fn stays(&self, value: Value, home: Region) -> bool {
        match self.candidates.get(&value) {
            Some(c) if c.again => self.is_used_in(value, home),
            Some(_) => !self.demands[value].is_empty(),
            None => true,
        }
    }

    fn is_used_in(&self, value: Value, r: Region) -> bool {
        let keys = (r.block, 2 * r.segment)..=(r.block, 2 * r.segment + 1);
        self.demands[value].range(keys).next().is_some()
    }

    /// One user more or less. Where a candidate starts or ends to be computed, so do the uses of
    /// its operands; chains of candidates are short.
    fn change(&mut self, value: Value, key: (Block, u32), more: bool) {
        self.touched.push(value);
        let region = Region { block: key.0, segment: key.1 / 2 };
        let (used, any) = (self.is_used_in(value, region), !self.demands[value].is_empty());
        let count = self.demands[value].entry(key).or_insert(0);
        *count = if more { *count + 1 } else { *count - 1 };
        if *count == 0 {
            self.demands[value].remove(&key);
        }
        let Some(c) = self.candidates.get(&value) else { return };
        let (home, again) = (c.home, c.again);
        if again && used != self.is_used_in(value, region) {
            self.compute(value, region, more);
        } else if !again && any == self.demands[value].is_empty() {
            self.compute(value, home, more);
        }
    }

    /// A candidate is computed in a region, or no longer.
    fn compute(&mut self, value: Value, region: Region, more: bool) {
        let Some(c) = self.candidates.get(&value) else { return };
        self.computing = if more { self.computing + c.cost } else { self.computing - c.cost };
        for operand in c.operands.clone() {
            self.change(operand, (region.block, 2 * region.segment), more);
        }
    }

    /// Changes the choice for a candidate.
    fn toggle(&mut self, value: Value) {
        let Some(c) = self.candidates.get_mut(&value) else { return };
        c.again = !c.again;
        let (home, again) = (c.home, c.again);
        self.touched.push(value);
        let mut regions: Vec<Region> = self.demands[value]
            .keys()
            .map(|(block, position)| Region { block: *block, segment: position / 2 })
            .collect();
        regions.dedup();
        for &region in regions.iter().filter(|r| **r != home) {
            self.compute(value, region, again);
        }
        if !regions.is_empty() && !regions.contains(&home) {
            self.compute(value, home, !again);
        }
    }

    /// Brings the costs of what was touched up to date; gives the change of the whole cost.
    fn settle(&mut self) -> i64 {
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort();
        touched.dedup();
        let mut change = 0;
        for v in touched {
            let cost = self.carried(v);
            change += cost as i64 - self.cost[v] as i64;
            self.cost[v] = cost;
        }
        change
    }

    /// Changes a choice if that is better by at least `least`; whether it did.
    fn try_toggle(&mut self, value: Value, least: i64) -> bool {
        let computing = self.computing as i64;
        self.toggle(value);
        let change = self.settle() + self.computing as i64 - computing;
        if change <= -least {
            return true;
        }
        self.toggle(value);
        self.settle();
        false
    }

    /// Chooses. `order` has all candidates, operands first. False if all are best left alone.
    pub fn search(&mut self, order: &[Value]) -> bool {
        self.settle();
        let total = |c: &Self| c.computing + c.cost.values().sum::<u64>();
        let before = total(self);
        for &v in order.iter().rev() {
            self.toggle(v);
        }
        self.settle();
        for round in 0..3 {
            let mut changed = false;
            for &v in order {
                let again = self.candidates[&v].again;
                // In case of doubt a value is computed once.
                if (again || round > 0) && self.steps < MOST_STEPS {
                    changed |= self.try_toggle(v, i64::from(!again));
                }
            }
            if !changed {
                break;
            }
        }
        total(self) < before
    }

    /// Cost of carrying a value from where it stands to where it is used as such.
    fn carried(&mut self, value: Value) -> u64 {
        let Some((home, position, bits)) = self.stands[value] else { return 0 };
        let own = self.candidates.get(&value).filter(|c| c.again).map(|c| c.home);
        self.walk += 1;
        let walk = self.walk;
        // Last position of each block in which the value itself is used.
        let mut uses: Vec<(Block, u32)> = vec![];
        for &(block, p) in self.demands[value].keys() {
            if own.is_some_and(|r| r != Region { block, segment: p / 2 }) {
                continue;
            }
            match uses.last_mut() {
                Some((b, last)) if *b == block => *last = p,
                _ => uses.push((block, p)),
            }
        }
        let mut entered: Vec<Block> = vec![];
        let mut open: Vec<Block> = uses.iter().map(|(b, _)| *b).filter(|b| *b != home).collect();
        while let Some(block) = open.pop() {
            if self.seen[block].0 == walk {
                continue;
            }
            self.seen[block].0 = walk;
            entered.push(block);
            for k in 0..self.preds[block].len() {
                let pred = self.preds[block][k];
                self.seen[pred].1 = walk;
                if pred != home {
                    open.push(pred);
                }
            }
        }
        self.steps += entered.len() as u64 + 1;
        let mut cost = 0;
        for &(block, p) in &uses {
            if self.seen[block].1 != walk {
                cost += self.along[block][p as usize];
            }
        }
        for &block in &entered {
            cost += self.entry[block];
            if self.seen[block].1 == walk {
                cost += self.whole(block);
            }
        }
        if self.seen[home].1 == walk {
            cost += self.whole(home);
        }
        if cost == 0 {
            return 0;
        }
        u64::from(bits) * cost.saturating_sub(self.along[home][position as usize])
    }

    /// From the start of a block to the end of its last segment.
    fn whole(&self, block: Block) -> u64 {
        let along = &self.along[block];
        along[along.len() - 2]
    }
}
