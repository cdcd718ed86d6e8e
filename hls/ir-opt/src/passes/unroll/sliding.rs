//! Windows that slide over data: private variables whose elements move on by one in each iteration of a loop.
//!
//! Unrolled, what moves them is wires: the variable becomes values of its own, and the schedule makes registers and queues of these.

use crate::weight;
use ir::analysis::loops::LoopData;
use ir::analysis::{Cfg, Loops};
use ir::{Block, Function, Object, Op, Space, Value};

/// Most weight of an operation that computes which element is moved.
const MOVER_WEIGHT: u32 = 2;

/// A loop that does nothing but move what private variables hold, or set them.
struct Mover<'a> {
    data: &'a LoopData,
    /// The variables.
    objects: Vec<Object>,
    /// Elements that it sets in an iteration.
    stores: usize,
}

/// Whether the loop does nothing but move what private variables hold, or set them, in a kernel of one work-item in which they are
/// accessed at constant offsets but for such loops.
pub(super) fn slides(func: &Function, loops: &Loops, data: &LoopData) -> bool {
    let task = func.kernel.as_ref().is_some_and(|info| info.has_groups_of_one());
    let Some(own) = Mover::new(func, data).filter(|_| task) else { return false };
    let movers: Vec<Mover<'_>> = loops.loops.values().filter_map(|l| Mover::new(func, l)).collect();
    let moving: Vec<Block> = movers.iter().flat_map(|m| m.data.blocks.iter().copied()).collect();
    let elsewhere = func.layout.iter().filter(|b| !moving.contains(b));
    elsewhere.flat_map(|b| &func.blocks[*b].insts).all(|i| {
        let d = &func.insts[*i];
        let address = |k: usize| {
            let traced = matches!(d.op, Op::PtrAdd)
                || (d.op.mem_flags().is_some() && !matches!(d.op, Op::Atomic(..)));
            k == 0 && traced
        };
        d.args.iter().enumerate().all(|(k, v)| match private_place(func, *v) {
            Some((object, constant)) if own.objects.contains(&object) => {
                address(k) && (constant || d.op == Op::PtrAdd)
            }
            _ => true,
        })
    })
}

/// Forgets that such loops should not be unrolled where a compiler has unrolled them, or others that move the same, in part: compilers say so
/// of what they leave of a loop.
pub(super) fn forget_remainders(func: &mut Function) {
    let loops = Loops::new(func, &Cfg::new(func));
    let movers: Vec<Mover<'_>> = loops.loops.values().filter_map(|l| Mover::new(func, l)).collect();
    let in_part: Vec<Object> =
        movers.iter().filter(|m| m.stores > 1).flat_map(|m| m.objects.clone()).collect();
    let alike = |m: &&Mover<'_>| m.objects.iter().any(|o| in_part.contains(o));
    let left = movers.iter().filter(alike).filter(|m| slides(func, &loops, m.data));
    let headers: Vec<Block> = left.map(|m| m.data.header).collect();
    for header in headers {
        let hint = &mut func.blocks[header].hint;
        hint.unroll = hint.unroll.filter(|n| *n != 1);
    }
}

impl Mover<'_> {
    /// A loop as a mover, if it is one.
    fn new<'a>(func: &Function, data: &'a LoopData) -> Option<Mover<'a>> {
        let mut mover = Mover { data, objects: vec![], stores: 0 };
        for &i in data.blocks.iter().flat_map(|b| &func.blocks[*b].insts) {
            let d = &func.insts[i];
            match d.op {
                Op::Load(flags) | Op::Store(flags) if !flags.volatile => {
                    let (object, _) = private_place(func, d.args[0])?;
                    if !mover.objects.contains(&object) {
                        mover.objects.push(object);
                    }
                    mover.stores += usize::from(matches!(d.op, Op::Store(_)));
                }
                op if op.is_effect() || weight::of_inst(func, i) > MOVER_WEIGHT => return None,
                _ => {}
            }
        }
        Some(mover).filter(|m| !m.objects.is_empty())
    }
}

/// The private variable that a pointer is into, and whether at a constant offset.
fn private_place(func: &Function, mut pointer: Value) -> Option<(Object, bool)> {
    let mut constant = true;
    loop {
        let d = &func.insts[func.def_inst(pointer)?];
        match d.op {
            Op::PtrAdd => constant &= func.as_const(*d.args.get(1)?).is_some(),
            Op::ObjAddr(o) if func.objects[o].space == Space::Private => {
                return Some((o, constant));
            }
            _ => return None,
        }
        pointer = *d.args.first()?;
    }
}
