//! The IR builder: a datapath turned into instructions of the kernel IR.
//!
//! Descriptions are generic over formats and modes, so that an instance has constant operands
//! and repeated subexpressions in many places. They are folded here, while building: what
//! reaches the scheduler is the datapath itself.

use crate::bits::{Bits, Rom, count_width};
use crate::native::Native;
use crate::operator::{Operator, Outputs};
use crate::recurrence::Recurrence;
use base::FxHashMap;
use ir::{Builder, Function, Inst, IntCC, Op, Scalar, TableData, Type, Value};
use std::cell::RefCell;

/// Builds the operator as a function named like it. Parameters are integers of the widths
/// [`Operator::input_widths`]; the result is the concatenation of the operator's results, the
/// first in the low bits. The function is one block without effects.
pub fn build_function(op: Operator, addr_bits: u32) -> Function {
    build(op, addr_bits, None).0
}

/// An operator whose digit recurrence is a loop.
#[derive(Clone, Debug)]
pub struct InTurns {
    /// Three blocks, each of which jumps to the next: what comes before the loop, a turn, what comes after. The middle one's
    /// parameters are the loop's registers; it is to be done [`InTurns::turns`] times.
    pub func: Function,
    /// Turns from operands to result.
    pub turns: u32,
}

/// The operator as [`build_function`] builds it, but with `steps` steps of its recurrence in a loop. None if it has no
/// recurrence ([`Operator::is_recurrence`]).
pub fn build_in_turns(op: Operator, addr_bits: u32, steps: u32) -> Option<InTurns> {
    let (func, turns) = build(op, addr_bits, Some(steps).filter(|_| op.is_recurrence()));
    turns.map(|turns| InTurns { func, turns })
}

fn build(op: Operator, addr_bits: u32, per_turn: Option<u32>) -> (Function, Option<u32>) {
    let mut func = Function::new(op.to_string(), addr_bits);
    let block = func.add_block();
    let inputs: Vec<Value> =
        op.input_widths().iter().map(|w| func.add_param(block, Type::int(*w))).collect();
    func.result = Some(Type::int(op.output_widths().iter().sum()));
    let mut builder = Builder::at(&mut func, block);
    let (result, turns) = {
        let b = IrBuilder::new(&mut builder);
        b.inner.borrow_mut().per_turn = per_turn;
        let outputs = op.build(&b, &inputs);
        let turns = b.inner.borrow().turns;
        (outputs.into_iter().reduce(|low, high| b.concat(high, low)), turns)
    };
    builder.ret(result);
    remove_dead(&mut func);
    (func, turns)
}

/// Expands the operator at the builder's place, on integers of the widths
/// [`Operator::input_widths`].
pub fn expand(op: Operator, builder: &mut Builder<'_>, inputs: &[Value]) -> Outputs<Value> {
    op.build(&IrBuilder::new(builder), inputs)
}

/// Drops instructions whose results nothing uses, of blocks that follow one another.
fn remove_dead(func: &mut Function) {
    let mut used = vec![false; func.values.len()];
    for block in func.layout.clone().into_iter().rev() {
        func.blocks[block].term.for_each_use(|v| used[v.as_u32() as usize] = true);
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut live: Vec<Inst> = Vec::with_capacity(insts.len());
        for inst in insts.into_iter().rev() {
            let data = &func.insts[inst];
            if data.result.is_some_and(|v| used[v.as_u32() as usize]) {
                data.args.iter().for_each(|v| used[v.as_u32() as usize] = true);
                live.push(inst);
            }
        }
        live.reverse();
        func.blocks[block].insts = live;
    }
}

/// A [`Bits`] builder that appends to an [`ir::Builder`], folding constants, trivial operations
/// and repetitions.
pub struct IrBuilder<'a, 'f> {
    inner: RefCell<Inner<'a, 'f>>,
}

struct Inner<'a, 'f> {
    builder: &'a mut Builder<'f>,
    known: FxHashMap<(Op, [Option<Value>; 3], Type), Value>,
    /// Steps in a turn of the loop that is to be made of a recurrence, where one is.
    per_turn: Option<u32>,
    /// Turns of the loop that was made.
    turns: Option<u32>,
}

impl<'a, 'f> IrBuilder<'a, 'f> {
    /// Appends at the place of `builder`.
    pub fn new(builder: &'a mut Builder<'f>) -> Self {
        let (known, per_turn, turns) = (FxHashMap::default(), None, None);
        IrBuilder { inner: RefCell::new(Inner { builder, known, per_turn, turns }) }
    }

    /// Goes on in a new block, whose parameters take the place of `values`.
    fn next_block(&self, values: &[Value]) -> Vec<Value> {
        let builder = &mut *self.inner.borrow_mut().builder;
        let next = builder.func.add_block();
        let types: Vec<Type> = values.iter().map(|v| builder.func.ty(*v)).collect();
        builder.jump(next, values.iter().copied());
        builder.switch_to(next);
        types.into_iter().map(|ty| builder.func.add_param(next, ty)).collect()
    }

    /// The value of `op` on `args`, made once.
    fn make(&self, op: Op, args: &[Value], width: u32) -> Value {
        let mut inner = self.inner.borrow_mut();
        let Inner { builder, known, .. } = &mut *inner;
        let mut key = [None; 3];
        key.iter_mut().zip(args).for_each(|(k, a)| *k = Some(*a));
        if op.is_commutative() && key[0] > key[1] {
            key.swap(0, 1);
        }
        let ty = Type::int(width);
        *known.entry((op, key, ty)).or_insert_with(|| builder.value(op, args.iter().copied(), ty))
    }

    /// The constant that `v` is.
    fn known(&self, v: Value) -> Option<u128> {
        self.inner.borrow().builder.func.as_const(v)
    }

    /// The operation and operands that define `v`.
    fn definition(&self, v: Value) -> Option<(Op, Value, Option<Value>)> {
        let inner = self.inner.borrow();
        let func = &inner.builder.func;
        let data = &func.insts[func.def_inst(v)?];
        Some((data.op, *data.args.first()?, data.args.get(1).copied()))
    }

    fn is_const(&self, v: Value, value: u128) -> bool {
        self.known(v) == Some(value)
    }

    fn is_ones(&self, v: Value) -> bool {
        self.is_const(v, u128::MAX >> (128 - self.width(v)))
    }

    /// `f` on constants, if all operands are constants.
    fn fold<const N: usize>(
        &self,
        args: [Value; N],
        f: impl FnOnce(&Native<u128>, [NativeValue; N]) -> NativeValue,
    ) -> Option<Value> {
        let native = Native::<u128>::new();
        let mut values = [native.value(1, 0); N];
        for (value, arg) in values.iter_mut().zip(args) {
            *value = native.value(self.width(arg), self.known(arg)?);
        }
        let result = f(&native, values);
        Some(self.constant(result.width, result.bits))
    }

    fn compare(&self, cc: IntCC, a: Value, b: Value) -> Value {
        self.make(Op::ICmp(cc), &[a, b], 1)
    }

    /// A shift: the IR wants the amount in the width of the shifted value.
    fn shift(&self, op: Op, a: Value, amount: Value) -> Value {
        if self.is_const(amount, 0) {
            return a;
        }
        let folded = self.fold([a, amount], |n, [a, amount]| match op {
            Op::Shl => n.shl(a, amount),
            Op::LShr => n.lshr(a, amount),
            _ => n.ashr(a, amount),
        });
        if let Some(folded) = folded {
            return folded;
        }
        let (width, amount_width) = (self.width(a), self.width(amount));
        if amount_width <= width {
            return self.make(op, &[a, self.zext(amount, width)], width);
        }
        let extended = match op {
            Op::AShr => self.sext(a, amount_width),
            _ => self.zext(a, amount_width),
        };
        self.trunc(self.make(op, &[extended, amount], amount_width), width)
    }
}

type NativeValue = crate::native::Value<u128>;

impl Bits for IrBuilder<'_, '_> {
    type V = Value;

    fn width(&self, v: Value) -> u32 {
        match self.inner.borrow().builder.func.ty(v).scalar {
            Scalar::Int(width) => u32::from(width),
            other => panic!("{v} is {other:?}, not an integer"),
        }
    }

    fn constant(&self, width: u32, value: u128) -> Value {
        assert!(value <= u128::MAX >> (128 - width), "constant wider than its vector");
        self.make(Op::Const(value), &[], width)
    }

    fn add(&self, a: Value, b: Value) -> Value {
        if self.is_const(a, 0) {
            return b;
        }
        if self.is_const(b, 0) {
            return a;
        }
        self.fold([a, b], |n, [a, b]| n.add(a, b))
            .unwrap_or_else(|| self.make(Op::Add, &[a, b], self.width(a)))
    }

    fn sub(&self, a: Value, b: Value) -> Value {
        if self.is_const(b, 0) {
            return a;
        }
        self.fold([a, b], |n, [a, b]| n.sub(a, b))
            .unwrap_or_else(|| self.make(Op::Sub, &[a, b], self.width(a)))
    }

    fn umul(&self, a: Value, b: Value) -> Value {
        let width = self.width(a) + self.width(b);
        self.fold([a, b], |n, [a, b]| n.umul(a, b)).unwrap_or_else(|| {
            self.make(Op::Mul, &[self.zext(a, width), self.zext(b, width)], width)
        })
    }

    fn smul(&self, a: Value, b: Value) -> Value {
        let width = self.width(a) + self.width(b);
        self.fold([a, b], |n, [a, b]| n.smul(a, b)).unwrap_or_else(|| {
            self.make(Op::Mul, &[self.sext(a, width), self.sext(b, width)], width)
        })
    }

    fn and(&self, a: Value, b: Value) -> Value {
        if a == b || self.is_const(a, 0) || self.is_ones(b) {
            return a;
        }
        if self.is_const(b, 0) || self.is_ones(a) {
            return b;
        }
        self.fold([a, b], |n, [a, b]| n.and(a, b))
            .unwrap_or_else(|| self.make(Op::And, &[a, b], self.width(a)))
    }

    fn or(&self, a: Value, b: Value) -> Value {
        if a == b || self.is_const(b, 0) || self.is_ones(a) {
            return a;
        }
        if self.is_const(a, 0) || self.is_ones(b) {
            return b;
        }
        self.fold([a, b], |n, [a, b]| n.or(a, b))
            .unwrap_or_else(|| self.make(Op::Or, &[a, b], self.width(a)))
    }

    fn xor(&self, a: Value, b: Value) -> Value {
        if self.is_const(b, 0) {
            return a;
        }
        if self.is_const(a, 0) {
            return b;
        }
        if self.is_ones(b) {
            return self.not(a);
        }
        self.fold([a, b], |n, [a, b]| n.xor(a, b))
            .unwrap_or_else(|| self.make(Op::Xor, &[a, b], self.width(a)))
    }

    fn not(&self, a: Value) -> Value {
        if let Some((Op::Not, inner, _)) = self.definition(a) {
            return inner;
        }
        self.fold([a], |n, [a]| n.not(a)).unwrap_or_else(|| self.make(Op::Not, &[a], self.width(a)))
    }

    fn shl(&self, a: Value, amount: Value) -> Value {
        self.shift(Op::Shl, a, amount)
    }

    fn lshr(&self, a: Value, amount: Value) -> Value {
        self.shift(Op::LShr, a, amount)
    }

    fn ashr(&self, a: Value, amount: Value) -> Value {
        self.shift(Op::AShr, a, amount)
    }

    fn zext(&self, a: Value, width: u32) -> Value {
        assert!(width >= self.width(a), "extension to fewer bits");
        if width == self.width(a) {
            return a;
        }
        if let Some((Op::Zext, inner, _)) = self.definition(a) {
            return self.zext(inner, width);
        }
        self.fold([a], |n, [a]| n.zext(a, width))
            .unwrap_or_else(|| self.make(Op::Zext, &[a], width))
    }

    fn sext(&self, a: Value, width: u32) -> Value {
        assert!(width >= self.width(a), "extension to fewer bits");
        if width == self.width(a) {
            return a;
        }
        self.fold([a], |n, [a]| n.sext(a, width))
            .unwrap_or_else(|| self.make(Op::Sext, &[a], width))
    }

    fn slice(&self, a: Value, low: u32, width: u32) -> Value {
        let have = self.width(a);
        assert!(low + width <= have, "slice outside its vector");
        if width == have {
            return a;
        }
        if let Some(folded) = self.fold([a], |n, [a]| n.slice(a, low, width)) {
            return folded;
        }
        match self.definition(a) {
            Some((Op::Slice { lo }, inner, _)) => {
                return self.slice(inner, low + u32::from(lo), width);
            }
            Some((Op::Concat, high, Some(bottom))) => {
                let split = self.width(bottom);
                if low >= split {
                    return self.slice(high, low - split, width);
                }
                if low + width <= split {
                    return self.slice(bottom, low, width);
                }
            }
            Some((Op::Zext, inner, _)) => {
                let split = self.width(inner);
                if low >= split {
                    return self.constant(width, 0);
                }
                if low + width <= split {
                    return self.slice(inner, low, width);
                }
                return self.zext(self.slice(inner, low, split - low), width);
            }
            Some((Op::Sext, inner, _)) if low + width <= self.width(inner) => {
                return self.slice(inner, low, width);
            }
            _ => {}
        }
        self.make(Op::Slice { lo: low as u8 }, &[a], width)
    }

    fn concat(&self, high: Value, low: Value) -> Value {
        let width = self.width(high) + self.width(low);
        assert!(width <= 128, "concatenation of more than 128 bits");
        if self.is_const(high, 0) {
            return self.zext(low, width);
        }
        self.fold([high, low], |n, [high, low]| n.concat(high, low))
            .unwrap_or_else(|| self.make(Op::Concat, &[high, low], width))
    }

    fn eq(&self, a: Value, b: Value) -> Value {
        if a == b {
            return self.bool(true);
        }
        self.fold([a, b], |n, [a, b]| n.eq(a, b)).unwrap_or_else(|| self.compare(IntCC::Eq, a, b))
    }

    fn ult(&self, a: Value, b: Value) -> Value {
        // Nothing is below 0 or above ones: linters complain about the comparison.
        if a == b || self.is_const(b, 0) || self.is_ones(a) {
            return self.bool(false);
        }
        self.fold([a, b], |n, [a, b]| n.ult(a, b)).unwrap_or_else(|| self.compare(IntCC::Ult, a, b))
    }

    fn slt(&self, a: Value, b: Value) -> Value {
        self.fold([a, b], |n, [a, b]| n.slt(a, b)).unwrap_or_else(|| self.compare(IntCC::Slt, a, b))
    }

    fn mux(&self, condition: Value, then: Value, otherwise: Value) -> Value {
        match self.known(condition) {
            Some(0) => return otherwise,
            Some(_) => return then,
            None if then == otherwise => return then,
            None => {}
        }
        self.make(Op::Select, &[condition, then, otherwise], self.width(then))
    }

    fn lzc(&self, a: Value) -> Value {
        let width = self.width(a);
        self.fold([a], |n, [a]| n.lzc(a))
            .unwrap_or_else(|| self.trunc(self.make(Op::Clz, &[a], width), count_width(width)))
    }

    fn popcount(&self, a: Value) -> Value {
        let width = self.width(a);
        self.fold([a], |n, [a]| n.popcount(a))
            .unwrap_or_else(|| self.trunc(self.make(Op::Popcount, &[a], width), count_width(width)))
    }

    fn recur<R: Recurrence>(&self, r: &R, operands: &[Value]) -> [Value; 2] {
        let per_turn = self.inner.borrow().per_turn;
        let Some(per_turn) = per_turn else { return r.unrolled(self, operands) };
        let steps = r.steps().next_multiple_of(per_turn);
        let thrice = if per_turn > 1 { r.thrice(self, operands) } else { None };
        let mut state = self.next_block(&r.before(self, operands, steps));
        // What a turn computes is another value in each of them.
        let known = self.inner.borrow().known.clone();
        for _ in 0..per_turn / 2 {
            state = r.two_steps(self, operands, thrice, &state).to_vec();
        }
        if per_turn % 2 == 1 {
            state = r.step(self, operands, &state).to_vec();
        }
        state = self.next_block(&state);
        let mut inner = self.inner.borrow_mut();
        (inner.known, inner.per_turn, inner.turns) = (known, None, Some(steps / per_turn));
        drop(inner);
        r.after(self, &state, steps)
    }

    fn rom(&self, table: &Rom, index: Value) -> Value {
        if let Some(word) = self.fold([index], |n, [index]| n.rom(table, index)) {
            return word;
        }
        let data = TableData { width: table.width as u8, entries: table.words.clone() };
        let existing = {
            let mut inner = self.inner.borrow_mut();
            let tables = &mut inner.builder.func.tables;
            let found = tables.iter().find(|(_, t)| **t == data).map(|(key, _)| key);
            found.unwrap_or_else(|| tables.push(data))
        };
        self.make(Op::Lookup(existing), &[index], table.width)
    }
}
