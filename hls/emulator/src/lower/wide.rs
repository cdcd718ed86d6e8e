//! Several work-items side by side: instructions for vectors where there are any.
//!
//! Values that are the same for all work-items, or follow from the first one's by a known step, are in the scalar part
//! ([`Lower`]) as the first one's. The others are [`Lane`]s here. What has no form for vectors is written
//! for one work-item after the other, by the scalar part.

use super::{Kernel, Lower, Parts, Result};
use crate::phases::{Barrier, next_barrier};
use crate::shape::{Shape, Shapes, Sure, WIDTH, is_once, is_packed};
use crate::types::{Reg, reg, width};
use base::entity::SecondaryMap;
use base::{Diagnostic, Loc, SmallVec};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self as clif, BlockArg, InstBuilder, MemFlagsData, types};
use cranelift_frontend::Variable;
use ir::{Block, BlockCall, Inst, Op, Terminator, Type, Value};

/// Bytes of a vector.
pub(super) const VECTOR: u32 = 16;

/// Vectors that hold a value of all work-items, the first ones first.
pub(super) type Packs = SmallVec<[clif::Value; 4]>;

/// A value of one lane of the IR, for all work-items.
#[derive(Clone, Debug)]
pub(super) enum Lane {
    /// One register each.
    Each([clif::Value; WIDTH]),
    /// In vectors.
    Packed(Packs),
    /// Conditions, as vectors of all ones or zeros in elements of this many bits.
    Mask(u32, Packs),
}

/// All lanes of a value.
pub(super) type Lanes = SmallVec<[Lane; 1]>;

/// How a value is handed on to another block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    One,
    Each,
    Packed,
}

/// Writes a phase for several work-items side by side.
pub(super) struct Wide<'w, 'f, 'a, 'o> {
    pub(super) s: &'w mut Lower<'f, 'a, 'o>,
    pub(super) shapes: &'a Shapes,
    values: SecondaryMap<Value, Lanes>,
    /// Variables of kept values that vary.
    vars: SecondaryMap<Value, SmallVec<[Variable; 2]>>,
    /// Conditions under which steps that are not sure are right.
    checks: SecondaryMap<Value, Option<clif::Value>>,
    /// Where the work-items go on one by one, from the first one.
    alone: (clif::Block, clif::Value),
}

/// Whether a scalar of this type goes into vectors.
pub(crate) fn is_packable(ty: Type) -> bool {
    let r = reg(ty);
    !ty.is_vector()
        && ty.space().is_none()
        && matches!(r, types::F32 | types::F64 | types::I32 | types::I64)
        && width(ty) == r.bits()
}

/// The vector type with elements of this register.
pub(super) fn vector_of(r: Reg) -> Reg {
    r.by(VECTOR / r.bytes()).unwrap_or(types::I8X16)
}

impl<'w, 'f, 'a, 'o> Wide<'w, 'f, 'a, 'o> {
    /// `alone` is the head of the loop over single work-items.
    pub(super) fn new(
        s: &'w mut Lower<'f, 'a, 'o>,
        shapes: &'a Shapes,
        alone: clif::Block,
    ) -> Self {
        let alone = (alone, s.item[0]);
        Wide {
            alone,
            s,
            shapes,
            values: SecondaryMap::new(),
            vars: SecondaryMap::new(),
            checks: SecondaryMap::new(),
        }
    }

    fn ty(&self, v: Value) -> Type {
        self.s.ty(v)
    }

    // --- the phase ---

    /// What the work-items do in a phase, from the current block to the frame's exit.
    pub(super) fn body(&mut self, phase: usize) -> Result<()> {
        let kernel: &'a Kernel<'a> = self.s.kernel;
        let func = kernel.func;
        for &v in &kernel.phases.kept {
            let regs = self.registers(v);
            let vars = regs.into_iter().map(|r| self.s.b.declare_var(r)).collect();
            if self.form(v) == Form::One {
                self.s.frame.vars[v] = vars;
            } else {
                self.vars[v] = vars;
            }
        }
        let from = phase.checked_sub(1).map(|k| kernel.phases.barriers[k]);
        let cfg = self.s.frame.analysis.clone();
        let blocks = kernel.phases.blocks(func, &cfg.cfg, from);
        for inst in self.s.needed_again(&blocks, from) {
            self.inst(inst)?;
        }
        if phase > 0 {
            self.reload(phase - 1)?;
        }
        for &block in &blocks {
            let made = self.s.b.create_block();
            for &p in &func.blocks[block].params {
                for r in self.registers(p) {
                    self.s.b.append_block_param(made, r);
                }
            }
            self.s.frame.blocks[block] = Some(made);
        }
        match from {
            None => {
                let entry = self.s.frame.blocks[func.entry()].ok_or_else(lost)?;
                self.s.b.ins().jump(entry, &[]);
            }
            Some(b) => self.block_from(b.block, b.at + 1)?,
        }
        for &block in &blocks {
            let made = self.s.frame.blocks[block].ok_or_else(lost)?;
            self.s.b.switch_to_block(made);
            let given = self.s.b.block_params(made).to_vec();
            let mut given = given.as_slice();
            for &p in &func.blocks[block].params {
                let (mine, rest) = given.split_at(self.registers(p).len());
                self.take(p, mine);
                given = rest;
            }
            self.block_from(block, 0)?;
        }
        Ok(())
    }

    fn block_from(&mut self, block: Block, from: usize) -> Result<()> {
        let func = self.s.frame.func;
        let insts = &func.blocks[block].insts;
        let barrier = next_barrier(func, block, from);
        for &inst in &insts[from..barrier.unwrap_or(insts.len())] {
            let again = func.insts[inst].result.is_some_and(|r| self.s.is_again(r));
            if !again {
                self.inst(inst)?;
            }
        }
        match barrier {
            None => self.terminator(block),
            Some(at) => self.barrier(Barrier { block, at }),
        }
    }

    fn terminator(&mut self, block: Block) -> Result<()> {
        let func = self.s.frame.func;
        match &func.blocks[block].term {
            Terminator::Jump(t) => {
                let (to, args) = self.edge(t)?;
                self.s.b.ins().jump(to, &args);
            }
            Terminator::Branch { cond, then_, else_ } => {
                let cond = self.s.scalar(*cond);
                let (then_, then_args) = self.edge(then_)?;
                let (else_, else_args) = self.edge(else_)?;
                self.s.b.ins().brif(cond, then_, &then_args, else_, &else_args);
            }
            Terminator::Switch { value, cases, default } => {
                for (way, call) in self.s.switch_ways(*value, cases, default) {
                    self.s.b.switch_to_block(way);
                    let (to, args) = self.edge(call)?;
                    self.s.b.ins().jump(to, &args);
                }
            }
            // the work-items go the same way: what the first one would do
            Terminator::Return(_) | Terminator::Unreachable => self.s.terminator(block)?,
        }
        Ok(())
    }

    fn edge(&mut self, call: &BlockCall) -> Result<(clif::Block, Vec<BlockArg>)> {
        let func = self.s.frame.func;
        let target = self.s.frame.blocks[call.block].ok_or_else(lost)?;
        let mut args = vec![];
        for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
            let given = self.give(param, arg)?;
            args.extend(given.into_iter().map(BlockArg::from));
        }
        Ok((target, args))
    }

    // --- values that go from block to block ---

    fn form(&self, v: Value) -> Form {
        match self.shapes.of(v) {
            Shape::Step { sure: Sure::Here | Sure::Always, .. } => Form::One,
            _ if is_packable(self.ty(v).lane()) => Form::Packed,
            _ => Form::Each,
        }
    }

    fn registers(&self, v: Value) -> Vec<Reg> {
        let ty = self.ty(v);
        let r = reg(ty);
        let (r, n) = match self.form(v) {
            Form::One => (r, 1),
            Form::Each => (r, WIDTH),
            Form::Packed => (vector_of(r), WIDTH * r.bytes() as usize / VECTOR as usize),
        };
        vec![r; n * usize::from(ty.lanes)]
    }

    /// `arg` in the registers of `param`.
    fn give(&mut self, param: Value, arg: Value) -> Result<Vec<clif::Value>> {
        let exact = self.s.takes_exact(param);
        let form = self.form(param);
        if form == Form::One {
            let parts = if exact { self.s.exact(arg) } else { self.s.raw(arg) };
            return Ok(parts.to_vec());
        }
        let lanes = self.lanes(arg, exact)?;
        Ok(self.flatten(self.ty(param), form, lanes))
    }

    fn flatten(&mut self, ty: Type, form: Form, lanes: Lanes) -> Vec<clif::Value> {
        let mut all = vec![];
        for lane in lanes {
            match form {
                Form::Packed => all.extend(self.packs(ty.lane(), lane)),
                _ => all.extend(self.each(ty.lane(), &lane)),
            }
        }
        all
    }

    /// Defines `v` by its registers.
    fn take(&mut self, v: Value, registers: &[clif::Value]) {
        if self.form(v) == Form::One {
            self.s.set(v, registers.iter().copied().collect());
            return;
        }
        for (var, x) in self.vars[v].clone().into_iter().zip(registers) {
            self.s.b.def_var(var, *x);
        }
        let lanes = self.unflatten(v, registers);
        self.values[v] = lanes;
    }

    fn unflatten(&self, v: Value, registers: &[clif::Value]) -> Lanes {
        let lanes = usize::from(self.ty(v).lanes);
        let size = registers.len() / lanes;
        let lane = |k: usize| {
            let mine = &registers[k * size..][..size];
            match self.form(v) {
                Form::Packed => Lane::Packed(mine.iter().copied().collect()),
                _ => Lane::Each(std::array::from_fn(|w| mine[w])),
            }
        };
        (0..lanes).map(lane).collect()
    }

    fn set(&mut self, v: Value, lanes: Lanes) {
        if !self.vars[v].is_empty() {
            let registers = self.flatten(self.ty(v), self.form(v), lanes.clone());
            for (var, x) in self.vars[v].clone().into_iter().zip(registers) {
                self.s.b.def_var(var, x);
            }
        }
        self.values[v] = lanes;
    }

    // --- values ---

    /// A value of all work-items; `exact`: with the bits that NaNs must show.
    pub(super) fn lanes(&mut self, v: Value, exact: bool) -> Result<Lanes> {
        let ty = self.ty(v);
        match self.shapes.of(v) {
            Shape::SAME => {
                let parts = if exact { self.s.exact(v) } else { self.s.raw(v) };
                Ok(parts.into_iter().map(|x| Lane::Each([x; WIDTH])).collect())
            }
            Shape::Step { .. } => Ok(Lanes::from_iter([Lane::Each(self.steps(v)?)])),
            Shape::Varying => {
                let mut lanes = if self.vars[v].is_empty() {
                    self.values[v].clone()
                } else {
                    let vars = self.vars[v].clone();
                    let all: Vec<clif::Value> =
                        vars.into_iter().map(|var| self.s.b.use_var(var)).collect();
                    self.unflatten(v, &all)
                };
                if exact && self.s.is_raw(v) {
                    for lane in &mut lanes {
                        *lane = self.canonical(ty.lane(), lane.clone());
                    }
                }
                Ok(lanes)
            }
        }
    }

    /// The values of all work-items from the first one's.
    fn steps(&mut self, v: Value) -> Result<[clif::Value; WIDTH]> {
        let Shape::Step { by, .. } = self.shapes.of(v) else { return Err(lost()) };
        if self.checks[v].is_some()
            && let Some(inst) = self.s.frame.func.def_inst(v)
        {
            // the step may be wrong here
            let parts = self.one_by_one(inst)?;
            return Ok(std::array::from_fn(|w| parts[w][0]));
        }
        let first = self.s.scalar(v);
        let bits = width(self.ty(v));
        Ok(std::array::from_fn(|w| match w {
            0 => first,
            _ => {
                let x = self.s.b.ins().iadd_imm_s(first, by.wrapping_mul(w as i64));
                self.s.wrap(x, bits)
            }
        }))
    }

    pub(super) fn each(&mut self, ty: Type, lane: &Lane) -> [clif::Value; WIDTH] {
        match lane {
            Lane::Each(all) => *all,
            Lane::Packed(packs) => {
                let n = (VECTOR / reg(ty).bytes()) as usize;
                std::array::from_fn(|w| self.s.b.ins().extractlane(packs[w / n], (w % n) as u8))
            }
            Lane::Mask(bits, packs) => {
                let n = (8 * VECTOR / bits) as usize;
                std::array::from_fn(|w| {
                    let x = self.s.b.ins().extractlane(packs[w / n], (w % n) as u8);
                    let x = self.s.b.ins().ireduce(types::I8, x);
                    self.s.b.ins().band_imm_u(x, 1)
                })
            }
        }
    }

    pub(super) fn packs(&mut self, ty: Type, lane: Lane) -> Packs {
        let all = match lane {
            Lane::Packed(packs) | Lane::Mask(_, packs) => return packs,
            Lane::Each(all) => all,
        };
        let vector = vector_of(reg(ty));
        let n = (VECTOR / reg(ty).bytes()) as usize;
        if all.iter().all(|x| *x == all[0]) {
            let pack = self.s.b.ins().splat(vector, all[0]);
            return Packs::from_elem(pack, WIDTH / n);
        }
        all.chunks_exact(n)
            .map(|part| {
                let mut pack = self.s.b.ins().scalar_to_vector(vector, part[0]);
                for (k, x) in part.iter().enumerate().skip(1) {
                    pack = self.s.b.ins().insertlane(pack, *x, k as u8);
                }
                pack
            })
            .collect()
    }

    // --- instructions ---

    fn inst(&mut self, inst: Inst) -> Result<()> {
        let func = self.s.frame.func;
        if is_once(func, self.shapes, inst) {
            self.s.inst(inst)?;
            return self.check(inst);
        }
        if is_packed(func, self.shapes, inst) && self.packed(inst)? {
            return Ok(());
        }
        let parts = self.one_by_one(inst)?;
        let Some(result) = func.insts[inst].result else { return Ok(()) };
        let lanes = (0..usize::from(func.ty(result).lanes))
            .map(|k| Lane::Each(std::array::from_fn(|w| parts[w][k])))
            .collect();
        self.set(result, lanes);
        Ok(())
    }

    /// An instruction that has a form for vectors; whether it was written.
    fn packed(&mut self, inst: Inst) -> Result<bool> {
        let func = self.s.frame.func;
        let data = &func.insts[inst];
        let lanes = match data.op {
            Op::Load(_) => self.load_row(inst)?,
            Op::Store(_) => {
                self.store_row(inst)?;
                return Ok(true);
            }
            _ => match self.compute(data)? {
                Some(lanes) => lanes,
                None => return Ok(false),
            },
        };
        if let Some(result) = data.result {
            self.set(result, lanes);
        }
        Ok(true)
    }

    /// Writes an instruction for one work-item after the other; the result's parts of each.
    pub(super) fn one_by_one(&mut self, inst: Inst) -> Result<Vec<Parts>> {
        let func = self.s.frame.func;
        let data = &func.insts[inst];
        let mut args: Vec<(Value, Vec<[clif::Value; WIDTH]>)> = vec![];
        for &a in &data.args {
            if self.shapes.is_same(a) || args.iter().any(|(b, _)| *b == a) {
                continue;
            }
            let ty = self.ty(a).lane();
            let lanes = self.lanes(a, false)?;
            args.push((a, lanes.iter().map(|l| self.each(ty, l)).collect()));
        }
        // the scalar part sees one work-item's operands at a time
        let before: Vec<_> = args
            .iter()
            .map(|(a, _)| {
                let vars = std::mem::take(&mut self.s.frame.vars[*a]);
                (self.s.frame.values[*a].clone(), vars)
            })
            .collect();
        let result_vars = data.result.map(|r| {
            let kept = self.s.frame.values[r].clone();
            (r, kept, std::mem::take(&mut self.s.frame.vars[r]))
        });
        let first = self.s.item[0];
        let linear = self.s.linear;
        let mut all = vec![];
        for w in 0..WIDTH {
            for (a, lanes) in &args {
                self.s.frame.values[*a] = lanes.iter().map(|l| l[w]).collect();
            }
            if w > 0 && matches!(data.op, Op::WorkItem(..)) {
                self.s.item[0] = self.s.b.ins().iadd_imm_s(first, w as i64);
                self.s.linear = self.s.b.ins().iadd_imm_s(linear, w as i64);
            }
            self.s.inst(inst)?;
            all.push(data.result.map_or(Parts::new(), |r| self.s.frame.values[r].clone()));
        }
        (self.s.item[0], self.s.linear) = (first, linear);
        for ((a, _), (parts, vars)) in args.iter().zip(before) {
            self.s.frame.values[*a] = parts;
            self.s.frame.vars[*a] = vars;
        }
        if let Some((r, parts, vars)) = result_vars {
            self.s.frame.values[r] = parts;
            self.s.frame.vars[r] = vars;
        }
        Ok(all)
    }

    /// Code that finds out whether the steps of a result are right.
    fn check(&mut self, inst: Inst) -> Result<()> {
        let func = self.s.frame.func;
        let data = &func.insts[inst];
        let Some(result) = data.result else { return Ok(()) };
        let Shape::Step { by, sure } = self.shapes.of(result) else { return Ok(()) };
        if sure == Sure::Always {
            return Ok(());
        }
        let mut condition = None;
        for &a in &data.args {
            condition = self.both(condition, self.checks[a]);
        }
        if matches!(data.op, Op::Sext | Op::Zext) {
            let same = self.extends_in_step(data.op, data.args[0], result, by);
            if sure == Sure::Here {
                let on = self.s.b.create_block();
                let (alone, first) = self.alone;
                self.s.b.ins().brif(same, on, &[], alone, &[first.into()]);
                self.s.b.switch_to_block(on);
                return Ok(());
            }
            condition = self.both(condition, Some(same));
        }
        self.checks[result] = condition;
        Ok(())
    }

    /// Whether an extension of the last work-item's number is as far from that of the first one's as steps say.
    fn extends_in_step(&mut self, op: Op, narrow: Value, wide: Value, by: i64) -> clif::Value {
        let (from, to) = (self.ty(narrow), self.ty(wide));
        let reach = by.wrapping_mul(WIDTH as i64 - 1);
        let first = self.s.scalar(narrow);
        let last = self.s.b.ins().iadd_imm_s(first, reach);
        let last = self.s.wrap(last, width(from));
        let last = self.s.int_resize(op, to, &[(from, last)]).unwrap_or(last);
        let first = self.s.scalar(wide);
        let expected = self.s.b.ins().iadd_imm_s(first, reach);
        let expected = self.s.wrap(expected, width(to));
        self.s.b.ins().icmp(IntCC::Equal, last, expected)
    }

    fn both(&mut self, a: Option<clif::Value>, b: Option<clif::Value>) -> Option<clif::Value> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.s.b.ins().band(a, b)),
            (a, b) => a.or(b),
        }
    }

    // --- memory ---

    /// Loads what stands one behind the other.
    fn load_row(&mut self, inst: Inst) -> Result<Lanes> {
        let func = self.s.frame.func;
        let data = &func.insts[inst];
        let ty = self.ty(data.result.ok_or_else(lost)?);
        let vector = vector_of(reg(ty));
        let n = WIDTH as u32 * reg(ty).bytes() / VECTOR;
        let after = self.s.b.create_block();
        for _ in 0..n {
            self.s.b.append_block_param(after, vector);
        }
        if let Some(scattered) = self.split_row(data.args[0]) {
            let parts = self.one_by_one(inst)?;
            let all = Lane::Each(std::array::from_fn(|w| parts[w][0]));
            let packs: Vec<BlockArg> = self.packs(ty, all).into_iter().map(Into::into).collect();
            self.s.b.ins().jump(after, &packs);
            self.s.b.switch_to_block(scattered);
        }
        let address = self.s.address(data.args[0]);
        let flags = MemFlagsData::new().with_notrap();
        let packs: Vec<BlockArg> = (0..n)
            .map(|k| self.s.b.ins().load(vector, flags, address, (k * VECTOR) as i32).into())
            .collect();
        self.s.b.ins().jump(after, &packs);
        self.s.b.switch_to_block(after);
        let packs = self.s.b.block_params(after).iter().copied().collect();
        Ok(Lanes::from_iter([Lane::Packed(packs)]))
    }

    /// Stores what is to stand one behind the other.
    fn store_row(&mut self, inst: Inst) -> Result<()> {
        let func = self.s.frame.func;
        let data = &func.insts[inst];
        let ty = self.ty(data.args[1]);
        let after = self.s.b.create_block();
        if let Some(row) = self.split_row(data.args[0]) {
            self.one_by_one(inst)?;
            self.s.b.ins().jump(after, &[]);
            self.s.b.switch_to_block(row);
        }
        let address = self.s.address(data.args[0]);
        let lane = self.lanes(data.args[1], true)?.remove(0);
        let flags = MemFlagsData::new().with_notrap();
        for (k, pack) in self.packs(ty, lane).into_iter().enumerate() {
            self.s.b.ins().store(flags, pack, address, k as i32 * VECTOR as i32);
        }
        self.s.b.ins().jump(after, &[]);
        self.s.b.switch_to_block(after);
        Ok(())
    }

    /// If it takes a check to know whether the addresses follow one another: goes on where they do not, and gives the block
    /// for where they do.
    fn split_row(&mut self, pointer: Value) -> Option<clif::Block> {
        let condition = self.checks[pointer]?;
        let (row, scattered) = (self.s.b.create_block(), self.s.b.create_block());
        self.s.b.set_cold_block(scattered);
        self.s.b.ins().brif(condition, row, &[], scattered, &[]);
        self.s.b.switch_to_block(scattered);
        Some(row)
    }

    // --- barriers ---

    fn reload(&mut self, barrier: usize) -> Result<()> {
        let kernel: &'a Kernel<'a> = self.s.kernel;
        let flags = MemFlagsData::new().with_notrap();
        for &v in &kernel.phases.live[barrier] {
            let ty = self.ty(v);
            let r = reg(ty);
            let mut all = vec![];
            for lane in 0..usize::from(ty.lanes) {
                let place = self.s.spill(v, lane);
                let (r, n) = match self.form(v) {
                    Form::One => (r, 1),
                    Form::Each => (r, WIDTH as u32),
                    Form::Packed => (vector_of(r), WIDTH as u32 * r.bytes() / VECTOR),
                };
                for k in 0..n {
                    all.push(self.s.b.ins().load(r, flags, place, (k * r.bytes()) as i32));
                }
            }
            self.take(v, &all);
        }
        Ok(())
    }

    fn barrier(&mut self, barrier: Barrier) -> Result<()> {
        let kernel: &'a Kernel<'a> = self.s.kernel;
        let number = kernel.phases.number(barrier).ok_or_else(lost)?;
        let flags = MemFlagsData::new().with_notrap();
        for &v in &kernel.phases.live[number] {
            let ty = self.ty(v);
            let lanes = self.lanes(v, false)?;
            for (k, lane) in lanes.into_iter().enumerate() {
                let place = self.s.spill(v, k);
                let (size, all): (u32, Vec<clif::Value>) = if is_packable(ty.lane()) {
                    (VECTOR, self.packs(ty.lane(), lane).to_vec())
                } else {
                    (reg(ty).bytes(), self.each(ty.lane(), &lane).to_vec())
                };
                for (n, x) in all.into_iter().enumerate() {
                    self.s.b.ins().store(flags, x, place, (n as u32 * size) as i32);
                }
            }
        }
        self.s.end_item(number as u64 + 1);
        Ok(())
    }
}

fn lost() -> Diagnostic {
    Diagnostic::error("E0001", "native code generation lost a block").at(Loc::UNKNOWN)
}
