//! Building one block of a loop.
//!
//! ```text
//! for (o) {            first = true; c = init(o); again = is_more(c);
//!     before;          do {
//!     for (c = init)       before, accesses if first;
//!         body;            body;
//!     after;               after, accesses unless again;
//! }                        first = !again; o = again ? o : next o; c = again ? next c : init(o);
//!                          again = is_more(c);
//!                      } while (...);
//! ```
//!
//! That the condition for the iteration after this one is known when it begins, and not only then looked for, keeps the
//! interval of one cycle at high clocks.

use crate::{edit, weight};
use base::entity::SecondaryMap;
use base::{FxHashMap, FxHashSet, SmallVec};
use ir::analysis::Cfg;
use ir::{
    Block, BlockCall, Builder, Function, Inst, LoopHint, Op, Speculation, Terminator, Type, Value,
};

/// Most weight of what is computed twice so that the loop inside begins with it.
const MOST_REPEATED: u32 = 16;

/// A way on from a block, taken when a condition has a value.
struct Way {
    cond: Value,
    when: bool,
    call: BlockCall,
}

/// A block of a loop.
struct Part {
    block: Block,
    /// Arguments of its parameters, from the part before.
    args: Vec<Value>,
    /// Out of the loop.
    exit: Option<Way>,
}

/// The loop inside.
struct Inner {
    /// Its place among the parts.
    at: usize,
    /// Round again.
    again: Way,
}

/// A way past the loop inside, and past other parts.
struct Guard {
    /// The part that decides.
    from: usize,
    /// To the part where both ways meet.
    skip: Way,
}

/// The blocks of a loop, one behind the other, of which one may loop on itself.
pub struct Chain {
    parts: Vec<Part>,
    inner: Option<Inner>,
    guard: Option<Guard>,
    /// Arguments of the way back to the first.
    back: Vec<Value>,
}

/// What became of a loop.
pub struct Merged {
    /// The block that it is now.
    pub block: Block,
    /// What was in the loop inside.
    pub inner: Option<Insts>,
}

/// The instructions of a loop.
pub struct Insts {
    /// All.
    pub insts: FxHashSet<Inst>,
    /// Those whose results came back to them.
    pub recurrent: FxHashSet<Inst>,
    /// Cycles between two of its iterations, at least.
    pub interval: u32,
    /// Cycles more that these may take because it does not drain any more.
    pub gain: u32,
}

/// A block that loops on itself inside of a loop.
pub struct Inside {
    /// The block.
    pub block: Block,
    /// The instructions whose results come back to them.
    pub recurrent: FxHashSet<Inst>,
    /// Cycles between two of its iterations, at least.
    pub interval: u32,
    /// Cycles more that these may take because it does not drain any more.
    pub gain: u32,
}

impl Chain {
    /// The blocks of the loop with this header in order, if they are a chain.
    pub fn find(func: &Function, blocks: &FxHashSet<Block>, header: Block) -> Option<Chain> {
        // which way of a branch leads past the loop inside is tried out
        [true, false].into_iter().find_map(|skip| Chain::follow(func, blocks, header, skip))
    }

    fn follow(
        func: &Function,
        blocks: &FxHashSet<Block>,
        header: Block,
        skip: bool,
    ) -> Option<Chain> {
        let cfg = Cfg::new(func);
        let mut chain = Chain { parts: vec![], inner: None, guard: None, back: vec![] };
        let (mut at, mut args) = (header, vec![]);
        loop {
            let (next, exit) = chain.step(func, blocks, at, skip)?;
            chain.parts.push(Part { block: at, args, exit });
            if next.block == header {
                chain.back = next.args.to_vec();
                break;
            }
            (at, args) = (next.block, next.args.to_vec());
        }
        let whole = chain.parts.len() == blocks.len() && chain.has_no_other_way_in(&cfg);
        let leaves = chain.parts.iter().any(|p| p.exit.is_some());
        (whole && leaves && chain.skips_inner()).then_some(chain)
    }

    /// The block that loops on itself.
    pub fn inner(&self) -> Option<Block> {
        self.inner.as_ref().map(|i| self.parts[i.at].block)
    }

    /// The way on inside of the loop, and the way out, from block `at`, which becomes the next part.
    fn step(
        &mut self,
        func: &Function,
        blocks: &FxHashSet<Block>,
        at: Block,
        skip: bool,
    ) -> Option<(BlockCall, Option<Way>)> {
        if self.parts.iter().any(|p| p.block == at) {
            return None;
        }
        let (cond, then_, else_) = match &func.blocks[at].term {
            Terminator::Jump(call) => return Some((call.clone(), None)),
            Terminator::Branch { cond, then_, else_ } => (*cond, then_, else_),
            _ => return None,
        };
        let inside = |c: &BlockCall| blocks.contains(&c.block);
        let way = |when: bool| {
            let call = if when { then_ } else { else_ };
            Way { cond, when, call: call.clone() }
        };
        if let Some(when) = [true, false].into_iter().find(|w| way(*w).call.block == at) {
            let on = way(!when).call;
            let is_nest = self.inner.is_none() && inside(&on);
            self.inner = Some(Inner { at: self.parts.len(), again: way(when) });
            return is_nest.then_some((on, None));
        }
        match (inside(then_), inside(else_)) {
            (true, false) => Some((then_.clone(), Some(way(false)))),
            (false, true) => Some((else_.clone(), Some(way(true)))),
            (true, true) if self.guard.is_none() && self.inner.is_none() => {
                self.guard = Some(Guard { from: self.parts.len(), skip: way(skip) });
                Some((way(!skip).call, None))
            }
            _ => None,
        }
    }

    /// Whether part `k` is where the way past the loop inside ends.
    fn meets(&self, k: usize) -> Option<&Guard> {
        self.guard.as_ref().filter(|g| g.skip.call.block == self.parts[k].block)
    }

    /// Whether a way past parts is one past the loop inside.
    fn skips_inner(&self) -> bool {
        let Some(guard) = &self.guard else { return true };
        let to = (0..self.parts.len()).find(|k| self.meets(*k).is_some());
        let to = to.filter(|k| *k > 0).unwrap_or(0);
        self.inner.as_ref().is_some_and(|i| guard.from < i.at && i.at < to)
    }

    /// Whether blocks behind the first are entered only as the chain says.
    fn has_no_other_way_in(&self, cfg: &Cfg) -> bool {
        self.parts.iter().enumerate().skip(1).all(|(k, part)| {
            let loops = self.inner.as_ref().is_some_and(|i| i.at == k);
            let ways = 1 + usize::from(loops) + usize::from(self.meets(k).is_some());
            cfg.preds[part.block].len() == ways
        })
    }
}

/// Builds the block; `inner` is the loop inside.
pub fn merge(func: &mut Function, chain: &Chain, header: Block, inner: Option<Inside>) -> Merged {
    let inner = inner.map(|Inside { block, recurrent, interval, gain }| {
        let insts = func.blocks[block].insts.iter().copied().collect();
        Insts { insts, recurrent, interval, gain }
    });
    let block = func.add_block();
    func.blocks[block].term_loc = func.blocks[header].term_loc;
    func.blocks[block].hint = hint(func, chain);
    let (next, kept, stands, exits) = (vec![], vec![], SecondaryMap::new(), vec![]);
    Merger { block, header, chain, next, kept, stands, exits }.run(func);
    edit::remove_unreachable(func);
    Merged { block, inner }
}

/// What the source promises of the loop that they become. What it promises of iterations of a nest's loops says nothing of accesses before,
/// inside and behind the inner one, which are in different iterations now. That none may begin ahead counts for all.
fn hint(func: &Function, chain: &Chain) -> LoopHint {
    let LoopHint { ivdep, dependency_length, .. } = func.blocks[chain.parts[0].block].hint;
    let mut all = chain.parts.iter().map(|p| func.blocks[p.block].hint.speculation);
    let off = all.any(|s| s == Speculation::Off);
    let speculation = if off { Speculation::Off } else { Speculation::Automatic };
    match chain.inner {
        None => LoopHint { ivdep, dependency_length, speculation, ..LoopHint::default() },
        Some(_) => LoopHint { speculation, ..LoopHint::default() },
    }
}

struct Merger<'c> {
    block: Block,
    header: Block,
    chain: &'c Chain,
    /// What the parameters of the block, in order, are in the next iteration.
    next: Vec<Next>,
    /// Instructions that read what an effect gave in the first iteration of the loop inside, with its result.
    kept: Vec<(Inst, Value)>,
    /// What stands for values of the loop's blocks.
    stands: SecondaryMap<Value, Option<Value>>,
    /// Out of the loop.
    exits: Vec<(Value, BlockCall)>,
}

/// The last in a chain of values that stand for one another.
fn current(stands: &SecondaryMap<Value, Option<Value>>, mut value: Value) -> Value {
    while let Some(v) = stands[value] {
        value = v;
    }
    value
}

/// What a parameter is in the next iteration.
struct Next {
    /// When the loop inside goes round again, or there is none.
    again: Value,
    /// When it does not.
    over: Over,
}

/// What a parameter is when the loop inside is entered.
#[derive(Clone, Copy)]
enum Over {
    /// As for `Next::again`, or of no importance.
    Any,
    /// This value.
    Is(Value),
    /// Computed from the other parameters as they are then, as this value is from those of now.
    Like(Value),
}

impl Merger<'_> {
    fn run(mut self, func: &mut Function) {
        self.take_params(func, self.header);
        let inner = self.chain.inner.as_ref();
        let first = inner.filter(|i| i.at > 0).map(|_| func.add_param(self.block, Type::BOOL));
        let mut b = Builder::at(func, self.block);
        let (no, yes) = (b.bool(false), b.bool(true));
        self.next.extend(first.map(|_| Next { again: no, over: Over::Is(yes) }));
        // Whether the part executes; always, if there is no such value.
        let mut active = first;
        let mut again: Option<Value> = None;
        for (k, part) in self.chain.parts.iter().enumerate() {
            if let Some(round) = again.filter(|_| self.chain.meets(k).is_some()) {
                active = Some(self.behind(func, round));
            }
            if inner.is_some_and(|i| i.at == k) {
                let round = self.inner(func, part, first, active);
                again = Some(round);
                active = Some(self.behind(func, round));
                active = self.unless_skipped(func, active);
            } else {
                active = self.part(func, part, k, first.filter(|_| again.is_none()), active);
            }
            if self.chain.guard.as_ref().is_some_and(|g| g.from == k) {
                active = self.unless_skipped(func, active);
            }
        }
        for (n, back) in self.next.iter_mut().zip(&self.chain.back) {
            match inner {
                Some(_) => n.over = Over::Is(*back),
                None => n.again = *back,
            }
        }
        if let Some(inner) = inner.filter(|i| i.at == 0) {
            self.next.iter_mut().zip(&inner.again.call.args).for_each(|(n, a)| n.again = *a);
        }
        self.settle(func);
        match again {
            Some(round) => {
                let round = self.now(round);
                self.look_ahead(func, round);
            }
            None => {
                let next = self.next.iter().map(|n| n.again).collect();
                self.enter(func, &[]);
                self.close(func, next);
            }
        }
    }

    /// Lets uses see what stands for old values.
    fn settle(&mut self, func: &mut Function) {
        func.substitute(&self.stands);
        for (inst, result) in &self.kept {
            func.insts[*inst].args[1] = *result;
        }
        let stands = &self.stands;
        let resolve = |v: &mut Value| *v = current(stands, *v);
        for n in &mut self.next {
            resolve(&mut n.again);
            if let Over::Is(v) | Over::Like(v) = &mut n.over {
                resolve(v);
            }
        }
        for (cond, call) in &mut self.exits {
            resolve(cond);
            call.args.iter_mut().for_each(resolve);
        }
    }

    /// What stands for a value of the old blocks.
    fn now(&self, value: Value) -> Value {
        current(&self.stands, value)
    }

    /// Gives the new block parameters in place of those of `block`, for now the same in the next iteration.
    fn take_params(&mut self, func: &mut Function, block: Block) {
        for old in func.blocks[block].params.clone() {
            let new = func.add_param(self.block, func.ty(old));
            self.stands[old] = Some(new);
            self.next.push(Next { again: new, over: Over::Any });
        }
    }

    /// Whether the parts behind the loop inside execute.
    fn behind(&self, func: &mut Function, round: Value) -> Value {
        let mut b = Builder::at(func, self.block);
        let over = b.unary(Op::Not, round);
        match self.leave(&mut b) {
            Some(leave) => {
                let stay = b.unary(Op::Not, leave);
                b.binary(Op::And, over, stay)
            }
            None => over,
        }
    }

    /// `active`, and not on the way past the loop inside.
    fn unless_skipped(&self, func: &mut Function, active: Option<Value>) -> Option<Value> {
        let Some(Guard { skip, .. }) = &self.chain.guard else { return active };
        let mut b = Builder::at(func, self.block);
        let enter = if skip.when { b.unary(Op::Not, skip.cond) } else { skip.cond };
        Some(active.map_or(enter, |a| b.binary(Op::And, a, enter)))
    }

    /// Moves a part here, under a condition; gives that of the parts behind. What its effects result in is kept until the next
    /// `first` iteration.
    fn part(
        &mut self,
        func: &mut Function,
        part: &Part,
        k: usize,
        first: Option<Value>,
        active: Option<Value>,
    ) -> Option<Value> {
        if k > 0 {
            self.bind(func, part, k);
        }
        for inst in self.move_insts(func, part.block, active) {
            let (Some(first), Some(result)) = (first, func.insts[inst].result) else { continue };
            let kept = func.add_param(self.block, func.ty(result));
            let mut b = Builder::at(func, self.block);
            b.loc = b.func.insts[inst].loc;
            let now = b.select(first, result, kept);
            if let Some(select) = func.def_inst(now) {
                self.kept.push((select, result));
                // in front of those who use it in this part
                let insts = &mut func.blocks[self.block].insts;
                insts.pop();
                let at = insts.iter().position(|i| *i == inst).map_or(insts.len(), |k| k + 1);
                insts.insert(at, select);
            }
            self.next.push(Next { again: now, over: Over::Any });
            self.stands[result] = Some(now);
        }
        let Some(exit) = &part.exit else { return active };
        let mut b = Builder::at(func, self.block);
        let not = b.unary(Op::Not, exit.cond);
        let (leave, stay) = if exit.when { (exit.cond, not) } else { (not, exit.cond) };
        let both = |b: &mut Builder<'_>, v: Value| match active {
            Some(a) => b.binary(Op::And, a, v),
            None => v,
        };
        let leave = both(&mut b, leave);
        self.exits.push((leave, exit.call.clone()));
        Some(both(&mut b, stay))
    }

    /// Parameters of a part are the arguments that come to it.
    fn bind(&mut self, func: &mut Function, part: &Part, k: usize) {
        let params = func.blocks[part.block].params.clone();
        let guard = self.chain.meets(k).map(|g| &g.skip);
        let mut b = Builder::at(func, self.block);
        for (n, (param, arg)) in params.iter().zip(&part.args).enumerate() {
            let value = match guard {
                Some(g) if g.when => b.select(g.cond, g.call.args[n], *arg),
                Some(g) => b.select(g.cond, *arg, g.call.args[n]),
                None => *arg,
            };
            self.stands[*param] = Some(value);
        }
    }

    /// Moves the loop inside here; gives whether it goes round again.
    fn inner(
        &mut self,
        func: &mut Function,
        part: &Part,
        first: Option<Value>,
        active: Option<Value>,
    ) -> Value {
        let Some(Inner { again, .. }) = &self.chain.inner else { unreachable!("asked for one") };
        let mut running = None;
        if let Some(first) = first {
            self.settle(func);
            self.enter_inner(func, part, again, first);
            running = active.filter(|a| *a != first).map(|entered| {
                let mut b = Builder::at(func, self.block);
                let later = b.unary(Op::Not, first);
                b.binary(Op::Or, later, entered)
            });
        }
        self.move_insts(func, part.block, running);
        let mut b = Builder::at(func, self.block);
        let round = if again.when { again.cond } else { b.unary(Op::Not, again.cond) };
        running.map_or(round, |r| b.binary(Op::And, r, round))
    }

    /// Parameters of the loop inside become parameters of the block. Where they begin with what is easily computed they do so at
    /// the end of the iteration before; else it is chosen in the first iteration.
    fn enter_inner(&mut self, func: &mut Function, part: &Part, again: &Way, first: Value) {
        let params = func.blocks[part.block].params.clone();
        for (k, (param, init)) in params.iter().zip(&part.args).enumerate() {
            let init = self.now(*init);
            let carried = func.add_param(self.block, func.ty(*param));
            let is_easy = Cone::of(func, self.block, init).is_some_and(|c| c.is_easy(func));
            let (now, over) = match is_easy {
                true => (carried, Over::Like(init)),
                false => {
                    let mut b = Builder::at(func, self.block);
                    (b.select(first, init, carried), Over::Any)
                }
            };
            self.stands[*param] = Some(now);
            self.next.push(Next { again: again.call.args[k], over });
        }
    }

    /// Moves instructions here and gives those with effects.
    fn move_insts(
        &mut self,
        func: &mut Function,
        from: Block,
        predicate: Option<Value>,
    ) -> Vec<Inst> {
        let before: SmallVec<[Inst; 2]> =
            edit::last_effects(func, self.block).into_iter().collect();
        let insts = std::mem::take(&mut func.blocks[from].insts);
        let mut effects = vec![];
        for inst in insts {
            if func.insts[inst].op.is_effect() {
                effects.push(inst);
                if let Some(p) = predicate {
                    let mut b = Builder::at(func, self.block);
                    b.loc = b.func.insts[inst].loc;
                    edit::restrict(&mut b, inst, p);
                }
                if func.insts[inst].after.is_empty() {
                    func.insts[inst].after = before.clone();
                }
            }
            func.blocks[self.block].insts.push(inst);
        }
        effects
    }

    /// Whether any of the exits so far is taken.
    fn leave(&self, b: &mut Builder<'_>) -> Option<Value> {
        let mut all = self.exits.iter().map(|(cond, _)| *cond);
        let first = all.next()?;
        Some(all.fold(first, |a, c| b.binary(Op::Or, a, c)))
    }

    /// Ends the block. Whether the loop inside goes round again, `round`, is found out an iteration before, if that can be.
    fn look_ahead(&mut self, func: &mut Function, round: Value) {
        let params = func.blocks[self.block].params.clone();
        let cone = Cone::of(func, self.block, round);
        let known = func.add_param(self.block, Type::BOOL);
        let again: Vec<Value> = self.next.iter().map(|n| n.again).collect();
        let over = self.over(func, &params);
        self.enter(func, &[round]);
        let ahead = cone.as_ref().map(|cone| {
            let more = cone.repeat(func, self.block, &params, &again);
            let entered = cone.repeat(func, self.block, &params, &over);
            (more, entered)
        });
        let mut b = Builder::at(func, self.block);
        let decided = if ahead.is_some() { known } else { round };
        let mut next: Vec<Value> = again
            .iter()
            .zip(&over)
            .map(|(a, o)| if a == o { *a } else { b.select(decided, *a, *o) })
            .collect();
        next.push(match ahead {
            Some((more, entered)) => b.select(decided, more, entered),
            None => known,
        });
        self.close(func, next);
        if decided == known {
            let mut stands = SecondaryMap::new();
            stands[round] = Some(known);
            func.substitute(&stands);
        }
    }

    /// The parameters when the loop inside is entered again.
    fn over(&self, func: &mut Function, params: &[Value]) -> Vec<Value> {
        let plain = |n: &Next| match n.over {
            Over::Is(v) => v,
            Over::Any | Over::Like(_) => n.again,
        };
        let given: Vec<Value> = self.next.iter().map(plain).collect();
        let like = |n: &Next| match n.over {
            Over::Like(v) => Cone::of(func, self.block, v),
            _ => None,
        };
        let cones: Vec<Option<Cone>> = self.next.iter().map(like).collect();
        let mut out = vec![];
        for (cone, given_) in cones.iter().zip(&given) {
            out.push(match cone {
                Some(cone) => cone.repeat(func, self.block, params, &given),
                None => *given_,
            });
        }
        out
    }

    /// Lets those who entered the loop enter the block; behind the parameters there are more, for what `ahead` is then.
    fn enter(&self, func: &mut Function, ahead: &[Value]) {
        let own = func.blocks[self.header].params.len();
        let params = func.blocks[self.block].params[..self.next.len()].to_vec();
        for pred in func.layout.clone() {
            if pred == self.block || self.chain.parts.iter().any(|p| p.block == pred) {
                continue;
            }
            let all = func.blocks[pred].term.targets().into_iter().enumerate();
            let calls: Vec<(usize, Vec<Value>)> = all
                .filter(|(_, t)| t.block == self.header)
                .map(|(k, t)| (k, t.args.to_vec()))
                .collect();
            for (k, mut args) in calls {
                self.begin(func, pred, &params, &mut args, own);
                for value in ahead {
                    let cone = Cone::of(func, self.block, *value);
                    let no = Builder::at(func, pred).bool(false);
                    args.push(cone.map_or(no, |c| c.repeat(func, pred, &params, &args)));
                }
                *func.blocks[pred].term.targets_mut()[k] = BlockCall::new(self.block, args);
            }
        }
    }

    /// Adds to the arguments of the loop those that the block has besides.
    fn begin(
        &self,
        func: &mut Function,
        pred: Block,
        params: &[Value],
        args: &mut Vec<Value>,
        own: usize,
    ) {
        for (param, next) in params.iter().zip(&self.next).skip(own) {
            let cone = match next.over {
                Over::Like(init) => Cone::of(func, self.block, init),
                _ => None,
            };
            let value = match (cone, next.over) {
                (Some(cone), _) => cone.repeat(func, pred, params, args),
                // the only one that is given is `first`
                (None, over) => {
                    let (ty, is) = (func.ty(*param), matches!(over, Over::Is(_)));
                    Builder::at(func, pred).constant(ty, is.into())
                }
            };
            args.push(value);
        }
    }

    /// Ends the block, and finds out behind it by which way it was left.
    fn close(&self, func: &mut Function, next: Vec<Value>) {
        let loc = func.blocks[self.block].term_loc;
        let mut b = Builder::at(func, self.block);
        let Some(leave) = self.leave(&mut b) else { return };
        let Some(((_, last), others)) = self.exits.split_last() else { return };
        let mut out = last.clone();
        for (cond, call) in others.iter().rev() {
            let decide = func.add_block();
            func.blocks[decide].term_loc = loc;
            func.blocks[decide].term =
                Terminator::Branch { cond: *cond, then_: call.clone(), else_: out };
            out = BlockCall::new(decide, []);
        }
        func.blocks[self.block].term =
            Terminator::Branch { cond: leave, then_: out, else_: BlockCall::new(self.block, next) };
    }
}

/// A value of a block with what of the block it is computed from, without effects.
struct Cone {
    value: Value,
    /// Operands first.
    insts: Vec<Inst>,
}

impl Cone {
    fn of(func: &Function, block: Block, value: Value) -> Option<Cone> {
        let mut needed: FxHashSet<Inst> = FxHashSet::default();
        let mut open = vec![value];
        let here: FxHashSet<Inst> = func.blocks[block].insts.iter().copied().collect();
        while let Some(v) = open.pop() {
            let Some(inst) = func.def_inst(v).filter(|i| here.contains(i)) else { continue };
            if func.insts[inst].op.is_effect() {
                return None;
            }
            if needed.insert(inst) {
                open.extend(func.insts[inst].args.iter().copied());
            }
        }
        let insts = func.blocks[block].insts.iter().copied().filter(|i| needed.contains(i));
        Some(Cone { value, insts: insts.collect() })
    }

    /// Whether it costs little to compute it twice.
    fn is_easy(&self, func: &Function) -> bool {
        let weights = || self.insts.iter().map(|i| weight::of_inst(func, *i));
        weights().all(|w| w <= 1) && weights().sum::<u32>() <= MOST_REPEATED
    }

    /// The value as it is when `params` are `values`, computed at the end of `block`.
    fn repeat(
        &self,
        func: &mut Function,
        block: Block,
        params: &[Value],
        values: &[Value],
    ) -> Value {
        let mut stands: FxHashMap<Value, Value> =
            params.iter().copied().zip(values.iter().copied()).collect();
        for &inst in &self.insts {
            let data = func.insts[inst].clone();
            let args = data.args.iter().map(|a| stands.get(a).copied().unwrap_or(*a));
            let args: Vec<Value> = args.collect();
            let ty = data.result.map(|r| func.ty(r));
            let copy = func.make_inst(data.op, args, ty, data.loc);
            func.insts[copy].fast_math = data.fast_math;
            func.blocks[block].insts.push(copy);
            stands.extend(data.result.zip(func.insts[copy].result));
        }
        stands.get(&self.value).copied().unwrap_or(self.value)
    }
}
