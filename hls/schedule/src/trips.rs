//! How often loops run, where that follows from constants.

use crate::{KernelSchedule, LoopSchedule};
use ir::{Block, Function, IntCC, Op, Terminator, Value};

/// Iterations that are counted.
const MOST: u64 = 1 << 16;

/// A test that keeps the loop going: `counter + offset cc limit`.
struct Test {
    /// Number among the header's parameters.
    counter: usize,
    offset: i64,
    cc: IntCC,
    limit: u128,
    bits: u32,
}

/// Iterations of loop `k` of a token: the fewest that a counter with constant start, step and limit allows. A loop that may end
/// sooner counts as if it did not.
pub fn count(s: &KernelSchedule, k: usize) -> Option<u64> {
    let l = s.loops.get(k)?;
    let blocks = l.blocks.iter();
    let tests = blocks.filter_map(|b| test(&s.func, l, *b));
    tests.filter_map(|t| repetitions(&s.func, l, &t)).min()
}

/// The test in a block that leaves the loop, in the form that holds while it goes on.
fn test(func: &Function, l: &LoopSchedule, block: Block) -> Option<Test> {
    let Terminator::Branch { cond, then_, else_ } = &func.blocks[block].term else { return None };
    let inside = |b: Block| l.blocks.contains(&b);
    let goes_on = match (inside(then_.block), inside(else_.block)) {
        (true, false) => true,
        (false, true) => false,
        _ => return None,
    };
    let data = &func.insts[func.def_inst(*cond)?];
    let Op::ICmp(cc) = data.op else { return None };
    let (value, limit) = (data.args[0], func.as_const(data.args[1])?);
    let bits = func.bits(value);
    let cc = if goes_on { cc } else { cc.inverse() };
    let params = &func.blocks[l.header].params;
    let at = |v: Value| params.iter().position(|p| *p == v);
    let (counter, offset) = match at(value) {
        Some(counter) => (counter, 0),
        None => params.iter().enumerate().find_map(|(counter, p)| {
            Some((counter, difference(func, *p, value).filter(|n| *n != 0)?))
        })?,
    };
    (bits <= 64).then_some(Test { counter, offset, cc, limit, bits })
}

/// How often the body runs until the test fails.
fn repetitions(func: &Function, l: &LoopSchedule, test: &Test) -> Option<u64> {
    let param = func.blocks[l.header].params[test.counter];
    let (mut start, mut step) = (None, None);
    for &source in &func.layout {
        for (position, call) in func.blocks[source].term.targets().into_iter().enumerate() {
            if call.block != l.header {
                continue;
            }
            let next = *call.args.get(test.counter)?;
            let (known, new) = if l.back_edges.contains(&(source, position as u32)) {
                (&mut step, i128::from(difference(func, param, next)?))
            } else {
                (&mut start, i128::try_from(func.as_const(next)?).ok()?)
            };
            if known.replace(new).is_some_and(|old| old != new) {
                return None;
            }
        }
    }
    let (start, step) = (start?, step?);
    let mask = (1i128 << test.bits) - 1;
    let mut value = start + i128::from(test.offset);
    for n in 1..=MOST {
        if !holds(test.cc, test.bits, (value & mask) as u128, test.limit) {
            // A test behind the body has run it once more than it held.
            return Some(if test.offset == 0 { n - 1 } else { n });
        }
        value += step;
    }
    None
}

/// Whether `a cc b` for integers of `bits` bits.
fn holds(cc: IntCC, bits: u32, a: u128, b: u128) -> bool {
    let signed = |v: u128| ir::builder::sign_extend(v, bits);
    match cc {
        IntCC::Eq => a == b,
        IntCC::Ne => a != b,
        IntCC::Ult => a < b,
        IntCC::Ule => a <= b,
        IntCC::Ugt => a > b,
        IntCC::Uge => a >= b,
        IntCC::Slt => signed(a) < signed(b),
        IntCC::Sle => signed(a) <= signed(b),
        IntCC::Sgt => signed(a) > signed(b),
        IntCC::Sge => signed(a) >= signed(b),
    }
}

/// `next - v`, where that is a constant.
pub fn difference(func: &Function, v: Value, next: Value) -> Option<i64> {
    if v == next {
        return Some(0);
    }
    let inst = func.def_inst(next)?;
    let data = &func.insts[inst];
    let constant = |c: Value| {
        let bits = func.as_const(c)?;
        i64::try_from(ir::builder::sign_extend(bits, func.bits(c))).ok()
    };
    match (data.op, data.args.as_slice()) {
        (Op::Add | Op::PtrAdd, [a, c]) if *a == v => constant(*c),
        (Op::Add, [c, a]) if *a == v => constant(*c),
        (Op::Sub, [a, c]) if *a == v => constant(*c).map(|n| -n),
        _ => None,
    }
}
