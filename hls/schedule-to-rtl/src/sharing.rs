//! Instances that several operations share: multiplexers in front, told by the tokens' cycles which operands to take.
//!
//! An operation takes the instance in the cycle in which a token stands where it starts; no other operation wants it then
//! (`schedule::verify`). Its result stands as many cycles later as that of an instance of its own would.

use crate::pipeline::{self, Pipeline, Tile};
use base::FxHashMap;
use ir::Inst;
use rtl::{Expr, ModuleBuilder, Net};

/// An instance under construction.
pub struct Uses {
    /// Its result.
    out: Net,
    /// Starting cycle and operands of each operation.
    of: Vec<(u32, Inst, Vec<Expr>)>,
}

impl Pipeline<'_> {
    /// Adds an instruction to its group; gives its result.
    pub(crate) fn share(
        &mut self,
        b: &mut ModuleBuilder,
        inst: Inst,
        cycle: u32,
        group: usize,
    ) -> Net {
        let func = self.cx.func;
        let bits = |i: Inst| func.insts[i].result.map_or(1, |r| func.bits(r));
        let insts = &self.cx.shared[group].insts;
        let operands = match self.cx.unit_of[inst] {
            Some(_) => self.operands(b, inst, cycle),
            None => {
                let tile = Tile::of(func, insts);
                let factors = self.factors(b, inst, cycle);
                let wide = tile.factors.iter().zip(factors);
                wide.map(|(f, e)| extended(b, e, f.width, f.signed)).collect()
            }
        };
        let width = insts.iter().map(|i| bits(*i)).max().unwrap_or(1);
        let name = func.insts[inst].result.map_or(String::new(), |r| format!("v{}", r.as_u32()));
        let uses = self.uses.entry(group).or_insert_with(|| {
            let out = b.net(&format!("{name}_shared"), width);
            Uses { out, of: vec![] }
        });
        uses.of.push((cycle, inst, operands));
        let mine = b.slice(uses.out, 0, bits(inst));
        b.wire(&name, mine)
    }

    /// The instances of all groups that instructions were added to.
    pub(crate) fn shared_instances(&mut self, b: &mut ModuleBuilder) {
        for (group, mut uses) in std::mem::take(&mut self.uses) {
            let staged = self.cx.shared[group].staged;
            uses.of.sort_by_key(|u| u.0);
            let cycles: Vec<u32> = uses.of.iter().map(|u| u.0).collect();
            let insts: Vec<Inst> = uses.of.iter().map(|u| u.1).collect();
            let Some(valid) = self.valid else {
                unreachable!("{} does not know when it starts", insts[0])
            };
            let name = b.name(uses.out).to_owned();
            let mut select =
                Select { valid, name: &name, cycles: &cycles, made: FxHashMap::default() };
            let ports = uses.of[0].2.len();
            let operands: Vec<Expr> = (0..ports)
                .map(|k| {
                    let ways: Vec<Expr> = uses.of.iter().map(|u| u.2[k].clone()).collect();
                    let e = select.of(b, &ways, 0);
                    let taken = format!("{name}_in{k}");
                    if staged { b.delay(&taken, e) } else { b.wire(&taken, e) }.into()
                })
                .collect();
            let notes: Vec<String> = insts.iter().map(|i| self.note(*i)).collect();
            let places: Vec<&str> =
                notes.iter().map(String::as_str).filter(|n| !n.is_empty()).collect();
            let note = format!("shared by {} operations: {}", insts.len(), places.join(", "));
            match self.cx.unit_of[insts[0]] {
                Some(unit) => {
                    let module = &self.cx.unit_modules[&unit];
                    let taken: Vec<u32> = cycles.iter().map(|c| c + u32::from(staged)).collect();
                    let told = self.told(b, module, &taken);
                    pipeline::instance(b, note, (&module.name, told), operands, uses.out);
                }
                None => {
                    let tile = Tile::of(self.cx.func, &insts);
                    let mut pair = operands.into_iter();
                    let mut next = || pair.next().unwrap_or(Expr::bit(false));
                    let factors = [next(), next()];
                    tile.instance(b, self.cx.target, note, factors, uses.out);
                }
            }
        }
    }
}

/// `e` with its sign or zeros above it.
fn extended(b: &mut ModuleBuilder, e: Expr, width: u32, signed: bool) -> Expr {
    let have = b.expr_width(&e);
    if have == width {
        return e;
    }
    match (signed, e) {
        (false, Expr::Const(_, c)) => Expr::Const(width, c),
        (false, e) => Expr::Concat(vec![Expr::Const(width - have, 0), e]),
        (true, e) => {
            let n = crate::operation::net(b, e);
            let sign = b.slice(n, have - 1, 1);
            Expr::Concat(vec![Expr::Repeat(width - have, Box::new(sign)), n.into()])
        }
    }
}

/// Multiplexers by the tokens' cycles.
struct Select<'a> {
    /// Bit k is 1 where there is a token in cycle k.
    valid: Net,
    /// Of the instance.
    name: &'a str,
    /// Starting cycles of its operations, ascending.
    cycles: &'a [u32],
    /// What selects the upper half of a range of operations.
    made: FxHashMap<(usize, usize), Expr>,
}

impl Select<'_> {
    /// The operand of those from number `first` on: a tree, in which the earlier ones are taken where there is no token for the
    /// later ones. So nothing depends on a token that enters in this cycle.
    fn of(&mut self, b: &mut ModuleBuilder, ways: &[Expr], first: usize) -> Expr {
        if ways.iter().all(|w| *w == ways[0]) {
            return ways[0].clone();
        }
        let half = ways.len().div_ceil(2);
        let early = self.of(b, &ways[..half], first);
        let late = self.of(b, &ways[half..], first + half);
        let select = self.late(b, first + half, first + ways.len());
        select.mux(late, early)
    }

    /// Whether there is a token for one of the operations `from` to `to`. That of several is a register.
    fn late(&mut self, b: &mut ModuleBuilder, from: usize, to: usize) -> Expr {
        let cycles = &self.cycles[from..to];
        if let [cycle] = cycles {
            return b.slice(self.valid, *cycle, 1);
        }
        if let Some(known) = self.made.get(&(from, to)) {
            return known.clone();
        }
        // All of them start after another one, so not in the token's first cycle.
        let before = cycles.iter().map(|c| b.slice(self.valid, c - 1, 1));
        let e = Expr::any(before);
        let q: Expr = b.delay(&format!("{}_late{from}", self.name), e).into();
        self.made.insert((from, to), q.clone());
        q
    }
}
