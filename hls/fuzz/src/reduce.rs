//! Delta debugging on the tree of a program.
//!
//! Every step leaves the program defined: statements go, a block takes the place of the statement around it, an
//! expression becomes a number or one of its parts that has its type, there are fewer work-groups. What does not compile
//! (a `goto` that lost its label) does not fail as the program did, and is not kept.

use crate::tree::{Expr, Program, Stmt};

/// The smallest program found for which `fails` still holds, which it must for `program`. `tries` bounds the calls of
/// `fails`.
pub fn reduce(program: &Program, tries: usize, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut r = Reducer { best: program.clone(), left: tries, fails };
    loop {
        let before = r.best.clone();
        r.ranges();
        r.statements();
        r.blocks();
        r.statements();
        r.expressions();
        r.trifles();
        if r.best == before || r.left == 0 {
            return r.best;
        }
    }
}

struct Reducer<'f> {
    best: Program,
    left: usize,
    fails: &'f mut dyn FnMut(&Program) -> bool,
}

impl Reducer<'_> {
    /// Keeps a program if it is another one and still fails.
    fn keep(&mut self, candidate: Program) -> bool {
        if self.left == 0 || candidate == self.best {
            return false;
        }
        self.left -= 1;
        let kept = (self.fails)(&candidate);
        if kept {
            self.best = candidate;
        }
        kept
    }

    /// The best program with its list number `n` changed.
    fn with_list(&self, n: usize, change: &dyn Fn(&mut Vec<Stmt>)) -> Program {
        let mut program = self.best.clone();
        let mut k = 0;
        program.visit_lists(&mut |list| {
            if k == n {
                change(list);
            }
            k += 1;
        });
        program
    }

    /// Length of each list.
    fn lists(&mut self) -> Vec<usize> {
        let mut all = vec![];
        self.best.visit_lists(&mut |list| all.push(list.len()));
        all
    }

    /// Removes statements, many at once at first.
    fn statements(&mut self) {
        let mut n = 0;
        while let Some(&length) = self.lists().get(n) {
            let mut size = length;
            while size > 0 {
                let mut at = 0;
                while at < self.lists().get(n).copied().unwrap_or(0) {
                    let shorter = self.with_list(n, &|list| {
                        list.drain(at..(at + size).min(list.len()));
                    });
                    if !self.keep(shorter) {
                        at += size;
                    }
                }
                size /= 2;
            }
            n += 1;
        }
    }

    /// Puts the blocks of a statement in its place.
    fn blocks(&mut self) {
        let mut n = 0;
        while let Some(&length) = self.lists().get(n) {
            for at in (0..length).rev() {
                for b in 0..4 {
                    let candidate = self.with_list(n, &|list| hoist(list, at, b));
                    if self.keep(candidate) {
                        break;
                    }
                }
            }
            n += 1;
        }
    }

    /// Simplifies expressions, outer ones first.
    fn expressions(&mut self) {
        let mut n = 0;
        loop {
            let mut simpler = vec![];
            let mut k = 0;
            self.best.visit_exprs(&mut |e| {
                if k == n {
                    simpler = simplifications(e);
                }
                k += 1;
            });
            if n >= k {
                return;
            }
            for new in simpler {
                let mut program = self.best.clone();
                let mut k = 0;
                program.visit_exprs(&mut |e| {
                    if k == n {
                        *e = new.clone();
                    }
                    k += 1;
                });
                if self.keep(program) {
                    break;
                }
            }
            n += 1;
        }
    }

    /// Fewer groups, no offset.
    fn ranges(&mut self) {
        let mut p = self.best.clone();
        p.range.offset = None;
        self.keep(p);
        for d in 0..self.best.range.global.len() {
            let mut p = self.best.clone();
            if let Some(local) = &p.range.local {
                p.range.global[d] = local[d];
                self.keep(p);
            } else {
                p.range.global[d] = 1;
                self.keep(p);
            }
        }
    }

    /// Attributes and contents of buffers.
    fn trifles(&mut self) {
        let mut p = self.best.clone();
        p.attributes.clear();
        self.keep(p);
        for k in 0..self.best.params.len() {
            let value = &self.best.params[k].value;
            let Some(rest) = value.strip_prefix("rand:") else { continue };
            let shape = rest.split(':').next().unwrap_or(rest);
            let mut p = self.best.clone();
            p.params[k].value = format!("zeros:{shape}");
            self.keep(p);
        }
    }
}

/// A block in place of its statement, if no jump in it ends there.
fn hoist(list: &mut Vec<Stmt>, at: usize, block: usize) {
    let Some(stmt) = list.get(at) else { return };
    let Some(body) = stmt.blocks.get(block).cloned() else { return };
    let caught = body
        .iter()
        .map(Stmt::leaving)
        .any(|j| j.breaks && stmt.catches.breaks || j.continues && stmt.catches.continues);
    if !caught {
        list.splice(at..=at, body);
    }
}

/// What may stand for an expression, simplest first.
fn simplifications(e: &Expr) -> Vec<Expr> {
    let numbers = [0, 1].map(|n| Expr::literal(e.ty, n));
    if numbers.contains(e) {
        return vec![];
    }
    let mut all = numbers.to_vec();
    all.extend(e.args.iter().filter(|a| a.ty == e.ty).cloned());
    // a part of a part
    all.extend(e.args.iter().flat_map(|a| &a.args).filter(|a| a.ty == e.ty).cloned());
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Settings, program};

    /// A statement that some property hangs on is all that is left.
    #[test]
    fn what_matters_is_left() {
        let mut reduced = 0;
        for seed in 0..40 {
            let whole = program(seed, "k", Settings::default());
            let needed = |p: &Program| p.source().contains("rotate(");
            if !needed(&whole) {
                continue;
            }
            let mut tries = 0;
            let small = reduce(&whole, 10_000, &mut |p| {
                tries += 1;
                needed(p)
            });
            assert!(needed(&small) && tries < 10_000, "seed {seed}: {tries} tries");
            let mut statements = 0;
            small.clone().visit_lists(&mut |l| statements += l.len());
            assert!(statements <= 3, "seed {seed}: {}", small.source());
            reduced += 1;
        }
        assert!(reduced > 5, "{reduced} programs have a rotation");
    }

    #[test]
    fn jumps_keep_their_loops() {
        let jump = Stmt {
            jumps: crate::tree::Jumps { breaks: true, continues: false },
            ..Stmt::simple("break;", vec![])
        };
        let both = crate::tree::Jumps { breaks: true, continues: true };
        let around = Stmt {
            text: "while (1) @0".into(),
            blocks: vec![vec![jump]],
            catches: both,
            ..Stmt::default()
        };
        let mut list = vec![around.clone()];
        hoist(&mut list, 0, 0);
        assert_eq!(list, [around]);
    }
}
