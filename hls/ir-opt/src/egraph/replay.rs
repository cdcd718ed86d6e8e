//! The check of every rewriting: old and new terms on random inputs.
//!
//! Results are the same bit for bit, except where float operations permit more: there sums, products and quotients by constants of small whole numbers
//! are compared, to within what their operations may round, and what is computed of them otherwise is not.

use super::extract::Choice;
use super::lang::Head;
use super::region::{Region, takes_part};
use base::{Diagnostic, FxHashMap, Loc, Result, SmallVec};
use egg::{Id, Language};
use ir::{FastMath, FloatKind, Function, Inst, Op, Type, Value};

/// Random inputs on which the result is replayed.
const REPLAYS: u64 = 12;
/// Roundings that relaxed terms may differ by.
const ROUNDINGS: u32 = 1024;

/// Runs the old and the new terms on random leaves, of which what is known of them holds.
pub(super) fn replay(
    func: &Function,
    insts: &[Inst],
    region: &Region,
    choice: &Choice,
) -> Result<()> {
    for seed in 0..REPLAYS {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03);
        let mut old: FxHashMap<Value, u128> = FxHashMap::default();
        for &v in region.classes.keys() {
            if let Some(bits) = func.as_const(v) {
                old.insert(v, bits);
            } else if region.is_leaf(v) {
                let bits = match func.ty(v).float_kind() {
                    Some(kind) if is_relaxed(region) => random.small(kind),
                    _ => random.bits(func.bits(v)),
                };
                let possible = match region.graph.analysis.leaves.get(&v) {
                    Some(known) => known.pick(bits),
                    None => Some(bits),
                };
                old.extend(possible.map(|bits| (v, bits)));
            }
        }
        let leaves = old.clone();
        for &i in insts.iter().filter(|i| takes_part(func, **i)) {
            let value = crate::consteval::eval_inst(func, i, |v| old.get(&v).copied());
            if let (Some(r), Some(bits)) = (func.insts[i].result, value) {
                old.insert(r, bits);
            }
        }
        let exact = |v: &Value, got: u128| old.get(v).is_none_or(|want| *want == got);
        let near = is_relaxed(region).then(|| Near::new(func, insts, &old));
        let mut new: FxHashMap<Id, Option<u128>> = FxHashMap::default();
        for root in &region.roots {
            let got = value_of(func, region, choice, &leaves, region.classes[root], &mut new);
            let Some(got) = got else { continue };
            let same = near.as_ref().map_or_else(|| exact(root, got), |n| n.holds(func, root, got));
            if !same {
                return Err(wrong(func, *root, old[root], got).into());
            }
        }
    }
    Ok(())
}

fn wrong(func: &Function, root: Value, want: u128, got: u128) -> Diagnostic {
    let text = format!("rewriting {root} changed its value from {want:#x} to {got:#x}");
    let loc = func.def_inst(root).map_or(Loc::UNKNOWN, |i| func.insts[i].loc);
    Diagnostic::error("E0306", text)
        .at(loc)
        .note("a rewrite rule is wrong: a defect of clhls")
        .help("compile without the pass `egraph`")
}

/// Whether rules apply that change how results are rounded.
fn is_relaxed(region: &Region) -> bool {
    region.allowed != FastMath::default()
}

/// How results compare in a relaxed region.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Accuracy {
    Exact,
    /// As exact as a few roundings of the largest number allow.
    Rounded,
    /// Small differences may have become large ones.
    Unknown,
}

/// Results of the old terms of a relaxed region, and how new ones compare with them.
struct Near<'o> {
    old: &'o FxHashMap<Value, u128>,
    accuracy: FxHashMap<Value, Accuracy>,
    /// The largest of the rounded numbers; not finite where one of them is not.
    largest: f64,
}

impl<'o> Near<'o> {
    fn new(func: &Function, insts: &[Inst], old: &'o FxHashMap<Value, u128>) -> Self {
        let mut near = Near { old, accuracy: FxHashMap::default(), largest: 1.0 };
        for &i in insts.iter().filter(|i| takes_part(func, **i)) {
            let d = &func.insts[i];
            let Some(result) = d.result else { continue };
            let of = |v: &Value| near.accuracy.get(v).copied().unwrap_or(Accuracy::Exact);
            let operands = d.args.iter().map(of).max().unwrap_or(Accuracy::Exact);
            let rounds = match d.op {
                Op::FAdd | Op::FSub | Op::FMul | Op::Fma | Op::FNeg => true,
                Op::FDiv => func.as_const(d.args[1]).is_some(),
                _ => false,
            };
            let accuracy = match operands {
                Accuracy::Unknown => Accuracy::Unknown,
                _ if rounds => Accuracy::Rounded,
                Accuracy::Exact if !d.op.is_float_unit() => Accuracy::Exact,
                _ => Accuracy::Unknown,
            };
            near.accuracy.insert(result, accuracy);
            if accuracy == Accuracy::Rounded {
                let number = old.get(&result).and_then(|bits| number(func.ty(result), *bits));
                near.largest = number.map_or(f64::INFINITY, |n| near.largest.max(n.abs()));
            }
        }
        near
    }

    fn holds(&self, func: &Function, root: &Value, got: u128) -> bool {
        let Some(&want) = self.old.get(root) else { return true };
        match self.accuracy.get(root).copied().unwrap_or(Accuracy::Exact) {
            Accuracy::Exact => want == got,
            Accuracy::Unknown => true,
            Accuracy::Rounded => {
                let ty = func.ty(*root);
                let (Some(want), Some(got)) = (number(ty, want), number(ty, got)) else {
                    return true;
                };
                let digits = match ty.float_kind() {
                    Some(FloatKind::F64) => 53,
                    Some(FloatKind::F32) => 24,
                    Some(FloatKind::F16) => 11,
                    _ => 8,
                };
                // Every operation of the largest region rounds once.
                let roundings = f64::from(ROUNDINGS) * 0.5f64.powi(digits);
                !self.largest.is_finite() || (want - got).abs() <= self.largest * roundings
            }
        }
    }
}

/// A float as a number; none of what is infinite or no number.
fn number(ty: Type, bits: u128) -> Option<f64> {
    let wide = match ty.float_kind()? {
        FloatKind::F64 => bits,
        _ => {
            let op = Op::FpToFp(ir::Rounding::Rte);
            interp::eval::eval(op, Type::F64, &[(ty, bits)], 64, |_| None)?
        }
    };
    Some(f64::from_bits(wide as u64)).filter(|n| n.is_finite())
}

fn value_of(
    func: &Function,
    region: &Region,
    choice: &Choice,
    leaves: &FxHashMap<Value, u128>,
    id: Id,
    memo: &mut FxHashMap<Id, Option<u128>>,
) -> Option<u128> {
    let id = region.graph.find(id);
    if let Some(v) = memo.get(&id) {
        return *v;
    }
    let node = choice.get(&id)?;
    let value = match node.head {
        Head::Leaf(v) => leaves.get(&v).copied(),
        Head::Op(Op::Const(bits)) => Some(bits),
        Head::Op(op) => {
            let mut args: SmallVec<[(Type, u128); 3]> = SmallVec::new();
            for a in node.children() {
                let bits = value_of(func, region, choice, leaves, *a, memo)?;
                args.push((region.graph[*a].data.ty, bits));
            }
            crate::consteval::eval_op(func, op, node.ty, &args)
        }
    };
    memo.insert(id, value);
    value
}

/// splitmix64, with edge cases.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        base::random::splitmix64(&mut self.0)
    }

    /// A whole number with few digits.
    fn small(&mut self, kind: FloatKind) -> u128 {
        let n = (self.next() % 17) as f64 - 8.0;
        super::pattern::float_bits(n, kind).unwrap_or_default()
    }

    fn bits(&mut self, width: u32) -> u128 {
        let wide = u128::from(self.next()) << 64 | u128::from(self.next());
        let shaped = match self.next() % 6 {
            0 => wide & 3,
            1 => !(wide & 3),
            2 => 1 << (wide % 128),
            // exponents of small floats, and infinities and NaNs
            3 => 0x7f80_0000 | wide & 1,
            _ => wide,
        };
        shaped & crate::bits::ones(width)
    }
}
