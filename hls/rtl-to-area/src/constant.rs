//! Bits of expressions that are constant, by those of the nets.

use crate::bits::Bits;
use base::entity::SecondaryMap;
use rtl::{Binary, Expr, Net, Unary};

/// The bits of a value that never change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Constant {
    /// Those that are 0.
    pub(crate) zero: Bits,
    /// Those that are 1.
    pub(crate) one: Bits,
}

impl Constant {
    /// All bits may change.
    pub(crate) fn none(width: u32) -> Self {
        Constant { zero: Bits::none(width), one: Bits::none(width) }
    }

    pub(crate) fn of_number(width: u32, number: u128) -> Self {
        let one = Bits::of_number(width, number);
        Constant { zero: one.not(), one }
    }

    /// No bit is known to be 1.
    pub(crate) fn of_zeros(zero: Bits) -> Self {
        Constant { one: Bits::none(zero.width()), zero }
    }

    pub(crate) fn width(&self) -> u32 {
        self.zero.width()
    }

    /// The bits that may change.
    pub(crate) fn varying(&self) -> Bits {
        self.zero.or(&self.one).not()
    }

    /// The value, if all bits are constant.
    pub(crate) fn number(&self) -> Option<u128> {
        (self.width() <= 128 && self.varying().is_empty()).then(|| self.one.low())
    }

    pub(crate) fn not(self) -> Self {
        Constant { zero: self.one, one: self.zero }
    }

    /// What two values have in common.
    pub(crate) fn meet(&self, other: &Self) -> Self {
        Constant { zero: self.zero.and(&other.zero), one: self.one.and(&other.one) }
    }

    pub(crate) fn slice(&self, lo: u32, width: u32) -> Self {
        Constant { zero: self.zero.slice(lo, width), one: self.one.slice(lo, width) }
    }

    /// Of bits that move up `places`; zeros follow.
    fn up(&self, places: u32) -> Self {
        let width = self.width();
        let follow = Bits::below(width, places);
        Constant { zero: self.zero.up(places, width).or(&follow), one: self.one.up(places, width) }
    }

    /// Of bits that move down `places`; zeros follow.
    fn down(&self, places: u32) -> Self {
        let (width, places) = (self.width(), places.min(self.width()));
        let left = |bits: &Bits| {
            let mut moved = Bits::none(width);
            moved.add(0, &bits.slice(places, width - places));
            moved
        };
        let follow = Bits::from_to(width, width - places, width);
        Constant { zero: left(&self.zero).or(&follow), one: left(&self.one) }
    }
}

/// The bits of an expression that never change.
pub(crate) fn constant(e: &Expr, nets: &SecondaryMap<Net, Constant>) -> Constant {
    match e {
        Expr::Const(width, bits) => Constant::of_number(*width, *bits),
        Expr::Net(net) => nets[*net].clone(),
        Expr::Slice { net, lo, width } => nets[*net].slice(*lo, *width),
        Expr::Concat(parts) => {
            let parts: Vec<Constant> = parts.iter().map(|p| constant(p, nets)).collect();
            let mut all = Constant::none(parts.iter().map(Constant::width).sum());
            let mut lo = 0;
            for part in parts.iter().rev() {
                all.zero.add(lo, &part.zero);
                all.one.add(lo, &part.one);
                lo += part.width();
            }
            all
        }
        Expr::Repeat(n, inner) => {
            let bit = constant(inner, nets);
            let all = |bits: &Bits| if bits.is_empty() { Bits::none(*n) } else { Bits::all(*n) };
            Constant { zero: all(&bit.zero), one: all(&bit.one) }
        }
        Expr::Unary(Unary::Not, a) => constant(a, nets).not(),
        Expr::Unary(op, a) => of_reduction(*op, &constant(a, nets)),
        Expr::Binary(op, a, b) => of_operation(*op, &constant(a, nets), &constant(b, nets), b),
        Expr::Mux(condition, a, b) => match constant(condition, nets).number() {
            Some(0) => constant(b, nets),
            Some(_) => constant(a, nets),
            None => constant(a, nets).meet(&constant(b, nets)),
        },
    }
}

fn of_reduction(op: Unary, a: &Constant) -> Constant {
    let bit = match op {
        Unary::ReduceOr if !a.one.is_empty() => Some(true),
        Unary::ReduceAnd if !a.zero.is_empty() => Some(false),
        _ if !a.varying().is_empty() => None,
        Unary::ReduceOr => Some(false),
        Unary::ReduceXor => Some(a.one.count() % 2 == 1),
        Unary::ReduceAnd | Unary::Not => Some(true),
    };
    bit.map_or(Constant::none(1), |bit| Constant::of_number(1, bit.into()))
}

/// Result of a comparison, where it is always the same.
fn of_comparison(op: Binary, a: &Constant, b: &Constant) -> Constant {
    let differ = !a.one.and(&b.zero).is_empty() || !a.zero.and(&b.one).is_empty();
    let sign = 1u128 << a.width().saturating_sub(1).min(127);
    let numbers = a.number().zip(b.number());
    let bit = match (op, numbers) {
        (Binary::Eq, _) if differ => Some(false),
        (Binary::Ne, _) if differ => Some(true),
        (Binary::Eq, Some((a, b))) => Some(a == b),
        (Binary::Ne, Some((a, b))) => Some(a != b),
        (Binary::Ult, Some((a, b))) => Some(a < b),
        (Binary::Ule, Some((a, b))) => Some(a <= b),
        (Binary::Slt, Some((a, b))) => Some(a ^ sign < b ^ sign),
        (Binary::Sle, Some((a, b))) => Some(a ^ sign <= b ^ sign),
        _ => None,
    };
    bit.map_or(Constant::none(1), |bit| Constant::of_number(1, bit.into()))
}

fn of_operation(op: Binary, a: &Constant, b: &Constant, second: &Expr) -> Constant {
    let width = a.width();
    // Where the bits that may be set begin and end.
    let (begin, end) = (|x: &Constant| x.zero.not().start(), |x: &Constant| x.zero.not().end());
    let outside = |lo: u32, hi: u32| Constant::of_zeros(Bits::from_to(width, lo, hi).not());
    let places = if let Expr::Const(_, n) = second { u32::try_from(*n).ok() } else { None };
    if op.is_comparison() {
        return of_comparison(op, a, b);
    }
    match (op, places) {
        (Binary::And, _) => Constant { zero: a.zero.or(&b.zero), one: a.one.and(&b.one) },
        (Binary::Or, _) => Constant { zero: a.zero.and(&b.zero), one: a.one.or(&b.one) },
        (Binary::Xor, _) => Constant {
            zero: a.zero.and(&b.zero).or(&a.one.and(&b.one)),
            one: a.zero.and(&b.one).or(&a.one.and(&b.zero)),
        },
        (Binary::Add | Binary::Sub | Binary::Mul, _)
            if a.number().is_some() && b.number().is_some() =>
        {
            let (a, b) = (a.number().unwrap_or(0), b.number().unwrap_or(0));
            let number = match op {
                Binary::Add => a.wrapping_add(b),
                Binary::Sub => a.wrapping_sub(b),
                _ => a.wrapping_mul(b),
            };
            Constant::of_number(width, number)
        }
        (Binary::Add, _) => outside(begin(a).min(begin(b)), end(a).max(end(b)) + 1),
        (Binary::Sub, _) => outside(begin(a).min(begin(b)), width),
        (Binary::Mul, _) => outside(begin(a) + begin(b), end(a) + end(b)),
        (Binary::Shl, Some(n)) => a.up(n),
        (Binary::Shl, None) => outside(begin(a), width),
        (Binary::LShr, Some(n)) => a.down(n),
        (Binary::AShr, Some(n)) if a.zero.has(width - 1) => a.down(n),
        (Binary::LShr, None) => outside(0, end(a)),
        (Binary::AShr, None) if a.zero.has(width - 1) => outside(0, end(a)),
        (Binary::AShr, _) => Constant::none(width),
        (op, _) => unreachable!("{op:?} compares"),
    }
}
