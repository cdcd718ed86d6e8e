//! Minimum-cost flow by the primal network simplex method, in integers.
//!
//! The linear programs of scheduling (minimise a weighted sum of variables under lower bounds on
//! their differences) are duals of minimum-cost flows: variables are node potentials. Arcs have
//! no capacity. The basis is a spanning tree hung from an artificial root; it is kept *strongly
//! feasible* (from every node, flow can be pushed to the root), which rules out cycling
//! (Cunningham 1976; Ahuja, Magnanti and Orlin, *Network Flows*, section 11.6).

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
    if weights.is_empty() || weights.iter().sum::<i64>() != 0 {
        return None;
    }
    let mut tree = Tree::new(weights, rows)?;
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
    let zero = tree.potential[0];
    Some((0..weights.len()).map(|v| zero - tree.potential[v]).collect())
}

const NONE: u32 = u32::MAX;

/// A spanning tree solution. Node `n` (the number of variables) is the root; arcs from
/// `rows.len()` on are artificial, one for each node.
struct Tree {
    source: Vec<u32>,
    target: Vec<u32>,
    cost: Vec<i64>,
    flow: Vec<i64>,
    parent: Vec<u32>,
    /// Arc to the parent.
    up: Vec<u32>,
    depth: Vec<u32>,
    potential: Vec<i64>,
    /// Children as doubly linked lists.
    child: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
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
        let mut t = Tree {
            source: rows.iter().map(|r| r.from).collect(),
            target: rows.iter().map(|r| r.to).collect(),
            cost: rows.iter().map(|r| -r.distance).collect(),
            flow: vec![0; rows.len()],
            parent: vec![n as u32; n],
            up: vec![],
            depth: vec![1; n],
            potential: vec![],
            child: vec![NONE; n + 1],
            next: vec![NONE; n + 1],
            previous: vec![NONE; n + 1],
            cursor: 0,
            batch: ((rows.len() as f64).sqrt() as usize).max(16),
        };
        for (v, &demand) in weights.iter().enumerate() {
            t.up.push(t.source.len() as u32);
            // A node without demand must be able to push to the root: strong feasibility.
            let (from, to) = if demand <= 0 { (v, n) } else { (n, v) };
            t.source.push(from as u32);
            t.target.push(to as u32);
            t.cost.push(dear);
            t.flow.push(demand.abs());
            t.potential.push(if demand <= 0 { -dear } else { dear });
            t.attach(v as u32, n as u32);
        }
        t.parent.push(NONE);
        t.up.push(NONE);
        t.depth.push(0);
        t.potential.push(0);
        Some(t)
    }

    fn attach(&mut self, v: u32, parent: u32) {
        let old = self.child[parent as usize];
        self.next[v as usize] = old;
        self.previous[v as usize] = NONE;
        if old != NONE {
            self.previous[old as usize] = v;
        }
        self.child[parent as usize] = v;
    }

    fn detach(&mut self, v: u32) {
        let (before, after) = (self.previous[v as usize], self.next[v as usize]);
        if before == NONE {
            self.child[self.parent[v as usize] as usize] = after;
        } else {
            self.next[before as usize] = after;
        }
        if after != NONE {
            self.previous[after as usize] = before;
        }
    }

    fn reduced_cost(&self, arc: usize) -> i64 {
        let (u, v) = (self.source[arc] as usize, self.target[arc] as usize);
        self.cost[arc] + self.potential[u] - self.potential[v]
    }

    /// The arc of most negative reduced cost in the next batch that has one; none at the optimum.
    fn entering(&mut self) -> Option<usize> {
        // Artificial arcs that left the tree never come back.
        let arcs = self.real_arcs();
        let mut best: Option<(i64, usize)> = None;
        for k in 1..=arcs {
            let arc = self.cursor;
            self.cursor = if arc + 1 == arcs { 0 } else { arc + 1 };
            let cost = self.reduced_cost(arc);
            if cost < best.map_or(0, |b| b.0) {
                best = Some((cost, arc));
            }
            if k % self.batch == 0 && best.is_some() {
                break;
            }
        }
        best.map(|b| b.1)
    }

    /// Arcs that are not artificial.
    fn real_arcs(&self) -> usize {
        self.source.len() - (self.parent.len() - 1)
    }

    fn join(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b {
            if self.depth[a as usize] >= self.depth[b as usize] {
                a = self.parent[a as usize];
            } else {
                b = self.parent[b as usize];
            }
        }
        a
    }

    /// Whether the arc of `v` to its parent points to the parent.
    fn points_up(&self, v: u32) -> bool {
        self.source[self.up[v as usize] as usize] == v
    }

    /// Pushes flow round the cycle that `arc` closes until an arc of the tree is empty, which
    /// leaves. `None` if none limits the flow: the rows contradict each other.
    fn pivot(&mut self, arc: usize) -> Option<()> {
        let (source, target) = (self.source[arc], self.target[arc]);
        let join = self.join(source, target);
        // Of several arcs that limit the flow, the last one of the cycle seen from the join
        // leaves: this keeps the tree strongly feasible.
        let mut leaving: Option<(i64, u32, bool)> = None;
        let mut v = source;
        while v != join {
            let flow = self.flow[self.up[v as usize] as usize];
            if self.points_up(v) && leaving.is_none_or(|l| flow < l.0) {
                leaving = Some((flow, v, true));
            }
            v = self.parent[v as usize];
        }
        v = target;
        while v != join {
            let flow = self.flow[self.up[v as usize] as usize];
            if !self.points_up(v) && leaving.is_none_or(|l| flow <= l.0) {
                leaving = Some((flow, v, false));
            }
            v = self.parent[v as usize];
        }
        let (amount, below, on_source_side) = leaving?;
        self.push(arc, join, amount);
        let (inner, outer) = if on_source_side { (source, target) } else { (target, source) };
        self.rehang(arc as u32, inner, outer, below);
        Some(())
    }

    fn push(&mut self, arc: usize, join: u32, amount: i64) {
        if amount == 0 {
            return;
        }
        self.flow[arc] += amount;
        for (end, along) in [(self.source[arc], false), (self.target[arc], true)] {
            let mut v = end;
            while v != join {
                let sign = if self.points_up(v) == along { 1 } else { -1 };
                self.flow[self.up[v as usize] as usize] += sign * amount;
                v = self.parent[v as usize];
            }
        }
    }

    /// The subtree below `below` loses its arc to the rest and hangs from `outer` by `arc`, whose
    /// end in the subtree is `inner`.
    fn rehang(&mut self, arc: u32, inner: u32, outer: u32, below: u32) {
        let (mut v, mut parent, mut via) = (inner, outer, arc);
        loop {
            let (old_parent, old_arc) = (self.parent[v as usize], self.up[v as usize]);
            self.detach(v);
            self.parent[v as usize] = parent;
            self.up[v as usize] = via;
            self.attach(v, parent);
            if v == below {
                break;
            }
            (parent, via, v) = (v, old_arc, old_parent);
        }
        // New depths and potentials: the arcs of the tree have reduced cost 0.
        let mut stack = vec![inner];
        while let Some(v) = stack.pop() {
            let (p, a) = (self.parent[v as usize] as usize, self.up[v as usize] as usize);
            self.depth[v as usize] = self.depth[p] + 1;
            let step = if self.source[a] == v { -self.cost[a] } else { self.cost[a] };
            self.potential[v as usize] = self.potential[p] + step;
            let mut c = self.child[v as usize];
            while c != NONE {
                stack.push(c);
                c = self.next[c as usize];
            }
        }
    }
}
