//! Decodes a function of the IR into [`Code`].

use crate::code::{
    CallSite, Code, Decoded, Fixup, FloatOp, MemoryOp, PipeUse, PureOp, Region, Slot, SwitchTable,
    VectorOp,
};
use crate::pipe::FIELDS;
use base::entity::{EntityRef, SecondaryMap};
use base::{Diagnostic, FxHashMap, Loc, SmallVec};
use ir::{
    AtomicOp, Block, BlockCall, FloatKind, Function, Inst, InstData, ObjectKind, Op, PipeOp,
    Rounding, Scalar, SubGroupMark, Terminator, Type, Value,
};

/// Address of the first object of private and of local memory, and the distance between two
/// objects: small offsets from null and past an object's end belong to no object.
pub(crate) const GUARD: u64 = 4096;

/// Most private memory of one function, in bytes: each work-item of a group has its own.
const MAX_PRIVATE_BYTES: u64 = 1 << 24;

/// Decodes a function that the verifier accepts. What the interpreter cannot do is an error.
pub(crate) fn decode(func: &Function) -> Result<Decoded, Diagnostic> {
    let mut decoder = Decoder {
        func,
        slots: SecondaryMap::new(),
        block_pc: SecondaryMap::new(),
        jumps: vec![],
        scratch: 0,
        object_offsets: FxHashMap::default(),
        out: Decoded {
            code: vec![],
            locs: vec![],
            template: vec![],
            fixups: vec![],
            params: vec![],
            pure: vec![],
            vector: vec![],
            memory: vec![],
            pipes: vec![],
            calls: vec![],
            switches: vec![],
            regions: vec![],
            object_names: func.objects.values().map(|o| o.name.clone()).collect(),
            tables: func.tables.clone(),
            private_span: 0,
            private_bytes: 0,
            has_barrier: false,
        },
    };
    decoder.assign_slots();
    decoder.place_objects()?;
    let entry = &func.blocks[func.entry()];
    decoder.out.params = entry.params.iter().flat_map(|p| decoder.lanes(*p)).collect();
    for &block in &func.layout {
        decoder.block(block)?;
    }
    decoder.patch_jumps();
    Ok(decoder.out)
}

/// A place in the code where the address of a block belongs.
enum JumpField {
    Jump,
    Then,
    Else,
    Case(usize),
    Default,
}

struct Decoder<'a> {
    func: &'a Function,
    /// First slot of each value.
    slots: SecondaryMap<Value, Slot>,
    block_pc: SecondaryMap<Block, u32>,
    /// Jumps to blocks whose place is not known yet.
    jumps: Vec<(usize, JumpField, Block)>,
    /// A slot for exchanging block arguments in a cycle.
    scratch: Slot,
    object_offsets: FxHashMap<ir::Object, u32>,
    out: Decoded,
}

impl Decoder<'_> {
    fn ty(&self, v: Value) -> Type {
        self.func.ty(v)
    }

    fn lane_bits(&self, ty: Type) -> u32 {
        ty.lane_bits(self.func.addr_bits)
    }

    /// Slots of one lane.
    fn lane_slots(&self, ty: Type) -> u32 {
        self.lane_bits(ty).div_ceil(64)
    }

    fn count(&self, v: Value) -> u32 {
        self.lane_slots(self.ty(v)) * u32::from(self.ty(v).lanes)
    }

    /// All slots of a value.
    fn lanes(&self, v: Value) -> std::ops::Range<Slot> {
        self.slots[v]..self.slots[v] + self.count(v)
    }

    fn assign_slots(&mut self) {
        let mut next = 0;
        for &block in &self.func.layout {
            let data = &self.func.blocks[block];
            let results = data.insts.iter().filter_map(|i| self.func.insts[*i].result);
            for v in data.params.iter().copied().chain(results) {
                self.slots[v] = next;
                next += self.count(v);
            }
        }
        self.scratch = next;
        self.out.template = vec![0; next as usize + 1];
    }

    fn place_objects(&mut self) -> Result<(), Diagnostic> {
        let (mut offset, mut storage) = (0u64, 0u64);
        for (id, object) in self.func.objects.iter() {
            if object.kind != ObjectKind::Variable {
                continue;
            }
            offset = offset.next_multiple_of(u64::from(object.align).max(16));
            let too_large = || {
                Diagnostic::error("E0508", format!("private object `{}` is too large", object.name))
                    .at(object.loc)
            };
            let place = u32::try_from(offset).map_err(|_| too_large())?;
            if object.size.saturating_add(storage) > MAX_PRIVATE_BYTES {
                return Err(too_large());
            }
            self.object_offsets.insert(id, place);
            let object = id.index() as u32;
            let size = self.func.objects[id].size;
            self.out.regions.push(Region { offset, size, storage, object });
            offset += size + GUARD;
            storage += size;
        }
        // frames start at any multiple of the largest alignment
        let align = self.func.objects.values().map(|o| u64::from(o.align)).max().unwrap_or(1);
        self.out.private_span = offset.next_multiple_of(align.max(GUARD));
        self.out.private_bytes = storage;
        Ok(())
    }

    fn emit(&mut self, code: Code, loc: Loc) {
        self.out.code.push(code);
        self.out.locs.push(loc);
    }

    fn block(&mut self, block: Block) -> Result<(), Diagnostic> {
        self.block_pc[block] = self.out.code.len() as u32;
        for &inst in &self.func.blocks[block].insts {
            self.inst(inst)?;
        }
        self.terminator(block);
        Ok(())
    }

    fn inst(&mut self, inst: Inst) -> Result<(), Diagnostic> {
        let data = &self.func.insts[inst];
        match data.op {
            Op::Load(_) | Op::Store(_) | Op::Atomic(..) => self.memory(data)?,
            Op::Pipe { op, arg, predicated } => self.pipe(data, op, arg, predicated),
            Op::Barrier(..) => {
                self.out.has_barrier = true;
                self.emit(Code::Barrier, data.loc);
            }
            Op::Fence(_) => {}
            Op::SubGroup(SubGroupMark::NewBarrier) => {
                if let Some(result) = data.result {
                    self.copy(self.slots[result], self.slots[data.args[0]], 1, data.loc);
                }
            }
            // As read, and where all work-items come together, all of them call the function.
            Op::SubGroup(mark) => {
                let active = u128::from(mark == SubGroupMark::Active);
                if let Some(result) = data.result {
                    self.pure(Op::Const(active), data, result)?;
                }
            }
            Op::Call(callee) => {
                let args = data.args.iter().flat_map(|a| self.lanes(*a)).collect();
                let result = data.result.map_or(0, |r| self.slots[r]);
                self.out.calls.push(CallSite { callee: callee.index() as u32, args, result });
                self.emit(Code::Call(self.out.calls.len() as u32 - 1), data.loc);
            }
            op => {
                let Some(result) = data.result else { return Ok(()) };
                self.pure(op, data, result)?;
            }
        }
        Ok(())
    }

    /// Pure operations: sources, vector operations, then lane by lane.
    fn pure(&mut self, op: Op, data: &InstData, result: Value) -> Result<(), Diagnostic> {
        let ty = self.ty(result);
        let d = self.slots[result];
        let per_lane = self.lane_slots(ty);
        let arg = |k: usize| data.args[k];
        match op {
            Op::Const(bits) => {
                for slot in (d..).step_by(per_lane as usize).take(ty.lanes.into()) {
                    self.set_template(slot, self.lane_bits(ty), bits);
                }
            }
            Op::Arg { index, offset } => {
                self.out.fixups.push(Fixup::Arg { d, index, offset, ty });
            }
            Op::ObjAddr(object) => match self.func.objects[object].kind {
                ObjectKind::Variable => {
                    let offset = self.object_offsets[&object];
                    self.emit(Code::PrivateAddr { d, offset }, data.loc);
                }
                ObjectKind::Global(global) => self.out.fixups.push(Fixup::Global { d, global }),
                ObjectKind::LocalArg(index) => {
                    self.out.fixups.push(Fixup::LocalArg { d, index });
                }
            },
            Op::WorkItem(query, dim) => self.emit(Code::WorkItem { query, dim, d }, data.loc),
            Op::VecBuild => {
                for (k, &a) in data.args.iter().enumerate() {
                    self.copy(d + k as u32 * per_lane, self.slots[a], per_lane, data.loc);
                }
            }
            Op::VecExtract(k) => {
                let a = self.slots[arg(0)] + u32::from(k) * per_lane;
                self.copy(d, a, per_lane, data.loc);
            }
            Op::VecInsert(k) => {
                self.copy(d, self.slots[arg(0)], self.count(result), data.loc);
                self.copy(d + u32::from(k) * per_lane, self.slots[arg(1)], per_lane, data.loc);
            }
            Op::VecExtractDyn | Op::VecInsertDyn
                if self.count(data.args[data.args.len() - 1]) > 1 =>
            {
                let what = "a vector index of more than 64 bits is not supported";
                return Err(Diagnostic::error("E0509", what).at(data.loc));
            }
            Op::VecExtractDyn => {
                let (a, index) = (self.slots[arg(0)], self.slots[arg(1)]);
                let lanes = self.ty(arg(0)).lanes.into();
                self.vector(VectorOp::ExtractDyn { d, a, index, lanes, count: per_lane }, data.loc);
            }
            Op::VecInsertDyn => {
                self.copy(d, self.slots[arg(0)], self.count(result), data.loc);
                let (a, index) = (self.slots[arg(1)], self.slots[arg(2)]);
                let lanes = ty.lanes.into();
                self.vector(VectorOp::InsertDyn { d, a, index, lanes, count: per_lane }, data.loc);
            }
            Op::Bitcast if self.lane_bits(ty) != self.lane_bits(self.ty(arg(0))) => {
                let (from, to) = (self.lane_bits(self.ty(arg(0))), self.lane_bits(ty));
                let bits = self.func.bits(result);
                let a = self.slots[arg(0)];
                self.vector(VectorOp::Bitcast { d, a, from, to, bits }, data.loc);
            }
            Op::Lookup(_) => self.scalar(op, data, result, 0),
            _ => {
                check_conversion(op, data, self.func)?;
                for lane in 0..u32::from(ty.lanes) {
                    self.scalar(op, data, result, lane);
                }
            }
        }
        Ok(())
    }

    fn set_template(&mut self, slot: Slot, bits: u32, value: u128) {
        let value = ir::builder::mask(value, bits);
        self.out.template[slot as usize] = value as u64;
        if bits > 64 {
            self.out.template[slot as usize + 1] = (value >> 64) as u64;
        }
    }

    fn copy(&mut self, d: Slot, a: Slot, count: u32, loc: Loc) {
        for k in 0..count {
            self.emit(Code::Move { d: d + k, a: a + k }, loc);
        }
    }

    fn vector(&mut self, op: VectorOp, loc: Loc) {
        self.out.vector.push(op);
        self.emit(Code::Vector(self.out.vector.len() as u32 - 1), loc);
    }

    /// One lane of a lane-wise operation.
    fn scalar(&mut self, op: Op, data: &InstData, result: Value, lane: u32) {
        let operand = |v: Value| {
            let ty = self.ty(v);
            let lane = if ty.is_vector() { lane } else { 0 };
            (ty.lane(), self.slots[v] + lane * self.lane_slots(ty))
        };
        let args: SmallVec<[(Type, Slot); 3]> = data.args.iter().map(|a| operand(*a)).collect();
        let ty = self.ty(result).lane();
        let d = self.slots[result] + lane * self.lane_slots(ty);
        let narrow = args.iter().map(|a| a.0).chain([ty]).all(|t| self.lane_slots(t) == 1);
        let fast = if narrow { self.fast(op, ty, d, &args) } else { None };
        let code = fast.unwrap_or_else(|| {
            self.out.pure.push(PureOp { op, result: ty, d, args });
            Code::Pure(self.out.pure.len() as u32 - 1)
        });
        self.emit(code, data.loc);
    }

    /// The instruction for a common operation on values of up to 64 bits.
    fn fast(&self, op: Op, ty: Type, d: Slot, args: &[(Type, Slot)]) -> Option<Code> {
        let s = (64 - self.lane_bits(ty)) as u8;
        let operand = args.first()?.0;
        let from = (64 - self.lane_bits(operand)) as u8;
        let a = args[0].1;
        let b = args.get(1).map_or(0, |x| x.1);
        let c = args.get(2).map_or(0, |x| x.1);
        Some(match op {
            Op::Add | Op::PtrAdd => Code::Add { s, d, a, b },
            Op::Sub => Code::Sub { s, d, a, b },
            Op::Mul => Code::Mul { s, d, a, b },
            Op::And => Code::And { d, a, b },
            Op::Or => Code::Or { d, a, b },
            Op::Xor => Code::Xor { d, a, b },
            Op::Not => Code::Not { s, d, a },
            Op::Shl => Code::Shl { s, d, a, b },
            Op::LShr => Code::LShr { s, d, a, b },
            Op::AShr => Code::AShr { s, d, a, b },
            Op::ICmp(cc) => Code::ICmp { cc, s: from, d, a, b },
            Op::Select => Code::Select { d, c: a, a: b, b: c },
            Op::Sext => Code::Sext { from, s, d, a },
            Op::Zext | Op::Bitcast | Op::PtrToInt | Op::IntToPtr => Code::Move { d, a },
            Op::Slice { lo } => Code::Slice { lo, s, d, a },
            Op::Concat => Code::Concat { w: self.lane_bits(args[1].0) as u8, d, a, b },
            _ => return fast_float(op, operand, [d, a, b, c]),
        })
    }

    fn memory(&mut self, data: &InstData) -> Result<(), Diagnostic> {
        let (flags, atomic) = match data.op {
            Op::Atomic(op, flags) => (flags, op),
            op => (op.mem_flags().unwrap_or(ir::MemFlags::aligned(1)), AtomicOp::Load),
        };
        let mut args: &[Value] = &data.args;
        let mut predicate = None;
        let mut parts = 1;
        if flags.predicated
            && let Some((last, rest)) = args.split_last()
        {
            predicate = Some(self.slots[*last]);
            parts = self.func.bits(*last);
            args = rest;
        }
        let operand = |k: usize| args.get(k).map_or(0, |v| self.slots[*v]);
        let value = data.result.unwrap_or_else(|| args[args.len() - 1]);
        let ty = self.ty(value);
        let width = self.lane_bits(ty);
        if matches!(data.op, Op::Atomic(..)) && (width > 64 || ty.is_vector()) {
            let what = format!("atomic operations on {ty} are not supported");
            return Err(Diagnostic::error("E0509", what).at(data.loc));
        }
        self.out.memory.push(MemoryOp {
            space: self.ty(args[0]).space().unwrap_or(ir::Space::Global),
            flags,
            pointer: self.slots[args[0]],
            predicate,
            parts,
            data: self.slots[value],
            operands: [operand(1), operand(2)],
            atomic,
            lanes: ty.lanes.into(),
            width,
            lane_bytes: width / 8,
        });
        let index = self.out.memory.len() as u32 - 1;
        let code = match data.op {
            Op::Load(_) => Code::Load(index),
            Op::Store(_) => Code::Store(index),
            _ => Code::Atomic(index),
        };
        self.emit(code, data.loc);
        Ok(())
    }

    /// The descriptor's fields get registers of their own, which a launch sets.
    fn pipe(&mut self, data: &InstData, op: PipeOp, arg: u32, predicated: bool) {
        let descriptor = self.out.template.len() as Slot;
        for (k, (offset, bytes)) in FIELDS.into_iter().enumerate() {
            self.out.template.push(0);
            let (d, ty) = (descriptor + k as Slot, Type::int(8 * bytes));
            self.out.fixups.push(Fixup::Arg { d, index: arg, offset, ty });
        }
        let predicate = data.args.last().filter(|_| predicated).map(|p| self.slots[*p]);
        let packet = data.args.first().copied().filter(|_| op.writes());
        let value = data.result.or(packet);
        let number =
            data.args.get(usize::from(op.writes())).filter(|_| op.by_position() == Some(true));
        self.out.pipes.push(PipeUse {
            op,
            arg,
            descriptor,
            predicate,
            data: value.map_or(0, |v| self.slots[v]),
            slots: value.map_or(0, |v| self.count(v)),
            number: number.map(|v| self.slots[*v]),
        });
        self.emit(Code::Pipe(self.out.pipes.len() as u32 - 1), data.loc);
    }

    fn terminator(&mut self, block: Block) {
        let data = &self.func.blocks[block];
        let loc = data.term_loc;
        let at = self.out.code.len();
        match &data.term {
            Terminator::Jump(t) => self.edge(t, loc),
            Terminator::Branch { cond, then_, else_ } => {
                let c = self.slots[*cond];
                self.emit(Code::Branch { c, then_: 0, else_: 0 }, loc);
                self.target(at, JumpField::Then, then_, loc);
                self.target(at, JumpField::Else, else_, loc);
            }
            Terminator::Switch { value, cases, default } => {
                let (a, count) = (self.slots[*value], self.count(*value));
                let index = self.out.switches.len() as u32;
                let width = self.func.bits(*value);
                let table =
                    cases.iter().map(|(bits, _)| (ir::builder::mask(*bits, width), 0)).collect();
                self.out.switches.push(SwitchTable { a, count, cases: table, default: 0 });
                self.emit(Code::Switch(index), loc);
                for (k, (_, t)) in cases.iter().enumerate() {
                    self.target(at, JumpField::Case(k), t, loc);
                }
                self.target(at, JumpField::Default, default, loc);
            }
            Terminator::Return(v) => {
                let (a, count) = v.map_or((0, 0), |v| (self.slots[v], self.count(v)));
                self.emit(Code::Return { a, count }, loc);
            }
            Terminator::Unreachable => self.emit(Code::Unreachable, loc),
        }
    }

    /// A jump field that leads to `call`: straight to the block, or to code that passes arguments.
    fn target(&mut self, at: usize, field: JumpField, call: &BlockCall, loc: Loc) {
        if call.args.is_empty() {
            self.jumps.push((at, field, call.block));
            return;
        }
        let here = self.out.code.len() as u32;
        self.set_jump(at, &field, here);
        self.edge(call, loc);
    }

    /// Passes block arguments and jumps.
    fn edge(&mut self, call: &BlockCall, loc: Loc) {
        let params = &self.func.blocks[call.block].params;
        let mut moves: Vec<(Slot, Slot)> = params
            .iter()
            .zip(&call.args)
            .flat_map(|(p, a)| self.lanes(*p).zip(self.lanes(*a)))
            .filter(|(d, a)| d != a)
            .collect();
        // all at once in meaning: a slot is overwritten only when no move reads it any more
        while !moves.is_empty() {
            let free = moves.iter().position(|(d, _)| moves.iter().all(|(_, a)| a != d));
            match free {
                Some(k) => {
                    let (d, a) = moves.remove(k);
                    self.emit(Code::Move { d, a }, loc);
                }
                None => {
                    let (_, a) = moves[0];
                    self.emit(Code::Move { d: self.scratch, a }, loc);
                    let scratch = self.scratch;
                    moves.iter_mut().filter(|m| m.1 == a).for_each(|m| m.1 = scratch);
                }
            }
        }
        self.jumps.push((self.out.code.len(), JumpField::Jump, call.block));
        self.emit(Code::Jump { to: 0 }, loc);
    }

    fn set_jump(&mut self, at: usize, field: &JumpField, to_pc: u32) {
        let switches = &mut self.out.switches;
        match (&mut self.out.code[at], field) {
            (Code::Jump { to }, JumpField::Jump) => *to = to_pc,
            (Code::Branch { then_, .. }, JumpField::Then) => *then_ = to_pc,
            (Code::Branch { else_, .. }, JumpField::Else) => *else_ = to_pc,
            (Code::Switch(i), JumpField::Case(k)) => switches[*i as usize].cases[*k].1 = to_pc,
            (Code::Switch(i), JumpField::Default) => switches[*i as usize].default = to_pc,
            _ => unreachable!("a jump field belongs to its instruction"),
        }
    }

    fn patch_jumps(&mut self) {
        for (at, field, block) in std::mem::take(&mut self.jumps) {
            self.set_jump(at, &field, self.block_pc[block]);
        }
        for table in &mut self.out.switches {
            table.cases.sort();
        }
    }
}

/// The one family of pure operations that [`crate::eval`] does not know for all types.
fn check_conversion(op: Op, data: &InstData, func: &Function) -> Result<(), Diagnostic> {
    let (Op::IntToFp { round, .. }, Some(&a), Some(r)) = (op, data.args.first(), data.result)
    else {
        return Ok(());
    };
    let wide = func.ty(a).lane_bits(func.addr_bits) > 64;
    let host =
        matches!(func.ty(r).scalar, Scalar::Float(FloatKind::F32) | Scalar::Float(FloatKind::F64));
    if wide && !(host && round == Rounding::Rte) {
        let what = "conversion of an integer of more than 64 bits with this rounding and format";
        return Err(Diagnostic::error("E0509", format!("{what} is not supported")).at(data.loc));
    }
    Ok(())
}

fn fast_float(op: Op, ty: Type, [d, a, b, c]: [Slot; 4]) -> Option<Code> {
    let float_op = match op {
        Op::FAdd => Some(FloatOp::Add),
        Op::FSub => Some(FloatOp::Sub),
        Op::FMul => Some(FloatOp::Mul),
        Op::FDiv => Some(FloatOp::Div),
        _ => None,
    };
    Some(match (ty.float_kind()?, op, float_op) {
        (FloatKind::F32, _, Some(op)) => Code::F32 { op, d, a, b },
        (FloatKind::F64, _, Some(op)) => Code::F64 { op, d, a, b },
        (FloatKind::F32, Op::Fma, _) => Code::Fma32 { d, a, b, c },
        (FloatKind::F64, Op::Fma, _) => Code::Fma64 { d, a, b, c },
        (FloatKind::F32, Op::FCmp(cc), _) => Code::FCmp32 { cc, d, a, b },
        (FloatKind::F64, Op::FCmp(cc), _) => Code::FCmp64 { cc, d, a, b },
        _ => return None,
    })
}
