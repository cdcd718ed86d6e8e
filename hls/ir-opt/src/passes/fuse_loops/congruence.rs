//! Values that are the same in every iteration of two loops.
//!
//! Two parameters are if they begin alike and become alike, two operations, in the loops or in front of them, if they are of a kind and their
//! operands are. Of parameters this is assumed while it is shown: then it holds of the first iteration, and of each iteration because of the one
//! before.

use base::{FxHashMap, FxHashSet};
use ir::analysis::back_edge;
use ir::{Block, Function, Terminator, Value, ValueDef};

/// Most pairs of values that are looked at for one pair of parameters.
const MOST_VALUES: usize = 1000;
/// Most pairs of parameters on which no decision depends.
const MOST_PARAMS: usize = 4096;

/// What is the same in two blocks that loop on themselves.
pub struct Congruence<'f> {
    blocks: [Block; 2],
    begins: [&'f [Value]; 2],
    next: [Vec<Value>; 2],
    /// Places among the parameters of the first and of the second.
    params: FxHashSet<[u32; 2]>,
}

/// What is being shown.
#[derive(Clone, Default)]
struct Trial {
    params: FxHashSet<[u32; 2]>,
    known: FxHashMap<[Value; 2], bool>,
}

impl<'f> Congruence<'f> {
    /// Of two loops that begin with these values; none unless both go round equally often: they ask the same whether there is another iteration.
    pub fn find(
        func: &Function,
        blocks: [Block; 2],
        begins: [&'f [Value]; 2],
    ) -> Option<Congruence<'f>> {
        let [a, b] = blocks.map(|block| {
            let back = back_edge(func, block)?;
            let Terminator::Branch { cond, .. } = &func.blocks[block].term else { return None };
            Some((back, *cond, func.blocks[block].term.targets()[back].args.to_vec()))
        });
        let ((back_a, cond_a, next_a), (back_b, cond_b, next_b)) = (a?, b?);
        let params = FxHashSet::default();
        let mut found = Congruence { blocks, begins, next: [next_a, next_b], params };
        let alike = back_a == back_b && found.show(func, [cond_a, cond_b]);
        alike.then(|| found.other_params(func))
    }

    /// For each parameter of the second loop, the first loop's with the same values.
    pub fn of_second(&self, func: &Function) -> Vec<Option<Value>> {
        let count = func.blocks[self.blocks[1]].params.len() as u32;
        let of = |k: u32| {
            let found = self.params.iter().filter(|pair| pair[1] == k).map(|pair| pair[0]).min();
            found.map(|p| func.blocks[self.blocks[0]].params[p as usize])
        };
        (0..count).map(of).collect()
    }

    /// Those on which nothing depends whether there is another iteration.
    fn other_params(mut self, func: &Function) -> Self {
        let params = self.blocks.map(|b| func.blocks[b].params.clone());
        if params[0].len() * params[1].len() > MOST_PARAMS {
            return self;
        }
        for &a in &params[0] {
            for &b in &params[1] {
                self.show(func, [a, b]);
            }
        }
        self
    }

    fn show(&mut self, func: &Function, pair: [Value; 2]) -> bool {
        let mut trial = Trial { params: self.params.clone(), ..Trial::default() };
        let shown = self.are_same(func, pair, &mut trial);
        if shown {
            self.params = trial.params;
        }
        shown
    }

    /// Whether a value of the first and one of the second loop are the same, if the parameters of `trial` are.
    fn are_same(&self, func: &Function, [a, b]: [Value; 2], trial: &mut Trial) -> bool {
        if let Some(known) = trial.known.get(&[a, b]) {
            return *known;
        }
        if trial.known.len() > MOST_VALUES || func.ty(a) != func.ty(b) {
            return false;
        }
        let same = self.compare(func, [a, b], trial);
        trial.known.insert([a, b], same);
        same
    }

    fn compare(&self, func: &Function, [a, b]: [Value; 2], trial: &mut Trial) -> bool {
        // Nothing of the first loop is used in the second: what both name stands in front of them.
        if a == b || func.as_const(a).is_some_and(|c| func.as_const(b) == Some(c)) {
            return true;
        }
        match [a, b].map(|v| func.values[v].def) {
            [ValueDef::Param(x, p), ValueDef::Param(y, q)] if [x, y] == self.blocks => {
                let (m, n) = (p as usize, q as usize);
                trial.params.contains(&[p, q])
                    || self.are_same(func, [self.begins[0][m], self.begins[1][n]], trial) && {
                        trial.params.insert([p, q]);
                        self.are_same(func, [self.next[0][m], self.next[1][n]], trial)
                    }
            }
            [ValueDef::Inst(x), ValueDef::Inst(y)] => {
                let [i, j] = [x, y].map(|i| &func.insts[i]);
                i.op == j.op
                    && !i.op.is_effect()
                    && i.fast_math == j.fast_math
                    && i.args.len() == j.args.len()
                    && i.args.iter().zip(&j.args).all(|(a, b)| self.are_same(func, [*a, *b], trial))
            }
            _ => false,
        }
    }
}
