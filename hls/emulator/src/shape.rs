//! What neighbouring work-items have in common: the same values, or values at a fixed distance.
//!
//! Native code runs [`WIDTH`] work-items side by side along dimension 0 where they go the same way. What is the same
//! for all of them is computed once; numbers that follow one another are known by the first one, which makes
//! accesses at neighbouring addresses one access.

use crate::phases::{Phases, next_barrier};
use crate::types::width;
use base::IndexSet;
use base::entity::SecondaryMap;
use ir::analysis::{Cfg, Loops};
use ir::{Block, Function, Inst, ObjectKind, Op, Query, Terminator, Value};

/// Work-items side by side.
pub(crate) const WIDTH: usize = 8;

/// How a value differs among work-items that are neighbours in dimension 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// By this much from one to the next, modulo its width; by 0: not at all.
    Step {
        /// The distance.
        by: i64,
        /// What says so.
        sure: Sure,
    },
    /// In any way.
    Varying,
}

/// How it is known that a value has a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Sure {
    /// Code finds out when it runs, at each use.
    Checked,
    /// Code has found out in this phase: if not, the work-items have gone on one by one.
    Here,
    /// It cannot be otherwise.
    Always,
}

impl Shape {
    /// The same for all.
    pub(crate) const SAME: Shape = Shape::Step { by: 0, sure: Sure::Always };

    /// The common shape of a value that is one or the other.
    fn join(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Step { by, sure }, Shape::Step { by: b, sure: s }) if by == b => {
                match sure.min(s) {
                    Sure::Checked => Shape::Varying,
                    sure => Shape::Step { by, sure },
                }
            }
            _ => Shape::Varying,
        }
    }
}

/// Shapes of all values of a function.
pub(crate) struct Shapes {
    shapes: SecondaryMap<Value, Option<Shape>>,
    /// Blocks that work-items may reach at different times.
    apart: SecondaryMap<Block, bool>,
    /// Extensions of which code can find out at once whether their steps are right: if not, nothing has happened yet that
    /// work-items may not do again.
    early: SecondaryMap<Inst, bool>,
}

impl Shapes {
    /// Finds the shapes, which hold whatever way the work-items go.
    /// Of values that are kept across barriers only what is always sure is remembered.
    pub(crate) fn new(func: &Function, cfg: &Cfg, phases: &Phases) -> Self {
        let mut shapes = Shapes {
            shapes: SecondaryMap::new(),
            apart: SecondaryMap::new(),
            early: early(func, cfg, phases),
        };
        while shapes.step(func, cfg, &phases.kept) {}
        shapes
    }

    /// The shape of a value.
    pub(crate) fn of(&self, value: Value) -> Shape {
        self.shapes[value].unwrap_or(Shape::SAME)
    }

    /// Whether a value is the same for all.
    pub(crate) fn is_same(&self, value: Value) -> bool {
        self.of(value) == Shape::SAME
    }

    fn step(&mut self, func: &Function, cfg: &Cfg, kept: &IndexSet<Value>) -> bool {
        let mut changed = false;
        for &block in &cfg.rpo {
            for &inst in &func.blocks[block].insts {
                if let Some(result) = func.insts[inst].result
                    && let Some(shape) = self.result(func, inst)
                {
                    let lost = kept.contains(&result)
                        && !matches!(shape, Shape::Step { sure: Sure::Always, .. });
                    let shape = if lost { Shape::Varying } else { shape };
                    changed |= self.lower(result, shape);
                }
            }
            for call in func.blocks[block].term.targets() {
                for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
                    let apart = self.apart[call.block];
                    if apart {
                        changed |= self.lower(param, Shape::Varying);
                    } else if let Some(shape) = self.shapes[arg] {
                        // joined with itself, a shape that is checked at each use varies
                        let lost = kept.contains(&param)
                            && !matches!(shape, Shape::Step { sure: Sure::Always, .. });
                        let shape = if lost { Shape::Varying } else { shape.join(shape) };
                        changed |= self.lower(param, shape);
                    }
                }
            }
            if self.diverges(func, block) && !self.apart[block] {
                changed |= self.part(cfg, block);
            }
        }
        changed
    }

    /// Whether work-items may leave the block by different ways.
    fn diverges(&self, func: &Function, block: Block) -> bool {
        match &func.blocks[block].term {
            Terminator::Branch { cond: v, .. } | Terminator::Switch { value: v, .. } => {
                self.shapes[*v].is_some_and(|s| s != Shape::SAME)
            }
            _ => false,
        }
    }

    /// Behind a branch where work-items part, all parameters may differ.
    fn part(&mut self, cfg: &Cfg, block: Block) -> bool {
        let mut changed = false;
        let mut stack = cfg.succs[block].clone();
        while let Some(b) = stack.pop() {
            if !std::mem::replace(&mut self.apart[b], true) {
                changed = true;
                stack.extend(cfg.succs[b].iter().copied());
            }
        }
        changed
    }

    fn lower(&mut self, value: Value, shape: Shape) -> bool {
        let new = match self.shapes[value] {
            None => shape,
            Some(old) if old == shape => old,
            Some(old) => old.join(shape),
        };
        self.shapes[value].replace(new) != Some(new)
    }

    /// The shape of a result; none while an operand's is not known.
    fn result(&self, func: &Function, inst: Inst) -> Option<Shape> {
        let data = &func.insts[inst];
        let result = data.result?;
        let mut args = vec![];
        for &a in &data.args {
            args.push(self.shapes[a]?);
        }
        let same = args.iter().all(|s| *s == Shape::SAME);
        Some(match data.op {
            Op::WorkItem(Query::LocalId | Query::GlobalId, 0)
            | Op::WorkItem(Query::LocalLinearId | Query::GlobalLinearId, _) => {
                Shape::Step { by: 1, sure: Sure::Always }
            }
            Op::Atomic(..) | Op::Call(_) => Shape::Varying,
            Op::Load(flags) if flags.volatile => Shape::Varying,
            _ if same => Shape::SAME,
            _ if !is_whole(func, result) || data.args.iter().any(|a| !is_whole(func, *a)) => {
                Shape::Varying
            }
            op => {
                let early = self.early[inst];
                stepped(func, op, early, &data.args, &args, result).unwrap_or(Shape::Varying)
            }
        })
    }
}

/// Whether a value is an integer of up to 64 bits, or a pointer.
fn is_whole(func: &Function, v: Value) -> bool {
    let ty = func.ty(v);
    !ty.is_float() && !ty.is_vector() && width(ty) <= 64
}

/// The shape of an integer operation on operands that have steps. Steps are modulo the width of the value.
fn stepped(
    func: &Function,
    op: Op,
    early: bool,
    values: &[Value],
    args: &[Shape],
    result: Value,
) -> Option<Shape> {
    let step = |k: usize| match args.get(k)? {
        Shape::Step { by, sure } => Some((*by, *sure)),
        Shape::Varying => None,
    };
    let bits = width(func.ty(result));
    let constant = |k: usize| {
        let c = func.as_const(values[k])?;
        i64::try_from(ir::builder::sign_extend(c, bits)).ok()
    };
    let (a, sure) = step(0)?;
    let two = || step(1).map(|(b, s)| (b, sure.min(s)));
    let (by, sure) = match op {
        Op::Add | Op::PtrAdd => two().map(|(b, s)| (a.wrapping_add(b), s))?,
        Op::Sub => two().map(|(b, s)| (a.wrapping_sub(b), s))?,
        Op::Mul => match (constant(0), constant(1)) {
            (_, Some(c)) => (a.wrapping_mul(c), sure),
            (Some(c), _) => step(1).map(|(b, s)| (b.wrapping_mul(c), s))?,
            _ => return None,
        },
        Op::Shl => {
            let by = constant(1).filter(|n| (0..i64::from(bits)).contains(n))?;
            (a.wrapping_shl(by as u32), sure)
        }
        // the bits below stay the same, so that nothing is carried from them
        Op::Slice { lo } if lo < 64 && a.trailing_zeros() >= lo.into() => (a >> lo, sure),
        Op::Bitcast | Op::PtrToInt | Op::IntToPtr => (a, sure),
        // only as long as the narrower number does not wrap, which code must check
        Op::Sext | Op::Zext if sure > Sure::Checked => {
            let reach = u128::from(a.unsigned_abs()) * WIDTH as u128;
            let small = reach < 1 << (width(func.ty(values[0])) - 1);
            let found = if early { Sure::Here } else { Sure::Checked };
            small.then_some((a, sure.min(found)))?
        }
        _ => return None,
    };
    let by = i64::try_from(ir::builder::sign_extend(by as u128, bits)).ok()?;
    Some(Shape::Step { by, sure })
}

/// Extensions before which no phase that they are in has written anything.
fn early(func: &Function, cfg: &Cfg, phases: &Phases) -> SecondaryMap<Inst, bool> {
    let mut late: SecondaryMap<Inst, bool> = SecondaryMap::new();
    for phase in 0..=phases.barriers.len() {
        let from = phase.checked_sub(1).map(|k| phases.barriers[k]);
        // blocks that something may have been written before, from the start of the phase
        let mut behind: SecondaryMap<Block, bool> = SecondaryMap::new();
        let mut stack = vec![];
        let starts = from.map(|b| (b.block, b.at + 1)).into_iter();
        let blocks = phases.blocks(func, cfg, from);
        for (block, at) in starts.chain(blocks.iter().map(|b| (*b, 0))) {
            let insts = &func.blocks[block].insts;
            let end = next_barrier(func, block, at);
            let mut written = false;
            for &inst in &insts[at..end.unwrap_or(insts.len())] {
                late[inst] |= written;
                written |= is_effect(func, inst);
            }
            if written && end.is_none() {
                stack.extend(cfg.succs[block].iter().copied());
            }
        }
        while let Some(block) = stack.pop() {
            if std::mem::replace(&mut behind[block], true) {
                continue;
            }
            let end = next_barrier(func, block, 0);
            let insts = &func.blocks[block].insts;
            for &inst in &insts[..end.unwrap_or(insts.len())] {
                late[inst] = true;
            }
            if end.is_none() {
                stack.extend(cfg.succs[block].iter().copied());
            }
        }
    }
    let mut early = SecondaryMap::new();
    for &inst in cfg.rpo.iter().flat_map(|b| &func.blocks[*b].insts) {
        // what is computed again stands at the start of its phase
        let again = func.insts[inst].result.is_some_and(|r| phases.again[r]);
        early[inst] = again || !late[inst];
    }
    early
}

/// Whether an instruction must not be done twice.
fn is_effect(func: &Function, inst: Inst) -> bool {
    match func.insts[inst].op {
        Op::Load(flags) => flags.volatile,
        Op::Fence(_) => false,
        op => op.is_effect(),
    }
}

/// Whether work-items can go through a phase side by side, and whether that pays.
pub(crate) fn is_wide(
    func: &Function,
    cfg: &Cfg,
    shapes: &Shapes,
    phases: &Phases,
    phase: usize,
) -> bool {
    if func.objects.values().any(|o| o.kind == ObjectKind::Variable) {
        return false;
    }
    let from = phase.checked_sub(1).map(|k| phases.barriers[k]);
    let loops = Loops::new(func, cfg);
    let (mut fast, mut slow) = (0u64, 0u64);
    let starts = from.map(|b| (b.block, b.at + 1)).into_iter();
    let blocks = phases.blocks(func, cfg, from);
    for (block, at) in starts.chain(blocks.iter().map(|b| (*b, 0))) {
        let data = &func.blocks[block];
        let end = next_barrier(func, block, at);
        if end.is_none() && shapes.diverges(func, block) {
            return false;
        }
        let depth = loops.innermost(block).map_or(0, |l| loops.loops[l].depth);
        let weight = 1u64 << (3 * depth.min(8));
        for &inst in &data.insts[at..end.unwrap_or(data.insts.len())] {
            let data = &func.insts[inst];
            match data.op {
                Op::Call(_) => return false,
                Op::Barrier(..) | Op::Fence(_) => {}
                _ if is_once(func, shapes, inst) => {}
                _ if is_packed(func, shapes, inst) => fast += weight,
                _ => slow += weight,
            }
        }
    }
    fast > slow
}

/// Whether an instruction is done once for all work-items.
pub(crate) fn is_once(func: &Function, shapes: &Shapes, inst: Inst) -> bool {
    let data = &func.insts[inst];
    match (data.op, data.result) {
        (Op::Atomic(..), _) => false,
        (Op::Store(flags), _) => !flags.volatile && data.args.iter().all(|a| shapes.is_same(*a)),
        (_, Some(result)) => shapes.of(result) != Shape::Varying,
        _ => true,
    }
}

/// Whether an instruction has a form for several work-items at a time; others are done for one after
/// the other.
pub(crate) fn is_packed(func: &Function, shapes: &Shapes, inst: Inst) -> bool {
    let data = &func.insts[inst];
    match data.op {
        Op::Load(flags) | Op::Store(flags) if flags.volatile || flags.predicated => false,
        Op::Load(_) => data.result.is_some_and(|r| is_row(func, shapes, data.args[0], r)),
        Op::Store(_) => is_row(func, shapes, data.args[0], data.args[1]),
        Op::VecBuild | Op::VecExtract(_) | Op::VecInsert(_) => true,
        op => crate::lower::has_packed_form(func, data, op),
    }
}

/// Whether values of neighbouring work-items stand one behind the other in memory.
fn is_row(func: &Function, shapes: &Shapes, pointer: Value, value: Value) -> bool {
    let ty = func.ty(value);
    let bytes = i64::from(width(ty) / 8);
    crate::lower::is_packable(ty)
        && matches!(shapes.of(pointer), Shape::Step { by, .. } if by == bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which phases of a kernel of one buffer go side by side.
    fn wide(body: &str) -> Vec<bool> {
        let text = format!(
            "module \"m\" addr 64 cl 200\nkernel \"k\" {{\n  arg 0 \"io\" \"float*\" global size 8 align 4\n{body}}}\n"
        );
        let module = ir::parse::parse_module(&text).unwrap_or_else(|e| panic!("{e}"));
        let Some((_, func)) = module.kernel("k") else { panic!("no kernel") };
        let cfg = Cfg::new(func);
        let phases = Phases::new(func, &cfg);
        let shapes = Shapes::new(func, &cfg, &phases);
        (0..=phases.barriers.len()).map(|k| is_wide(func, &cfg, &shapes, &phases, k)).collect()
    }

    const ELEMENT: &str = "b0:\n  v0:ptr.global = arg 0\n  v1:i64 = workitem global_id 0\n  v2:i64 = const 2\n  v3:i64 = shl v1, v2\n  v4:ptr.global = ptradd v0, v3\n  e0 v5:f32 = load v4 align 4\n";

    #[test]
    fn straight_code_goes_side_by_side() {
        let square = "  v6:f32 = fmul v5, v5\n  e1 = store v4, v6 align 4\n  ret\n";
        assert_eq!(wide(&format!("{ELEMENT}{square}")), [true]);
        let twice = "  e9 = barrier.work_group local\n";
        assert_eq!(wide(&format!("{ELEMENT}{twice}{square}")), [true, true]);
    }

    #[test]
    fn work_items_that_part_do_not() {
        let part = "  v6:f32 = const 1.0\n  v7:i1 = fcmp.olt v5, v6\n  br v7, b1, b2\nb1:\n  v8:f32 = fmul v5, v5\n  e1 = store v4, v8 align 4\n  jump b2\nb2:\n  ret\n";
        assert_eq!(wide(&format!("{ELEMENT}{part}")), [false]);
    }

    #[test]
    fn loops_left_at_different_times_leave_different_values() {
        // `v8` is counted alike, but not as long: what is behind the loop differs
        let counted = "  v6:i32 = const 0\n  v7:i32 = const 1\n  jump b1(v6)\nb1(v8:i32):\n  v9:i32 = add v8, v7\n  v10:f32 = sitofp.rte v9\n  v11:i1 = fcmp.olt v10, v5\n  br v11, b1(v9), b2\nb2:\n  e1 = store v4, v10 align 4\n  ret\n";
        let text = format!(
            "module \"m\" addr 64 cl 200\nkernel \"k\" {{\n  arg 0 \"io\" \"float*\" global size 8 align 4\n{ELEMENT}{counted}}}\n"
        );
        let module = ir::parse::parse_module(&text).unwrap_or_else(|e| panic!("{e}"));
        let Some((_, func)) = module.kernel("k") else { panic!("no kernel") };
        let cfg = Cfg::new(func);
        let shapes = Shapes::new(func, &cfg, &Phases::new(func, &cfg));
        let header = func.layout[1];
        assert_eq!(shapes.of(func.blocks[header].params[0]), Shape::Varying);
        assert_eq!(wide(&format!("{ELEMENT}{counted}")), [false]);
    }
}
