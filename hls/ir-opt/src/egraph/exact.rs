//! The best choice of terms, by branch and bound: too slow for compiling, but it tells how far [`super::extract`] is from it on small e-graphs.
//!
//! An integer program says the same with a variable a node and order variables against circles; its relaxation is weak where
//! most classes have nodes that cost nothing, and a solver of general programs knows neither that a node which needs less and costs less is
//! better, nor that a class with one node is decided. Here both go first. Limited by steps, never by time.

use super::extract::{Candidates, Picked};

/// A node that may be taken: its cost and operands, each once, ascending.
struct Way {
    own: u64,
    args: Vec<usize>,
}

/// The least cost of terms for the roots; none when it is not known after `steps` decisions. `known` costs are those of a choice that was found
/// otherwise.
pub fn least(all: &Candidates<'_>, roots: &[usize], known: u64, steps: u64) -> Option<u64> {
    let ways: Vec<Vec<Way>> = all.nodes.iter().map(|nodes| ways(nodes)).collect();
    let cheapest = |ways: &Vec<Way>| ways.iter().map(|w| w.own).min().unwrap_or_default();
    let mut search = Search {
        least_own: ways.iter().map(cheapest).collect(),
        taken: vec![None; ways.len()],
        needed: vec![false; ways.len()],
        ways,
        best: known,
        steps,
    };
    let mut open = vec![];
    let mut bound = 0;
    for root in roots {
        search.need(*root, &mut open, &mut bound);
    }
    search.decide(open, bound).then_some(search.best)
}

/// The nodes of a class without those of which another one costs no more and needs nothing else.
fn ways(nodes: &[super::extract::Candidate<'_>]) -> Vec<Way> {
    let mut ways: Vec<Way> = vec![];
    for node in nodes {
        let mut args = node.args.to_vec();
        args.sort_unstable();
        args.dedup();
        let new = Way { own: node.own, args };
        if !ways.iter().any(|w| w.is_within(&new)) {
            ways.retain(|w| !new.is_within(w));
            ways.push(new);
        }
    }
    ways.sort_by_key(|w| (w.own, w.args.len()));
    ways
}

impl Way {
    fn is_within(&self, other: &Way) -> bool {
        self.own <= other.own && self.args.iter().all(|a| other.args.binary_search(a).is_ok())
    }
}

struct Search {
    ways: Vec<Vec<Way>>,
    /// By class, the cost of its cheapest node.
    least_own: Vec<u64>,
    /// By class, which way is taken.
    taken: Picked,
    needed: Vec<bool>,
    /// Costs of the best choice so far.
    best: u64,
    steps: u64,
}

impl Search {
    /// A class is needed: it costs at least what its cheapest node does.
    fn need(&mut self, class: usize, open: &mut Vec<usize>, bound: &mut u64) {
        if !self.needed[class] {
            self.needed[class] = true;
            *bound += self.least_own[class];
            open.push(class);
        }
    }

    /// Decides the `open` classes in all ways that can be better than the best, which `bound` is a lower bound of. False when the steps are used up.
    fn decide(&mut self, open: Vec<usize>, bound: u64) -> bool {
        if bound >= self.best {
            return true;
        }
        // Decided first: what has one way, and then what costs most.
        let order = |c: &usize| {
            let ways = self.ways[*c].len();
            (ways.min(2), std::cmp::Reverse(self.least_own[*c]), ways, *c)
        };
        let Some(class) = open.iter().copied().min_by_key(order) else {
            self.best = bound;
            return true;
        };
        if self.steps == 0 {
            return false;
        }
        self.steps -= 1;
        let rest: Vec<usize> = open.into_iter().filter(|c| *c != class).collect();
        let mut done = true;
        for way in 0..self.ways[class].len() {
            if self.is_circle(class, way) {
                continue;
            }
            let mut next = rest.clone();
            let mut total = bound + self.ways[class][way].own - self.least_own[class];
            for a in self.ways[class][way].args.clone() {
                self.need(a, &mut next, &mut total);
            }
            let new: Vec<usize> = next[rest.len()..].to_vec();
            self.taken[class] = Some(way);
            done = self.decide(next, total);
            self.taken[class] = None;
            for c in new {
                self.needed[c] = false;
            }
            if !done {
                break;
            }
        }
        done
    }

    /// Whether a class would need itself, as far as the others are decided.
    fn is_circle(&self, class: usize, way: usize) -> bool {
        let mut open = self.ways[class][way].args.clone();
        let mut seen = vec![];
        while let Some(c) = open.pop() {
            if c == class {
                return true;
            }
            if !seen.contains(&c)
                && let Some(taken) = self.taken[c]
            {
                seen.push(c);
                open.extend(&self.ways[c][taken].args);
            }
        }
        false
    }
}
