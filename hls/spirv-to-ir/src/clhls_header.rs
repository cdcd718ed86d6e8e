//! Functions that `include/clhls.h` declares: conversions that OpenCL C cannot spell. A producer
//! leaves them as calls of imports, and their names say everything but the types of the operands.
//! `scripts/convergent-pipes.h` declares `clhls_convergent`, and
//! `scripts/clang-22-conversions.h` declares `clhls_read_imagef` and the like in the same way, with
//! the arguments of OpenCL C's functions.
//!
//! `clhls_convert_D[N][_sat][_MODE]` converts to the type D, and
//! `clhls_convert_as_bfloat16[N]_D[N][_sat][_MODE]` takes the bits of a bfloat16. MODE is one of
//! rte, rtz, rtp, rtn, rhaz (to nearest, ties away from zero) and sr (stochastic, with random bits
//! as the second operand). A bfloat16 is the 16-bit integer of its bits.

use crate::decode::Inst;
use crate::errors::{R, UNRESOLVED, error};
use crate::library::{Conversion, is_unsigned};
use crate::lower::Lower;
use ir::{FloatKind, Op, Rounding, Type, Value};

/// Start of the names that belong to the header.
pub(crate) const PREFIX: &str = "clhls_";
/// `scripts/convergent-pipes.h` has it called in front of functions that compilers must not copy. It does nothing.
const CONVERGENT: &str = "clhls_convergent";

/// A number type of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Number {
    Int { bits: u32, signed: bool },
    Float(FloatKind),
}

/// How the result is rounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// No mode in the name: to nearest even for floats, towards zero for integers.
    Default,
    Fixed(Rounding),
    /// By random bits.
    Stochastic,
}

/// What the name of a conversion says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Name {
    /// The operand is the bits of a bfloat16.
    from_bfloat16: bool,
    to: Number,
    lanes: u8,
    saturate: bool,
    mode: Mode,
}

/// Lowers a call of `plain`, mangled with the parameter list `params` (empty if it was not).
pub(crate) fn call(l: &mut Lower<'_, '_, '_>, call: &Inst, plain: &str, params: &str) -> R<()> {
    let color = |prefix| plain.strip_prefix(prefix).is_some_and(|c| ["f", "i", "ui"].contains(&c));
    if color("clhls_read_image") {
        return l.image_read_call(call).map_err(|e| named(e, call, plain));
    }
    if color("clhls_write_image") {
        return l.image_write_call(call).map_err(|e| named(e, call, plain));
    }
    if plain == CONVERGENT {
        return Ok(());
    }
    let Some(name) = Name::parse(plain) else {
        let e = error(UNRESOLVED, format!("`{plain}` is no function of clhls.h"));
        return Err(Box::new(e.note("names that begin with `clhls_` are kept for that header").help(
            "docs/arith.md lists its functions; define a function of one's own under another name",
        )));
    };
    convert(l, call, name, params).map_err(|e| named(e, call, plain))
}

/// A message about a call, which names the function.
fn named(mut e: Box<base::Diagnostic>, call: &Inst, plain: &str) -> Box<base::Diagnostic> {
    e.message = e.message.replace(&call.name(), &format!("call of `{plain}`"));
    e
}

fn convert(l: &mut Lower<'_, '_, '_>, call: &Inst, name: Name, params: &str) -> R<()> {
    let (operands, list) = match name.mode {
        Mode::Stochastic => (2, "a number and 32 random bits"),
        _ => (1, "a number"),
    };
    l.check(call.args.len() == operands, call, &format!("it takes {list}"))?;
    let given = l.operand(call, 0)?;
    let bits = Type::int(16).with_lanes(name.lanes);
    let x = if name.from_bfloat16 {
        l.check(l.ty(given) == bits, call, &format!("it takes the bits of a bfloat16, {bits}"))?;
        l.bits_as(given, Type::float(FloatKind::BF16).with_lanes(name.lanes))
    } else {
        given
    };
    let from = l.ty(x);
    let numeric = (from.is_float() || from.is_int()) && from.lanes == name.lanes;
    l.check(numeric, call, &format!("it cannot convert {from}"))?;
    let known = !from.is_int() || !params.is_empty();
    l.check(known, call, "only a mangled name tells whether its integer is signed")?;
    let to = name.to.ir().with_lanes(name.lanes);
    let differ = from != to && (from.is_float() || to.is_float());
    l.check(differ, call, &format!("it does not convert {from}"))?;
    let v = match name.mode {
        Mode::Stochastic => {
            l.check(from.is_float(), call, "it rounds floats only")?;
            let random = l.operand(call, 1)?;
            let wanted = Type::I32.with_lanes(name.lanes);
            l.check(l.ty(random) == wanted, call, &format!("its random bits are not {wanted}"))?;
            l.b.value(Op::FpToFpStochastic, [x, random], to)
        }
        _ => l.converted(x, to, name.conversion(params)),
    };
    let result = match name.to {
        Number::Float(FloatKind::BF16) => l.bits_as(v, bits),
        _ => v,
    };
    set(l, call, result)
}

fn set(l: &mut Lower<'_, '_, '_>, call: &Inst, v: Value) -> R<()> {
    let (result, ty) = (l.result_type(call)?, l.ty(v));
    l.check(result == ty, call, &format!("its result is {ty}, not {result}"))?;
    l.set(call, v)
}

impl Name {
    fn parse(name: &str) -> Option<Name> {
        let rest = name.strip_prefix("clhls_convert_")?;
        let (source, rest) = match rest.strip_prefix("as_bfloat16") {
            Some(rest) => {
                let (lanes, rest) = lanes(rest)?;
                (Some(lanes), rest.strip_prefix('_')?)
            }
            None => (None, rest),
        };
        let (to, rest) =
            Number::ALL.iter().find_map(|(n, to)| Some((*to, rest.strip_prefix(n)?)))?;
        let (lanes, rest) = lanes(rest)?;
        let (saturate, rest) = match rest.strip_prefix("_sat") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let mode = match rest.strip_prefix('_') {
            None if rest.is_empty() => Mode::Default,
            Some("sr") => Mode::Stochastic,
            Some(mode) => Mode::Fixed(Rounding::ALL.iter().find(|(_, n)| *n == mode)?.0),
            None => return None,
        };
        let integer = matches!(to, Number::Int { .. });
        let possible = if integer { mode != Mode::Stochastic } else { !saturate };
        let same = source.is_none_or(|n| n == lanes);
        (possible && same).then_some(Name {
            from_bfloat16: source.is_some(),
            to,
            lanes,
            saturate,
            mode,
        })
    }

    fn conversion(&self, params: &str) -> Conversion {
        Conversion {
            from_signed: !is_unsigned(params),
            to_signed: matches!(self.to, Number::Int { signed: true, .. }),
            saturate: self.saturate,
            round: match self.mode {
                Mode::Fixed(round) => Some(round),
                _ => None,
            },
        }
    }
}

/// Lanes of a vector type's name, 1 for a scalar, and what follows.
fn lanes(rest: &str) -> Option<(u8, &str)> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = rest.split_at(digits);
    let lanes = match number {
        "" => 1,
        "2" | "3" | "4" | "8" | "16" => number.parse().ok()?,
        _ => return None,
    };
    Some((lanes, rest))
}

impl Number {
    const ALL: [(&str, Number); 12] = [
        ("char", Number::Int { bits: 8, signed: true }),
        ("uchar", Number::Int { bits: 8, signed: false }),
        ("short", Number::Int { bits: 16, signed: true }),
        ("ushort", Number::Int { bits: 16, signed: false }),
        ("int", Number::Int { bits: 32, signed: true }),
        ("uint", Number::Int { bits: 32, signed: false }),
        ("long", Number::Int { bits: 64, signed: true }),
        ("ulong", Number::Int { bits: 64, signed: false }),
        ("half", Number::Float(FloatKind::F16)),
        ("bfloat16", Number::Float(FloatKind::BF16)),
        ("float", Number::Float(FloatKind::F32)),
        ("double", Number::Float(FloatKind::F64)),
    ];

    fn ir(self) -> Type {
        match self {
            Number::Int { bits, .. } => Type::int(bits),
            Number::Float(kind) => Type::float(kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        let name = Name::parse("clhls_convert_bfloat16_sr").expect("a name");
        assert_eq!((name.to, name.lanes), (Number::Float(FloatKind::BF16), 1));
        assert_eq!((name.mode, name.from_bfloat16), (Mode::Stochastic, false));
        let name = Name::parse("clhls_convert_as_bfloat168_uchar8_sat_rhaz").expect("a name");
        assert_eq!((name.to, name.lanes), (Number::Int { bits: 8, signed: false }, 8));
        assert_eq!((name.mode, name.saturate), (Mode::Fixed(Rounding::Rhaz), true));
        assert_eq!(Name::parse("clhls_convert_bfloat1616").map(|n| n.lanes), Some(16));
        assert_eq!(Name::parse("clhls_convert_half3_rtz").map(|n| n.lanes), Some(3));
    }

    #[test]
    fn other_names_are_not() {
        let others = [
            "clhls_convert_bfloat165",
            "clhls_convert_bfloat16_sat",
            "clhls_convert_int_sr",
            "clhls_convert_float_rnd",
            "clhls_convert_as_bfloat164_int",
            "clhls_convert_as_bfloat16_",
            "clhls_convert_quad",
            "clhls_dither",
        ];
        for name in others {
            assert_eq!(Name::parse(name), None, "{name}");
        }
    }
}
