//! The rewrite rules, as text, by topic. `docs/rules.md` lists them; `prove-rules` proves them.

mod address;
mod algebra;
mod compare;
mod extension;
mod fast;
mod float;
mod range;
mod strength;
mod width;

use super::lang::Graph;
use super::pattern::{Bindings, Term, WidthExpr};
use egg::Id;
use ir::FastMath;
use std::sync::OnceLock;

/// A rule as written: wherever `lhs` occurs, `rhs` has the same value.
#[derive(Clone, Copy, Debug)]
pub struct RuleText {
    /// Unique name.
    pub name: &'static str,
    /// What is looked for.
    pub lhs: &'static str,
    /// What it equals.
    pub rhs: &'static str,
    /// Relations between widths, separated by commas: `n < w, l + n <= w`.
    pub widths: &'static str,
    /// A term that must be 1; empty = always. Over constants it is evaluated, over other values it must follow from what
    /// is known of them.
    pub given: &'static str,
    /// Widths at which it is proved: variables and values. Empty: the usual ones (8 to 64).
    pub prove_at: &'static [u32],
    /// Permissions that every float operation of a region must give; none: it holds bit for bit.
    pub allowed: u8,
    /// Whether it is proved over real numbers, because it rounds differently. Otherwise what the permissions promise is assumed, at f16.
    pub real: bool,
    /// Whether it holds whatever products and float operations compute, and is proved so.
    pub any_function: bool,
}

impl RuleText {
    /// A rule without conditions.
    pub const fn new(name: &'static str, lhs: &'static str, rhs: &'static str) -> Self {
        let (widths, given, prove_at): (_, _, &[u32]) = ("", "", &[]);
        let (allowed, real, any_function) = (0, false, false);
        RuleText { name, lhs, rhs, widths, given, prove_at, allowed, real, any_function }
    }

    /// With relations between widths.
    pub const fn widths(self, widths: &'static str) -> Self {
        RuleText { widths, ..self }
    }

    /// With a condition on constants or on what is known of values.
    pub const fn given(self, given: &'static str) -> Self {
        RuleText { given, ..self }
    }

    /// Where these permissions are given, whose promises are assumed in the proof.
    pub const fn promised(self, allowed: u8) -> Self {
        RuleText { allowed, prove_at: &[16], ..self }
    }

    /// Where these permissions are given: an identity of real numbers.
    pub const fn over_reals(self, allowed: u8) -> Self {
        RuleText { allowed, real: true, ..self }
    }

    /// Proved for any function in place of products and float operations.
    pub const fn any_function(self) -> Self {
        RuleText { any_function: true, ..self }
    }

    /// Proved at these widths only (16: at f16 only), because products of unknowns are beyond the
    /// solver at larger ones. The identities are those of the ring of integers modulo any power
    /// of two, or of IEEE arithmetic in any format.
    pub const fn prove_at(self, prove_at: &'static [u32]) -> Self {
        RuleText { prove_at, ..self }
    }
}

/// Rules about one thing.
pub struct Topic {
    /// Name.
    pub name: &'static str,
    /// The rules.
    pub rules: &'static [RuleText],
}

/// All rules.
pub const TOPICS: &[Topic] = &[
    Topic { name: "integer algebra", rules: algebra::RULES },
    Topic { name: "shift and multiply strength reduction", rules: strength::RULES },
    Topic { name: "comparison and selection", rules: compare::RULES },
    Topic { name: "sign and zero extension motion", rules: extension::RULES },
    Topic { name: "width reduction", rules: width::RULES },
    Topic { name: "what follows from known bits and ranges", rules: range::RULES },
    Topic { name: "address arithmetic", rules: address::RULES },
    Topic { name: "floating point, for every input", rules: float::RULES },
    Topic { name: "floating point, where permissions allow it", rules: fast::RULES },
];

/// A relation between widths.
#[derive(Clone, Debug)]
pub struct Relation {
    left: WidthExpr,
    strict: bool,
    right: WidthExpr,
}

impl Relation {
    /// Whether it holds.
    pub fn holds(&self, bound: &Bindings) -> bool {
        match (self.left.value(bound), self.right.value(bound)) {
            (Some(a), Some(b)) => {
                if self.strict {
                    a < b
                } else {
                    a <= b
                }
            }
            _ => false,
        }
    }

    fn parse(text: &str) -> Result<Relation, String> {
        let (left, strict, right) = match text.split_once("<=") {
            Some((l, r)) => (l, false, r),
            None => {
                let (l, r) = text.split_once('<').ok_or(format!("`{text}` is no relation"))?;
                (l, true, r)
            }
        };
        Ok(Relation { left: WidthExpr::parse(left)?, strict, right: WidthExpr::parse(right)? })
    }
}

/// A rule, read.
#[derive(Clone, Debug)]
pub struct Rule {
    /// As written.
    pub text: RuleText,
    /// What is looked for.
    pub lhs: Term,
    /// What it equals.
    pub rhs: Term,
    /// Relations between widths.
    pub widths: Vec<Relation>,
    /// Condition on constants, or on what is known of values.
    pub given: Option<Term>,
}

impl Rule {
    /// Reads a rule.
    pub fn parse(text: &RuleText) -> Result<Rule, String> {
        let in_rule = |e: String| format!("rule {}: {e}", text.name);
        let relations = text.widths.split(',').map(str::trim).filter(|r| !r.is_empty());
        Ok(Rule {
            text: *text,
            lhs: Term::parse(text.lhs).map_err(in_rule)?,
            rhs: Term::parse(text.rhs).map_err(in_rule)?,
            widths: relations.map(Relation::parse).collect::<Result<_, _>>().map_err(in_rule)?,
            given: match text.given {
                "" => None,
                given => Some(Term::parse(given).map_err(in_rule)?),
            },
        })
    }

    /// Whether a region whose float operations have these permissions may use it.
    pub fn is_allowed(&self, by: FastMath) -> bool {
        by.has(self.text.allowed)
    }

    /// All places of the rule in class `id`.
    pub fn matches(&self, graph: &Graph, id: Id) -> Vec<Bindings> {
        let mut found = vec![];
        self.lhs.find(graph, id, &mut Bindings::default(), &mut |b| {
            let holds = self.widths.iter().all(|r| r.holds(b))
                && self.given.as_ref().is_none_or(|g| g.holds(graph, b));
            if holds {
                found.push(b.clone());
            }
        });
        found
    }
}

/// All rules, read. The text is part of the program: a test reads it too.
pub fn all() -> &'static [Rule] {
    static RULES: OnceLock<Vec<Rule>> = OnceLock::new();
    RULES.get_or_init(|| {
        let texts = TOPICS.iter().flat_map(|t| t.rules);
        texts.filter_map(|t| Rule::parse(t).ok()).collect()
    })
}
