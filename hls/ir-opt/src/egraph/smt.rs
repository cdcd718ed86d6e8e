//! Rules as SMT-LIB: for each rule and choice of widths, the claim that some input tells the two
//! sides apart. A solver must answer `unsat`.

use super::pattern::{Bindings, Term, WidthExpr};
use super::rules::Rule;
use super::smt_real;
use ir::{FastMath, FloatCC, FloatKind, IntCC, Op, Type};
use std::fmt::Write;

/// Widths tried for the main variable of a rule.
const USUAL: [u32; 4] = [8, 16, 32, 64];
/// Widths tried for the other variables.
const OTHERS: [u32; 7] = [1, 5, 8, 13, 16, 31, 32];
/// Most choices of widths for one rule.
const MOST_CHOICES: usize = 12;

/// All choices of widths at which `rule` is proved.
pub fn choices(rule: &Rule) -> Vec<Bindings> {
    let mut names = vec![];
    rule.lhs.width_variables(&mut names);
    let mut all = vec![Bindings::default()];
    for name in &names {
        let values: Vec<Bindings> = match Some(*name) {
            Some('f') => [FloatKind::F16, FloatKind::F32, FloatKind::F64]
                .into_iter()
                .filter(|k| rule.text.prove_at.is_empty() || rule.text.prove_at.contains(&k.bits()))
                .map(|k| Bindings { float: Some(k), ..Bindings::default() })
                .collect(),
            Some('p') => vec![Bindings {
                pointer: Some(Type::ptr(ir::Space::Global)),
                widths: [(*name, 64)].into_iter().collect(),
                ..Bindings::default()
            }],
            _ => {
                let list: Vec<u32> = match rule.text.prove_at {
                    [] if *name == 'w' => USUAL.to_vec(),
                    [] => OTHERS.to_vec(),
                    list => list.to_vec(),
                };
                // low bits of slices begin at 0
                let list = if matches!(name, 'l' | 'k') {
                    [0].into_iter().chain(list).collect()
                } else {
                    list
                };
                let one = |w: u32| Bindings {
                    widths: [(*name, w as i32)].into_iter().collect(),
                    ..Bindings::default()
                };
                list.into_iter().map(one).collect()
            }
        };
        all = all.iter().flat_map(|a| values.iter().map(|v| join(a, v))).collect();
    }
    all.retain(|b| {
        rule.widths.iter().all(|r| r.holds(b)) && Writer::new(b, rule).is_well_formed(rule)
    });
    spread(all)
}

fn join(a: &Bindings, b: &Bindings) -> Bindings {
    let mut j = a.clone();
    j.widths.extend(b.widths.iter().copied());
    j.float = j.float.or(b.float);
    j.pointer = j.pointer.or(b.pointer);
    j
}

/// At most [`MOST_CHOICES`], evenly from the whole list.
fn spread(all: Vec<Bindings>) -> Vec<Bindings> {
    let n = all.len();
    if n <= MOST_CHOICES {
        return all;
    }
    (0..MOST_CHOICES).map(|k| all[k * (n - 1) / (MOST_CHOICES - 1)].clone()).collect()
}

/// The claim for one choice of widths, a problem of its own; none when the widths do not fit
/// together.
pub fn claim(rule: &Rule, bound: &Bindings) -> Option<String> {
    if rule.text.real {
        return smt_real::claim(rule);
    }
    let mut w = Writer::new(bound, rule);
    let (lhs, width) = w.term(&rule.lhs, None)?;
    w.promise(rule.text.allowed);
    let (rhs, other) = w.term(&rule.rhs, Some(width))?;
    if width != other {
        return None;
    }
    let mut text = String::new();
    if let Some(given) = &rule.given {
        let (condition, _) = w.term(given, Some(1))?;
        let _ = writeln!(w.asserts, "(assert (= {condition} #b1))");
    }
    text.push_str(&w.declarations);
    text.push_str(&w.asserts);
    let unsigned = match bound.float {
        Some(kind) if FastMath(rule.text.allowed).has(FastMath::NO_SIGNED_ZERO) => {
            // Both zero, whatever the signs.
            let magnitude = (1u128 << (kind.bits() - 1)) - 1;
            format!(
                "(distinct (bvand (bvor {lhs} {rhs}) (_ bv{magnitude} {width})) (_ bv0 {width}))"
            )
        }
        _ => "true".to_owned(),
    };
    let _ = writeln!(text, "(assert (and (distinct {lhs} {rhs}) {unsigned}))\n(check-sat)");
    Some(text)
}

/// The variables of a rule with their widths, at one choice of widths.
pub fn variables(rule: &Rule, bound: &Bindings) -> Vec<(char, u32)> {
    let mut w = Writer::new(bound, rule);
    let _ = w.term(&rule.lhs, None);
    w.variables
}

struct Writer<'b> {
    bound: &'b Bindings,
    variables: Vec<(char, u32)>,
    declarations: String,
    asserts: String,
    fresh: usize,
    /// Products and float operations are functions of which nothing is known.
    any_function: bool,
}

impl<'b> Writer<'b> {
    fn new(bound: &'b Bindings, rule: &Rule) -> Self {
        Writer {
            bound,
            variables: vec![],
            declarations: String::new(),
            asserts: String::new(),
            fresh: 0,
            any_function: rule.text.any_function,
        }
    }

    /// Assumes what permissions promise of all operands and results so far.
    fn promise(&mut self, allowed: u8) {
        let Some(kind) = self.bound.float else { return };
        let (e, s) = format_of(kind);
        let mut values: Vec<String> = self.variables.iter().map(|(n, _)| symbol(*n)).collect();
        values.extend((1..=self.fresh).map(|k| format!("r{k}")));
        let promises = [(FastMath::NO_NAN, "fp.isNaN"), (FastMath::NO_INF, "fp.isInfinite")];
        for (_, excluded) in promises.into_iter().filter(|(f, _)| FastMath(allowed).has(*f)) {
            for v in &values {
                let _ =
                    writeln!(self.asserts, "(assert (not ({excluded} ((_ to_fp {e} {s}) {v}))))");
            }
        }
    }

    fn is_well_formed(&mut self, rule: &Rule) -> bool {
        let lhs = self.term(&rule.lhs, None);
        lhs.is_some_and(|(_, w)| self.term(&rule.rhs, Some(w)).is_some_and(|(_, r)| r == w))
    }

    fn width(&self, expr: &WidthExpr) -> Option<u32> {
        match expr.terms.first().map(|(_, n)| *n) {
            Some('f') => self.bound.float.map(FloatKind::bits),
            _ => expr
                .value(self.bound)
                .and_then(|w| u32::try_from(w).ok())
                .filter(|w| (1..=128).contains(w)),
        }
    }

    /// SMT text and width of a term. `want` is the width that the context needs, for variables
    /// that do not state theirs.
    fn term(&mut self, term: &Term, want: Option<u32>) -> Option<(String, u32)> {
        match term {
            Term::Var { name, width, .. } => {
                let known = self.variables.iter().find(|(n, _)| n == name).map(|(_, w)| *w);
                let stated = width.as_ref().and_then(|w| self.width(w));
                let w = known.or(stated).or(want)?;
                if known.is_none() {
                    let symbol = symbol(*name);
                    let _ = writeln!(self.declarations, "(declare-const {symbol} (_ BitVec {w}))");
                    self.variables.push((*name, w));
                }
                (stated.is_none() || stated == Some(w)).then(|| (symbol(*name), w))
            }
            Term::Number { text, of_width, width } => {
                let w = self.width(width)?;
                if width.terms.first().is_some_and(|(_, n)| *n == 'f') {
                    let bits = super::pattern::float_bits(text.parse().ok()?, self.bound.float?)?;
                    return Some((format!("(_ bv{bits} {w})"), w));
                }
                let n: i128 = match of_width {
                    Some(expr) => expr.value(self.bound)?.into(),
                    None => text.parse().ok()?,
                };
                let bits = n as u128 & crate::bits::ones(w);
                Some((format!("(_ bv{bits} {w})"), w))
            }
            Term::Op { op, lo, width, args } => {
                let w = self.width(width)?;
                let lo = match lo {
                    Some(expr) => Some(u32::try_from(expr.value(self.bound)?).ok()?),
                    None => None,
                };
                let args = self.operands(*op, w, args)?;
                self.operation(*op, w, lo, &args).map(|text| (text, w))
            }
        }
    }

    /// Operands; the widths of those that do not state theirs follow from the operation.
    fn operands(&mut self, op: Op, w: u32, args: &[Term]) -> Option<Vec<(String, u32)>> {
        let same = |k: usize| match op {
            Op::Select => Some(if k == 0 { 1 } else { w }),
            Op::ICmp(_) | Op::FCmp(_) => None,
            Op::Zext | Op::Sext | Op::Slice { .. } | Op::Concat => None,
            Op::PtrAdd => Some(64),
            _ => Some(w),
        };
        let mut done: Vec<Option<(String, u32)>> = vec![None; args.len()];
        // Operands whose width is known tell those of comparisons whose is not.
        for _ in 0..2 {
            for (k, a) in args.iter().enumerate() {
                if done[k].is_none() {
                    let other = done.iter().flatten().next().map(|(_, w)| *w);
                    let hint = same(k).or(match op {
                        Op::ICmp(_) | Op::FCmp(_) => other,
                        _ => None,
                    });
                    done[k] = self.term(a, hint);
                }
            }
        }
        done.into_iter().collect()
    }

    fn operation(
        &mut self,
        op: Op,
        w: u32,
        lo: Option<u32>,
        args: &[(String, u32)],
    ) -> Option<String> {
        let a = |k: usize| args[k].0.as_str();
        let widths_agree = args.iter().all(|(_, x)| *x == w);
        let plain = |name: &str| {
            let all: Vec<&str> = args.iter().map(|(t, _)| t.as_str()).collect();
            widths_agree.then(|| format!("({name} {})", all.join(" ")))
        };
        if self.any_function && matches!(op, Op::Mul | Op::FAdd | Op::FMul) {
            return self.unknown_function(op, w, args);
        }
        match op {
            Op::Add | Op::PtrAdd => plain("bvadd"),
            Op::Sub => plain("bvsub"),
            Op::Mul => plain("bvmul"),
            // SMT-LIB defines division by zero as the IR does.
            Op::UDiv => plain("bvudiv"),
            Op::URem => plain("bvurem"),
            Op::SDiv => plain("bvsdiv"),
            Op::SRem => plain("bvsrem"),
            Op::And => plain("bvand"),
            Op::Or => plain("bvor"),
            Op::Xor => plain("bvxor"),
            Op::Shl => plain("bvshl"),
            Op::LShr => plain("bvlshr"),
            Op::AShr => plain("bvashr"),
            Op::Not => plain("bvnot"),
            Op::Bitcast => widths_agree.then(|| a(0).to_owned()),
            Op::Clz => Some(count_leading_zeros(a(0), w)),
            Op::Popcount => Some(popcount(a(0), w)),
            Op::Select => (args[0].1 == 1 && args[1].1 == w && args[2].1 == w)
                .then(|| format!("(ite (= {} #b1) {} {})", a(0), a(1), a(2))),
            Op::Zext | Op::Sext => {
                let by = w.checked_sub(args[0].1).filter(|n| *n > 0)?;
                let name = if op == Op::Zext { "zero_extend" } else { "sign_extend" };
                Some(format!("((_ {name} {by}) {})", a(0)))
            }
            Op::Slice { .. } => {
                let lo = lo?;
                (lo + w <= args[0].1).then(|| format!("((_ extract {} {lo}) {})", lo + w - 1, a(0)))
            }
            Op::Concat => {
                (args[0].1 + args[1].1 == w).then(|| format!("(concat {} {})", a(0), a(1)))
            }
            Op::ICmp(cc) => (args[0].1 == args[1].1).then(|| bit(&compare(cc, a(0), a(1)))),
            _ => self.float(op, args),
        }
    }

    fn unknown_function(&mut self, op: Op, w: u32, args: &[(String, u32)]) -> Option<String> {
        let [(a, _), (b, _)] = args else { return None };
        let name = format!("f_{op:?}_{w}");
        if !self.declarations.contains(&name) {
            let sort = format!("(_ BitVec {w})");
            let _ = writeln!(self.declarations, "(declare-fun {name} ({sort} {sort}) {sort})");
        }
        args.iter().all(|(_, x)| *x == w).then(|| format!("({name} {a} {b})"))
    }

    /// Floating point: values are bit patterns; results that are NaN have the canonical pattern.
    fn float(&mut self, op: Op, args: &[(String, u32)]) -> Option<String> {
        let kind = self.bound.float?;
        let w = kind.bits();
        if args.iter().any(|(_, x)| *x != w) {
            return None;
        }
        let (e, s) = format_of(kind);
        let number = |k: usize| format!("((_ to_fp {e} {s}) {})", args[k].0);
        let sign = 1u128 << (w - 1);
        let value = match op {
            Op::FNeg => return Some(format!("(bvxor {} (_ bv{sign} {w}))", args[0].0)),
            Op::FAbs => return Some(format!("(bvand {} (_ bv{} {w}))", args[0].0, sign - 1)),
            Op::FCmp(cc) => return Some(bit(&float_compare(cc, &number(0), &number(1)))),
            Op::FAdd => format!("(fp.add RNE {} {})", number(0), number(1)),
            Op::FSub => format!("(fp.sub RNE {} {})", number(0), number(1)),
            Op::FMul => format!("(fp.mul RNE {} {})", number(0), number(1)),
            Op::FDiv => format!("(fp.div RNE {} {})", number(0), number(1)),
            Op::Fma => format!("(fp.fma RNE {} {} {})", number(0), number(1), number(2)),
            Op::FSqrt => format!("(fp.sqrt RNE {})", number(0)),
            _ => return None,
        };
        // The pattern of a number is unique; NaN is canonical: quiet, positive, no payload.
        self.fresh += 1;
        let name = format!("r{}", self.fresh);
        let quiet = (((1u128 << e) - 1) << (s - 1)) | 1 << (s - 2);
        let _ = writeln!(self.declarations, "(declare-const {name} (_ BitVec {w}))");
        let _ = writeln!(
            self.asserts,
            "(assert (ite (fp.isNaN {value}) (= {name} (_ bv{quiet} {w})) (= ((_ to_fp {e} {s}) {name}) {value})))"
        );
        Some(name)
    }
}

/// Bits of exponent and significand, the hidden one included.
fn format_of(kind: FloatKind) -> (u32, u32) {
    match kind {
        FloatKind::F16 => (5, 11),
        FloatKind::BF16 => (8, 8),
        FloatKind::F32 => (8, 24),
        FloatKind::F64 => (11, 53),
    }
}

fn symbol(name: char) -> String {
    format!("x_{name}")
}

fn bit(condition: &str) -> String {
    format!("(ite {condition} #b1 #b0)")
}

fn compare(cc: IntCC, a: &str, b: &str) -> String {
    let name = match cc {
        IntCC::Eq => "=",
        IntCC::Ne => "distinct",
        IntCC::Ult => "bvult",
        IntCC::Ule => "bvule",
        IntCC::Ugt => "bvugt",
        IntCC::Uge => "bvuge",
        IntCC::Slt => "bvslt",
        IntCC::Sle => "bvsle",
        IntCC::Sgt => "bvsgt",
        IntCC::Sge => "bvsge",
    };
    format!("({name} {a} {b})")
}

fn float_compare(cc: FloatCC, a: &str, b: &str) -> String {
    let cases = [
        (FloatCC::LT, format!("(fp.lt {a} {b})")),
        (FloatCC::EQ, format!("(fp.eq {a} {b})")),
        (FloatCC::GT, format!("(fp.gt {a} {b})")),
        (FloatCC::UN, format!("(or (fp.isNaN {a}) (fp.isNaN {b}))")),
    ];
    let chosen: Vec<String> =
        cases.into_iter().filter(|(c, _)| cc.has(*c)).map(|(_, t)| t).collect();
    format!("(or false {})", chosen.join(" "))
}

fn count_leading_zeros(x: &str, w: u32) -> String {
    let mut text = format!("(_ bv{} {w})", u128::from(w) & crate::bits::ones(w));
    for k in 0..w {
        let zeros = u128::from(w - 1 - k) & crate::bits::ones(w);
        text = format!("(ite (= ((_ extract {k} {k}) {x}) #b1) (_ bv{zeros} {w}) {text})");
    }
    text
}

fn popcount(x: &str, w: u32) -> String {
    let bit = |k: u32| match w {
        1 => format!("((_ extract {k} {k}) {x})"),
        _ => format!("((_ zero_extend {}) ((_ extract {k} {k}) {x}))", w - 1),
    };
    let bits: Vec<String> = (0..w).map(bit).collect();
    format!("(bvadd {} {})", bits.join(" "), format_args!("(_ bv0 {w})"))
}
