//! How addresses move: from one iteration to the next in kernels of one work-item, elsewhere from one token to the
//! next (a work-item, or several side by side), since those follow one another through loops, too.

use crate::View;
use ir::{Block, Inst, Op, Query, Value, ValueDef};
use report::Pattern;
use schedule::trips::difference;

/// Operations that are looked through before an address counts as irregular.
const DEEPEST: u32 = 64;

/// Bytes that an access's address moves by, where that is always the same.
pub(crate) fn stride(view: &View<'_>, inst: Inst) -> Option<i64> {
    let block = view.home[inst]?;
    let around =
        view.in_loop[block].filter(|_| view.s.task).map(|k| view.s.loops[k as usize].header);
    let address = *view.s.func.insts[inst].args.first()?;
    Walk { view, around }.of(address, 0)
}

/// What a stride is called.
pub(crate) fn pattern(stride: Option<i64>, bytes: u32) -> Pattern {
    match stride {
        Some(0) => Pattern::Same,
        Some(n) if n == i64::from(bytes) => Pattern::Consecutive,
        Some(_) => Pattern::Strided,
        None => Pattern::Irregular,
    }
}

struct Walk<'a> {
    view: &'a View<'a>,
    /// Header of the innermost loop, in kernels of one work-item.
    around: Option<Block>,
}

impl Walk<'_> {
    /// By how much a value moves; `None` when that is not constant.
    fn of(&self, v: Value, depth: u32) -> Option<i64> {
        let func = &self.view.s.func;
        if depth > DEEPEST {
            return None;
        }
        let next = |v: Value| self.of(v, depth + 1);
        let inst = match func.values[v].def {
            ValueDef::Inst(inst) => inst,
            ValueDef::Param(block, k) => return self.param(block, k as usize, v, depth),
        };
        let data = &func.insts[inst];
        let args = &data.args;
        let constant = |v: Value| {
            let c = func.as_const(v)?;
            i64::try_from(ir::builder::sign_extend(c, func.bits(v))).ok()
        };
        match data.op {
            Op::Const(_) | Op::Arg { .. } | Op::ObjAddr(_) => Some(0),
            Op::WorkItem(q, d) if self.around.is_none() => match q {
                // The next token is as many work-items further as go side by side.
                Query::GlobalId | Query::LocalId if d == 0 => {
                    Some(i64::from(self.view.made.kernel.signature.simd))
                }
                _ => Some(0),
            },
            // The same for all iterations of a work-item.
            Op::WorkItem(..) => Some(0),
            Op::Add | Op::PtrAdd => next(args[0])?.checked_add(next(args[1])?),
            Op::Sub => next(args[0])?.checked_sub(next(args[1])?),
            Op::Zext | Op::Sext | Op::Bitcast | Op::IntToPtr | Op::PtrToInt | Op::SpaceCast => {
                next(args[0])
            }
            // Compilers write `|` for `+` below the low bits that stay 0.
            Op::Or => match (next(args[0])?, constant(args[1])) {
                (n, Some(c))
                    if c >= 0
                        && n.unsigned_abs() % (c.unsigned_abs() + 1).next_power_of_two() == 0 =>
                {
                    Some(n)
                }
                (0, None) => next(args[1]).filter(|n| *n == 0),
                _ => None,
            },
            Op::Slice { lo: 0 } => next(args[0]),
            Op::Concat => match func.as_const(args[1]) {
                // The first operand lies above the second.
                Some(_) => next(args[0])?.checked_mul(1i64.checked_shl(func.bits(args[1]))?),
                None => self.fixed(inst, depth),
            },
            Op::Shl => match constant(args[1]) {
                Some(n) => next(args[0])?.checked_mul(1i64.checked_shl(u32::try_from(n).ok()?)?),
                None => self.fixed(inst, depth),
            },
            Op::Mul => match (constant(args[0]), constant(args[1])) {
                (_, Some(n)) => next(args[0])?.checked_mul(n),
                (Some(n), _) => next(args[1])?.checked_mul(n),
                _ => self.fixed(inst, depth),
            },
            op if op.is_effect() => self.outside(inst),
            _ => self.fixed(inst, depth),
        }
    }

    /// An operation that does not move since nothing that it uses does.
    fn fixed(&self, inst: Inst, depth: u32) -> Option<i64> {
        let args = &self.view.s.func.insts[inst].args;
        args.iter().all(|a| self.of(*a, depth + 1) == Some(0)).then_some(0)
    }

    /// The result of an access: fixed when it was loaded before the loop.
    fn outside(&self, inst: Inst) -> Option<i64> {
        let header = self.around?;
        let inside = self.view.s.loops.iter().find(|l| l.header == header)?;
        (!inside.blocks.contains(&self.view.home[inst]?)).then_some(0)
    }

    fn param(&self, block: Block, k: usize, v: Value, depth: u32) -> Option<i64> {
        let Some(header) = self.around else { return self.entering(block, k, v, depth) };
        let l = self.view.s.loops.iter().find(|l| l.header == header)?;
        if !l.blocks.contains(&block) {
            return Some(0);
        }
        if block != header {
            return None;
        }
        // An induction variable: each way back adds the same constant, or nothing.
        let mut steps = l.back_edges.iter().map(|(source, position)| {
            let targets = self.view.s.func.blocks[*source].term.targets();
            let next = *targets.get(*position as usize)?.args.get(k)?;
            difference(&self.view.s.func, v, next)
        });
        let first = steps.next()??;
        steps.all(|s| s == Some(first)).then_some(first)
    }

    /// The difference of neighbouring work-items in the same iteration of a loop that adds the same for all of them each time:
    /// that which they had when they entered it.
    fn entering(&self, block: Block, k: usize, v: Value, depth: u32) -> Option<i64> {
        let func = &self.view.s.func;
        let l = self.view.s.loops.iter().find(|l| l.header == block)?;
        let mut first = None;
        for &source in &func.layout {
            for (position, call) in func.blocks[source].term.targets().into_iter().enumerate() {
                if call.block != block {
                    continue;
                }
                let next = *call.args.get(k)?;
                if l.back_edges.contains(&(source, position as u32)) {
                    difference(func, v, next).or_else(|| self.same_step(v, next, depth))?;
                    continue;
                }
                let stride = self.of(next, depth + 1)?;
                if first.is_some_and(|f| f != stride) {
                    return None;
                }
                first = Some(stride);
            }
        }
        first
    }

    /// Whether `next - v` is something that does not differ between work-items, such as a kernel argument; then 0.
    fn same_step(&self, v: Value, next: Value, depth: u32) -> Option<i64> {
        let data = &self.view.s.func.insts[self.view.s.func.def_inst(next)?];
        let other = match (data.op, data.args.as_slice()) {
            (Op::Add | Op::PtrAdd | Op::Sub, [a, other]) if *a == v => *other,
            (Op::Add, [other, a]) if *a == v => *other,
            _ => return None,
        };
        self.of(other, depth + 1).filter(|n| *n == 0)
    }
}
