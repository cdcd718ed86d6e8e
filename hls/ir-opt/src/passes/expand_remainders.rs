//! Remainders of floats to loops: they take as many steps as the exponents of their operands differ.

use crate::edit::split_block;
use arith::Format;
use arith::bits::Bits as _;
use arith::ir_builder::IrBuilder;
use arith::remainder::{self, Kind, Operands, State, needs_loop};
use base::Loc;
use base::entity::SecondaryMap;
use ir::{Block, BlockCall, Builder, Function, Inst, MathFn, Op, Terminator, Type, Value};

/// Expands every remainder of scalars. Those of a block that do not depend on one another, as the lanes of a vector do not, share
/// one loop, in which each stops where it is done.
pub fn run(func: &mut Function) {
    let mut blocks = func.layout.clone();
    blocks.reverse();
    while let Some(block) = blocks.pop() {
        blocks.extend(expand(func, block));
    }
}

/// Which remainder an operation is, and what of it.
fn kind(op: Op) -> Option<(Kind, bool)> {
    match op {
        Op::FRem => Some((Kind::Truncated, false)),
        Op::Math(MathFn::Remainder) => Some((Kind::Nearest, false)),
        Op::Math(MathFn::RemquoBits) => Some((Kind::Nearest, true)),
        _ => None,
    }
}

/// A division: operands, and the results that are made of it.
struct Lane {
    format: Format,
    x: Value,
    y: Value,
    results: Vec<Inst>,
}

/// A division with its prologue behind it.
struct Started {
    lane: Lane,
    x: Value,
    operands: Operands<Value>,
    state: State<Value>,
}

impl Started {
    /// Whether it needs the loop.
    fn loops(&self) -> bool {
        needs_loop(self.lane.format)
    }
}

/// Expands the first remainder of a block and those that can go with it; the block where the rest of it is then.
fn expand(func: &mut Function, block: Block) -> Option<Block> {
    let (lanes, at) = gather(func, block)?;
    let count: usize = lanes.iter().map(|l| l.results.len()).sum();
    let rest = split_block(func, block, at);
    func.blocks[rest].insts.drain(..count);
    let loc = func.insts[lanes[0].results[0]].loc;

    let started = start(func, block, lanes, loc);
    let finish_block = func.add_block();
    func.blocks[finish_block].term_loc = loc;
    let started = if started.iter().any(Started::loops) {
        add_loop(func, block, finish_block, started, loc)
    } else {
        func.blocks[block].term = Terminator::Jump(BlockCall::new(finish_block, []));
        started
    };
    finish(func, finish_block, started, loc);
    func.blocks[finish_block].term = Terminator::Jump(BlockCall::new(rest, []));
    Some(rest)
}

/// The divisions that can start together, and where in the block: everything that they need is moved before that place, the
/// remainders themselves stand there.
fn gather(func: &mut Function, block: Block) -> Option<(Vec<Lane>, usize)> {
    let insts = func.blocks[block].insts.clone();
    let first = insts.iter().position(|i| is_scalar_remainder(func, *i))?;
    let (mut before, mut together, mut behind) = (insts[..first].to_vec(), vec![], vec![]);
    let mut waits: SecondaryMap<Value, bool> = SecondaryMap::new();
    let mut lanes: Vec<Lane> = vec![];
    for &i in &insts[first..] {
        let data = &func.insts[i];
        let ready = !data.op.is_effect() && data.args.iter().all(|a| !waits[*a]);
        let remainder = is_scalar_remainder(func, i);
        if let Some(result) = data.result {
            waits[result] = remainder || !ready;
        }
        match (ready, remainder) {
            (true, true) => {
                together.push(i);
                add_lane(func, &mut lanes, i);
            }
            (true, false) => before.push(i),
            (false, _) => behind.push(i),
        }
    }
    let at = before.len();
    before.extend(together);
    before.extend(behind);
    func.blocks[block].insts = before;
    Some((lanes, at))
}

fn is_scalar_remainder(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    kind(data.op).is_some() && !func.ty(data.args[0]).is_vector()
}

/// Remainder and quotient of the same operands are one division.
fn add_lane(func: &Function, lanes: &mut Vec<Lane>, inst: Inst) {
    let args = &func.insts[inst].args;
    let (x, y) = (args[0], args[1]);
    if let Some(lane) = lanes.iter_mut().find(|l| l.x == x && l.y == y) {
        lane.results.push(inst);
    } else if let Some(kind) = func.ty(x).float_kind() {
        lanes.push(Lane { format: kind.into(), x, y, results: vec![inst] });
    }
}

/// Appends the prologues to `block`, and the only step of those that have one.
fn start(func: &mut Function, block: Block, lanes: Vec<Lane>, loc: Loc) -> Vec<Started> {
    let mut builder = Builder::at(func, block);
    builder.loc = loc;
    lanes
        .into_iter()
        .map(|lane| {
            let bits = Type::int(lane.format.width());
            let x = builder.value(Op::Bitcast, [lane.x], bits);
            let y = builder.value(Op::Bitcast, [lane.y], bits);
            let b = IrBuilder::new(&mut builder);
            let (operands, mut state) = remainder::prepare(&b, lane.format, x, y);
            if !needs_loop(lane.format) {
                state = remainder::step(&b, lane.format, operands.divisor, &state);
            }
            Started { lane, x, operands, state }
        })
        .collect()
}

/// The values of a state that a loop carries.
fn carried(s: &State<Value>) -> [Value; 4] {
    [s.rest, s.feed, s.quotient, s.left]
}

/// Ends `block` with the loop, which goes on at `finish`; the states behind it.
fn add_loop(
    func: &mut Function,
    block: Block,
    finish: Block,
    started: Vec<Started>,
    loc: Loc,
) -> Vec<Started> {
    let body = func.add_block();
    func.blocks[body].term_loc = loc;
    func.blocks[block].term_loc = loc;
    let entry: Vec<State<Value>> = started.iter().filter(|s| s.loops()).map(|s| s.state).collect();
    enter(func, block, body, finish, &entry, loc);

    let inside: Vec<State<Value>> = entry.iter().map(|s| parameters(func, body, s)).collect();
    let after: Vec<State<Value>> = entry.iter().map(|s| parameters(func, finish, s)).collect();
    let mut builder = Builder::at(func, body);
    builder.loc = loc;
    let next: Vec<State<Value>> = started
        .iter()
        .filter(|s| s.loops())
        .zip(&inside)
        .map(|(s, state)| {
            let b = IrBuilder::new(&mut builder);
            remainder::step(&b, s.lane.format, s.operands.divisor, state)
        })
        .collect();
    enter(func, body, body, finish, &next, loc);

    let mut after = after.into_iter();
    started
        .into_iter()
        .map(|s| match s.loops() {
            true => Started { state: after.next().unwrap_or(s.state), ..s },
            false => s,
        })
        .collect()
}

/// Parameters of `block` for a state.
fn parameters(func: &mut Function, block: Block, s: &State<Value>) -> State<Value> {
    let [rest, feed, quotient, left] = carried(s).map(|v| {
        let ty = func.ty(v);
        func.add_param(block, ty)
    });
    State { rest, feed, quotient, left }
}

/// Ends `from` with a branch: to the loop while any division has steps to go.
fn enter(
    func: &mut Function,
    from: Block,
    body: Block,
    finish: Block,
    states: &[State<Value>],
    loc: Loc,
) {
    let mut builder = Builder::at(func, from);
    builder.loc = loc;
    let cond = {
        let b = IrBuilder::new(&mut builder);
        let active = states.iter().map(|s| b.any(s.left)).reduce(|x, y| b.or(x, y));
        active.unwrap_or_else(|| b.bool(false))
    };
    let args = || states.iter().flat_map(carried);
    func.blocks[from].term = Terminator::Branch {
        cond,
        then_: BlockCall::new(body, args()),
        else_: BlockCall::new(finish, args()),
    };
}

/// Appends the epilogues to `block`, in place of the results.
fn finish(func: &mut Function, block: Block, started: Vec<Started>, loc: Loc) {
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let mut builder = Builder::at(func, block);
    builder.loc = loc;
    for s in &started {
        for inst in &s.lane.results {
            let data = &builder.func.insts[*inst];
            let (Some((kind, is_quotient)), Some(result)) = (kind(data.op), data.result) else {
                continue;
            };
            let ty = builder.func.ty(result);
            let (rest, n) = {
                let b = IrBuilder::new(&mut builder);
                remainder::finish(&b, s.lane.format, kind, s.x, &s.operands, &s.state)
            };
            let value = match is_quotient {
                true => n,
                false => builder.value(Op::Bitcast, [rest], ty),
            };
            map[result] = Some(value);
        }
    }
    func.substitute(&map);
}
