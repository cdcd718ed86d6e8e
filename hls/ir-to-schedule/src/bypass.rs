//! Gives loads what the last iterations stored, before it can be loaded.
//!
//! ```text
//! do {                              key' = data' = 0, full' = 0;
//!   x = h[k];                       do {
//!   h[k] = x + 1;                     x = h[k];
//!   ...                               x = full' && key' == k ? data' : x;
//! } while (...);                      h[k] = x + 1;
//!                                     key' = k, data' = x + 1, full' = 1;
//!                                     ...
//!                                   } while (...);
//! ```
//!
//! As a program both are the same. In hardware the load no longer waits for the store of the iteration before, nor, with as many places, for
//! those of several: what goes from iteration to iteration is a register, as of a sum in a variable. Whether the addresses are the same is
//! known long before.

use base::{FxHashMap, Loc};
use ir::analysis::back_edge;
use ir::{Block, Function, Inst, IntCC, Op, Type, Value};
use schedule::{AccessKind, Bound, KernelSchedule};

/// Most iterations whose stores are looked at.
const MOST_PLACES: u32 = 4;
/// Most stores that a load's address is compared with.
const MOST_WAYS: usize = 8;

/// A load in a loop that gets what the loop's stores to its memory wrote a few iterations before.
#[derive(Clone, Debug)]
pub struct Bypass {
    /// The loop.
    pub block: Block,
    /// The load.
    pub load: Inst,
    /// The stores that may write what it loads in a later iteration, in their order.
    pub stores: Vec<Inst>,
    /// Iterations behind the load's whose stores it is given.
    pub places: u32,
    /// Bits of an address that tell the memory's bytes apart, and the lowest of them that accesses differ in.
    key: (u32, u32),
}

/// Loads that hold up iterations until what the one before stores can be loaded, and that need not: all of a loop, or none.
pub fn candidates(s: &KernelSchedule) -> Vec<Bypass> {
    let mut out = vec![];
    for (block, bound) in &s.bound {
        let Bound::Turns { otherwise } = *bound else { continue };
        let ii = s.blocks[*block].segments.first().map_or(1, |g| g.ii);
        let Some(found) = of_loop(s, *block, otherwise) else { continue };
        if ii > 1 {
            out.extend(found);
        }
    }
    out
}

/// Those of one loop, whose interval were `otherwise` if its accesses had no order.
fn of_loop(s: &KernelSchedule, block: Block, otherwise: u32) -> Option<Vec<Bypass>> {
    let home = |i: &Inst| s.func.blocks[block].insts.contains(i);
    let kind = |i: Inst| s.accesses[&i].kind;
    let pairs = s.in_turn.iter().filter(|t| home(&t.first) && home(&t.second));
    let waiting = pairs.filter(|t| {
        (kind(t.first), kind(t.second)) == (AccessKind::Store, AccessKind::Load) && t.distance == 1
    });
    let mut loads: Vec<Inst> = vec![];
    let mut longest = otherwise;
    for t in waiting.clone().filter(|t| t.interval(s) > otherwise) {
        // From the word, in place of the address, to the store: what the register's way takes.
        let known = s.timing[t.second].latency;
        longest =
            longest.max((s.cycle_of(t.first) + 1).saturating_sub(s.cycle_of(t.second) + known));
        if !loads.contains(&t.second) {
            loads.push(t.second);
        }
    }
    let mut out = vec![];
    for load in loads {
        let of_load = waiting.clone().filter(|t| t.second == load);
        let mut stores: Vec<Inst> = of_load.clone().map(|t| t.first).collect();
        stores.sort_by_key(|i| s.func.blocks[block].insts.iter().position(|x| x == i));
        stores.dedup();
        let cycles = of_load.map(|t| t.interval(s)).max()?;
        let places = cycles.div_ceil(longest.max(1)).saturating_sub(1);
        let same = stores.iter().all(|store| is_like(s, load, *store));
        let ways = places as usize * stores.len();
        if !same || places == 0 || places > MOST_PLACES || ways > MOST_WAYS {
            return None;
        }
        let m = &s.memories[s.accesses[&load].memory];
        let low = s.accesses[&load].bytes.ilog2();
        let key = (m.bytes.max(2).next_power_of_two().ilog2(), low);
        out.push(Bypass { block, load, stores, places, key });
    }
    (!out.is_empty()).then_some(out)
}

/// Gives loads more places whose loops still wait for the order of their accesses: selecting makes the stores later. Whether there are any.
pub fn deepen(s: &KernelSchedule, chosen: &mut [Bypass]) -> bool {
    let mut deeper = false;
    for b in chosen {
        let Some(Bound::Turns { otherwise }) = s.bound.get(&b.block).copied() else { continue };
        let wait = |store: &Inst| (s.cycle_of(*store) + 1).saturating_sub(s.cycle_of(b.load));
        let cycles = b.stores.iter().map(wait).max().unwrap_or(0);
        let places = cycles.div_ceil(otherwise.max(1)).saturating_sub(1);
        let most = MOST_PLACES.min((MOST_WAYS / b.stores.len().max(1)) as u32);
        let more = places.min(most) > b.places;
        deeper |= more;
        b.places += u32::from(more);
    }
    deeper
}

/// Whether a load gives exactly what a store at the same address wrote.
fn is_like(s: &KernelSchedule, load: Inst, store: Inst) -> bool {
    let (x, y) = (&s.accesses[&load], &s.accesses[&store]);
    let (loaded, stored) = (s.func.insts[load].result, s.func.insts[store].args.get(1));
    let whole = |a: &schedule::Access| !a.is_realigned();
    let ty = |v: Value| s.func.ty(v);
    x.bytes == y.bytes && whole(x) && whole(y) && loaded.map(ty) == stored.map(|v| ty(*v))
}

/// Whether iterations of the loop come so much sooner with it that it is worth comparators and registers.
pub fn pays(before: &KernelSchedule, after: &KernelSchedule, block: Block) -> bool {
    let interval = |s: &KernelSchedule| s.loops.iter().find(|l| l.header == block).map(|l| l.ii);
    match (interval(before), interval(after)) {
        (Some(before), Some(after)) => 5 * after <= 4 * before,
        _ => false,
    }
}

/// What the last iterations stored.
struct Kept {
    /// For each iteration, the last one first: whether it stored, where, and what.
    places: Vec<[Value; 3]>,
}

/// Makes the registers and selections of some loads.
pub fn run(func: &mut Function, all: &[Bypass]) {
    // As many places of each store as one of the loads wants.
    let mut places: FxHashMap<Inst, u32> = FxHashMap::default();
    for (bypass, store) in all.iter().flat_map(|b| b.stores.iter().map(move |i| (b, *i))) {
        let most = places.entry(store).or_default();
        *most = bypass.places.max(*most);
    }
    let mut kept: FxHashMap<Inst, Kept> = FxHashMap::default();
    for bypass in all {
        let Some(back) = back_edge(func, bypass.block) else { continue };
        for &store in &bypass.stores {
            let keep = || keep(func, bypass, (store, places[&store]), back);
            kept.entry(store).or_insert_with(keep);
        }
        let stores = bypass.stores.iter().map(|i| &kept[i]);
        select(func, bypass, &stores.collect::<Vec<_>>());
    }
}

/// Adds instructions to a list that goes into a block.
struct Made<'f> {
    func: &'f mut Function,
    insts: Vec<Inst>,
    loc: Loc,
}

impl Made<'_> {
    fn value(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        let inst = self.func.make_inst(op, args.iter().copied(), Some(ty), self.loc);
        self.insts.push(inst);
        match self.func.insts[inst].result {
            Some(v) => v,
            None => unreachable!("it was asked for a result"),
        }
    }

    /// The word of the first way whose condition holds, else another one. A tree, as the conditions stand long before the words.
    fn first_of(&mut self, ways: &[(Value, Value)], otherwise: Value, ty: Type) -> Value {
        let (first, rest) = ways.split_at(ways.len().div_ceil(2));
        let Some((&(_, last), before)) = first.split_last() else { return otherwise };
        let conditions = first.iter().map(|w| w.0).collect::<Vec<_>>();
        let early = self.first_of(before, last, ty);
        let late = self.first_of(rest, otherwise, ty);
        let or = |made: &mut Self, a: Value, b: &Value| made.value(Op::Or, &[a, *b], Type::BOOL);
        let any = conditions[1..].iter().fold(conditions[0], |a, b| or(self, a, b));
        self.value(Op::Select, &[any, early, late], ty)
    }

    /// The bits of an address that tell what is accessed.
    fn key(&mut self, pointer: Value, (bits, low): (u32, u32)) -> Value {
        let whole = self.value(Op::PtrToInt, &[pointer], Type::int(self.func.addr_bits));
        self.value(Op::Slice { lo: low as u8 }, &[whole], Type::int((bits - low).max(1)))
    }
}

/// Gives a loop parameters for what a store wrote in the last iterations.
fn keep(
    func: &mut Function,
    bypass: &Bypass,
    (store, iterations): (Inst, u32),
    back: usize,
) -> Kept {
    let (block, data) = (bypass.block, func.insts[store].clone());
    let mut end = Made { func, insts: vec![], loc: data.loc };
    let key = end.key(data.args[0], bypass.key);
    let full = match data.op.predicated() {
        Some(true) => data.args[data.args.len() - 1],
        _ => end.value(Op::Const(1), &[], Type::BOOL),
    };
    let insts = end.insts;
    func.blocks[block].insts.extend(insts);
    let mut next = [full, key, data.args[1]];
    let mut places = vec![];
    for _ in 0..iterations {
        let params = next.map(|v| func.add_param(block, func.ty(v)));
        begin_empty(func, block, &params);
        let mut targets = func.blocks[block].term.targets_mut();
        targets[back].args.extend(next);
        places.push(params);
        next = params;
    }
    Kept { places }
}

/// Gives new parameters of a block zeros on the ways from outside.
fn begin_empty(func: &mut Function, block: Block, params: &[Value; 3]) {
    for pred in func.layout.clone() {
        let comes = func.blocks[pred].term.targets().into_iter().any(|t| t.block == block);
        if pred == block || !comes {
            continue;
        }
        let types = params.map(|v| func.ty(v));
        let zeros = types.map(|ty| {
            let inst = func.make_inst(Op::Const(0), [], Some(ty), Loc::UNKNOWN);
            func.blocks[pred].insts.push(inst);
            func.insts[inst].result
        });
        for target in func.blocks[pred].term.targets_mut() {
            if target.block == block {
                target.args.extend(zeros.iter().flatten().copied());
            }
        }
    }
}

/// Replaces what a load gives by what was stored there since.
fn select(func: &mut Function, bypass: &Bypass, stores: &[&Kept]) {
    let data = func.insts[bypass.load].clone();
    let Some(loaded) = data.result else { return };
    let ty = func.ty(loaded);
    let predicate = (data.op.predicated() == Some(true)).then(|| data.args[data.args.len() - 1]);
    let mut made = Made { func, insts: vec![], loc: data.loc };
    let key = made.key(data.args[0], bypass.key);
    // What was stored last comes first.
    let mut ways = vec![];
    for place in 0..bypass.places as usize {
        for kept in stores.iter().rev() {
            let [full, stored, word] = kept.places[place];
            let same = made.value(Op::ICmp(IntCC::Eq), &[key, stored], Type::BOOL);
            let mut hit = made.value(Op::And, &[full, same], Type::BOOL);
            if let Some(predicate) = predicate {
                hit = made.value(Op::And, &[hit, predicate], Type::BOOL);
            }
            ways.push((hit, word));
        }
    }
    let value = made.first_of(&ways, loaded, ty);
    let insts = made.insts;
    replace(func, bypass, loaded, value, insts);
}

/// Puts instructions behind a load, and their result in its place everywhere else.
fn replace(func: &mut Function, bypass: &Bypass, from: Value, to: Value, insts: Vec<Inst>) {
    for block in func.layout.clone() {
        for inst in func.blocks[block].insts.clone() {
            for arg in func.insts[inst].args.iter_mut().filter(|a| **a == from) {
                *arg = to;
            }
        }
        func.blocks[block].term.map_uses(|v| if v == from { to } else { v });
    }
    let home = &mut func.blocks[bypass.block].insts;
    let at = home.iter().position(|i| *i == bypass.load).map_or(home.len(), |k| k + 1);
    home.splice(at..at, insts);
}
