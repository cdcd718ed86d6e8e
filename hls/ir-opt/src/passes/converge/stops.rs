//! Where work-items of a region wait for their turn.

use super::Region;
use super::named::{self, Call};
use super::order;
use crate::edit;
use base::entity::SecondaryMap;
use base::{Diagnostic, IndexMap, IndexSet, Loc, Result};
use ir::{Block, BlockCall, Function, Inst, LoopHint, Object, Op, SubGroupMark, Terminator, Value};

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
    pub kind: Kind,
}

/// What a stop is.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// A function of sub-groups, or the second stop of a named barrier.
    Function,
    /// A barrier of the work-group.
    Barrier,
    /// The first stop of a named barrier; the second one has the place in `stops`.
    Arrival(Call, usize),
    /// The end of a loop's round.
    Round,
}

impl Stop {
    /// Whether all work-items go through it, and behind it, together.
    pub fn is_for_all(&self) -> bool {
        matches!(self.kind, Kind::Barrier)
    }
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
    /// Ways out, whose numbers are the last ones. All work-items that come to one come to the same.
    pub exits: Vec<Gate>,
    /// Whether there are named barriers.
    pub has_named: bool,
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
        named: vec![],
        natural: region.blocks.clone(),
        stops: Stops {
            stops: vec![],
            entries: vec![],
            exits: vec![],
            has_named: region.has_named,
            turns: Object::from_u32(0),
            commits: vec![],
            parted: vec![],
            active: vec![],
            loc: Loc::UNKNOWN,
        },
    };
    cutter.functions()?;
    cutter.barriers();
    cutter.arrivals();
    cutter.exits();
    cutter.entries();
    let Cutter { func, natural, mut stops, .. } = cutter;
    order::number(func, &natural, &mut stops);
    if stops.has_named {
        order::all_together_last(&mut stops);
    }
    Ok(stops)
}

struct Cutter<'f> {
    func: &'f mut Function,
    /// Calls of named barriers, each with its place in `stops`.
    named: Vec<(Call, usize)>,
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
            let call = self.check(begin)?;
            let first = edit::split_block(self.func, block, at);
            let inside = self.inside(first, begin)?;
            let end = |b: &&Block| self.mark_in(**b, SubGroupMark::End).is_some();
            let Some(&last) = inside.iter().find(end) else {
                return Err(self.defect(begin, UNCLOSED));
            };
            let end = self.mark_in(last, SubGroupMark::End).unwrap_or_default();
            let next = edit::split_block(self.func, last, end + 1);
            self.take_marks(begin, &inside);
            let here = self.stops.stops.len();
            self.named.extend(call.map(|c| (c, here)));
            self.stop((block, first, last, next), Kind::Function, &inside);
            work.push(next);
        }
        Ok(())
    }

    /// Takes what a function needs from its first bracket; the call, if it is a named barrier.
    fn check(&mut self, begin: Inst) -> Result<Option<Call>> {
        let data = &self.func.insts[begin];
        let (loc, args) = (data.loc, data.args.clone());
        if !self.stops.loc.is_known() {
            self.stops.loc = loc;
        }
        let object = |k: usize| match self.func.def_op(args[k]) {
            Some(Op::ObjAddr(object)) => Ok(object),
            _ => Err(self.defect(begin, "does not name its memory")),
        };
        let turns = object(0)?;
        let call = match named::is_call(self.func, begin) {
            true => {
                let size = match self.func.def_op(args[2]) {
                    Some(Op::Const(n)) => u32::try_from(n).ok().filter(|n| n.is_power_of_two()),
                    _ => None,
                };
                let size =
                    size.ok_or_else(|| self.defect(begin, "does not say its sub-groups' size"))?;
                Some(Call { tickets: object(1)?, size, barrier: args[3], loc })
            }
            false => None,
        };
        self.stops.turns = turns;
        Ok(call)
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
        (wait, first, last, next): (Block, Block, Block, Block),
        kind: Kind,
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
        self.stops.stops.push(Stop { wait, first, last, next, number: 0, kind });
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
            let inside = IndexSet::from_iter([first]);
            self.stop((block, first, first, next), Kind::Barrier, &inside);
            work.push(next);
        }
    }

    /// Puts the arrivals in front of calls of named barriers.
    fn arrivals(&mut self) {
        for (call, place) in std::mem::take(&mut self.named) {
            let [arrival, next] = [(); 2].map(|()| self.func.add_block());
            let wait = std::mem::replace(&mut self.stops.stops[place].wait, next);
            // The numbers of stops follow control flow.
            self.func.blocks[wait].term = Terminator::Jump(BlockCall::new(arrival, []));
            self.func.blocks[arrival].term = Terminator::Jump(BlockCall::new(next, []));
            let first = self.stops.stops[place].first;
            self.func.blocks[next].term = Terminator::Jump(BlockCall::new(first, []));
            let inside = IndexSet::from_iter([arrival]);
            self.stop((wait, arrival, arrival, next), Kind::Arrival(call, place), &inside);
        }
    }

    /// Lets all ways out of the region end in a block for each place that they lead to.
    ///
    /// Work-items meet in one place behind a branch that parts them. Regions have several such places only where they are one because of
    /// endless loops that more than one branch leads to, or of branches on what all share between named barriers; so nobody
    /// goes to another one than the others that go on.
    fn exits(&mut self) {
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
        for target in targets {
            let inside = self.copy_params(target);
            self.redirect(target, inside, |c, b| c.natural.contains(&b));
            let outside = self.func.add_block();
            let params = self.func.blocks[inside].params.clone();
            self.func.blocks[outside].term = Terminator::Jump(BlockCall::new(target, params));
            self.natural.insert(inside);
            self.stops.exits.push(Gate { outside, inside });
        }
    }

    fn is_outside(&self, block: Block) -> bool {
        !self.natural.contains(&block) && !self.stops.stops.iter().any(|s| s.first == block)
    }

    /// Lets all ways into the region begin in blocks of their own.
    fn entries(&mut self) {
        let mut gates: IndexMap<Block, Block> = IndexMap::default();
        let within: IndexSet<Block> = self.stops.commits.iter().map(|c| c.0).collect();
        let exits: IndexSet<Block> = self.stops.exits.iter().map(|g| g.outside).collect();
        let from = self.func.layout.clone().into_iter();
        for b in
            from.filter(|b| !self.natural.contains(b) && !within.contains(b) && !exits.contains(b))
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
