//! What a kernel of one work-item does to its connected pipes, as far as that is certain before it runs.

use base::{FxHashMap, FxHashSet, Loc};
use ir::{Block, BlockCall, Function, Inst, Op, PipeOp, Terminator, Value};

/// Most instructions that are followed.
const MOST_INSTS: u32 = 1 << 22;
/// Most steps that are kept.
const MOST_STEPS: usize = 1 << 16;

/// One thing that a kernel does to a pipe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    /// Index of the kernel's argument.
    pub arg: u32,
    pub action: Action,
    pub loc: Loc,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    /// Waits for so many packets one after the other and reads them, or likewise writes.
    Move(u64),
    /// Waits until so many packets can be reserved at once.
    Reserve(u64),
    /// Commits the reservation at a position.
    Commit { start: u64, count: u64 },
}

/// How the part that is certain ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// The kernel is done.
    Returns,
    /// Whatever it does, the next packet is waited for, or room for it; unless it is done with pipes, where not `certain`.
    Waits { arg: u32, loc: Loc, certain: bool },
    /// It depends on data.
    Unknown,
}

/// The steps of a kernel, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Process {
    pub steps: Vec<Step>,
    pub end: End,
}

impl Process {
    /// Follows a kernel; none if several work-items run it.
    pub fn of(func: &Function) -> Option<Process> {
        if !func.is_task() {
            return None;
        }
        let mut walk = Walk {
            func,
            known: FxHashMap::default(),
            reserved: FxHashMap::default(),
            steps: vec![],
            last: None,
            left: MOST_INSTS,
        };
        let end = walk.run();
        Some(Process { steps: walk.steps, end })
    }
}

/// A walk through a kernel's code.
struct Walk<'f> {
    func: &'f Function,
    /// Values that do not depend on data, in this iteration.
    known: FxHashMap<Value, u128>,
    /// Packets that were reserved of each pipe: positions are counted from the first.
    reserved: FxHashMap<u32, u64>,
    steps: Vec<Step>,
    /// The instruction of the last step.
    last: Option<Inst>,
    left: u32,
}

/// What follows depends on data.
struct Open;

impl Walk<'_> {
    fn run(&mut self) -> End {
        let func = self.func;
        let mut block = func.entry();
        loop {
            for &inst in &func.blocks[block].insts {
                if self.inst(block, inst).is_err() {
                    return End::Unknown;
                }
            }
            let term = &func.blocks[block].term;
            let next = match term {
                Terminator::Jump(call) => call,
                Terminator::Branch { cond, then_, else_ } => match self.known.get(cond) {
                    Some(0) => else_,
                    Some(_) => then_,
                    None => return next_wait(func, term),
                },
                Terminator::Switch { value, cases, default } => match self.known.get(value) {
                    Some(n) => cases.iter().find(|(c, _)| c == n).map_or(default, |(_, call)| call),
                    None => return next_wait(func, term),
                },
                Terminator::Return(_) | Terminator::Unreachable => return End::Returns,
            };
            self.enter(next);
            block = next.block;
        }
    }

    fn enter(&mut self, call: &BlockCall) {
        let params = &self.func.blocks[call.block].params;
        let values: Vec<Option<u128>> =
            call.args.iter().map(|v| self.known.get(v).copied()).collect();
        for (param, value) in params.iter().zip(values) {
            self.set(Some(*param), value);
        }
    }

    fn set(&mut self, value: Option<Value>, bits: Option<u128>) {
        match (value, bits) {
            (Some(v), Some(bits)) => drop(self.known.insert(v, bits)),
            (Some(v), None) => drop(self.known.remove(&v)),
            (None, _) => {}
        }
    }

    fn inst(&mut self, block: Block, inst: Inst) -> Result<(), Open> {
        self.left = self.left.checked_sub(1).ok_or(Open)?;
        let func = self.func;
        let data = &func.insts[inst];
        let bits = match data.op {
            Op::Pipe { op, arg, predicated } => {
                let happens = match data.args.last().filter(|_| predicated) {
                    Some(predicate) => *self.known.get(predicate).ok_or(Open)? != 0,
                    None => true,
                };
                if happens { self.pipe(block, inst, op, arg)? } else { Some(0) }
            }
            Op::Call(_) => return Err(Open),
            Op::Select => match self.known.get(&data.args[0]) {
                Some(cond) => self.known.get(&data.args[if *cond == 0 { 2 } else { 1 }]).copied(),
                None => None,
            },
            _ => ir_opt::consteval::eval_inst(func, inst, |v| self.known.get(&v).copied()),
        };
        self.set(data.result, bits);
        Ok(())
    }

    /// An operation on a pipe; its result, if it is certain.
    fn pipe(
        &mut self,
        block: Block,
        inst: Inst,
        op: PipeOp,
        arg: u32,
    ) -> Result<Option<u128>, Open> {
        let operand = self.func.insts[inst].args.first().and_then(|v| self.known.get(v)).copied();
        match op {
            PipeOp::Read | PipeOp::Write | PipeOp::WaitPacket | PipeOp::WaitRoom => {
                self.step(inst, arg, Action::Move(1))?;
            }
            op if op.reserves() && repeats_until_it_succeeds(self.func, block, inst) => {
                let count = operand.ok_or(Open)? as u64;
                self.step(inst, arg, Action::Reserve(count))?;
                let next = self.reserved.entry(arg).or_default();
                let start = *next;
                *next += count;
                return Ok(Some(u128::from(count) << 32 | u128::from(start as u32)));
            }
            op if op.commits() => {
                let id = operand.ok_or(Open)?;
                let action = Action::Commit { start: id as u32 as u64, count: (id >> 32) as u64 };
                self.step(inst, arg, action)?;
            }
            // Packets that are reserved move without waiting, and attempts tell what nobody knows.
            _ => {}
        }
        Ok(None)
    }

    fn step(&mut self, inst: Inst, arg: u32, action: Action) -> Result<(), Open> {
        let again = self.last.replace(inst) == Some(inst);
        match (self.steps.last_mut(), action) {
            (Some(Step { action: Action::Move(n), .. }), Action::Move(more)) if again => *n += more,
            _ => self.steps.push(Step { arg, action, loc: self.func.insts[inst].loc }),
        }
        if self.steps.len() > MOST_STEPS { Err(Open) } else { Ok(()) }
    }
}

/// Whether a block does nothing but to try a reservation, and again until it succeeds.
pub(super) fn repeats_until_it_succeeds(func: &Function, block: Block, inst: Inst) -> bool {
    let data = &func.blocks[block];
    let comes_back = |call: &BlockCall| {
        let between = &func.blocks[call.block];
        let through = between.insts.is_empty()
            && matches!(&between.term, Terminator::Jump(next) if next.block == block);
        call.block == block || through
    };
    let again = matches!(&data.term, Terminator::Branch { then_, else_, .. }
        if comes_back(then_) != comes_back(else_));
    let only = data.insts.iter().all(|i| *i == inst || !func.insts[*i].op.is_effect());
    // What it would hand to the next attempt, such as their number, depends on how many there are.
    again && only && data.params.is_empty()
}

/// The wait that comes next on each way from a branch, if it is the same one's.
fn next_wait(func: &Function, term: &Terminator) -> End {
    let mut open: Vec<Block> = term.targets().iter().map(|t| t.block).collect();
    let mut seen = FxHashSet::default();
    let (mut found, mut ends): (Option<(u32, Loc)>, bool) = (None, false);
    while let Some(block) = open.pop() {
        if !seen.insert(block) {
            continue;
        }
        let data = &func.blocks[block];
        let ops = data.insts.iter().map(|i| &func.insts[*i]);
        let first = ops.filter_map(|d| Some((d, d.op.pipe()?))).find(|(_, (op, _))| {
            // Queries change nothing.
            !matches!(op, PipeOp::Count | PipeOp::Most)
        });
        match first {
            Some((inst, (op, arg))) => {
                let same = found.is_none_or(|(other, _)| other == arg);
                if !op.waits() || inst.op.predicated() == Some(true) || !same {
                    return End::Unknown;
                }
                found.get_or_insert((arg, inst.loc));
            }
            None => {
                ends |= matches!(data.term, Terminator::Return(_) | Terminator::Unreachable);
                open.extend(data.term.targets().iter().map(|t| t.block));
            }
        }
    }
    match found {
        Some((arg, loc)) => End::Waits { arg, loc, certain: !ends },
        None => End::Unknown,
    }
}
