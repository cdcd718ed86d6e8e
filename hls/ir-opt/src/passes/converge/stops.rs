//! Where work-items of a region wait for their turn.

use super::Region;
use super::order;
use crate::edit;
use base::entity::SecondaryMap;
use base::{Diagnostic, IndexMap, IndexSet, Loc, Result};
use ir::{
    Block, BlockCall, Function, Inst, LoopHint, Object, Op, SubGroupFn, SubGroupMark, Terminator,
    Value,
};

/// A place at which a work-item waits for its turn.
pub(super) struct Stop {
    /// The block at whose end it waits; its terminator is a placeholder.
    pub wait: Block,
    /// First and last of the blocks that all work-items of the group go through then; the last one's terminator is a placeholder.
    pub first: Block,
    pub last: Block,
    /// Where those go on whose turn it was.
    pub next: Block,
    /// The number that puts stops in order.
    pub number: u32,
}

/// A way into the region, or out of it, that all work-items take together.
pub(super) struct Gate {
    /// A block outside with the parameters of the way's target: the ways in end there, the way out begins there.
    pub outside: Block,
    /// The block inside, with no parameters of its own: the way in goes on there, the way out ends there.
    pub inside: Block,
}

/// Brackets are made in pairs.
const UNCLOSED: &str = "has no end of its own";

/// A region cut at its stops.
pub(super) struct Stops {
    pub stops: Vec<Stop>,
    /// Ways in, in the order of their numbers, which are the first ones.
    pub entries: Vec<Gate>,
    /// The way out, if there is one.
    pub exit: Option<Gate>,
    /// The local memory for turns.
    pub turns: Object,
    /// For values between brackets, by their block, the block in which those that called the function go on.
    pub commits: Vec<(Block, Block)>,
    /// Brackets' results: whether some may not call (they may), and whether the work-item does, with the stop's place in `stops`.
    pub parted: Vec<Value>,
    pub active: Vec<(usize, Value)>,
    pub loc: Loc,
}

/// Cuts a region of a function.
pub(super) fn cut(func: &mut Function, region: &Region) -> Result<Stops> {
    let mut cutter = Cutter {
        func,
        branch: region.branch,
        natural: region.blocks.clone(),
        stops: Stops {
            stops: vec![],
            entries: vec![],
            exit: None,
            turns: Object::from_u32(0),
            commits: vec![],
            parted: vec![],
            active: vec![],
            loc: Loc::UNKNOWN,
        },
    };
    cutter.functions()?;
    cutter.barriers();
    cutter.exits()?;
    cutter.entries();
    let Cutter { func, natural, mut stops, .. } = cutter;
    order::number(func, &natural, &mut stops);
    Ok(stops)
}

struct Cutter<'f> {
    func: &'f mut Function,
    branch: Block,
    /// Blocks of the region in which each work-item goes its own way.
    natural: IndexSet<Block>,
    stops: Stops,
}

impl Cutter<'_> {
    /// Cuts at functions of sub-groups.
    fn functions(&mut self) -> Result<()> {
        let mut work: Vec<Block> = self.natural.iter().copied().collect();
        work.sort();
        while let Some(block) = work.pop() {
            let insts = &self.func.blocks[block].insts;
            let Some(at) = insts.iter().position(|i| super::begins(self.func, *i)) else {
                continue;
            };
            let begin = insts[at];
            self.check(begin)?;
            let first = edit::split_block(self.func, block, at);
            let inside = self.inside(first, begin)?;
            let end = |b: &&Block| self.mark_in(**b, SubGroupMark::End).is_some();
            let Some(&last) = inside.iter().find(end) else {
                return Err(self.defect(begin, UNCLOSED));
            };
            let end = self.mark_in(last, SubGroupMark::End).unwrap_or_default();
            let next = edit::split_block(self.func, last, end + 1);
            self.take_marks(begin, &inside);
            self.stop(block, first, last, next, &inside);
            work.push(next);
        }
        Ok(())
    }

    /// Named barriers wait for sub-groups that come from elsewhere.
    fn check(&mut self, begin: Inst) -> Result<()> {
        let data = &self.func.insts[begin];
        if !self.stops.loc.is_known() {
            self.stops.loc = data.loc;
        }
        let Some(Op::ObjAddr(object)) = self.func.def_op(data.args[0]) else {
            return Err(self.defect(begin, "does not name its memory for turns"));
        };
        self.stops.turns = object;
        match data.op {
            Op::SubGroup(SubGroupMark::Begin(SubGroupFn::NamedBarrier)) => {
                let what = "a named barrier stands where control flow may not bring all work-items of the work-group together";
                Err(self.error(begin, what))
            }
            _ => Ok(()),
        }
    }

    fn error(&self, inst: Inst, what: &str) -> base::Diagnostics {
        let mut e =
            Diagnostic::error("E0308", what).label(self.func.insts[inst].loc, "called here");
        let parts = self.func.blocks[self.branch].term_loc;
        if parts.is_known() {
            e = e.label(parts, "work-items may take different ways from here");
        }
        if !self.func.insts[inst].loc.is_known() {
            e = e.note(format!("in kernel `{}`", self.func.name));
        }
        e.help(
            "call it outside the branch or loop, or branch on what all work-items share: kernel arguments, sizes, group ids, memory \
             that the kernel only reads",
        )
        .into()
    }

    /// A defect of what made the brackets.
    fn defect(&self, begin: Inst, what: &str) -> base::Diagnostics {
        let what = format!("{begin} {what}");
        Diagnostic::error("E0001", what).at(self.func.insts[begin].loc).into()
    }

    fn mark_in(&self, block: Block, mark: SubGroupMark) -> Option<usize> {
        let mut insts = self.func.blocks[block].insts.iter();
        insts.position(|i| self.func.insts[*i].op == Op::SubGroup(mark))
    }

    /// The blocks between brackets, from the one that begins with the first.
    fn inside(&self, first: Block, begin: Inst) -> Result<IndexSet<Block>> {
        let mut found: IndexSet<Block> = IndexSet::default();
        let (mut stack, mut ends) = (vec![first], 0);
        while let Some(b) = stack.pop() {
            if !found.insert(b) {
                continue;
            }
            match self.mark_in(b, SubGroupMark::End) {
                Some(_) => ends += 1,
                None => stack.extend(self.func.blocks[b].term.targets().iter().map(|t| t.block)),
            }
        }
        if ends == 1 { Ok(found) } else { Err(self.defect(begin, UNCLOSED)) }
    }

    /// Removes the brackets, and remembers their results.
    fn take_marks(&mut self, begin: Inst, inside: &IndexSet<Block>) {
        let stop = self.stops.stops.len();
        self.stops.parted.extend(self.func.insts[begin].result);
        for &b in inside {
            let mark = |f: &Function, i: Inst| matches!(f.insts[i].op, Op::SubGroup(_));
            for inst in edit::take_insts(self.func, b, mark) {
                let data = &self.func.insts[inst];
                if data.op == Op::SubGroup(SubGroupMark::Active) {
                    self.stops.active.extend(data.result.map(|v| (stop, v)));
                }
            }
        }
    }

    fn stop(
        &mut self,
        wait: Block,
        first: Block,
        last: Block,
        next: Block,
        inside: &IndexSet<Block>,
    ) {
        // What is behind may have been cut before.
        for stop in self.stops.stops.iter_mut().filter(|s| s.wait == last || s.wait == wait) {
            stop.wait = next;
        }
        for b in inside {
            self.natural.swap_remove(b);
        }
        self.natural.insert(next);
        self.stops.commits.extend(inside.iter().map(|b| (*b, next)));
        self.stops.stops.push(Stop { wait, first, last, next, number: 0 });
    }

    /// Cuts at the barriers of the work-group, which all its work-items reach, if any does.
    fn barriers(&mut self) {
        let mut work: Vec<Block> = self.natural.iter().copied().collect();
        work.sort();
        while let Some(block) = work.pop() {
            let mut insts = self.func.blocks[block].insts.iter();
            let Some(at) = insts.position(|i| matches!(self.func.insts[*i].op, Op::Barrier(_)))
            else {
                continue;
            };
            let first = edit::split_block(self.func, block, at);
            let next = edit::split_block(self.func, first, 1);
            self.stop(block, first, first, next, &IndexSet::from_iter([first]));
            work.push(next);
        }
    }

    /// Lets all ways out of the region end in one block.
    fn exits(&mut self) -> Result<()> {
        let returns =
            |f: &Function, b: &Block| matches!(f.blocks[*b].term, Terminator::Return(None));
        if self.natural.iter().any(|b| returns(self.func, b)) {
            let end = self.func.add_block();
            self.func.blocks[end].term = Terminator::Return(None);
            for &b in self.natural.iter().filter(|b| **b != end) {
                if returns(self.func, &b) {
                    self.func.blocks[b].term = Terminator::Jump(BlockCall::new(end, []));
                }
            }
        }
        let mut targets: IndexSet<Block> = IndexSet::default();
        for &b in &self.natural {
            let calls = self.func.blocks[b].term.targets();
            targets.extend(calls.iter().map(|t| t.block).filter(|t| self.is_outside(*t)));
        }
        if targets.len() > 1 {
            return Err(self.several_exits());
        }
        let Some(&target) = targets.first() else { return Ok(()) };
        let inside = self.copy_params(target);
        self.redirect(target, inside, |c, b| c.natural.contains(&b));
        let outside = self.func.add_block();
        let params = self.func.blocks[inside].params.clone();
        self.func.blocks[outside].term = Terminator::Jump(BlockCall::new(target, params));
        self.natural.insert(inside);
        self.stops.exit = Some(Gate { outside, inside });
        Ok(())
    }

    fn several_exits(&self) -> base::Diagnostics {
        let what = "functions of sub-groups stand where control flow brings work-items together in several places";
        let place = Diagnostic::error("E0308", what).at(self.stops.loc);
        place.note(format!("in kernel `{}`", self.func.name)).into()
    }

    fn is_outside(&self, block: Block) -> bool {
        !self.natural.contains(&block) && !self.stops.stops.iter().any(|s| s.first == block)
    }

    /// Lets all ways into the region begin in blocks of their own.
    fn entries(&mut self) {
        let mut gates: IndexMap<Block, Block> = IndexMap::default();
        let within: IndexSet<Block> = self.stops.commits.iter().map(|c| c.0).collect();
        let exit = self.stops.exit.as_ref().map(|g| g.outside);
        let from = self.func.layout.clone().into_iter();
        for b in
            from.filter(|b| !self.natural.contains(b) && !within.contains(b) && Some(*b) != exit)
        {
            for target in self.func.blocks[b].term.targets() {
                if self.natural.contains(&target.block) {
                    gates.insert(target.block, b);
                }
            }
        }
        for (target, _) in gates {
            let outside = self.copy_params(target);
            self.redirect(target, outside, |c, b| {
                !c.natural.contains(&b) && !within.contains(&b) && b != outside
            });
            let inside = self.func.add_block();
            let params = self.func.blocks[outside].params.clone();
            self.func.blocks[inside].term = Terminator::Jump(BlockCall::new(target, params));
            // until turns are taken
            self.func.blocks[outside].term = Terminator::Jump(BlockCall::new(inside, []));
            self.natural.insert(inside);
            self.stops.entries.push(Gate { outside, inside });
        }
    }

    /// A new block with parameters of the types that those of another one have.
    fn copy_params(&mut self, of: Block) -> Block {
        let new = self.func.add_block();
        for p in self.func.blocks[of].params.clone() {
            self.func.add_param(new, self.func.ty(p));
        }
        new
    }

    /// Lets the edges from some blocks to `old` go to `new`.
    fn redirect(&mut self, old: Block, new: Block, from: impl Fn(&Self, Block) -> bool) {
        for b in self.func.layout.clone() {
            if from(self, b) {
                redirect(self.func, b, old, new);
            }
        }
    }
}

/// Lets the edges from a block to `old` go to `new`.
pub(super) fn redirect(func: &mut Function, from: Block, old: Block, new: Block) {
    for call in func.blocks[from].term.targets_mut() {
        if call.block == old {
            call.block = new;
        }
    }
}

/// Where each block at whose end work-items wait goes on: between stops the control flow is as it was.
pub(super) fn shortcuts(stops: &[Stop]) -> SecondaryMap<Block, Option<Block>> {
    let mut next = SecondaryMap::new();
    for s in stops {
        next[s.wait] = Some(s.next);
    }
    next
}

/// What the source wants of a loop holds no longer where its rounds wait for turns.
pub(super) fn forget_hint(func: &mut Function, header: Block) {
    func.blocks[header].hint = LoopHint::default();
}
