//! Pipes as values. A connected pipe is none, and a pipe in memory that stands for a FIFO is told its depth: so what a value can be is
//! known when it is lowered. Where it can be several pipes, it carries which of them it is, and what is done to it becomes a branch.

use super::{Leaves, Lower, Val};
use crate::constants::Const;
use crate::decode::{Id, Inst};
use crate::errors::{R, TOO_LARGE, fail};
use crate::lower::connected::Connected;
use crate::pipes::operands;
use crate::types::PIPE_LEAVES;
use base::{SmallVec, smallvec};
use ir::{Block, BlockCall, IntCC, Terminator, Type, Value};
use std::rc::Rc;

/// Most pipes that one value can be.
const MOST_WAYS: usize = 1 << 10;

/// What is known of the most packets of a pipe in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Limit {
    /// As many as its object holds.
    Object,
    /// It stands for a FIFO of so many.
    Most(u32),
    /// A value says.
    Value,
}

/// Which pipes a value can be.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Shape {
    /// FIFOs, in the order of their arguments.
    fifos: Vec<Connected>,
    /// It can be a pipe in memory.
    memory: Option<Limit>,
}

/// What arguments of a function can be, those that are more than pipes in memory.
pub(crate) type Shapes = Vec<Option<Rc<Shape>>>;

impl Shape {
    pub fn fifo(fifo: Connected) -> Self {
        Shape { fifos: vec![fifo], memory: None }
    }

    pub fn memory(limit: Limit) -> Self {
        Shape { fifos: vec![], memory: Some(limit) }
    }

    /// Adds what another value can be; whether that is more.
    pub fn join(&mut self, other: &Shape) -> bool {
        let before = (self.fifos.len(), self.memory);
        for fifo in &other.fifos {
            if let Err(at) = self.fifos.binary_search(fifo) {
                self.fifos.insert(at, *fifo);
            }
        }
        self.memory = match (self.memory, other.memory) {
            (Some(a), Some(b)) if a != b => Some(Limit::Value),
            (a, b) => a.or(b),
        };
        before != (self.fifos.len(), self.memory)
    }

    /// Whether the value is a descriptor and nothing else.
    pub fn is_plain(&self) -> bool {
        self.fifos.is_empty() && matches!(self.memory, None | Some(Limit::Object))
    }

    /// Whether it can be a FIFO.
    pub fn has_fifos(&self) -> bool {
        !self.fifos.is_empty()
    }

    /// Whether it can be a pipe in memory.
    pub fn has_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// Whether a value says how many packets it holds in memory.
    pub fn has_limit(&self) -> bool {
        self.memory == Some(Limit::Value)
    }

    /// How many pipes it can be, all those in memory counted once.
    pub fn ways(&self) -> usize {
        self.fifos.len() + usize::from(self.memory.is_some())
    }

    /// The position of a way of `other`, and 0 for what this cannot be: nothing is ever done to it.
    fn position(&self, other: &Shape, way: usize) -> usize {
        match other.fifos.get(way) {
            Some(fifo) => self.fifos.binary_search(fifo).unwrap_or(0),
            None => self.fifos.len().min(self.ways().saturating_sub(1)),
        }
    }
}

/// A pipe.
#[derive(Clone, Debug)]
pub(crate) struct PipeValue {
    pub shape: Rc<Shape>,
    /// The position of the FIFO, or their number if it is a pipe in memory, as i32; if there are several ways.
    which: Option<Value>,
    /// The descriptor of the pipe in memory, if it can be one.
    memory: Leaves,
    /// The most packets of that one, as [`Limit::Value`] has them.
    limit: Option<Value>,
}

impl PipeValue {
    pub fn fifo(fifo: Connected) -> Self {
        let shape = Rc::new(Shape::fifo(fifo));
        PipeValue { shape, which: None, memory: Leaves::new(), limit: None }
    }

    pub fn memory(memory: Leaves, limit: Limit) -> Self {
        PipeValue { shape: Rc::new(Shape::memory(limit)), which: None, memory, limit: None }
    }

    /// Which one it is, if it can be several.
    pub fn which(&self) -> Option<Value> {
        self.which
    }

    /// The descriptor of the pipe in memory, if it can be one.
    pub fn descriptor(&self) -> &Leaves {
        &self.memory
    }

    /// Its most packets in memory, if a value says.
    pub fn limit(&self) -> Option<Value> {
        self.limit
    }

    /// The FIFO that it is, if it can be nothing else.
    pub fn only_fifo(&self) -> Option<Connected> {
        match self.shape.fifos[..] {
            [fifo] if self.shape.memory.is_none() => Some(fifo),
            _ => None,
        }
    }

    /// The descriptor, if it is in memory whatever happens.
    pub fn only_memory(&self) -> Option<&Leaves> {
        (!self.shape.has_fifos()).then_some(&self.memory)
    }

    /// All that it can be, by position, each by itself.
    pub fn ways(&self) -> Vec<PipeValue> {
        let mut ways: Vec<_> = self.shape.fifos.iter().map(|fifo| Self::fifo(*fifo)).collect();
        if let Some(limit) = self.shape.memory {
            let memory = Self::memory(self.memory.clone(), limit);
            ways.push(PipeValue { limit: self.limit, ..memory });
        }
        ways
    }

    /// Its values, of the types of [`Lower::pipe_types`].
    pub fn leaves(&self) -> Leaves {
        let mut leaves: Leaves = self.which.into_iter().collect();
        leaves.extend(self.memory.iter().copied());
        leaves.extend(self.limit);
        leaves
    }

    /// The pipe that these values are.
    pub fn of_leaves(shape: Rc<Shape>, mut leaves: Leaves) -> Self {
        let which = (shape.ways() > 1 && !leaves.is_empty()).then(|| leaves.remove(0));
        let limit = if shape.has_limit() { leaves.pop() } else { None };
        PipeValue { shape, which, memory: leaves, limit }
    }
}

impl Lower<'_, '_, '_> {
    /// The types of the values of a pipe of type `ty`: which one it is, its descriptor, its most packets.
    pub(super) fn pipe_types(&self, shape: &Shape, ty: Id) -> R<SmallVec<[Type; 4]>> {
        let mut types = SmallVec::new();
        if shape.ways() > 1 {
            types.push(Type::I32);
        }
        if shape.has_memory() {
            types.extend(self.spv.types.leaf_types(ty)?);
        }
        if shape.has_limit() {
            types.push(Type::I32);
        }
        Ok(types)
    }

    /// A pipe; one that is nothing, where nothing is known of it.
    fn pipe_value(&mut self, id: Id) -> R<PipeValue> {
        let nothing = self.spv.consts.get(id).is_some_and(|c| matches!(c.value, Const::Zero));
        if nothing {
            let shape = Rc::default();
            return Ok(PipeValue { shape, which: None, memory: Leaves::new(), limit: None });
        }
        match self.val(id)? {
            Val::Pipe(pipe) => Ok(pipe),
            _ => Ok(PipeValue::memory(self.leaves(id)?, Limit::Object)),
        }
    }

    /// The values of a pipe as one that can be what `shape` says, of type `ty`.
    pub(super) fn pipe_as(&mut self, id: Id, shape: &Shape, ty: Id) -> R<Leaves> {
        let pipe = self.pipe_value(id)?;
        if shape.ways() > MOST_WAYS {
            return fail(TOO_LARGE, format!("a pipe can be one of more than {MOST_WAYS}"));
        }
        self.link.spend(pipe.shape.ways() + shape.ways())?;
        let mut leaves = Leaves::new();
        if shape.ways() > 1 {
            leaves.push(self.position_in(&pipe, shape));
        }
        if shape.has_memory() {
            match pipe.shape.memory {
                Some(_) => leaves.extend(pipe.memory.iter().copied()),
                None => leaves.extend(self.zero(ty)?),
            }
        }
        if shape.has_limit() {
            let limit = self.pipe_limit(&pipe);
            leaves.push(limit.unwrap_or_else(|| self.b.constant(Type::I32, 0)));
        }
        Ok(leaves)
    }

    /// Which of the ways of `shape` a pipe is.
    fn position_in(&mut self, pipe: &PipeValue, shape: &Shape) -> Value {
        let position = |way| shape.position(&pipe.shape, way) as u128;
        let ways = pipe.shape.ways();
        let Some(which) = pipe.which else {
            return self.b.constant(Type::I32, if ways == 0 { 0 } else { position(0) });
        };
        if (0..ways).all(|way| position(way) == way as u128) {
            return which;
        }
        let mut result = self.b.constant(Type::I32, position(ways - 1));
        for way in 0..ways - 1 {
            let here = self.b.constant(Type::I32, way as u128);
            let is = self.b.icmp(IntCC::Eq, which, here);
            let there = self.b.constant(Type::I32, position(way));
            result = self.b.select(is, there, result);
        }
        result
    }

    /// The most packets of a pipe that can be in memory.
    fn pipe_limit(&mut self, pipe: &PipeValue) -> Option<Value> {
        match pipe.shape.memory? {
            Limit::Object => {
                let fields = self.descriptor_fields(&pipe.memory, PIPE_LEAVES);
                fields.get(1).copied()
            }
            _ => self.known_limit(pipe),
        }
    }

    /// The same, unless only the object says.
    pub(super) fn known_limit(&mut self, pipe: &PipeValue) -> Option<Value> {
        match pipe.shape.memory? {
            Limit::Object => None,
            Limit::Most(most) => Some(self.b.constant(Type::I32, most.into())),
            Limit::Value => pipe.limit,
        }
    }

    /// `OpSelect` of two pipes.
    pub(super) fn select_pipe(&mut self, inst: &Inst, shape: &Rc<Shape>) -> R<()> {
        let c = self.operand(inst, 0)?;
        self.check(self.ty(c) == Type::BOOL, inst, "its condition is not boolean")?;
        let ty = inst.ty()?;
        let a = self.pipe_as(inst.arg(1)?, shape, ty)?;
        let b = self.pipe_as(inst.arg(2)?, shape, ty)?;
        let fits = a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| self.ty(*a) == self.ty(*b));
        self.check(fits, inst, "its operands are not of one type")?;
        let leaves = a.iter().zip(&b).map(|(a, b)| self.b.select(c, *a, *b)).collect();
        let pipe = PipeValue::of_leaves(shape.clone(), leaves);
        self.vals.insert(inst.result()?, Val::Pipe(pipe));
        Ok(())
    }

    /// The pipe of an instruction, if it can be several.
    pub(super) fn several(&mut self, inst: &Inst) -> R<Option<PipeValue>> {
        let (pipe, _) =
            operands(inst.op).ok_or_else(|| self.mismatch(inst, "it is about no pipe"))?;
        match self.val(inst.arg(pipe)?)? {
            Val::Pipe(pipe) if pipe.which.is_some() => Ok(Some(pipe)),
            _ => Ok(None),
        }
    }

    /// Lowers an instruction for each way that its pipe, which can be several, can be.
    pub(super) fn each_way(
        &mut self,
        inst: &Inst,
        pipe: PipeValue,
        lower: impl Fn(&mut Self, &Inst) -> R<()>,
    ) -> R<()> {
        let (operand, _) = operands(inst.op).unwrap_or_default();
        let id = inst.arg(operand)?;
        let Some(which) = pipe.which else { return lower(self, inst) };
        let result = self.split(which, &pipe.ways(), |l, way| {
            l.vals.insert(id, Val::Pipe(way.clone()));
            lower(l, inst)?;
            Ok(match inst.result.and_then(|id| l.vals.remove(&id)) {
                Some(Val::Leaves(leaves)) => leaves.first().copied(),
                _ => None,
            })
        });
        self.vals.insert(id, Val::Pipe(pipe));
        match result? {
            Some(value) => self.set_all(inst, smallvec![value]),
            None => Ok(()),
        }
    }

    /// A branch by `which` to what is done for each of several ways; what it gives, if it gives something.
    pub(super) fn split<T>(
        &mut self,
        which: Value,
        ways: &[T],
        mut act: impl FnMut(&mut Self, &T) -> R<Option<Value>>,
    ) -> R<Option<Value>> {
        let blocks: Vec<Block> = ways.iter().map(|_| self.b.func.add_block()).collect();
        let behind = self.b.func.add_block();
        self.branch_by(which, &blocks);
        let mut result = None;
        for (&block, way) in blocks.iter().zip(ways) {
            self.b.switch_to(block);
            let value = act(self, way)?;
            if let (Some(value), None) = (value, result) {
                result = Some(self.b.func.add_param(behind, self.ty(value)));
            }
            self.b.jump(behind, value);
        }
        self.b.switch_to(behind);
        Ok(result)
    }

    /// Goes to the block whose position is `which`.
    fn branch_by(&mut self, which: Value, blocks: &[Block]) {
        match *blocks {
            [first, second] => {
                let zero = self.b.constant(Type::I32, 0);
                let is_first = self.b.icmp(IntCC::Eq, which, zero);
                self.b.branch(is_first, first, second);
            }
            [ref cases @ .., last] => {
                let call = |block| BlockCall::new(block, []);
                let cases = cases.iter().enumerate();
                let cases = cases.map(|(k, block)| (k as u128, call(*block))).collect();
                let term = Terminator::Switch { value: which, cases, default: call(last) };
                self.b.terminate(term);
            }
            [] => {}
        }
    }
}
