//! Loops: why a schedule cannot deadlock.
//!
//! A token that waits does so for room in front of it. Along edges that do not lead back the
//! graph is acyclic, so only a cycle of full channels could block for ever. Every cycle passes a
//! back edge of some loop; its FIFO has room for all tokens that the loop's admission counter
//! lets in. So a back edge always takes its tokens: those of an innermost loop iterate or leave,
//! and by induction those of the loops around it.

use super::Verifier;
use crate::LoopSchedule;
use base::FxHashMap;
use ir::Block;

impl Verifier<'_> {
    pub(super) fn loops(&mut self) {
        self.cycles_have_back_edges();
        for (k, l) in self.s.loops.iter().enumerate() {
            self.gates(l);
            self.back_edges(l);
            self.nesting(k, l);
            self.admission(l);
        }
    }

    /// The graph without back edges is acyclic: Kahn's algorithm reaches every block.
    fn cycles_have_back_edges(&mut self) {
        let s = self.s;
        let cfg = &self.cfg;
        let is_back =
            |b: Block, k: usize| s.loops.iter().any(|l| l.back_edges.contains(&(b, k as u32)));
        let mut indegree: FxHashMap<Block, u32> = FxHashMap::default();
        for &b in &cfg.rpo {
            for (k, t) in cfg.succs[b].iter().enumerate() {
                if !is_back(b, k) {
                    *indegree.entry(*t).or_default() += 1;
                }
            }
        }
        let mut ready: Vec<Block> =
            cfg.rpo.iter().copied().filter(|b| !indegree.contains_key(b)).collect();
        let mut seen = 0;
        while let Some(b) = ready.pop() {
            seen += 1;
            for (k, t) in cfg.succs[b].iter().enumerate() {
                if is_back(b, k) {
                    continue;
                }
                if let Some(d) = indegree.get_mut(t) {
                    *d -= 1;
                    if *d == 0 {
                        ready.push(*t);
                    }
                }
            }
        }
        if seen != cfg.rpo.len() {
            self.fail(None, "a control-flow cycle has no back-edge FIFO");
        }
    }

    /// Every way into the loop passes its counter.
    fn gates(&mut self, l: &LoopSchedule) {
        let inside = |b: &Block| l.blocks.contains(b);
        if !inside(&l.header) || l.entries.first() != Some(&l.header) {
            self.fail(None, format!("the loop at {} is not entered at its header", l.header));
        }
        let entry = self.s.func.entry();
        for &b in &l.blocks {
            let outside = |p: &Block| self.cfg.is_reachable(*p) && !inside(p);
            let entered = b == entry || self.cfg.preds[b].iter().any(outside);
            if entered && !l.entries.contains(&b) {
                let what = format!("the loop at {} is entered at {b} without counting", l.header);
                self.fail(None, what);
            }
        }
    }

    /// Every edge inside the loop to its header, and no other, is a back edge.
    fn back_edges(&mut self, l: &LoopSchedule) {
        let mut wanted = vec![];
        for &b in &l.blocks {
            for (k, t) in self.cfg.succs[b].iter().enumerate() {
                if *t == l.header {
                    wanted.push((b, k as u32));
                }
            }
        }
        for (b, k) in &wanted {
            if !l.back_edges.contains(&(*b, *k)) {
                let what = format!("the edge from {b} back to {} has no FIFO", l.header);
                self.fail(None, what);
            }
        }
        for (b, _) in l.back_edges.iter().filter(|e| !wanted.contains(e)) {
            self.fail(None, format!("an edge of {b} does not lead back to {}", l.header));
        }
    }

    /// Two loops share no block, or one contains the other and is its ancestor.
    fn nesting(&mut self, k: usize, l: &LoopSchedule) {
        let loops = &self.s.loops;
        let mut ancestors = vec![];
        let mut at = l.parent;
        while let Some(p) = at.filter(|p| *p < ancestors.last().copied().unwrap_or(k)) {
            ancestors.push(p);
            at = loops[p].parent;
        }
        if at.is_some() {
            self.fail(None, format!("the loop at {} stands before its parent", l.header));
            return;
        }
        for (j, outer) in loops.iter().enumerate().take(k) {
            let shared = l.blocks.iter().filter(|b| outer.blocks.contains(b)).count();
            let expected = if ancestors.contains(&j) { l.blocks.len() } else { 0 };
            if shared != expected || outer.header == l.header {
                let what = format!("the loops at {} and {} are not nested", outer.header, l.header);
                self.fail(None, what);
            }
        }
    }

    /// How many tokens the counter lets in.
    fn admission(&mut self, l: &LoopSchedule) {
        let (header, limit) = (l.header, l.limit);
        if limit == 0 {
            self.fail(None, format!("the loop at {header} admits nothing"));
        }
        // Gates of a loop with several entries open when each could let a token in.
        if (limit as usize) < l.entries.len() {
            let n = l.entries.len();
            self.fail(None, format!("the loop at {header} admits {limit} at {n} entries"));
        }
        if limit > l.back_depth {
            let depth = l.back_depth;
            let what = format!(
                "the loop at {header} admits {limit} work-items, but its back edge holds {depth}"
            );
            self.fail(None, what);
        }
        let all = self.s.occupancy.work_items();
        let needed = l.never_full(&self.s.occupancy);
        if limit < needed && l.blocks.iter().any(|b| self.has_barrier(*b)) {
            let what = format!(
                "the loop at {header} admits {limit} work-items, but its barrier waits for up to \
                 {all}: at its {} entries that takes {needed}",
                l.entries.len()
            );
            self.fail(None, what);
        }
    }
}
