//! Minimum-cost flow by the primal network simplex method, in integers.
//!
//! The linear programs of scheduling (minimise a weighted sum of variables under lower bounds on
//! their differences) are duals of minimum-cost flows: variables are node potentials. Arcs have
//! no capacity. The basis is a spanning tree hung from an artificial root; it is kept *strongly
//! feasible* (from every node, flow can be pushed to the root), which rules out cycling
//! (Cunningham 1976; Ahuja, Magnanti and Orlin, *Network Flows*, section 11.6).

use base::FxHashMap;

/// `value[to] >= value[from] + distance`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Smaller variable.
    pub from: u32,
    /// Larger variable.
    pub to: u32,
    /// Least difference.
    pub distance: i64,
}

/// Pivots allowed for each arc of the network: far more than problems of scheduling take; a
/// bound on run time, not on quality.
const PIVOTS_PER_ARC: u64 = 64;

/// Values of the variables that minimise `sum(weight[v] * value[v])` under `rows`, with
/// `value[0] == 0`. The weights must sum to 0. `None` if no values satisfy the rows, if the sum
/// has no minimum, if numbers leave `i64`, or if the method takes too many steps.
pub fn minimise(weights: &[i64], rows: &[Row]) -> Option<Vec<i64>> {
    minimise_from(weights, rows, None).map(|(values, _)| values)
}

/// As [`minimise`], beginning with the basis of a like problem, which takes far fewer steps. Of several optima it may find another
/// one. Also gives the optimum's basis.
pub fn minimise_from(
    weights: &[i64],
    rows: &[Row],
    basis: Option<&Basis>,
) -> Option<(Vec<i64>, Basis)> {
    if weights.is_empty() || weights.iter().sum::<i64>() != 0 {
        return None;
    }
    let mut tree = Tree::new(weights, rows)?;
    if let Some(basis) = basis.filter(|b| b.weights == weights) {
        tree.resume(basis);
    }
    let limit = PIVOTS_PER_ARC * (rows.len() + weights.len()) as u64;
    let mut pivots = 0;
    while let Some(arc) = tree.entering() {
        tree.pivot(arc)?;
        pivots += 1;
        if pivots > limit {
            return None;
        }
    }
    // Flow left on an artificial arc: the weights cannot be routed, the sum has no minimum.
    if tree.flow[rows.len()..].iter().any(|f| *f != 0) {
        return None;
    }
    let zero = tree.nodes[0].potential;
    let values = (0..weights.len()).map(|v| zero.wrapping_sub(tree.nodes[v].potential)).collect();
    Some((values, tree.basis(weights)))
}

/// Where the method ended: a tree of arcs and the flow on them.
#[derive(Clone, Debug)]
pub struct Basis {
    weights: Vec<i64>,
    /// Of each node: its parent, whether the arc points to the parent, its flow.
    arcs: Vec<(u32, bool, i64)>,
}

const NONE: u32 = u32::MAX;

/// An arc of the network. Its flow is kept beside it, what is searched most is small.
#[derive(Clone, Copy)]
struct Arc {
    source: u32,
    target: u32,
    cost: i64,
}

/// A node of the tree.
#[derive(Clone, Copy)]
struct Node {
    parent: u32,
    /// Arc to the parent.
    up: u32,
    /// Nodes of the subtree below and including this one: larger for whatever is above it.
    size: u32,
    /// Children are doubly linked lists.
    child: u32,
    next: u32,
    previous: u32,
    /// Only differences count: a subtree's are shifted, or those of all other nodes.
    potential: i64,
}

/// A spanning tree solution. Node `n` (the number of variables) is the root; arcs from `real` on are artificial: one for each node,
/// and those of another problem's tree that this problem does not have.
struct Tree {
    arcs: Vec<Arc>,
    /// Arcs that are rows.
    real: usize,
    /// Cost of artificial arcs.
    dear: i64,
    /// Of each arc.
    flow: Vec<i64>,
    nodes: Vec<Node>,
    /// Nodes still to visit.
    stack: Vec<u32>,
    /// Where the search for an entering arc goes on.
    cursor: usize,
    /// Arcs searched at a time.
    batch: usize,
}

impl Tree {
    /// All nodes hang from the root by artificial arcs, which cost more than any path.
    fn new(weights: &[i64], rows: &[Row]) -> Option<Self> {
        let n = weights.len();
        let longest = rows.iter().map(|r| r.distance.unsigned_abs()).max().unwrap_or(0);
        let dear = i64::try_from(longest).ok()?.checked_add(1)?.checked_mul(n as i64 + 1)?;
        // Potentials are sums of at most `n + 1` costs.
        dear.checked_mul(n as i64 + 2)?;
        let arc = |r: &Row| Arc { source: r.from, target: r.to, cost: -r.distance };
        let root = Node {
            parent: NONE,
            up: NONE,
            size: n as u32 + 1,
            child: NONE,
            next: NONE,
            previous: NONE,
            potential: 0,
        };
        let mut t = Tree {
            arcs: rows.iter().map(arc).collect(),
            real: rows.len(),
            dear,
            flow: vec![0; rows.len()],
            nodes: vec![root; n + 1],
            stack: vec![],
            cursor: 0,
            batch: ((rows.len() as f64).sqrt() as usize).max(16),
        };
        for (v, &demand) in weights.iter().enumerate() {
            // A node without demand must be able to push to the root: strong feasibility.
            let (source, target) = if demand <= 0 { (v, n) } else { (n, v) };
            let potential = if demand <= 0 { -dear } else { dear };
            let up = t.arcs.len() as u32;
            t.nodes[v] = Node { parent: n as u32, up, size: 1, potential, ..root };
            t.arcs.push(Arc { source: source as u32, target: target as u32, cost: dear });
            t.flow.push(demand.abs());
            t.attach(v as u32, n as u32);
        }
        Some(t)
    }

    /// What [`Tree::resume`] begins with.
    fn basis(&self, weights: &[i64]) -> Basis {
        let arc =
            |v: u32| (self.node(v).parent, self.points_up(v), self.flow[self.node(v).up as usize]);
        Basis { weights: weights.to_vec(), arcs: (0..self.root()).map(arc).collect() }
    }

    /// Becomes the tree of a basis for the same weights. Flows do not depend on what arcs cost, so the tree is as feasible as it was,
    /// with artificial arcs for those that are gone.
    fn resume(&mut self, basis: &Basis) {
        // Of parallel arcs the cheapest.
        let mut arc_of: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for k in 0..self.real {
            let Arc { source, target, cost } = self.arcs[k];
            let known = arc_of.entry((source, target)).or_insert(k as u32);
            if cost < self.arcs[*known as usize].cost {
                *known = k as u32;
            }
        }
        let root = self.root();
        let mut up = vec![];
        for (v, &(parent, points_up, _)) in basis.arcs.iter().enumerate() {
            let v = v as u32;
            let ends = if points_up { (v, parent) } else { (parent, v) };
            up.push(match arc_of.get(&ends) {
                _ if parent == root => self.node(v).up,
                Some(arc) => *arc,
                None => {
                    self.arcs.push(Arc { source: ends.0, target: ends.1, cost: self.dear });
                    self.arcs.len() as u32 - 1
                }
            });
        }
        self.flow = vec![0; self.arcs.len()];
        for (v, &(parent, _, flow)) in basis.arcs.iter().enumerate() {
            self.detach(v as u32);
            self.nodes[v].parent = parent;
            self.nodes[v].up = up[v];
            self.attach(v as u32, parent);
            self.flow[up[v] as usize] = flow;
        }
        // Parents stand before children.
        let mut order = vec![root];
        let mut at = 0;
        while let Some(&v) = order.get(at) {
            let mut c = self.node(v).child;
            while c != NONE {
                let Arc { cost, .. } = self.arcs[self.node(c).up as usize];
                let step = if self.points_up(c) { -cost } else { cost };
                self.nodes[c as usize].potential = self.node(v).potential.wrapping_add(step);
                order.push(c);
                c = self.node(c).next;
            }
            at += 1;
        }
        self.nodes.iter_mut().for_each(|n| n.size = 1);
        for &v in order[1..].iter().rev() {
            let Node { parent, size, .. } = *self.node(v);
            self.nodes[parent as usize].size += size;
        }
    }

    fn node(&self, v: u32) -> &Node {
        &self.nodes[v as usize]
    }

    fn attach(&mut self, v: u32, parent: u32) {
        let old = self.node(parent).child;
        self.nodes[v as usize].next = old;
        self.nodes[v as usize].previous = NONE;
        if old != NONE {
            self.nodes[old as usize].previous = v;
        }
        self.nodes[parent as usize].child = v;
    }

    fn detach(&mut self, v: u32) {
        let Node { parent, previous, next, .. } = *self.node(v);
        if previous == NONE {
            self.nodes[parent as usize].child = next;
        } else {
            self.nodes[previous as usize].next = next;
        }
        if next != NONE {
            self.nodes[next as usize].previous = previous;
        }
    }

    fn reduced_cost(&self, arc: usize) -> i64 {
        let Arc { source, target, cost } = self.arcs[arc];
        cost + self.node(source).potential.wrapping_sub(self.node(target).potential)
    }

    /// The arc of most negative reduced cost in the next batch that has one; none at the optimum.
    fn entering(&mut self) -> Option<usize> {
        // Artificial arcs that left the tree never come back.
        let arcs = self.real;
        let mut best: Option<(i64, usize)> = None;
        let mut left = self.batch;
        for _ in 0..arcs {
            let arc = self.cursor;
            self.cursor = if arc + 1 == arcs { 0 } else { arc + 1 };
            let cost = self.reduced_cost(arc);
            if cost < best.map_or(0, |b| b.0) {
                best = Some((cost, arc));
            }
            left -= 1;
            if left == 0 {
                if best.is_some() {
                    break;
                }
                left = self.batch;
            }
        }
        best.map(|b| b.1)
    }

    fn join(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b {
            if self.node(a).size < self.node(b).size {
                a = self.node(a).parent;
            } else {
                b = self.node(b).parent;
            }
        }
        a
    }

    /// Whether the arc of `v` to its parent points to the parent.
    fn points_up(&self, v: u32) -> bool {
        self.arcs[self.node(v).up as usize].source == v
    }

    /// Pushes flow round the cycle that `arc` closes until an arc of the tree is empty, which
    /// leaves. `None` if none limits the flow: the rows contradict each other.
    fn pivot(&mut self, arc: usize) -> Option<()> {
        let (source, target) = (self.arcs[arc].source, self.arcs[arc].target);
        let join = self.join(source, target);
        // Of several arcs that limit the flow, the last one of the cycle seen from the join
        // leaves: this keeps the tree strongly feasible.
        let mut leaving: Option<(i64, u32, bool)> = None;
        let mut v = source;
        while v != join {
            let flow = self.flow[self.node(v).up as usize];
            if self.points_up(v) && leaving.is_none_or(|l| flow < l.0) {
                leaving = Some((flow, v, true));
            }
            v = self.node(v).parent;
        }
        v = target;
        while v != join {
            let flow = self.flow[self.node(v).up as usize];
            if !self.points_up(v) && leaving.is_none_or(|l| flow <= l.0) {
                leaving = Some((flow, v, false));
            }
            v = self.node(v).parent;
        }
        let (amount, below, on_source_side) = leaving?;
        self.push(arc, join, amount);
        let (inner, outer) = if on_source_side { (source, target) } else { (target, source) };
        self.rehang(arc as u32, inner, outer, (below, join));
        Some(())
    }

    fn push(&mut self, arc: usize, join: u32, amount: i64) {
        if amount == 0 {
            return;
        }
        self.flow[arc] += amount;
        for (end, along) in [(self.arcs[arc].source, false), (self.arcs[arc].target, true)] {
            let mut v = end;
            while v != join {
                let sign = if self.points_up(v) == along { 1 } else { -1 };
                let up = self.node(v).up;
                self.flow[up as usize] += sign * amount;
                v = self.node(v).parent;
            }
        }
    }

    /// The subtree of `below` loses its arc to the rest and hangs from `outer` by `arc`, whose end in the subtree is `inner`.
    /// Both its old and its new place are under `join`.
    fn rehang(&mut self, arc: u32, inner: u32, outer: u32, (below, join): (u32, u32)) {
        let moved = self.node(below).size;
        self.resize(self.node(below).parent, join, moved.wrapping_neg());
        self.resize(outer, join, moved);
        let (mut v, mut parent, mut via, mut inside) = (inner, outer, arc, 0);
        loop {
            let (old_parent, old_arc) = (self.node(v).parent, self.node(v).up);
            self.detach(v);
            self.nodes[v as usize].parent = parent;
            self.nodes[v as usize].up = via;
            self.attach(v, parent);
            // What hung from the node before is above it now.
            let old_size = self.node(v).size;
            self.nodes[v as usize].size = moved - inside;
            if v == below {
                break;
            }
            (parent, via, v, inside) = (v, old_arc, old_parent, old_size);
        }
        // The arcs of the tree have reduced cost 0.
        let excess = self.reduced_cost(arc as usize);
        let shift = if self.arcs[arc as usize].source == inner { -excess } else { excess };
        if moved as usize <= self.nodes.len() / 2 {
            self.shift(inner, NONE, shift);
        } else {
            self.shift(self.root(), inner, -shift);
        }
    }

    fn root(&self) -> u32 {
        self.nodes.len() as u32 - 1
    }

    /// Adds `change` to the sizes from `v` up to below `join`.
    fn resize(&mut self, mut v: u32, join: u32, change: u32) {
        while v != join {
            let size = &mut self.nodes[v as usize].size;
            *size = size.wrapping_add(change);
            v = self.node(v).parent;
        }
    }

    /// Adds `change` to the potentials of a subtree but for the one at `without`. Nodes are touched once, leaves never wait on the
    /// stack: most of the time of large problems is spent here.
    fn shift(&mut self, top: u32, without: u32, change: i64) {
        let nodes = &mut self.nodes[..];
        let add = |node: &mut Node| node.potential = node.potential.wrapping_add(change);
        add(&mut nodes[top as usize]);
        self.stack.push(top);
        while let Some(v) = self.stack.pop() {
            let mut c = nodes[v as usize].child;
            while let Some(node) = nodes.get_mut(c as usize) {
                if c != without {
                    add(node);
                    if node.child != NONE {
                        self.stack.push(c);
                    }
                }
                c = node.next;
            }
        }
    }
}
