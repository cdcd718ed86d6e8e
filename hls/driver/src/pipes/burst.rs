//! Packets in a row, as schedules have them: what piles up in a pipe between a kernel that is fast for a while and one that is
//! steady.

use base::FxHashMap;
use ir::analysis::{cfg::Cfg, loops::Loops};
use ir::{Block, Function, Op, Terminator, Value, ValueDef};
use schedule::KernelSchedule;

/// Most iterations that are counted.
const MOST_ITERATIONS: u64 = 1 << 16;
/// Most parameters of blocks that a constant is followed through.
const MOST_HOPS: u32 = 4;

/// Packets that a loop moves one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Burst {
    pub kernel: String,
    /// Cycles between two of them.
    pub interval: u32,
    /// How many, where a loop around it begins the next run later.
    pub packets: Option<u64>,
}

/// The packets of a kernel at a pipe, if one pipelined loop moves them all.
pub(super) fn of(s: &KernelSchedule, arg: u32) -> Option<Burst> {
    let func = &s.func;
    let moves = |b: &Block| {
        let ops = func.blocks[*b].insts.iter().filter_map(|i| func.insts[*i].op.pipe());
        ops.filter(|(op, k)| op.moves() && *k == arg).count()
    };
    let mut blocks = func.layout.iter().copied().filter(|b| moves(b) > 0);
    let (block, None) = (blocks.next()?, blocks.next()) else { return None };
    if moves(&block) != 1 || !s.pipelined.contains_key(&block) {
        return None;
    }
    let interval = s.loops.iter().find(|l| l.header == block)?.ii;
    let loops = Loops::new(func, &Cfg::new(func));
    let nested = loops.depth(block) > 1;
    let packets = nested.then(|| iterations(func, block)).flatten();
    Some(Burst { kernel: func.name.clone(), interval, packets })
}

/// How deep a pipe is that takes what piles up, if anything does and it is not more than `most`; and why.
pub(super) fn depth(writer: &Burst, reader: &Burst, most: u64) -> Option<(u64, String)> {
    let (fast, slow, what) = match writer.interval < reader.interval {
        true => (writer, reader, "writes"),
        false => (reader, writer, "reads"),
    };
    let packets = fast.packets?;
    let (quick, steady) = (u64::from(fast.interval.max(1)), u64::from(slow.interval.max(1)));
    if quick >= steady {
        return None;
    }
    // While `packets` pass the fast end, so many pass the other.
    let piled = packets - packets * quick / steady;
    let depth = piled.checked_next_power_of_two().filter(|n| *n <= most)?;
    let every =
        |n: u64| if n == 1 { "one a cycle".into() } else { format!("one every {n} cycles") };
    let why = format!(
        "`{}` {what} {packets} in a row, {}, and `{}` moves {}: {piled} pile up",
        fast.kernel,
        every(quick),
        slow.kernel,
        every(steady)
    );
    Some((depth, why))
}

/// How often a loop of one block runs, where neither its beginning nor its end depends on data.
fn iterations(func: &Function, block: Block) -> Option<u64> {
    let data = &func.blocks[block];
    let Terminator::Branch { cond, then_, else_ } = &data.term else { return None };
    let (back, on) = if then_.block == block { (then_, 1) } else { (else_, 0) };
    let mut known: FxHashMap<Value, u128> = FxHashMap::default();
    let first = |param: &Value| Some((*param, constant(func, *param, Some(block), MOST_HOPS)?));
    known.extend(data.params.iter().filter_map(first));
    for count in 1..=MOST_ITERATIONS {
        for &inst in &data.insts {
            let value = |v| value_of(func, &known, v);
            let bits = ir_opt::consteval::eval_inst(func, inst, value);
            set(&mut known, func.insts[inst].result, bits);
        }
        if *known.get(cond)? != on {
            return Some(count);
        }
        let next: Vec<Option<u128>> =
            back.args.iter().map(|v| value_of(func, &known, *v)).collect();
        for (param, bits) in data.params.iter().zip(next) {
            set(&mut known, Some(*param), bits);
        }
    }
    None
}

fn value_of(func: &Function, known: &FxHashMap<Value, u128>, v: Value) -> Option<u128> {
    known.get(&v).copied().or_else(|| match func.insts[func.def_inst(v)?].op {
        Op::Const(n) => Some(n),
        _ => None,
    })
}

fn set(known: &mut FxHashMap<Value, u128>, value: Option<Value>, bits: Option<u128>) {
    match (value, bits) {
        (Some(v), Some(bits)) => drop(known.insert(v, bits)),
        (Some(v), None) => drop(known.remove(&v)),
        (None, _) => {}
    }
}

/// A value that is the same constant on every way, those from block `but` aside, through at most so many parameters.
fn constant(func: &Function, v: Value, but: Option<Block>, hops: u32) -> Option<u128> {
    let (block, k) = match func.values[v].def {
        ValueDef::Param(block, k) => (block, k as usize),
        ValueDef::Inst(i) => match func.insts[i].op {
            Op::Const(n) => return Some(n),
            _ => return None,
        },
    };
    let hops = hops.checked_sub(1)?;
    let ways = func.layout.iter().filter(|b| Some(**b) != but);
    let calls = ways.flat_map(|b| func.blocks[*b].term.targets());
    let values = calls.filter(|t| t.block == block).map(|t| t.args.get(k).copied());
    let mut values = values.map(|v| constant(func, v?, None, hops));
    let first = values.next()??;
    values.all(|v| v == Some(first)).then_some(first)
}
