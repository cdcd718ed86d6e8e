//! What happens when an attempt at a pipe has failed.

use crate::consteval;
use base::entity::SecondaryMap;
use ir::analysis::{Cfg, Dominators};
use ir::{Block, BlockCall, Function, Inst, Op, Terminator, Type, Value, ValueDef};

/// Most blocks from an attempt to the next one.
const MOST_BLOCKS: usize = 32;

/// Most blocks before an attempt whose conditions are looked at.
const MOST_CONDITIONS: usize = 32;

/// A value when the attempt has failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    Constant(u128),
    /// What this value is.
    Same(Value),
}

/// Follows the control flow from a failed attempt on.
pub(super) struct Failed<'f> {
    func: &'f Function,
    dominators: &'f Dominators,
    /// Where the attempt is made.
    block: Block,
    take: Inst,
    values: SecondaryMap<Value, Option<Known>>,
}

impl<'f> Failed<'f> {
    pub fn new(func: &'f Function, dominators: &'f Dominators, block: Block, take: Inst) -> Self {
        Failed { func, dominators, block, take, values: SecondaryMap::new() }
    }

    /// A condition is known, and with it those that follow from it.
    pub fn assume(&mut self, condition: Option<Value>, holds: bool) {
        let mut open: Vec<(Value, bool)> = condition.map(|c| (c, holds)).into_iter().collect();
        while let Some((value, holds)) = open.pop() {
            if self.values[value].is_some() || self.func.ty(value) != Type::BOOL {
                continue;
            }
            self.values[value] = Some(Known::Constant(holds.into()));
            let ValueDef::Inst(inst) = self.func.values[value].def else { continue };
            let data = &self.func.insts[inst];
            match data.op {
                Op::Not => open.push((data.args[0], !holds)),
                Op::And if holds => open.extend(data.args.iter().map(|a| (*a, true))),
                Op::Or if !holds => open.extend(data.args.iter().map(|a| (*a, false))),
                _ => {}
            }
        }
    }

    /// The conditions on which control comes to a block. They hold the next time, too, where nothing that they are computed from
    /// has changed.
    pub fn assume_way_to(&mut self, cfg: &Cfg, mut block: Block) {
        for _ in 0..MOST_CONDITIONS {
            let [before] = cfg.preds[block][..] else { return };
            if let Terminator::Branch { cond, then_, else_ } = &self.func.blocks[before].term
                && then_.block != else_.block
            {
                self.assume(Some(*cond), then_.block == block);
            }
            block = before;
        }
    }

    /// Whether the attempt is made again with every value as it was, and nothing has been done that anybody could see.
    pub fn comes_back(&mut self) -> bool {
        let mut seen = vec![];
        let mut block = self.block;
        loop {
            seen.push(block);
            if !self.is_quiet(block) {
                return false;
            }
            let Some(call) = self.next(block) else { return false };
            if !self.enter(call) {
                return false;
            }
            block = call.block;
            if block == self.block {
                return true;
            }
            if seen.contains(&block) || seen.len() == MOST_BLOCKS {
                return false;
            }
        }
    }

    fn resolve(&self, value: Value) -> Known {
        if let Some(known) = self.values[value] {
            return known;
        }
        self.func.as_const(value).map_or(Known::Same(value), Known::Constant)
    }

    fn constant(&self, value: Value) -> Option<u128> {
        match self.resolve(value) {
            Known::Constant(bits) => Some(bits),
            Known::Same(_) => None,
        }
    }

    /// Whether a block does nothing; its values.
    fn is_quiet(&mut self, block: Block) -> bool {
        let func = self.func;
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            let result = data.result.filter(|v| self.values[*v].is_none());
            let known = match data.op.is_effect() {
                true if inst == self.take => Some(Known::Constant(0)),
                true if !self.is_off(inst) => return false,
                true => gives_zero(func, inst).then_some(Known::Constant(0)),
                false => self.evaluate(inst),
            };
            if let Some(result) = result {
                self.values[result] = known;
            }
        }
        true
    }

    /// Whether an effect does not happen.
    fn is_off(&self, inst: Inst) -> bool {
        let data = &self.func.insts[inst];
        let predicate = data.args.last().filter(|_| data.op.predicated() == Some(true));
        predicate.is_some_and(|p| self.constant(*p) == Some(0))
    }

    /// What an operation without effects gives, where that is a constant or another value.
    fn evaluate(&self, inst: Inst) -> Option<Known> {
        let data = &self.func.insts[inst];
        if let Some(bits) = consteval::eval_inst(self.func, inst, |v| self.constant(v)) {
            return Some(Known::Constant(bits));
        }
        let zero = |k: usize| self.constant(data.args[k]) == Some(0);
        match data.op {
            Op::Select => {
                let chosen = self.constant(data.args[0])?;
                let scalar = self.func.ty(data.args[0]) == Type::BOOL;
                scalar.then(|| self.resolve(data.args[if chosen == 0 { 2 } else { 1 }]))
            }
            Op::And | Op::Mul if zero(0) || zero(1) => Some(Known::Constant(0)),
            Op::Add | Op::Or | Op::Xor if zero(0) => Some(self.resolve(data.args[1])),
            Op::Add | Op::Or | Op::Xor | Op::Sub | Op::PtrAdd if zero(1) => {
                Some(self.resolve(data.args[0]))
            }
            Op::Shl | Op::LShr | Op::AShr if zero(1) => Some(self.resolve(data.args[0])),
            _ => None,
        }
    }

    /// Where control goes from the end of a block.
    fn next(&self, block: Block) -> Option<&'f BlockCall> {
        let func = self.func;
        match &func.blocks[block].term {
            Terminator::Jump(call) => Some(call),
            Terminator::Branch { cond, then_, else_ } => {
                Some(if self.constant(*cond)? == 0 { else_ } else { then_ })
            }
            Terminator::Switch { value, cases, default } => {
                let bits = self.constant(*value)?;
                let case = cases.iter().find(|(case, _)| *case == bits);
                Some(case.map_or(default, |(_, call)| call))
            }
            _ => None,
        }
    }

    /// Gives the parameters of a block their values. Those that reach the attempt must be what they were.
    fn enter(&mut self, call: &BlockCall) -> bool {
        let params = &self.func.blocks[call.block].params;
        let args: Vec<Known> = call.args.iter().map(|a| self.resolve(*a)).collect();
        let again = self.dominators.dominates(call.block, self.block);
        for (&param, known) in params.iter().zip(args) {
            match again {
                true if known != self.resolve(param) => return false,
                true => {}
                false => self.values[param] = Some(known),
            }
        }
        true
    }
}

/// Whether what an access gives that does not happen is the number 0.
fn gives_zero(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    let reserves = data.op.pipe().is_some_and(|(op, _)| op.takes() || op.reserves());
    let number = data.result.is_some_and(|v| !func.ty(v).is_vector());
    number && (reserves || matches!(data.op, Op::Load(_)))
}
