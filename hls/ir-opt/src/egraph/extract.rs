//! The choice of the terms that are cheapest in hardware: of an e-graph, one node for each class that is needed.

use super::cost::Cost;
use super::lang::{Data, Graph, Head, Node};
use base::{FxHashMap, SmallVec};
use egg::Id;

/// Rounds of the greedy choice.
const GREEDY_ROUNDS: usize = 16;
/// Rounds of [`Cover::improve`].
const ROUNDS: usize = 4;

/// For each class the node of its term.
pub type Choice = FxHashMap<Id, Node>;

/// A node, the classes of its operands, its own cost and time.
pub struct Candidate<'g> {
    /// The node.
    pub node: &'g Node,
    /// Places of its operands' classes in [`Candidates::nodes`].
    pub args: SmallVec<[usize; 3]>,
    /// What it costs without its operands.
    pub own: u64,
    /// Picoseconds from its operands to its result.
    pub ps: i64,
}

/// All nodes of an e-graph by class, both in a fixed order.
pub struct Candidates<'g> {
    /// The classes, ascending.
    pub ids: Vec<Id>,
    /// The nodes of each.
    pub nodes: Vec<Vec<Candidate<'g>>>,
    graph: &'g Graph,
}

impl<'g> Candidates<'g> {
    /// Those of an e-graph that is rebuilt.
    pub fn new(graph: &'g Graph, cost: &Cost<'_>) -> Self {
        let mut ids: Vec<Id> = graph.classes().map(|c| c.id).collect();
        ids.sort();
        let mut all = Candidates { nodes: vec![], graph, ids };
        let priced = |id: &Id| graph[*id].nodes.iter().map(|n| all.price(cost, n)).collect();
        all.nodes = all.ids.iter().map(priced).collect();
        all
    }

    fn price(&self, cost: &Cost<'_>, node: &'g Node) -> Candidate<'g> {
        let args = node.args.iter().map(|a| self.class(*a)).collect();
        let data: SmallVec<[Data; 3]> = node.args.iter().map(|a| self.graph[*a].data).collect();
        let (own, ps) = match node.head {
            Head::Leaf(_) => (0, 0),
            Head::Op(op) => (cost.node(op, node.ty, &data), cost.picoseconds(op, node.ty, &data)),
        };
        Candidate { node, args, own, ps }
    }

    /// The place of a class in [`Self::nodes`].
    pub fn class(&self, id: Id) -> usize {
        let found = self.ids.binary_search(&self.graph.find(id));
        found.unwrap_or_else(|_| unreachable!("every class of the e-graph is listed"))
    }

    /// The candidate that a node of the class is, as it was added.
    pub fn place(&self, class: usize, node: &Node) -> Option<usize> {
        let same = |c: &Candidate<'_>| {
            let args = node.args.iter().map(|a| self.class(*a));
            c.node.head == node.head && c.node.ty == node.ty && c.args.iter().copied().eq(args)
        };
        self.nodes[class].iter().position(same)
    }

    /// The choice as nodes.
    pub fn choice(&self, picked: &[Option<usize>]) -> Choice {
        let all = self.ids.iter().zip(&self.nodes).zip(picked);
        all.filter_map(|((id, nodes), pick)| Some((*id, nodes[(*pick)?].node.clone()))).collect()
    }
}

/// By class, which candidate is taken; none where no term is known.
pub type Picked = Vec<Option<usize>>;

/// By class, the candidate that the program had.
pub fn originals(all: &Candidates<'_>, original: &[(Id, Node)]) -> Picked {
    let mut picked = vec![None; all.ids.len()];
    for (id, node) in original {
        let class = all.class(*id);
        if picked[class].is_none() {
            picked[class] = all.place(class, node);
        }
    }
    picked
}

/// Chooses so that the terms of the roots are cheap, every shared node counted once: from what the greedy choice finds and from the
/// terms as they were (`original`), class by class to the candidate that is best while all others stay. Never dearer than `original`,
/// which is kept when nothing is cheaper. Deterministic: classes and candidates are visited in order.
pub fn cheapest(all: &Candidates<'_>, roots: &[usize], original: &[Option<usize>]) -> Picked {
    let greedy = greedy(all);
    let start = |known: &[Option<usize>]| -> Picked {
        known.iter().zip(&greedy).map(|(k, g)| k.or(*g)).collect()
    };
    let covers = [start(original), greedy.clone()].map(|picked| {
        let mut cover = Cover::new(all, roots, picked)?;
        let before = cover.total;
        cover.improve(&mut |_| true);
        Some((before, cover))
    });
    let as_it_was = covers[0].as_ref().map(|c| c.0);
    let best = covers.into_iter().flatten().min_by_key(|(_, cover)| cover.total);
    match best {
        Some((_, cover)) if as_it_was.is_none_or(|cost| cover.total < cost) => cover.picked,
        _ => start(original),
    }
}

/// A choice for the classes that some roots need, with what it costs.
pub struct Cover<'c, 'g> {
    all: &'c Candidates<'g>,
    roots: &'c [usize],
    /// The choice; of classes that are not needed, what would be taken.
    pub picked: Picked,
    /// By class, how many chosen nodes and roots need it.
    uses: Vec<u32>,
    /// Marks of [`Self::meets`].
    seen: Vec<u32>,
    epoch: u32,
    /// Costs of all that is needed.
    pub total: u64,
}

impl<'c, 'g> Cover<'c, 'g> {
    /// None when a root has no term, or a term would need itself.
    pub fn new(all: &'c Candidates<'g>, roots: &'c [usize], picked: Picked) -> Option<Self> {
        let n = all.ids.len();
        let (uses, seen) = (vec![0; n], vec![0; n]);
        let mut cover = Cover { all, roots, picked, uses, seen, epoch: 0, total: 0 };
        if cover.meets(roots, usize::MAX) {
            return None;
        }
        cover.total = roots.iter().map(|r| cover.take(*r)).sum();
        Some(cover)
    }

    /// Whether a class is needed.
    pub fn needs(&self, class: usize) -> bool {
        self.uses[class] > 0
    }

    /// The candidate of a class.
    fn node(&self, class: usize) -> &'c Candidate<'g> {
        let pick = self.picked[class];
        &self.all.nodes[class][pick.unwrap_or_else(|| unreachable!("`meets` has seen a term"))]
    }

    /// One more needs a class; what that adds.
    fn take(&mut self, class: usize) -> u64 {
        self.uses[class] += 1;
        if self.uses[class] > 1 {
            return 0;
        }
        let node = self.node(class);
        node.own + node.args.iter().map(|a| self.take(*a)).sum::<u64>()
    }

    /// One less needs a class; what that saves.
    fn leave(&mut self, class: usize) -> u64 {
        self.uses[class] -= 1;
        if self.uses[class] > 0 {
            return 0;
        }
        let node = self.node(class);
        node.own + node.args.iter().map(|a| self.leave(*a)).sum::<u64>()
    }

    /// Whether the terms of `from` need `class`, have a circle, or are not known.
    fn meets(&mut self, from: &[usize], class: usize) -> bool {
        self.epoch += 2;
        from.iter().any(|f| self.walk(*f, class))
    }

    fn walk(&mut self, at: usize, class: usize) -> bool {
        if at == class || self.seen[at] == self.epoch || self.picked[at].is_none() {
            return true;
        }
        if self.seen[at] == self.epoch + 1 {
            return false;
        }
        // On the way down, and then done.
        self.seen[at] = self.epoch;
        let node = self.node(at);
        let found = node.args.iter().any(|a| self.walk(*a, class));
        self.seen[at] = self.epoch + 1;
        found
    }

    /// Takes better candidates as long as there are some that make the whole cheaper and of which `accept` holds.
    pub fn improve(&mut self, accept: &mut dyn FnMut(&Self) -> bool) {
        for _ in 0..ROUNDS {
            let before = self.total;
            self.guess_others();
            for class in 0..self.all.ids.len() {
                if self.needs(class) && self.all.nodes[class].len() > 1 {
                    self.improve_class(class, accept);
                }
            }
            if self.total == before {
                break;
            }
        }
    }

    /// What would be taken for classes that are not needed, where those that are cost nothing more.
    fn guess_others(&mut self) {
        let free: Vec<bool> = self.uses.iter().map(|u| *u > 0).collect();
        let guessed = greedy_beside(self.all, &free, &self.picked);
        for (class, pick) in guessed.into_iter().enumerate().filter(|(c, _)| !free[*c]) {
            self.picked[class] = pick.or(self.picked[class]);
        }
    }

    fn improve_class(&mut self, class: usize, accept: &mut dyn FnMut(&Self) -> bool) {
        let nodes = &self.all.nodes[class];
        let now = self.picked[class].unwrap_or_default();
        let left: u64 = nodes[now].args.iter().map(|a| self.leave(*a)).sum();
        let saved = nodes[now].own + left;
        let (mut best, mut least) = (now, saved);
        for (k, candidate) in nodes.iter().enumerate() {
            if k == now || candidate.own >= least || self.meets(&candidate.args, class) {
                continue;
            }
            let added: u64 = candidate.args.iter().map(|a| self.take(*a)).sum();
            if candidate.own + added < least {
                self.picked[class] = Some(k);
                if accept(self) {
                    (best, least) = (k, candidate.own + added);
                }
            }
            for a in &candidate.args {
                self.leave(*a);
            }
        }
        self.picked[class] = Some(best);
        for a in &nodes[best].args {
            self.take(*a);
        }
        self.total = self.total - saved + least;
    }

    /// The classes that are roots.
    pub fn roots(&self) -> &'c [usize] {
        self.roots
    }

    /// The chosen node of a class.
    pub fn chosen(&self, class: usize) -> &'c Candidate<'g> {
        self.node(class)
    }
}

/// [`greedy_beside`] with nothing that is there anyway.
pub fn greedy(all: &Candidates<'_>) -> Picked {
    greedy_beside(all, &vec![false; all.ids.len()], &[])
}

/// For each class the node of the cheapest term found bottom-up, with the set of classes that the term needs and their costs, until nothing
/// improves. Classes that are `free` have their terms in `picked` and cost nothing.
fn greedy_beside(all: &Candidates<'_>, free: &[bool], picked: &[Option<usize>]) -> Picked {
    let mut terms = Terms { best: vec![None; all.ids.len()], set: vec![], scratch: vec![] };
    let mut choice: Picked = vec![None; all.ids.len()];
    for class in (0..all.ids.len()).filter(|c| free[*c]) {
        terms.best[class] = Some((0, vec![]));
        choice[class] = picked[class];
    }
    for _ in 0..GREEDY_ROUNDS {
        let mut changed = false;
        for class in (0..all.ids.len()).filter(|c| !free[*c]) {
            for (k, candidate) in all.nodes[class].iter().enumerate() {
                if terms.improve(class, candidate) {
                    choice[class] = Some(k);
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    choice
}

/// Classes with their own costs, in order.
type Costs = Vec<(usize, u64)>;

/// The cheapest terms so far.
struct Terms {
    /// For each class what its term costs, and all classes that it needs, itself too.
    best: Vec<Option<(u64, Costs)>>,
    /// The set that is being made, and room for the next.
    set: Costs,
    scratch: Costs,
}

impl Terms {
    /// Takes a node for a class if that is cheaper than what it has; not while an operand has no term yet, nor when one needs
    /// the class itself.
    fn improve(&mut self, class: usize, node: &Candidate<'_>) -> bool {
        // A lower bound first: most nodes are out at once.
        let mut most = 0;
        for a in &node.args {
            let Some((cost, _)) = &self.best[*a] else { return false };
            most = most.max(*cost);
        }
        let old = self.best[class].as_ref().map(|b| b.0);
        if old.is_some_and(|old| node.own + most >= old) {
            return false;
        }
        self.set.clear();
        for a in &node.args {
            let Some((_, needs)) = &self.best[*a] else { return false };
            if needs.binary_search_by_key(&class, |n| n.0).is_ok() {
                return false;
            }
            unite(&self.set, needs, &mut self.scratch);
            std::mem::swap(&mut self.set, &mut self.scratch);
        }
        unite(&self.set, &[(class, node.own)], &mut self.scratch);
        let total = self.scratch.iter().map(|c| c.1).sum();
        let better = old.is_none_or(|old| total < old);
        if better {
            self.best[class] = Some((total, self.scratch.clone()));
        }
        better
    }
}

/// The union of two sets; of a class in both, what the second says.
fn unite(a: &[(usize, u64)], b: &[(usize, u64)], out: &mut Costs) {
    out.clear();
    let (mut i, mut k) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(k)) {
        if x.0 < y.0 {
            out.push(*x);
            i += 1;
        } else {
            i += usize::from(x.0 == y.0);
            out.push(*y);
            k += 1;
        }
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[k..]);
}
