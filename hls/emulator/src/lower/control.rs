//! The loop over work-items, blocks, jumps, barriers and calls.

use super::wide::Wide;
use super::{Analysis, Frame, Kernel, Lower, Parts, Result, unsupported};
use crate::context::{self, Field};
use crate::nan::{NanClass, NanClasses};
use crate::phases::{Barrier, next_barrier};
use crate::shape::WIDTH;
use crate::types::reg;
use base::entity::SecondaryMap;
use base::{Diagnostic, Loc};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, BlockArg, InstBuilder, MemFlagsData, types};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::Switch;
use ir::analysis::Cfg;
use ir::{Block, BlockCall, Func, Function, Inst, InstData, Terminator, Value};
use std::rc::Rc;

/// Deepest nest of calls.
const MAX_CALLS: usize = 256;

impl<'a> Lower<'_, 'a, '_> {
    /// Writes the whole phase.
    pub(super) fn phase(mut self, phase: usize, config: TargetFrontendConfig) -> Result<()> {
        let size = [0, 1, 2].map(|d| self.field(Field::Size(d)));
        let row = self.b.ins().imul(size[2], size[1]);
        self.count = self.b.ins().imul(row, size[0]);
        // loops over the three dimensions; sizes are at least 1
        let heads = [0; 3].map(|_| {
            let head = self.b.create_block();
            self.b.append_block_param(head, types::I64);
            head
        });
        let zero = self.iconst(types::I64, 0);
        self.b.ins().jump(heads[2], &[zero.into()]);
        for d in [2, 1] {
            self.b.switch_to_block(heads[d]);
            self.item[d] = self.b.block_params(heads[d])[0];
            if d == 2 || !self.kernel.wide[phase] {
                self.b.ins().jump(heads[d - 1], &[zero.into()]);
            }
        }
        let row_end = self.b.create_block();
        if self.kernel.wide[phase] {
            self.wide_loop(phase, &size, heads[0], row_end)?;
        }
        self.b.switch_to_block(heads[0]);
        self.item[0] = self.b.block_params(heads[0])[0];
        self.number_item(&size);
        let next = self.b.create_block();
        self.frame.exit = next;
        self.body(phase)?;
        self.b.switch_to_block(next);
        for d in 0..3 {
            let after = if d == 0 { row_end } else { self.b.create_block() };
            let id = self.b.ins().iadd_imm_s(self.item[d], 1);
            let more = self.b.ins().icmp(IntCC::UnsignedLessThan, id, size[d]);
            self.b.ins().brif(more, heads[d], &[id.into()], after, &[]);
            self.b.switch_to_block(after);
        }
        self.give_back(context::OK);
        self.b.seal_all_blocks();
        self.b.finalize(config);
        Ok(())
    }

    /// The number of the work-item in its group.
    fn number_item(&mut self, size: &[clif::Value; 3]) {
        let rows = self.b.ins().imul(self.item[2], size[1]);
        let rows = self.b.ins().iadd(rows, self.item[1]);
        let items = self.b.ins().imul(rows, size[0]);
        self.linear = self.b.ins().iadd(items, self.item[0]);
    }

    /// From the start of a row of work-items: as many as go side by side at a time, then those that are left.
    fn wide_loop(
        &mut self,
        phase: usize,
        size: &[clif::Value; 3],
        rest: clif::Block,
        row_end: clif::Block,
    ) -> Result<()> {
        let head = self.b.create_block();
        let first = self.b.append_block_param(head, types::I64);
        let (some, left, next) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let zero = self.iconst(types::I64, 0);
        self.b.ins().jump(head, &[zero.into()]);
        self.b.switch_to_block(head);
        let end = self.b.ins().iadd_imm_s(first, WIDTH as i64);
        let fits = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, end, size[0]);
        self.b.ins().brif(fits, some, &[], left, &[]);
        self.b.switch_to_block(some);
        self.item[0] = first;
        self.number_item(size);
        self.frame.exit = next;
        let kernel: &'a Kernel<'a> = self.kernel;
        Wide::new(self, &kernel.shapes, rest).body(phase)?;
        self.b.switch_to_block(next);
        self.b.ins().jump(head, &[end.into()]);
        self.b.switch_to_block(left);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, first, size[0]);
        self.b.ins().brif(more, rest, &[first.into()], row_end, &[]);
        self.frame = Frame::new(kernel.func, self.frame.analysis.clone(), row_end);
        Ok(())
    }

    /// Returns from the phase.
    pub(super) fn give_back(&mut self, code: i64) {
        let code = self.b.ins().iconst(types::I64, code);
        self.b.ins().return_(&[code]);
    }

    /// What one work-item does in a phase, from the current block to [`Frame::exit`].
    fn body(&mut self, phase: usize) -> Result<()> {
        let kernel: &'a Kernel<'a> = self.kernel;
        let func = kernel.func;
        let analysis = self.frame.analysis.clone();
        for &v in &kernel.phases.kept {
            let ty = func.ty(v);
            self.frame.vars[v] = (0..ty.lanes).map(|_| self.b.declare_var(reg(ty))).collect();
        }
        let from = phase.checked_sub(1).map(|k| kernel.phases.barriers[k]);
        let blocks = kernel.phases.blocks(func, &analysis.cfg, from);
        for inst in self.needed_again(&blocks, from) {
            self.inst(inst)?;
        }
        match from {
            None => self.clear_private()?,
            Some(_) => self.reload(phase - 1),
        }
        self.make_blocks(&blocks);
        match from {
            None => {
                let entry = self.frame.blocks[func.entry()].ok_or_else(|| broken(func.loc))?;
                self.b.ins().jump(entry, &[]);
            }
            Some(b) => self.block_from(b.block, b.at + 1)?,
        }
        self.write_blocks(&blocks)
    }

    /// Makes a block with parameters for each block of the IR.
    pub(super) fn make_blocks(&mut self, blocks: &[Block]) {
        for &block in blocks {
            let made = self.b.create_block();
            for &p in &self.frame.func.blocks[block].params {
                let ty = self.ty(p);
                for _ in 0..ty.lanes {
                    self.b.append_block_param(made, reg(ty));
                }
            }
            self.frame.blocks[block] = Some(made);
        }
    }

    pub(super) fn write_blocks(&mut self, blocks: &[Block]) -> Result<()> {
        for &block in blocks {
            let made = self.frame.blocks[block].ok_or_else(|| broken(Loc::UNKNOWN))?;
            self.b.switch_to_block(made);
            let mut given = self.b.block_params(made).to_vec().into_iter();
            let func = self.frame.func;
            for &p in &func.blocks[block].params {
                let lanes = usize::from(func.ty(p).lanes);
                let parts: Parts = given.by_ref().take(lanes).collect();
                self.set(p, parts);
            }
            self.block_from(block, 0)?;
        }
        Ok(())
    }

    /// Writes a block from an instruction on, up to its end or its next barrier.
    fn block_from(&mut self, block: Block, from: usize) -> Result<()> {
        let func = self.frame.func;
        let insts = &func.blocks[block].insts;
        let barrier = next_barrier(func, block, from);
        for &inst in &insts[from..barrier.unwrap_or(insts.len())] {
            let again = func.insts[inst].result.is_some_and(|r| self.is_again(r));
            if !again {
                self.inst(inst)?;
            }
        }
        match barrier {
            None => self.terminator(block),
            Some(at) => self.barrier(Barrier { block, at }),
        }
    }

    /// Whether a value is computed at the start of each phase that needs it.
    pub(super) fn is_again(&self, v: Value) -> bool {
        self.stack.len() == 1 && self.kernel.phases.again[v]
    }

    /// What the blocks need and is computed again in each phase, in order.
    pub(super) fn needed_again(&self, blocks: &[Block], from: Option<Barrier>) -> Vec<Inst> {
        let phases = &self.kernel.phases;
        if phases.barriers.is_empty() {
            return vec![];
        }
        let func = self.frame.func;
        let mut needed: SecondaryMap<Value, bool> = SecondaryMap::new();
        let mut stack = vec![];
        let starts = from.map(|b| (b.block, b.at + 1)).into_iter();
        for (block, at) in starts.chain(blocks.iter().map(|b| (*b, 0))) {
            let insts = &func.blocks[block].insts;
            let end = next_barrier(func, block, at);
            for &inst in &insts[at..end.unwrap_or(insts.len())] {
                let is_again = func.insts[inst].result.is_some_and(|r| phases.again[r]);
                if !is_again {
                    stack.extend(func.insts[inst].args.iter().copied());
                }
            }
            if end.is_none() {
                func.blocks[block].term.for_each_use(|v| stack.push(v));
            }
        }
        while let Some(v) = stack.pop() {
            if phases.again[v]
                && !std::mem::replace(&mut needed[v], true)
                && let Some(inst) = func.def_inst(v)
            {
                stack.extend(func.insts[inst].args.iter().copied());
            }
        }
        let order = self.frame.analysis.cfg.rpo.iter();
        let insts = order.flat_map(|b| func.blocks[*b].insts.iter().copied());
        insts.filter(|i| func.insts[*i].result.is_some_and(|r| needed[r])).collect()
    }

    /// Private variables of the frame begin as zeros.
    fn clear_private(&mut self) -> Result<()> {
        let func = self.frame.func;
        for (object, data) in func.objects.iter() {
            if data.kind == ir::ObjectKind::Variable && data.size > 0 {
                let address = self.object(object)?;
                self.clear(address, data.size);
            }
        }
        Ok(())
    }

    /// Where a kept value of this work-item stands: the values of all work-items lie side by side.
    pub(super) fn spill(&mut self, v: Value, lane: usize) -> clif::Value {
        let bytes = reg(self.ty(v)).bytes();
        let offset = self.kernel.spills[v] + lane as u32 * bytes;
        let base = self.field(Field::Spill);
        let column = self.b.ins().imul_imm_s(self.count, i64::from(offset));
        let column = self.b.ins().iadd(base, column);
        let row = self.b.ins().imul_imm_s(self.linear, i64::from(bytes));
        self.b.ins().iadd(column, row)
    }

    fn reload(&mut self, barrier: usize) {
        let kernel: &'a Kernel<'a> = self.kernel;
        for &v in &kernel.phases.live[barrier] {
            let ty = reg(self.ty(v));
            for (lane, var) in self.frame.vars[v].clone().into_iter().enumerate() {
                let place = self.spill(v, lane);
                let x = self.b.ins().load(ty, MemFlagsData::new().with_notrap(), place, 0);
                self.b.def_var(var, x);
            }
        }
    }

    /// Ends the phase for this work-item at a barrier.
    fn barrier(&mut self, barrier: Barrier) -> Result<()> {
        let kernel: &'a Kernel<'a> = self.kernel;
        let func = self.frame.func;
        let loc = func.insts[func.blocks[barrier.block].insts[barrier.at]].loc;
        if self.stack.len() > 1 {
            let what = format!("a barrier in `{}`, which is called", func.name);
            let help = "native code takes modules in which such calls are inlined";
            return Err(Diagnostic::error("E0509", what).at(loc).help(help));
        }
        let number = kernel.phases.number(barrier).ok_or_else(|| broken(loc))?;
        for &v in &kernel.phases.live[number] {
            let parts = self.raw(v);
            for (lane, part) in parts.into_iter().enumerate() {
                let place = self.spill(v, lane);
                self.b.ins().store(MemFlagsData::new().with_notrap(), part, place, 0);
            }
        }
        self.end_item(number as u64 + 1);
        Ok(())
    }

    /// Notes how the work-item ended, in agreement with those before it, and goes on to the next one.
    pub(super) fn end_item(&mut self, how: u64) {
        self.advance();
        if self.kernel.phases.barriers.is_empty() {
            self.b.ins().jump(self.frame.exit, &[]);
            return;
        }
        let flags = MemFlagsData::trusted();
        let offset = Field::Ended.offset();
        let others = self.b.ins().load(types::I64, flags, self.context, offset);
        let how = self.iconst(types::I64, how.into());
        let same = self.b.ins().icmp(IntCC::Equal, others, how);
        let (first, note, apart) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.ins().brif(same, self.frame.exit, &[], first, &[]);
        self.b.switch_to_block(first);
        let none = self.b.ins().icmp_imm_s(IntCC::Equal, others, context::NONE as i64);
        self.b.ins().brif(none, note, &[], apart, &[]);
        self.b.switch_to_block(note);
        self.set_field(Field::Ended, how);
        self.b.ins().jump(self.frame.exit, &[]);
        self.b.set_cold_block(apart);
        self.b.switch_to_block(apart);
        self.set_field(Field::Other, how);
        self.note_item();
        self.give_back(context::DISAGREE);
    }

    pub(super) fn note_item(&mut self) {
        for d in 0..3 {
            self.set_field(Field::Item(d), self.item[usize::from(d)]);
        }
    }

    pub(super) fn terminator(&mut self, block: Block) -> Result<()> {
        let func = self.frame.func;
        let data = &func.blocks[block];
        match &data.term {
            Terminator::Jump(t) => {
                let (to, args) = self.edge(t)?;
                self.b.ins().jump(to, &args);
            }
            Terminator::Branch { cond, then_, else_ } => {
                let cond = self.scalar(*cond);
                let (then_, then_args) = self.edge(then_)?;
                let (else_, else_args) = self.edge(else_)?;
                self.b.ins().brif(cond, then_, &then_args, else_, &else_args);
            }
            Terminator::Switch { value, cases, default } => self.switch(*value, cases, default)?,
            Terminator::Return(value) if self.stack.len() > 1 => {
                let parts = value.map_or(Parts::new(), |v| self.exact(v));
                let args: Vec<BlockArg> = parts.iter().map(|p| (*p).into()).collect();
                self.b.ins().jump(self.frame.exit, &args);
            }
            Terminator::Return(_) => self.end_item(context::DONE),
            Terminator::Unreachable => {
                let place = self.unit.places.unreachable.len();
                self.unit.places.unreachable.push(data.term_loc);
                let place = self.iconst(types::I64, place as u128);
                self.set_field(Field::Other, place);
                self.note_item();
                self.give_back(context::UNREACHABLE);
            }
        }
        Ok(())
    }

    /// The block and arguments of a jump.
    fn edge(&mut self, call: &BlockCall) -> Result<(clif::Block, Vec<BlockArg>)> {
        let func: &'a Function = self.frame.func;
        let target = self.frame.blocks[call.block].ok_or_else(|| broken(func.loc))?;
        let mut args = vec![];
        for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
            let class = self.frame.analysis.nan.of(param);
            let exact = matches!(class, NanClass::Exact | NanClass::Both);
            let parts = if exact { self.exact(arg) } else { self.raw(arg) };
            args.extend(parts.iter().map(|p| BlockArg::from(*p)));
        }
        Ok((target, args))
    }

    fn switch(
        &mut self,
        value: Value,
        cases: &[(u128, BlockCall)],
        default: &BlockCall,
    ) -> Result<()> {
        for (way, call) in self.switch_ways(value, cases, default) {
            self.b.switch_to_block(way);
            let (to, args) = self.edge(call)?;
            self.b.ins().jump(to, &args);
        }
        Ok(())
    }

    /// Goes to a block of its own for each case.
    pub(super) fn switch_ways<'c>(
        &mut self,
        value: Value,
        cases: &'c [(u128, BlockCall)],
        default: &'c BlockCall,
    ) -> Vec<(clif::Block, &'c BlockCall)> {
        let w = self.frame.func.bits(value);
        let x = self.scalar(value);
        let mut switch = Switch::new();
        let mut ways = vec![];
        for (bits, call) in cases {
            let way = self.b.create_block();
            switch.set_entry(ir::builder::mask(*bits, w), way);
            ways.push((way, call));
        }
        let otherwise = self.b.create_block();
        ways.push((otherwise, default));
        switch.emit(&mut self.b, x, otherwise);
        ways
    }

    /// A call: the callee's blocks, here.
    pub(super) fn call(&mut self, callee: Func, data: &InstData) -> Result<()> {
        let module = self.shared.module;
        let func = module.functions.get(callee).ok_or_else(|| unsupported(data.op, data.loc))?;
        if self.stack.contains(&callee) || self.stack.len() >= MAX_CALLS {
            let what = format!("`{}` calls itself", func.name);
            return Err(Diagnostic::error("E0507", what).at(data.loc));
        }
        let args: Vec<Parts> = data.args.iter().map(|a| self.exact(*a)).collect();
        let after = self.b.create_block();
        if let Some(ty) = func.result {
            for _ in 0..ty.lanes {
                self.b.append_block_param(after, reg(ty));
            }
        }
        let cfg = Cfg::new(func);
        let nan = NanClasses::new(func, &cfg, true);
        let analysis = Rc::new(Analysis { cfg, nan });
        let frame = Frame::new(func, analysis.clone(), after);
        let outer = std::mem::replace(&mut self.frame, frame);
        self.stack.push(callee);
        let written = self.callee(&analysis.cfg, &args);
        self.stack.pop();
        self.frame = outer;
        written?;
        self.b.switch_to_block(after);
        if let Some(result) = data.result {
            let parts = self.b.block_params(after).iter().copied().collect();
            self.set(result, parts);
        }
        Ok(())
    }

    fn callee(&mut self, cfg: &Cfg, args: &[Parts]) -> Result<()> {
        let func = self.frame.func;
        self.clear_private()?;
        self.make_blocks(&cfg.rpo);
        let entry = self.frame.blocks[func.entry()].ok_or_else(|| broken(func.loc))?;
        let args: Vec<BlockArg> = args.iter().flatten().map(|p| (*p).into()).collect();
        self.b.ins().jump(entry, &args);
        self.write_blocks(&cfg.rpo)
    }
}

/// What only a defect can lead to.
fn broken(loc: Loc) -> Diagnostic {
    Diagnostic::error("E0001", "native code generation lost a block").at(loc)
}
