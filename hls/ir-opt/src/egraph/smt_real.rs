//! Rules that hold over real numbers, as SMT-LIB: what floats compute without rounding, overflow, NaN and infinities.

use super::pattern::Term;
use super::rules::Rule;
use ir::Op;
use std::fmt::Write;

/// The claim that real numbers tell the two sides apart; none for terms that have no meaning over them.
pub(super) fn claim(rule: &Rule) -> Option<String> {
    let mut w = Writer { variables: vec![], divisors: vec![] };
    let (lhs, rhs) = (w.term(&rule.lhs)?, w.term(&rule.rhs)?);
    let given = match &rule.given {
        Some(given) => Some(w.condition(given)?),
        None => None,
    };
    let mut text = String::new();
    for v in &w.variables {
        let _ = writeln!(text, "(declare-const x_{v} Real)");
    }
    // A quotient by zero is no real number.
    let divisors = w.divisors.iter().map(|d| format!("(distinct {d} 0.0)"));
    for asserted in divisors.chain(given) {
        let _ = writeln!(text, "(assert {asserted})");
    }
    let _ = writeln!(text, "(assert (distinct {lhs} {rhs}))\n(check-sat)");
    Some(text)
}

struct Writer {
    variables: Vec<char>,
    divisors: Vec<String>,
}

impl Writer {
    fn term(&mut self, term: &Term) -> Option<String> {
        match term {
            Term::Var { name, .. } => {
                if !self.variables.contains(name) {
                    self.variables.push(*name);
                }
                Some(format!("x_{name}"))
            }
            Term::Number { text, width, .. } => {
                (width.terms.first()?.1 == 'f').then(|| text.clone())
            }
            Term::Op { op, args, .. } => {
                let args: Vec<String> = args.iter().map(|a| self.term(a)).collect::<Option<_>>()?;
                match (op, &args[..]) {
                    (Op::FAdd, [x, y]) => Some(format!("(+ {x} {y})")),
                    (Op::FSub, [x, y]) => Some(format!("(- {x} {y})")),
                    (Op::FMul, [x, y]) => Some(format!("(* {x} {y})")),
                    (Op::Fma, [x, y, z]) => Some(format!("(+ (* {x} {y}) {z})")),
                    (Op::FNeg, [x]) => Some(format!("(- {x})")),
                    (Op::FAbs, [x]) => Some(format!("(ite (< {x} 0.0) (- {x}) {x})")),
                    (Op::FDiv, [x, y]) => {
                        self.divisors.push(y.clone());
                        Some(format!("(/ {x} {y})"))
                    }
                    _ => None,
                }
            }
        }
    }

    fn condition(&mut self, term: &Term) -> Option<String> {
        let Term::Op { op, args, .. } = term else { return None };
        let [a, b] = &args[..] else { return None };
        match op {
            Op::And => Some(format!("(and {} {})", self.condition(a)?, self.condition(b)?)),
            Op::FCmp(cc) => {
                let name = match cc.name() {
                    "oge" => ">=",
                    "ole" => "<=",
                    "olt" => "<",
                    _ => return None,
                };
                Some(format!("({name} {} {})", self.term(a)?, self.term(b)?))
            }
            _ => None,
        }
    }
}
