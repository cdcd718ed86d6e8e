//! Blocks: phi, branches, returns, loop hints; the check that definitions reach their uses.

use super::pipe_value::PipeValue;
use super::{Leaves, Lower, Val};
use crate::decode::{Id, Inst};
use crate::errors::{BAD_ID, BAD_OPERAND, BAD_STRUCTURE, R, error, fail};
use crate::outline::switch_cases;
use base::entity::SecondaryMap;
use base::{FxHashMap, FxHashSet};
use ir::analysis::{Cfg, Dominators};
use ir::{Block, BlockCall, LoopHint, Speculation, Terminator, Type, Value, ValueDef};
use rspirv::spirv::Op;
use std::collections::hash_map::Entry;

/// A phi: the value for each predecessor.
pub(super) struct Phi {
    id: Id,
    ty: Id,
    values: FxHashMap<Id, Id>,
}

impl Lower<'_, '_, '_> {
    /// Gives the block at `k` a parameter for each leaf of its phis.
    pub(super) fn phi_parameters(&mut self, k: usize) -> R<()> {
        let spv = self.spv;
        let block = self.blocks[&k];
        let mut phis = vec![];
        for inst in &spv.insts[self.raw.blocks[k].insts.clone()] {
            if inst.op != Op::Phi {
                continue;
            }
            self.check(k != 0, inst, "it stands in the entry block")?;
            self.check(inst.args.len().is_multiple_of(2), inst, "its operands are not pairs")?;
            let (id, ty) = (inst.result()?, inst.ty()?);
            let shape = self.pipes.shape(id);
            let types = match &shape {
                Some(shape) => self.pipe_types(shape, ty)?,
                None => spv.types.leaf_types(ty)?,
            };
            self.link.spend(types.len())?;
            let params: Leaves = types.iter().map(|t| self.b.func.add_param(block, *t)).collect();
            let val = match shape {
                Some(shape) => Val::Pipe(PipeValue::of_leaves(shape, params)),
                None => Val::Leaves(params),
            };
            self.vals.insert(id, val);
            let values = inst.args.chunks_exact(2).map(|p| (p[1], p[0])).collect();
            phis.push(Phi { id, ty, values });
        }
        self.phis.insert(k, phis);
        Ok(())
    }

    /// Gives every jump the values of its target's phis.
    pub(super) fn phi_arguments(&mut self) -> R<()> {
        for k in self.edges.clone() {
            let raw = &self.raw.blocks[k];
            let Some(end) = self.ends[k] else { continue };
            self.b.switch_to(end);
            self.b.loc = self.b.func.blocks[end].term_loc;
            let mut args: FxHashMap<Block, Leaves> = FxHashMap::default();
            for target in &raw.targets {
                let position = self.raw.by_label[target];
                let block = self.blocks[&position];
                if let Entry::Vacant(slot) = args.entry(block) {
                    slot.insert(self.edge(raw.label, position)?);
                }
            }
            for call in self.b.func.blocks[end].term.targets_mut() {
                call.args = args.get(&call.block).cloned().unwrap_or_default();
            }
            self.link.spend(self.b.func.blocks[end].term.targets().len())?;
        }
        Ok(())
    }

    /// The values of the phis of the block at `position` when control comes from `from`.
    fn edge(&mut self, from: Id, position: usize) -> R<Leaves> {
        let phis = self.phis.remove(&position).unwrap_or_default();
        let mut args = Leaves::new();
        for phi in &phis {
            let Some(&value) = phi.values.get(&from) else {
                return fail(
                    BAD_OPERAND,
                    format!(
                        "OpPhi {} has no value for predecessor %{from}",
                        self.spv.describe(phi.id)
                    ),
                );
            };
            let (leaves, types) = match self.pipes.shape(phi.id) {
                Some(shape) => {
                    let leaves = self.pipe_as(value, &shape, phi.ty)?;
                    (leaves, self.pipe_types(&shape, phi.ty)?)
                }
                None => (self.leaves(value)?, self.spv.types.leaf_types(phi.ty)?),
            };
            let fits = types.len() == leaves.len()
                && types.iter().zip(&leaves).all(|(t, v)| *t == self.ty(*v));
            if !fits {
                return fail(
                    BAD_OPERAND,
                    format!(
                        "OpPhi {} and its value {} are not of one type",
                        self.spv.describe(phi.id),
                        self.spv.describe(value)
                    ),
                );
            }
            args.extend(leaves);
        }
        self.link.spend(args.len())?;
        self.phis.insert(position, phis);
        Ok(args)
    }

    fn target(&self, label: Id) -> BlockCall {
        BlockCall::new(self.blocks[&self.raw.by_label[&label]], [])
    }

    /// `OpBranch`
    pub(super) fn branch(&mut self, inst: &Inst) -> R<()> {
        let target = self.target(inst.arg(0)?);
        self.b.terminate(Terminator::Jump(target));
        Ok(())
    }

    /// `OpBranchConditional`
    pub(super) fn branch_conditional(&mut self, inst: &Inst) -> R<()> {
        let cond = self.operand(inst, 0)?;
        self.check(self.ty(cond) == Type::BOOL, inst, "its condition is not boolean")?;
        let (then_, else_) = (self.target(inst.arg(1)?), self.target(inst.arg(2)?));
        self.b.terminate(match then_ == else_ {
            true => Terminator::Jump(then_),
            false => Terminator::Branch { cond, then_, else_ },
        });
        Ok(())
    }

    /// `OpSwitch`
    pub(super) fn switch(&mut self, inst: &Inst) -> R<()> {
        let value = self.operand(inst, 0)?;
        let ty = self.ty(value);
        self.check(ty.is_int() && !ty.is_vector(), inst, "its selector is not an integer")?;
        let width = ty.lane_bits(0);
        let default = self.target(inst.arg(1)?);
        let mut seen = FxHashSet::default();
        let mut cases = vec![];
        for (literal, target) in switch_cases(inst, width.div_ceil(32) as usize)? {
            let bits = ir::builder::mask(crate::constants::literal_bits(literal), width);
            self.check(seen.insert(bits), inst, &format!("two cases have the value {bits}"))?;
            cases.push((bits, self.target(target)));
        }
        self.b.terminate(match cases.is_empty() {
            true => Terminator::Jump(default),
            false => Terminator::Switch { value, cases, default },
        });
        Ok(())
    }

    /// `OpReturn`
    pub(super) fn return_void(&mut self, inst: &Inst) -> R<()> {
        let void = self.is_void(self.raw.result);
        self.check(void, inst, "the function has a result")?;
        self.b.ret(None);
        Ok(())
    }

    /// `OpReturnValue`
    pub(super) fn return_value(&mut self, inst: &Inst) -> R<()> {
        let leaves = self.leaves(inst.arg(0)?)?;
        let types = self.spv.types.leaf_types(self.raw.result)?;
        let fits = types.len() == leaves.len()
            && types.iter().zip(&leaves).all(|(t, v)| *t == self.ty(*v));
        self.check(fits, inst, "the value is not of the function's result type")?;
        match self.return_slot {
            Some(slot) => {
                self.store_leaves(inst, slot, self.raw.result, &leaves, Default::default())?;
                self.b.ret(None);
            }
            None => self.b.ret(leaves.first().copied()),
        }
        Ok(())
    }

    /// `OpUnreachable`
    pub(super) fn unreachable(&mut self, _inst: &Inst) -> R<()> {
        self.b.terminate(Terminator::Unreachable);
        Ok(())
    }

    /// `OpLoopMerge` and `OpLoopControlINTEL`: hints on the header. `at` is the position of the
    /// loop control mask.
    pub(super) fn loop_hint(&mut self, inst: &Inst, at: usize) -> R<()> {
        // llvm-spirv leaves merges on blocks behind a loop, with one block as both operands.
        if inst.op == Op::LoopMerge && inst.arg(0)? == inst.arg(1)? {
            return Ok(());
        }
        let mask = inst.arg(at)?;
        let mut params = inst.args[at + 1..].iter().copied();
        let mut hint = LoopHint::default();
        for bit in (0..32).map(|k| 1u32 << k).filter(|b| mask & b != 0) {
            // Bits with a parameter (SPIR-V "Loop Control", SPV_INTEL_fpga_loop_controls).
            const WITH_PARAMETER: u32 = 0x37f_01f8;
            let n = match bit & WITH_PARAMETER != 0 {
                true => params.next().unwrap_or(0),
                false => 0,
            };
            match bit {
                0x1 => hint.unroll = Some(0),
                0x2 => hint.unroll = Some(1),
                0x4 => hint.ivdep = true,
                0x8 => hint.dependency_length = n,
                // Arrays with a distance each; what is not said of the others holds of none.
                0x4_0000 => params.by_ref().take(2 * n as usize).for_each(drop),
                0x100 => hint.unroll = Some(n.max(1)),
                0x1_0000 => hint.ii = Some(n.max(1)),
                0x2_0000 => hint.max_concurrency = n,
                // How many is found out; none at all is a wish.
                0x40_0000 if n == 0 => hint.speculation = Speculation::Off,
                0x80_0000 => hint.no_fusion = true,
                _ => {}
            }
        }
        let block = self.b.block();
        self.b.func.blocks[block].hint = hint;
        Ok(())
    }

    /// Whether a type is void.
    pub(super) fn is_void(&self, ty: Id) -> bool {
        matches!(self.spv.types.get(ty).map(|t| &t.kind), Ok(crate::types::Kind::Void))
    }

    /// Fails if a value is used where its definition does not reach: the producer's defect,
    /// which the IR verifier would call ours.
    pub(super) fn check_dominance(&mut self) -> R<()> {
        let func = &mut *self.b.func;
        let cfg = Cfg::new(func);
        let dom = Dominators::new(func, &cfg);
        // Hints count on loop headers only; elsewhere a producer misplaced them.
        for &b in &cfg.rpo {
            let hint = func.blocks[b].hint;
            if hint != LoopHint::default() && !cfg.preds[b].iter().any(|p| dom.dominates(b, *p)) {
                func.blocks[b].hint = LoopHint::default();
            }
        }
        let func = &*func;
        let mut home: SecondaryMap<ir::Inst, Option<Block>> = SecondaryMap::new();
        for &b in &func.layout {
            for &i in &func.blocks[b].insts {
                home[i] = Some(b);
            }
        }
        let reaches = |v: Value, block: Block| match func.values[v].def {
            ValueDef::Param(b, _) => dom.dominates(b, block),
            // Inside a block, definitions come first because blocks are lowered in order.
            ValueDef::Inst(i) => home[i].is_some_and(|b| dom.dominates(b, block)),
        };
        for &b in func.layout.iter().filter(|b| cfg.is_reachable(**b)) {
            let data = &func.blocks[b];
            for &i in &data.insts {
                let inst = &func.insts[i];
                if !inst.args.iter().all(|v| reaches(*v, b)) {
                    return Err(unreached(func.name.as_str(), inst.loc));
                }
            }
            let mut ok = true;
            data.term.for_each_use(|v| ok &= reaches(v, b));
            if !ok {
                return Err(unreached(func.name.as_str(), data.term_loc));
            }
        }
        if !cfg.preds[func.entry()].is_empty() {
            return fail(BAD_STRUCTURE, format!("`{}` jumps to its entry block", func.name));
        }
        Ok(())
    }
}

fn unreached(function: &str, loc: base::Loc) -> Box<base::Diagnostic> {
    Box::new(
        error(
            BAD_ID,
            format!("in `{function}` a value is used where its definition does not reach"),
        )
        .at(loc),
    )
}
