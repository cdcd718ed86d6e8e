//! Terms of rewrite rules: reading them, finding them in an e-graph, putting them in.
//!
//! ```text
//! term  = ?x | ?x:W          any value; of width W
//!       | $c | $c:W          any constant
//!       | N:W | #W:W         the number N (the value of a width) as a constant of width W
//!       | (op:W term...)     an operation with a result of width W
//!       | (slice.L:W term)   bits from L
//! W, L  = width variables, numbers, and sums and differences of these: w, 1, w-1, n+m
//! ```
//!
//! Variables are single letters; a width called `f` stands for a float format, `p` for a pointer type.

use super::lang::{Graph, Head, Node};
use crate::known::{Known, transfer};
use base::SmallVec;
use egg::Id;
use ir::{FloatCC, FloatKind, IntCC, Op, Scalar, Type};

/// A sum of width variables and a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WidthExpr {
    /// Variables with their signs.
    pub terms: SmallVec<[(i32, char); 2]>,
    /// The number.
    pub constant: i32,
}

/// A term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    /// Any value.
    Var {
        /// Its letter.
        name: char,
        /// Its width, where stated.
        width: Option<WidthExpr>,
        /// Whether it must be constant (`$c`).
        constant: bool,
    },
    /// A number as an integer; floats: a decimal.
    Number {
        /// As written; empty for `#W`.
        text: String,
        /// The width that it is the value of, for `#W`.
        of_width: Option<WidthExpr>,
        /// Its own width.
        width: WidthExpr,
    },
    /// An operation.
    Op {
        /// The operation; slices have 0 as their low bit here.
        op: Op,
        /// Low bit of a slice.
        lo: Option<WidthExpr>,
        /// Width of the result.
        width: WidthExpr,
        /// Operands.
        args: Vec<Term>,
    },
}

/// What variables stand for. The lists are short: linear search is the fastest map.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Bindings {
    /// Width variables.
    pub widths: SmallVec<[(char, i32); 4]>,
    /// Format of the float variable.
    pub float: Option<FloatKind>,
    /// Type of the pointer variable.
    pub pointer: Option<Type>,
    /// Term variables.
    pub values: SmallVec<[(char, Id); 4]>,
}

impl Bindings {
    /// The value of a width variable.
    pub fn width(&self, name: char) -> Option<i32> {
        self.widths.iter().find(|(n, _)| *n == name).map(|(_, w)| *w)
    }

    /// The class of a term variable.
    pub fn value(&self, name: char) -> Option<Id> {
        self.values.iter().find(|(n, _)| *n == name).map(|(_, v)| *v)
    }
}

/// What was bound at some time.
#[derive(Clone, Copy)]
struct Mark {
    widths: usize,
    float: Option<FloatKind>,
    pointer: Option<Type>,
    values: usize,
}

impl Bindings {
    fn mark(&self) -> Mark {
        let (widths, values) = (self.widths.len(), self.values.len());
        Mark { widths, float: self.float, pointer: self.pointer, values }
    }

    /// Forgets what was bound since.
    fn restore(&mut self, mark: Mark) {
        self.widths.truncate(mark.widths);
        self.values.truncate(mark.values);
        (self.float, self.pointer) = (mark.float, mark.pointer);
    }
}

impl WidthExpr {
    /// The value, when all variables are bound.
    pub fn value(&self, bound: &Bindings) -> Option<i32> {
        let mut sum = self.constant;
        for (sign, name) in &self.terms {
            sum += sign * bound.width(*name)?;
        }
        Some(sum)
    }

    /// The variable that this is, if it is one.
    pub fn as_variable(&self) -> Option<char> {
        match &self.terms[..] {
            [(1, name)] if self.constant == 0 => Some(*name),
            _ => None,
        }
    }

    /// Reads an expression.
    pub fn parse(text: &str) -> Result<WidthExpr, String> {
        let mut expr = WidthExpr { terms: SmallVec::new(), constant: 0 };
        let spaced = text.replace('+', " + ").replace('-', " - ");
        let mut sign = 1;
        for word in spaced.split_whitespace() {
            match word {
                "+" => sign = 1,
                "-" => sign = -1,
                _ => match word.parse::<i32>() {
                    Ok(n) => expr.constant += sign * n,
                    Err(_) => expr.terms.push((sign, letter(word)?)),
                },
            }
        }
        Ok(expr)
    }

    /// Lets this be `width`: binds the variable, or compares.
    fn bind(&self, width: i32, bound: &mut Bindings) -> bool {
        if let Some(name) = self.as_variable()
            && bound.width(name).is_none()
        {
            bound.widths.push((name, width));
            return true;
        }
        self.value(bound) == Some(width)
    }

    fn bind_type(&self, ty: Type, addr_bits: u32, bound: &mut Bindings) -> bool {
        if ty.is_vector() {
            return false;
        }
        let first = self.terms.first().map(|(_, n)| *n);
        let fits = match ty.scalar {
            Scalar::Int(_) => !matches!(first, Some('f' | 'p')),
            Scalar::Float(kind) => first == Some('f') && *bound.float.get_or_insert(kind) == kind,
            Scalar::Ptr(_) => first == Some('p') && *bound.pointer.get_or_insert(ty) == ty,
        };
        fits && self.bind(ty.lane_bits(addr_bits) as i32, bound)
    }

    /// The type of this width.
    fn to_type(&self, bound: &Bindings) -> Option<Type> {
        match self.terms.first().map(|(_, n)| *n) {
            Some('f') => Some(Type::float(bound.float?)),
            Some('p') => bound.pointer,
            _ => match self.value(bound)? {
                w @ 1..=128 => Some(Type::int(w as u32)),
                _ => None,
            },
        }
    }
}

impl Term {
    /// Reads a term.
    pub fn parse(text: &str) -> Result<Term, String> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let mut at = 0;
        let term = parse_term(&words, &mut at)?;
        if at == words.len() { Ok(term) } else { Err(format!("too much in `{text}`")) }
    }

    /// What nodes at the top of this term have in common; none for variables and numbers.
    pub fn key(&self) -> Option<Op> {
        match self {
            Term::Op { op, .. } => Some(*op),
            _ => None,
        }
    }

    /// Finds all ways in which class `id` contains this term, given what is bound: calls `next` with each, and leaves `bound` as it
    /// was. No list of partial matches is ever made: matching is most of the optimiser's time.
    pub fn find(
        &self,
        graph: &Graph,
        id: Id,
        bound: &mut Bindings,
        next: &mut dyn FnMut(&mut Bindings),
    ) {
        let class = &graph[id];
        let addr_bits = graph.analysis.addr_bits;
        let before = bound.mark();
        match self {
            Term::Var { name, width, constant } => {
                let typed = |w: &WidthExpr| w.bind_type(class.data.ty, addr_bits, bound);
                let fits = (!*constant || class.data.constant.is_some())
                    && width.as_ref().is_none_or(typed);
                if fits {
                    let found = graph.find(id);
                    match bound.value(*name) {
                        Some(old) if graph.find(old) != found => {}
                        Some(_) => next(bound),
                        None => {
                            bound.values.push((*name, found));
                            next(bound);
                        }
                    }
                }
                bound.restore(before);
            }
            Term::Number { width, .. } => {
                if class.data.constant.is_some()
                    && width.bind_type(class.data.ty, addr_bits, bound)
                    && class.data.constant == self.number(bound)
                {
                    next(bound);
                }
                bound.restore(before);
            }
            Term::Op { op, lo, width, args } => {
                for node in &class.nodes {
                    if head_matches(node, *op, lo, width, addr_bits, bound) {
                        find_all(args, &node.args, graph, bound, next);
                    }
                    bound.restore(before);
                }
            }
        }
    }

    /// The bits of a number.
    fn number(&self, bound: &Bindings) -> Option<u128> {
        let Term::Number { text, of_width, width } = self else { return None };
        let ty = width.to_type(bound)?;
        if let Some(kind) = ty.float_kind() {
            return float_bits(text.parse().ok()?, kind);
        }
        let n: i128 = match of_width {
            Some(w) => w.value(bound)?.into(),
            None => text.parse().ok()?,
        };
        Some(n as u128 & crate::bits::ones(ty.lane_bits(0)))
    }

    /// Adds the term to the e-graph; none when a width is out of range.
    pub fn add(&self, graph: &mut Graph, bound: &Bindings) -> Option<Id> {
        match self {
            Term::Var { name, .. } => bound.value(*name),
            Term::Number { width, .. } => {
                let node = Node::constant(width.to_type(bound)?, self.number(bound)?);
                Some(graph.add(node))
            }
            Term::Op { op, lo, width, args } => {
                let mut ids = vec![];
                for a in args {
                    ids.push(a.add(graph, bound)?);
                }
                let op = concrete(*op, lo, bound)?;
                let ty = width.to_type(bound)?;
                Some(graph.add(Node::op(op, ty, ids)))
            }
        }
    }

    /// The value of a term over constants.
    pub fn evaluate(&self, graph: &Graph, bound: &Bindings) -> Option<(Type, u128)> {
        match self {
            Term::Var { name, .. } => {
                let data = &graph[bound.value(*name)?].data;
                Some((data.ty, data.constant?))
            }
            Term::Number { width, .. } => Some((width.to_type(bound)?, self.number(bound)?)),
            Term::Op { op, lo, width, args } => {
                let args: Vec<(Type, u128)> =
                    args.iter().map(|a| a.evaluate(graph, bound)).collect::<Option<_>>()?;
                let ty = width.to_type(bound)?;
                let op = concrete(*op, lo, bound)?;
                let bits = interp::eval::eval(op, ty, &args, graph.analysis.addr_bits, |_| None)?;
                Some((ty, bits))
            }
        }
    }

    /// Whether a condition holds: for these constants, or whatever the values are as far as they are known.
    pub fn holds(&self, graph: &Graph, bound: &Bindings) -> bool {
        match self.evaluate(graph, bound) {
            Some((_, bits)) => bits & 1 == 1,
            None => self.known(graph, bound).is_some_and(|k| k.as_constant() == Some(1)),
        }
    }

    /// What is known of a term over integers.
    fn known(&self, graph: &Graph, bound: &Bindings) -> Option<Known> {
        match self {
            Term::Var { name, .. } => graph[bound.value(*name)?].data.known,
            Term::Number { width, .. } => {
                let width = width.to_type(bound)?.lane_bits(graph.analysis.addr_bits);
                Some(Known::constant(width, self.number(bound)?))
            }
            Term::Op { op, lo, width, args } => {
                let args: SmallVec<[Known; 3]> =
                    args.iter().map(|a| a.known(graph, bound)).collect::<Option<_>>()?;
                let width = width.to_type(bound)?.lane_bits(graph.analysis.addr_bits);
                Some(transfer(concrete(*op, lo, bound)?, width, &args, || None))
            }
        }
    }

    /// Names of all width variables, in order of appearance.
    pub fn width_variables(&self, names: &mut Vec<char>) {
        let mut note = |w: &WidthExpr| {
            for (_, n) in &w.terms {
                if !names.contains(n) {
                    names.push(*n);
                }
            }
        };
        match self {
            Term::Var { width, .. } => width.iter().for_each(note),
            Term::Number { width, of_width, .. } => {
                note(width);
                of_width.iter().for_each(note);
            }
            Term::Op { lo, width, args, .. } => {
                note(width);
                lo.iter().for_each(note);
                args.iter().for_each(|a| a.width_variables(names));
            }
        }
    }
}

/// A number in a float format.
pub fn float_bits(number: f64, kind: FloatKind) -> Option<u128> {
    let bits = u128::from(number.to_bits());
    if kind == FloatKind::F64 {
        return Some(bits);
    }
    let op = Op::FpToFp(ir::Rounding::Rte);
    interp::eval::eval(op, Type::float(kind), &[(Type::F64, bits)], 64, |_| None)
}

/// [`Term::find`] for the operands of a node, each in its class.
fn find_all(
    terms: &[Term],
    ids: &[Id],
    graph: &Graph,
    bound: &mut Bindings,
    next: &mut dyn FnMut(&mut Bindings),
) {
    match (terms, ids) {
        ([term, terms @ ..], [id, ids @ ..]) => {
            term.find(graph, *id, bound, &mut |b| find_all(terms, ids, graph, b, next));
        }
        _ => next(bound),
    }
}

fn head_matches(
    node: &Node,
    op: Op,
    lo: &Option<WidthExpr>,
    width: &WidthExpr,
    addr_bits: u32,
    bound: &mut Bindings,
) -> bool {
    let Head::Op(node_op) = node.head else { return false };
    let same = match (node_op, lo) {
        (Op::Slice { lo: at }, Some(expr)) if matches!(op, Op::Slice { .. }) => {
            expr.bind(at.into(), bound)
        }
        (n, _) => n == op,
    };
    same && width.bind_type(node.ty, addr_bits, bound)
}

/// The operation with the low bit of a slice filled in.
fn concrete(op: Op, lo: &Option<WidthExpr>, bound: &Bindings) -> Option<Op> {
    match lo {
        Some(expr) => Some(Op::Slice { lo: u8::try_from(expr.value(bound)?).ok()? }),
        None => Some(op),
    }
}

/// A name of one letter.
fn letter(word: &str) -> Result<char, String> {
    let mut chars = word.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) if c.is_ascii_lowercase() => Ok(c),
        _ => Err(format!("`{word}` is no variable: one letter is")),
    }
}

fn parse_term(words: &[&str], at: &mut usize) -> Result<Term, String> {
    let word = *words.get(*at).ok_or("a term ends early")?;
    *at += 1;
    if word == "(" {
        let head = *words.get(*at).ok_or("an operation is missing")?;
        *at += 1;
        let mut args = vec![];
        while words.get(*at).is_some_and(|w| *w != ")") {
            args.push(parse_term(words, at)?);
        }
        *at += 1;
        let (name, width) = head.split_once(':').ok_or(format!("`{head}` has no width"))?;
        let width = WidthExpr::parse(width)?;
        return match name.strip_prefix("slice.") {
            Some(lo) => {
                let lo = Some(WidthExpr::parse(lo)?);
                Ok(Term::Op { op: Op::Slice { lo: 0 }, lo, width, args })
            }
            None => {
                let op = op_of_name(name).ok_or(format!("`{name}` is no operation"))?;
                Ok(Term::Op { op, lo: None, width, args })
            }
        };
    }
    let (name, width) = match word.split_once(':') {
        Some((name, width)) => (name, Some(WidthExpr::parse(width)?)),
        None => (word, None),
    };
    if name.starts_with('?') || name.starts_with('$') {
        let constant = name.starts_with('$');
        return Ok(Term::Var { name: letter(&name[1..])?, width, constant });
    }
    let width = width.ok_or(format!("the number `{word}` has no width"))?;
    Ok(match name.strip_prefix('#') {
        Some(w) => {
            Term::Number { text: String::new(), of_width: Some(WidthExpr::parse(w)?), width }
        }
        None => Term::Number { text: name.to_owned(), of_width: None, width },
    })
}

/// Operations of rules by their names in IR text.
fn op_of_name(name: &str) -> Option<Op> {
    const PLAIN: [(&str, Op); 32] = [
        ("add", Op::Add),
        ("sub", Op::Sub),
        ("mul", Op::Mul),
        ("udiv", Op::UDiv),
        ("urem", Op::URem),
        ("sdiv", Op::SDiv),
        ("srem", Op::SRem),
        ("and", Op::And),
        ("or", Op::Or),
        ("xor", Op::Xor),
        ("shl", Op::Shl),
        ("lshr", Op::LShr),
        ("ashr", Op::AShr),
        ("not", Op::Not),
        ("clz", Op::Clz),
        ("popcount", Op::Popcount),
        ("select", Op::Select),
        ("sext", Op::Sext),
        ("zext", Op::Zext),
        ("concat", Op::Concat),
        ("bitcast", Op::Bitcast),
        ("ptradd", Op::PtrAdd),
        ("fadd", Op::FAdd),
        ("fsub", Op::FSub),
        ("fmul", Op::FMul),
        ("fdiv", Op::FDiv),
        ("fma", Op::Fma),
        ("fsqrt", Op::FSqrt),
        ("fneg", Op::FNeg),
        ("fabs", Op::FAbs),
        ("fmin", Op::FMin),
        ("fmax", Op::FMax),
    ];
    if let Some(cc) = name.strip_prefix("icmp.") {
        return IntCC::ALL.iter().find(|(_, n)| *n == cc).map(|(c, _)| Op::ICmp(*c));
    }
    if let Some(cc) = name.strip_prefix("fcmp.") {
        return (0..16).map(FloatCC).find(|c| c.name() == cc).map(Op::FCmp);
    }
    PLAIN.iter().find(|(n, _)| *n == name).map(|(_, op)| *op)
}
