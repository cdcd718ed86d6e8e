//! How many iterations of a loop lie between accesses that touch the same bytes.
//!
//! Addresses are sums ([`crate::linear`]). Two accesses whose sums differ by a constant, and move on by the same constant number of bytes
//! an iteration, meet after a number of iterations that follows from both. Of others it may follow from what their terms are multiples of,
//! or from the ranges of these, that they never meet. Everything is modulo the size of the address space, as in hardware: what the source
//! says of overflow (`nsw`) is not known here and not needed.

use crate::alias::{Alias, Kind, kind};
use crate::known::Ranges;
use crate::linear::steps::{IN_FLIGHT_LOG2, Steps};
use crate::linear::{Address, Addresses, Term};
use base::FxHashSet;
use ir::analysis::Carried;
use ir::builder::sign_extend;
use ir::{Block, Function, Inst, Op, Value};

/// Bytes of the widest access.
const MOST_BYTES: i128 = 128;

/// The accesses of a block that loops on itself.
pub struct Iterations<'f> {
    func: &'f Function,
    ranges: &'f Ranges,
    block: Block,
    steps: Steps<'f>,
    /// The instructions of the block.
    insts: FxHashSet<Inst>,
    /// Its accesses, in their order.
    pub accesses: Vec<Access>,
    /// From one iteration to another of the same run of the loop there are at most so many.
    most: i128,
}

/// An access of a block.
pub struct Access {
    /// The instruction.
    pub inst: Inst,
    address: Address,
    bytes: i128,
    /// It happens in so many iterations at most, those that the loop begins with.
    until: Option<i128>,
}

impl Access {
    fn is_volatile(&self, func: &Function) -> bool {
        func.insts[self.inst].op.mem_flags().is_some_and(|f| f.volatile)
    }
}

/// What keeps the order of two accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assume {
    /// Nothing.
    Nothing,
    /// A store comes behind a load of its iteration that it needs something of: when the rest of the block stays as it is.
    DataFlow,
}

impl<'f> Iterations<'f> {
    /// For a loop that is `block` alone.
    pub fn new(func: &'f Function, ranges: &'f Ranges, block: Block, steps: Steps<'f>) -> Self {
        let addresses = Addresses::new(func, ranges, block);
        let insts = func.blocks[block].insts.iter().copied();
        let accesses = insts.filter(|i| func.insts[*i].op.mem_flags().is_some()).map(|inst| {
            let address = addresses.of(func.insts[inst].args[0]);
            let until = first_iterations(func, block, inst);
            Access { inst, address, bytes: func.accessed_bytes(inst).into(), until }
        });
        let accesses = accesses.collect();
        let insts = func.blocks[block].insts.iter().copied().collect();
        let most = most_apart(func, ranges, block, &steps);
        Iterations { func, ranges, block, steps, insts, accesses, most }
    }

    /// The pairs of accesses of which one writes, that may touch the same bytes as far as the objects go.
    pub fn pairs(&self, alias: &Alias<'_>) -> Vec<(usize, usize)> {
        let op = |k: usize| self.func.insts[self.accesses[k].inst].op;
        let mut pairs = vec![];
        for a in 0..self.accesses.len() {
            for b in a + 1..self.accesses.len() {
                let writes = kind(op(a)) == Kind::Write || kind(op(b)) == Kind::Write;
                let [x, y] = [a, b].map(|k| self.accesses[k].inst);
                if writes && alias.may_ever_overlap(x, y) {
                    pairs.push((a, b));
                }
            }
        }
        pairs
    }

    /// The least number of iterations, at least 1, from one of access `a` to one of access `b`, which is behind it in the block, or from one
    /// of `b` to one of `a`, that touches the same bytes: 1 where nothing is known, none where they never meet while both are in flight.
    pub fn nearest(&self, a: usize, b: usize, assume: Assume) -> Option<u32> {
        let (a, b) = (&self.accesses[a], &self.accesses[b]);
        if a.is_volatile(self.func) || b.is_volatile(self.func) {
            return Some(1);
        }
        if self.never_touch(a, b) {
            return None;
        }
        let ahead = self.ahead(a, b).filter(|ahead| self.stays_near(&a.address, *ahead));
        let (Some(ahead), Some(step)) = (ahead, self.steps.of_address(&a.address)) else {
            return Some(1);
        };
        let needed = assume == Assume::DataFlow && self.must_have_read(a, b);
        let b_later = meets_later(step, ahead, a.bytes, b.bytes).filter(|_| !needed);
        let a_later = meets_later(step, -ahead, b.bytes, a.bytes);
        let happens = |d: Option<i128>, later: &Access| {
            d.filter(|d| {
                *d <= self.most
                    && *d < 1 << IN_FLIGHT_LOG2
                    && later.until.is_none_or(|end| *d < end)
            })
        };
        let nearest = happens(b_later, b).into_iter().chain(happens(a_later, a)).min();
        nearest.map(|d| d as u32)
    }

    /// After how many iterations, at the least, access `b` touches a byte of what access `a` did, wherever they stand in the block and whether
    /// both are in flight or not: 1 where nothing is known, none where that never happens.
    pub fn meets(&self, a: usize, b: usize) -> Option<i128> {
        let (a, b) = (&self.accesses[a], &self.accesses[b]);
        if a.is_volatile(self.func) || b.is_volatile(self.func) {
            return Some(1);
        }
        if self.never_touch(a, b) {
            return None;
        }
        let step = self.steps.of_address_exactly(&a.address, self.ranges, self.block);
        let (Some(ahead), Some(step)) = (self.ahead(a, b), step) else { return Some(1) };
        let distance = meets_later(step, ahead, a.bytes, b.bytes)?;
        (distance <= self.most && b.until.is_none_or(|end| distance < end)).then_some(distance)
    }

    /// After how many iterations, always the same number, the load reads exactly what the store writes, which nothing overwrites in
    /// between; neither is executed under a condition.
    pub fn carries(&self, alias: &Alias<'_>, store: usize, load: usize) -> Option<u32> {
        let (s, l) = (&self.accesses[store], &self.accesses[load]);
        let (Op::Store(to), Op::Load(from)) =
            (self.func.insts[s.inst].op, self.func.insts[l.inst].op)
        else {
            return None;
        };
        let plain = [to, from].iter().all(|f| !f.volatile && !f.predicated);
        if !plain || s.bytes != l.bytes {
            return None;
        }
        let ahead = self.ahead(l, s)?;
        let step = self.steps.of_address_exactly(&l.address, self.ranges, self.block)?;
        let distance = match step {
            0 => (ahead == 0 && load < store).then_some(1)?,
            _ if ahead % step == 0 && step.abs() >= s.bytes => ahead / step,
            _ => return None,
        };
        let distance = u32::try_from(distance).ok().filter(|d| *d >= 1)?;
        let others = 0..self.accesses.len();
        let mut others = others.filter(|k| *k != store && *k != load);
        let quiet = others.all(|k| self.is_quiet(alias, k, l, step, distance));
        quiet.then_some(distance)
    }

    /// Whether access `k` writes nothing of what a load reads, in the load's iteration and `distance` before.
    fn is_quiet(
        &self,
        alias: &Alias<'_>,
        k: usize,
        load: &Access,
        step: i128,
        distance: u32,
    ) -> bool {
        let w = &self.accesses[k];
        if kind(self.func.insts[w.inst].op) != Kind::Write
            || !alias.may_ever_overlap(w.inst, load.inst)
            || self.never_touch(w, load)
        {
            return true;
        }
        if w.address.root != load.address.root || w.address.terms != load.address.terms {
            return false;
        }
        let bits = self.func.addr_bits;
        let ahead = sign_extend((load.address.offset - w.address.offset) as u128, bits);
        let apart = |d: i128| {
            let at = ahead + step * d;
            at >= w.bytes || at <= -load.bytes
        };
        (0..=i128::from(distance)).all(apart)
    }

    /// Bytes from where `a` begins to where `b` does in the same iteration, where that is always the same.
    fn ahead(&self, a: &Access, b: &Access) -> Option<i128> {
        let constant = a.address.root == b.address.root && a.address.terms == b.address.terms;
        let ahead = sign_extend((b.address.offset - a.address.offset) as u128, self.func.addr_bits);
        constant.then_some(ahead)
    }

    /// Whether addresses that are `ahead` bytes apart are far from one another once a counter in them has wrapped that is narrower than
    /// addresses: that moves one by a multiple of 2 to the power of the counter's width, less at most half of it while both are in flight.
    fn stays_near(&self, address: &Address, ahead: i128) -> bool {
        let counters = address.terms.iter().map(|(t, _)| t.value);
        let counters = counters.filter(|v| !self.steps.is_invariant(*v));
        let narrow = counters.map(|v| self.func.bits(v)).filter(|w| *w < self.func.addr_bits).min();
        narrow.is_none_or(|w| ahead.abs() + MOST_BYTES < 1 << (w - 1))
    }

    /// Whether `store` needs what `load` has read.
    fn must_have_read(&self, load: &Access, store: &Access) -> bool {
        let ops = [load, store].map(|x| self.func.insts[x.inst].op);
        if !matches!(ops, [Op::Load(_), Op::Store(_)]) {
            return false;
        }
        let mut needed: FxHashSet<Inst> = FxHashSet::default();
        let mut open = vec![store.inst];
        while let Some(inst) = open.pop() {
            if needed.insert(inst) {
                let args = self.func.insts[inst].args.iter();
                let makers = args.filter_map(|v| self.func.def_inst(*v));
                open.extend(makers.filter(|i| self.insts.contains(i)));
            }
        }
        needed.contains(&load.inst)
    }

    /// Whether two accesses touch no common byte in whatever iterations, the same one among them: by what all differences of their
    /// addresses are multiples of, and by the range of these.
    fn never_touch(&self, a: &Access, b: &Access) -> bool {
        if a.address.root != b.address.root {
            return false;
        }
        let bits = self.func.addr_bits;
        let ahead = sign_extend((b.address.offset - a.address.offset) as u128, bits);
        let mut apart = Differences { multiple: 0, aligned: bits, least: 0, most: 0, known: true };
        let root = a.address.root;
        if !self.steps.is_invariant(root) {
            apart.varies(self.steps.of_parameter(root));
        }
        let terms = a.address.terms.iter().chain(&b.address.terms).map(|(t, _)| *t);
        let terms: std::collections::BTreeSet<Term> = terms.collect();
        let factor = |of: &Access, t: Term| {
            of.address.terms.iter().find(|(u, _)| *u == t).map_or(0, |(_, n)| *n)
        };
        for t in terms {
            self.add_term(&mut apart, t, factor(a, t), factor(b, t));
        }
        apart.exclude(ahead, a.bytes, b.bytes, bits)
    }

    /// Adds the difference that a term makes between the addresses of two accesses, which have it `m` and `n` times.
    fn add_term(&self, apart: &mut Differences, t: Term, m: i128, n: i128) {
        let known = t.known(self.func, self.ranges, self.block);
        let (low, high) = match t.signed {
            true => (known.smin, known.smax),
            false => (known.umin as i128, known.umax.min(i128::MAX as u128) as i128),
        };
        let zeros = known.trailing_zeros();
        if self.steps.is_invariant(t.value) {
            if m != n {
                apart.add(n - m, (low, high), zeros);
            }
        } else if m == n {
            // a multiple of its step, up to where it wraps
            let step = self.steps.of_parameter(t.value);
            let (width, span) = (known.width, high.saturating_sub(low));
            let smooth = step.filter(|s| *s != 0 && never_wraps(*s, span, width));
            let of_step = step.map_or(0, |s| s.trailing_zeros().min(width));
            apart.aligned = apart.aligned.min(m.trailing_zeros() + of_step.max(zeros));
            let (unit, span) = match smooth {
                Some(s) => (s.abs(), span.min(s.abs().saturating_mul(self.most))),
                None if step == Some(0) => return,
                None => (1, span),
            };
            apart.bounded(m.checked_mul(unit), m.checked_mul(-span), m.checked_mul(span));
        } else {
            apart.add(n, (low, high), zeros);
            apart.add(-m, (low, high), zeros);
        }
    }
}

/// The differences that addresses can have.
struct Differences {
    /// All are multiples of this, if `known`; 0 = there is only one.
    multiple: i128,
    /// All are multiples of 2 to the power of this, modulo the size of the address space.
    aligned: u32,
    /// Bounds, if `known`.
    least: i128,
    most: i128,
    known: bool,
}

impl Differences {
    /// Something by which addresses differ from iteration to iteration, a multiple of its step.
    fn varies(&mut self, step: Option<i128>) {
        self.aligned = self.aligned.min(step.map_or(0, i128::trailing_zeros));
        self.known &= step == Some(0);
    }

    /// A value between two bounds, which ends with so many zeros, times `n`.
    fn add(&mut self, n: i128, (low, high): (i128, i128), zeros: u32) {
        if n == 0 {
            return;
        }
        self.aligned = self.aligned.min(n.trailing_zeros() + zeros);
        let unit = 1i128.checked_shl(zeros.min(100)).and_then(|z| z.checked_mul(n));
        self.bounded(unit, n.checked_mul(low), n.checked_mul(high));
    }

    fn bounded(&mut self, unit: Option<i128>, x: Option<i128>, y: Option<i128>) {
        let (Some(unit), Some(x), Some(y)) = (unit, x, y) else {
            self.known = false;
            return;
        };
        self.multiple = gcd(self.multiple, unit);
        self.least = self.least.saturating_add(x.min(y));
        self.most = self.most.saturating_add(x.max(y));
    }

    /// Whether an access of `second` bytes is never within one of `first` bytes, when it begins at one of the differences and `ahead` behind.
    fn exclude(&self, ahead: i128, first: i128, second: i128, bits: u32) -> bool {
        let clear = |multiple: i128| {
            let rest = ahead.rem_euclid(multiple);
            rest >= first && rest <= multiple - second
        };
        if clear(1 << self.aligned.min(bits).min(100)) {
            return true;
        }
        // Integers, as long as nothing wraps in the address space.
        let (low, high) = (self.least.saturating_add(ahead), self.most.saturating_add(ahead));
        let half = 1i128 << (bits - 1);
        if !self.known || low <= -half + second || high >= half - first {
            return false;
        }
        let outside = low >= first || high <= -second;
        outside || self.multiple > 0 && clear(self.multiple)
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Whether a counter of `width` bits that has values in a span so wide, and takes `step` an iteration, never wraps: then two successive
/// values would be 2^`width` - |`step`| apart.
pub(crate) fn never_wraps(step: i128, span: i128, width: u32) -> bool {
    width < 100 && span.saturating_add(step.saturating_abs()) < 1 << width
}

/// The most iterations from one to another of the same run of a loop that is `block` alone, by the counters that do not wrap.
pub(crate) fn most_apart(
    func: &Function,
    ranges: &Ranges,
    block: Block,
    steps: &Steps<'_>,
) -> i128 {
    let params = func.blocks[block].params.iter().copied();
    let integers = params.filter(|p| func.ty(*p).is_int() && !func.ty(*p).is_vector());
    let of_counter = |p: Value| {
        let step = steps.of_parameter(p).filter(|s| *s != 0)?;
        let known = ranges.known_in(func, p, block);
        let signed = known.smax.checked_sub(known.smin);
        let unsigned = i128::try_from(known.umax - known.umin).ok();
        let spans = signed.into_iter().chain(unsigned);
        let whole = spans.filter(|span| never_wraps(step, *span, known.width));
        whole.map(|span| span / step.abs()).min()
    };
    integers.filter_map(of_counter).min().unwrap_or(i128::MAX)
}

/// For an access that only the first iterations execute, because its condition comes out of a delay line of the loop's parameters into which
/// 0 is put: how many these are at most.
fn first_iterations(func: &Function, block: Block, inst: Inst) -> Option<i128> {
    let data = &func.insts[inst];
    let mut mask = *data.args.last().filter(|_| data.op.predicated() == Some(true))?;
    loop {
        let (chain, end) = Carried::new(func, block).taken_over(mask);
        let zero = |v: Value| func.as_const(v) == Some(0);
        if !chain.is_empty() {
            return end.filter(|e| zero(*e)).map(|_| chain.len() as i128);
        }
        let maker = &func.insts[func.def_inst(mask)?];
        mask = match (maker.op, &maker.args[..]) {
            (Op::Select, [condition, _, other]) if zero(*other) => *condition,
            _ => return None,
        };
    }
}

/// After how many iterations, at least 1, an access of `second` bytes that begins `ahead` bytes behind one of `first` bytes, and `step`
/// further each iteration, touches for the first time what that one touched.
pub(crate) fn meets_later(step: i128, ahead: i128, first: i128, second: i128) -> Option<i128> {
    // they meet `d` iterations later if -second < ahead + step * d < first
    let (low, high, ahead, step) = match step < 0 {
        false => (-second, first, ahead, step),
        true => (-first, second, -ahead, -step),
    };
    if step == 0 {
        return (low < ahead && ahead < high).then_some(1);
    }
    let d = ((low - ahead).div_euclid(step) + 1).max(1);
    (ahead + step * d < high).then_some(d)
}

#[cfg(test)]
mod tests;
