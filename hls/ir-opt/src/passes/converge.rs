//! Functions of sub-groups in control flow that some work-items may take without the others.
//!
//! In OpenCL such a function is of those that call it. Hardware waits for the whole work-group, so it stays away from what
//! OpenCL says, or waits for ever, unless all work-items come together. This pass proves that they do, or ends in an error.
//! It stands behind inlining and `sroa`: only there is it known what calls a helper function, and what is in a variable.

use crate::alias::{self, Alias, Kind};
use crate::edit::{self, Step};
use base::entity::SecondaryMap;
use base::{Diagnostic, Diagnostics, Result};
use ir::analysis::{Cfg, Divergence};
use ir::{BarrierScope, Block, Function, Inst, Op, Space, SubGroupFn};

/// Makes the barriers with which functions of sub-groups begin ordinary ones, where all work-items of a group reach them
/// together, and leaves out those that only stand for that condition. Elsewhere they are errors (`E0308`).
pub fn run(func: &mut Function) -> Result<()> {
    let marked = |f: &Function, i: &Inst| {
        matches!(f.insts[*i].op, Op::Barrier(BarrierScope::SubGroup(_), _))
    };
    if !func.layout.iter().any(|b| func.blocks[*b].insts.iter().any(|i| marked(func, i))) {
        return Ok(());
    }
    let errors = if one_work_item(func) { vec![] } else { parted(func) };
    if !errors.is_empty() {
        return Err(Diagnostics(errors));
    }
    edit::rewrite(func, |b, inst| match b.func.insts[inst].op {
        Op::Barrier(BarrierScope::SubGroup(SubGroupFn::Elect), _) => Step::Gone,
        Op::Barrier(BarrierScope::SubGroup(_), fence) => {
            b.func.insts[inst].op = Op::Barrier(BarrierScope::WorkGroup, fence);
            Step::Keep
        }
        _ => Step::Keep,
    });
    Ok(())
}

/// Whether work-groups are single work-items.
fn one_work_item(func: &Function) -> bool {
    let info = func.kernel.as_ref();
    info.is_some_and(|k| k.max_global_work_dim == Some(0) || k.reqd_work_group_size == Some([1; 3]))
}

/// An error for each function that only some work-items of a group may reach.
fn parted(func: &Function) -> Vec<Diagnostic> {
    let cfg = Cfg::new(func);
    let loads = Loads::new(func, &cfg);
    let divergence = Divergence::new(func, &cfg, &|block, k| loads.is_fixed(block, k));
    let mut errors: Vec<Diagnostic> = vec![];
    for &block in &cfg.rpo {
        let Some(branch) = divergence.parted_by(block) else { continue };
        for &inst in &func.blocks[block].insts {
            if let Op::Barrier(BarrierScope::SubGroup(function), _) = func.insts[inst].op {
                let e = error(func, inst, function, branch);
                if !errors.contains(&e) {
                    errors.push(e);
                }
            }
        }
    }
    errors
}

/// Which loads read the same for all work-items of a group that load from the same address.
struct Loads<'f> {
    func: &'f Function,
    cfg: &'f Cfg,
    alias: Alias<'f>,
    /// Where the barriers of each block stand in it.
    barriers: SecondaryMap<Block, Vec<usize>>,
}

impl<'f> Loads<'f> {
    fn new(func: &'f Function, cfg: &'f Cfg) -> Self {
        let mut barriers: SecondaryMap<Block, Vec<usize>> = SecondaryMap::new();
        for &b in &cfg.rpo {
            let insts = func.blocks[b].insts.iter().enumerate();
            let waits = insts.filter(|(_, i)| matches!(func.insts[**i].op, Op::Barrier(..)));
            barriers[b] = waits.map(|(k, _)| k).collect();
        }
        Loads { func, cfg, alias: Alias::new(func), barriers }
    }

    /// Whether instruction `k` of a block is such a load.
    fn is_fixed(&self, block: Block, k: usize) -> bool {
        let inst = self.func.blocks[block].insts[k];
        let data = &self.func.insts[inst];
        if data.op.mem_flags().is_none_or(|f| f.volatile) {
            return false;
        }
        match self.func.ty(data.args[0]).space() {
            Some(Space::Local) => self.alias.is_read_only(inst) || self.is_steady(block, k),
            Some(Space::Global | Space::Constant) => self.alias.is_read_only(inst),
            _ => false,
        }
    }

    /// Whether no work-item writes to what the load reads from local memory between the barrier before it and the next one.
    /// All work-items are between the same barriers at a time.
    fn is_steady(&self, block: Block, k: usize) -> bool {
        let load = self.func.blocks[block].insts[k];
        let mut seen: SecondaryMap<Block, bool> = SecondaryMap::new();
        let mut stack = vec![];
        for (start, from) in self.barriers_before(block, k) {
            if !self.is_unwritten(load, start, from, &mut stack) {
                return false;
            }
        }
        while let Some(b) = stack.pop() {
            if !std::mem::replace(&mut seen[b], true) && !self.is_unwritten(load, b, 0, &mut stack)
            {
                return false;
            }
        }
        true
    }

    /// Looks at the instructions of a block from the one given to the next barrier; without one, what follows is still to
    /// be looked at.
    fn is_unwritten(&self, load: Inst, block: Block, from: usize, rest: &mut Vec<Block>) -> bool {
        let insts = &self.func.blocks[block].insts;
        let end = self.barriers[block].iter().copied().find(|k| *k >= from);
        if end.is_none() {
            rest.extend(&self.cfg.succs[block]);
        }
        insts[from..end.unwrap_or(insts.len())].iter().all(|i| {
            match alias::kind(self.func.insts[*i].op) {
                Kind::Write => !self.alias.may_ever_overlap(load, *i),
                Kind::Read => true,
                Kind::Wall => !matches!(self.func.insts[*i].op, Op::Call(_)),
            }
        })
    }

    /// The places behind the last barriers before an instruction, or the function's start.
    fn barriers_before(&self, block: Block, k: usize) -> Vec<(Block, usize)> {
        let last = |b: Block, end: usize| {
            self.barriers[b].iter().copied().rev().find(|at| *at < end).map(|at| (b, at + 1))
        };
        if let Some(place) = last(block, k) {
            return vec![place];
        }
        let mut seen: SecondaryMap<Block, bool> = SecondaryMap::new();
        let (mut found, mut stack) = (vec![], vec![block]);
        let mut first = true;
        while let Some(b) = stack.pop() {
            // The load's own block has none in front of it; it may still come round from its end.
            let own = std::mem::take(&mut first);
            if !own && std::mem::replace(&mut seen[b], true) {
                continue;
            }
            match if own { None } else { last(b, usize::MAX) } {
                Some(place) => found.push(place),
                None => stack.extend(&self.cfg.preds[b]),
            }
            if b == self.func.entry() {
                found.push((b, 0));
            }
        }
        found
    }
}

fn error(func: &Function, inst: Inst, function: SubGroupFn, branch: Block) -> Diagnostic {
    let what = format!(
        "{} stands where control flow may not bring all work-items of the work-group together",
        function.describe()
    );
    let mut e = Diagnostic::error("E0308", what).label(func.insts[inst].loc, "called here");
    let parts = func.blocks[branch].term_loc;
    if parts.is_known() {
        e = e.label(parts, "work-items may take different ways from here");
    }
    if !func.insts[inst].loc.is_known() {
        e = e.note(format!("in kernel `{}`", func.name));
    }
    e.note("OpenCL lets some work-items call it without the others; hardware waits for the whole work-group (issue 6)")
        .help(
            "call it outside the branch or loop, with a neutral value for work-items that have none, and use the result inside; \
             or branch on what all work-items share: kernel arguments, sizes, group ids, memory that the kernel only reads",
        )
}
