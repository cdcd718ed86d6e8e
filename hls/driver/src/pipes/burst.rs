//! Packets in a row, as schedules have them: what piles up in a pipe between a kernel that is fast for a while and one that is
//! steady.

use base::FxHashMap;
use ir::analysis::{cfg::Cfg, loops::Loops};
use ir::{Block, Function, Op, Terminator, Value};
use schedule::KernelSchedule;

/// Most iterations that are counted.
const MOST_ITERATIONS: u64 = 1 << 16;

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
    let why = format!(
        "`{}` {what} {packets} in a row, one every {quick} cycle{}, and `{}` moves one every {steady}: {piled} pile up",
        fast.kernel,
        if quick == 1 { "" } else { "s" },
        slow.kernel
    );
    Some((depth, why))
}

/// How often a loop of one block runs, where neither its beginning nor its end depends on data.
fn iterations(func: &Function, block: Block) -> Option<u64> {
    let data = &func.blocks[block];
    let Terminator::Branch { cond, then_, else_ } = &data.term else { return None };
    let (back, on) = if then_.block == block { (then_, 1) } else { (else_, 0) };
    let mut known: FxHashMap<Value, u128> = FxHashMap::default();
    // What every way into the loop hands over alike.
    let entries = func.layout.iter().filter(|b| **b != block);
    let entries = entries.flat_map(|b| func.blocks[*b].term.targets());
    let entries: Vec<_> = entries.filter(|t| t.block == block).collect();
    let constant = |v: &Value| {
        func.def_inst(*v).and_then(|i| match func.insts[i].op {
            Op::Const(n) => Some(n),
            _ => None,
        })
    };
    for (k, param) in data.params.iter().enumerate() {
        let mut values = entries.iter().map(|t| constant(&t.args[k]));
        let first = values.next().flatten();
        if let Some(n) = first.filter(|n| values.all(|v| v == Some(*n))) {
            known.insert(*param, n);
        }
    }
    for count in 1..=MOST_ITERATIONS {
        let outside = |v: Value| constant(&v);
        for &inst in &data.insts {
            let value = |v: Value| known.get(&v).copied().or_else(|| outside(v));
            let bits = ir_opt::consteval::eval_inst(func, inst, value);
            match (func.insts[inst].result, bits) {
                (Some(v), Some(bits)) => drop(known.insert(v, bits)),
                (Some(v), None) => drop(known.remove(&v)),
                (None, _) => {}
            }
        }
        if *known.get(cond)? != on {
            return Some(count);
        }
        let next: Vec<Option<u128>> =
            back.args.iter().map(|v| known.get(v).copied().or_else(|| outside(*v))).collect();
        for (param, bits) in data.params.iter().zip(next) {
            match bits {
                Some(bits) => drop(known.insert(*param, bits)),
                None => drop(known.remove(param)),
            }
        }
    }
    None
}
