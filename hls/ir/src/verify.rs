//! The IR verifier. It runs after every pass; what it accepts, later steps must not panic on.

use crate::analysis::{Cfg, Dominators};
use crate::entities::{Block, Inst, Value};
use crate::function::{Function, KernelArgKind, KernelInfo, Terminator, ValueDef};
use crate::math::MathType;
use crate::module::Module;
use crate::op::{AtomicOp, Op, SubGroupFn, SubGroupMark};
use crate::pipe::{MOST_CONNECTED_BYTES, PipeOp, RESERVATION, packet_type};
use crate::types::{Scalar, Space, Type};
use base::entity::{EntityRef, SecondaryMap};
use base::{Diagnostic, Diagnostics, Loc};

/// Checks a module. The error lists everything found wrong (code `E0001`: a defect of clhls,
/// not of the user's input).
pub fn verify_module(module: &Module) -> Result<(), Diagnostics> {
    let mut errors = vec![];
    for (_, f) in module.functions.iter() {
        if let Err(e) = verify_function(f, Some(module)) {
            errors.extend(e.0);
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Diagnostics(errors)) }
}

/// Checks a function; `module` is needed to check calls and module variables.
pub fn verify_function(func: &Function, module: Option<&Module>) -> Result<(), Diagnostics> {
    let mut v = Verifier { func, module, errors: vec![] };
    v.run();
    if v.errors.is_empty() { Ok(()) } else { Err(Diagnostics(v.errors)) }
}

struct Verifier<'a> {
    func: &'a Function,
    module: Option<&'a Module>,
    errors: Vec<Diagnostic>,
}

impl Verifier<'_> {
    fn fail(&mut self, loc: Loc, what: impl Into<String>) {
        let text = format!("IR of `{}`: {}", self.func.name, what.into());
        self.errors.push(Diagnostic::error("E0001", text).at(loc));
    }

    /// Work-groups can have the sub-groups that they must have.
    fn work_groups(&mut self, info: &KernelInfo) {
        let Some(wanted) = info.sub_groups else { return };
        let what = format!("{} sub-groups of {} work-items", wanted.count, wanted.size);
        if wanted.count == 0 || wanted.size == 0 {
            return self.fail(self.func.loc, format!("{what} are no work-group"));
        }
        let most = info.largest_work_group().unwrap_or_default();
        if u64::from(most) < wanted.fewest_work_items() {
            self.fail(self.func.loc, format!("{what} are more than the largest work-group has"));
        }
        if let Some([x, y, z]) = info.reqd_work_group_size
            && !wanted.fits(x.saturating_mul(y).saturating_mul(z))
        {
            let size = format!("{x} x {y} x {z}");
            self.fail(self.func.loc, format!("{what} are not what {size} work-items have"));
        }
    }

    fn run(&mut self) {
        let func = self.func;
        if func.layout.is_empty() {
            return self.fail(func.loc, "no blocks");
        }
        if !matches!(func.addr_bits, 32 | 64) {
            self.fail(func.loc, "address width is neither 32 nor 64");
        }
        if func.kernel.is_some() && !func.blocks[func.entry()].params.is_empty() {
            self.fail(func.loc, "a kernel's entry block has parameters");
        }
        if let Some(info) = &func.kernel {
            self.work_groups(info);
        }
        let mut home: SecondaryMap<Inst, Option<(Block, u32)>> = SecondaryMap::new();
        let mut in_layout: SecondaryMap<Block, bool> = SecondaryMap::new();
        for &b in &func.layout {
            if std::mem::replace(&mut in_layout[b], true) {
                self.fail(func.loc, format!("{b} twice in the layout"));
            }
            for (k, &i) in func.blocks[b].insts.iter().enumerate() {
                if home[i].replace((b, k as u32)).is_some() {
                    self.fail(func.insts[i].loc, format!("{i} is in two places"));
                }
            }
        }
        for &b in &func.layout {
            for t in func.blocks[b].term.targets() {
                if !in_layout.get(t.block).copied().unwrap_or(false) {
                    self.fail(func.blocks[b].term_loc, format!("{b} jumps to dead {}", t.block));
                    return;
                }
            }
        }
        let cfg = Cfg::new(func);
        if !cfg.preds[func.entry()].is_empty() {
            self.fail(func.loc, "the entry block has predecessors");
        }
        let dom = Dominators::new(func, &cfg);
        for &b in &func.layout {
            self.block(b, &cfg, &dom, &home);
        }
        self.ways_of_pipes();
    }

    /// A pipe whose packets have positions has no other way to move them.
    fn ways_of_pipes(&mut self) {
        let mut ways: Vec<(u32, bool)> = vec![];
        for &inst in self.func.layout.iter().flat_map(|b| &self.func.blocks[*b].insts) {
            let data = &self.func.insts[inst];
            let Some((op, arg)) = data.op.pipe() else { continue };
            let Some(way) = op.by_position() else { continue };
            match ways.iter().find(|(k, _)| *k == arg) {
                Some((_, other)) if *other != way => {
                    let what = format!("{inst}: pipe {arg} is used with and without positions");
                    self.fail(data.loc, what);
                }
                Some(_) => {}
                None => ways.push((arg, way)),
            }
        }
    }

    fn block(
        &mut self,
        block: Block,
        cfg: &Cfg,
        dom: &Dominators,
        home: &SecondaryMap<Inst, Option<(Block, u32)>>,
    ) {
        let func = self.func;
        let data = &func.blocks[block];
        for (k, &p) in data.params.iter().enumerate() {
            if func.values[p].def != ValueDef::Param(block, k as u32) {
                self.fail(data.term_loc, format!("{p} is not parameter {k} of {block}"));
            }
        }
        for (k, &inst) in data.insts.iter().enumerate() {
            let d = &func.insts[inst];
            for &a in &d.args {
                self.check_use(a, block, k as u32, d.loc, cfg, dom, home);
            }
            for &e in &d.after {
                let ok =
                    home.get(e).copied().flatten().is_some_and(|(b, n)| b == block && n < k as u32)
                        && func.insts[e].op.is_effect();
                if !ok {
                    self.fail(
                        d.loc,
                        format!("{inst} is ordered after {e}, no earlier effect of {block}"),
                    );
                }
            }
            if let Some(r) = d.result
                && func.values[r].def != ValueDef::Inst(inst)
            {
                self.fail(d.loc, format!("{r} is not the result of {inst}"));
            }
            if let Err(what) = self.check_inst(inst) {
                self.fail(d.loc, format!("{inst} ({:?}): {what}", d.op));
            }
        }
        let mut uses = vec![];
        data.term.for_each_use(|v| uses.push(v));
        for v in uses {
            self.check_use(v, block, u32::MAX, data.term_loc, cfg, dom, home);
        }
        self.terminator(block);
    }

    #[allow(clippy::too_many_arguments)]
    fn check_use(
        &mut self,
        value: Value,
        block: Block,
        position: u32,
        loc: Loc,
        cfg: &Cfg,
        dom: &Dominators,
        home: &SecondaryMap<Inst, Option<(Block, u32)>>,
    ) {
        if value.index() >= self.func.values.len() {
            return self.fail(loc, format!("{value} does not exist"));
        }
        if !cfg.is_reachable(block) {
            return;
        }
        let ok = match self.func.values[value].def {
            ValueDef::Param(b, _) => dom.dominates(b, block),
            ValueDef::Inst(i) => match home.get(i).copied().flatten() {
                Some((b, n)) if b == block => n < position,
                Some((b, _)) => dom.dominates(b, block),
                None => false,
            },
        };
        if !ok {
            self.fail(
                loc,
                format!("{value} is used in {block} where its definition does not reach"),
            );
        }
    }

    fn terminator(&mut self, block: Block) {
        let func = self.func;
        let data = &func.blocks[block];
        let loc = data.term_loc;
        for t in data.term.targets() {
            let params = &func.blocks[t.block].params;
            if params.len() != t.args.len() {
                self.fail(loc, format!("{block} gives {} arguments to {}", t.args.len(), t.block));
                continue;
            }
            for (&p, &a) in params.iter().zip(&t.args) {
                if func.ty(p) != func.ty(a) {
                    let (want, got) = (func.ty(p), func.ty(a));
                    self.fail(loc, format!("{block}: {a} is {got}, {p} of {} is {want}", t.block));
                }
            }
        }
        match &data.term {
            Terminator::Branch { cond, .. } if func.ty(*cond) != Type::BOOL => {
                self.fail(loc, format!("{block} branches on {}", func.ty(*cond)));
            }
            Terminator::Switch { value, cases, .. } => {
                if !func.ty(*value).is_int() || func.ty(*value).is_vector() {
                    self.fail(loc, format!("{block} switches on {}", func.ty(*value)));
                }
                let mut seen: Vec<u128> = cases.iter().map(|c| c.0).collect();
                seen.sort();
                seen.dedup();
                if seen.len() != cases.len() {
                    self.fail(loc, format!("{block} has two equal cases"));
                }
            }
            Terminator::Return(v) if v.map(|v| func.ty(v)) != func.result => {
                self.fail(loc, format!("{block} returns another type than the function"));
            }
            _ => {}
        }
    }

    fn check_inst(&self, inst: Inst) -> Result<(), String> {
        let f = self.func;
        let d = &f.insts[inst];
        let result = d.result.map(|r| f.ty(r));
        let args: Vec<Type> = d.args.iter().map(|a| f.ty(*a)).collect();
        if !d.op.is_effect() && !d.after.is_empty() {
            return Err("a pure operation is ordered after effects".into());
        }
        match d.op {
            Op::Call(callee) => {
                let Some(m) = self.module else { return Ok(()) };
                let Some(c) = m.functions.get(callee) else {
                    return Err("no such function".into());
                };
                let params: Vec<Type> = c
                    .layout
                    .first()
                    .map_or(vec![], |b| c.blocks[*b].params.iter().map(|p| c.ty(*p)).collect());
                expect(params == args && c.result == result, "signature of the callee")
            }
            Op::Load(_) | Op::Store(_) | Op::Atomic(..) => self.check_memory(d.op, result, &args),
            Op::Pipe { op, arg, predicated } => self.check_pipe(op, arg, predicated, result, &args),
            Op::Barrier(..) | Op::Fence(_) => {
                expect(args.is_empty() && result.is_none(), "no operands")
            }
            Op::SubGroup(mark) => check_mark(mark, result, &args),
            _ => {
                let Some(result) = result else { return Err("no result".into()) };
                self.check_pure(d.op, result, &args)
            }
        }
    }

    fn check_memory(&self, op: Op, result: Option<Type>, args: &[Type]) -> Result<(), String> {
        let flags = op.mem_flags().ok_or("no memory flags")?;
        let mut args = args;
        let mut mask = 1;
        if flags.predicated {
            let (last, rest) = args.split_last().ok_or("no predicate")?;
            expect(last.is_int() && last.lanes == 1, "the predicate is an integer")?;
            mask = last.bits(self.func.addr_bits);
            args = rest;
        }
        let (ptr, rest) = args.split_first().ok_or("no pointer")?;
        expect(ptr.space().is_some() && ptr.lanes == 1, "operand 0 is a pointer")?;
        let data = match op {
            Op::Load(_) => {
                expect(rest.is_empty(), "one operand")?;
                result.ok_or("a load has a result")?
            }
            Op::Store(_) => {
                expect(rest.len() == 1 && result.is_none(), "two operands, no result")?;
                expect(ptr.space() != Some(Space::Constant), "stores to constant memory")?;
                rest[0]
            }
            Op::Atomic(op, _) => {
                let ty = result.ok_or("an atomic has a result")?;
                expect(rest.len() == op.value_operands(), "operand count")?;
                expect(rest.iter().all(|t| *t == ty), "operands of the result's type")?;
                expect(
                    op == AtomicOp::Load || ptr.space() != Some(Space::Constant),
                    "constant memory",
                )?;
                ty
            }
            _ => return Err("no memory operation".into()),
        };
        expect(mask == 1 || !matches!(op, Op::Atomic(..)), "the predicate is i1")?;
        let bytes = data.mem_bytes(self.func.addr_bits);
        let fits = mask <= 64 && bytes.is_multiple_of(mask);
        expect(fits, "at most 64 mask bits, one for each of equal parts of whole bytes")?;
        expect(data.lane_bits(self.func.addr_bits).is_multiple_of(8), "whole bytes in memory")
    }

    /// Only kernels have arguments: before inlining there are no operations on connected pipes but in them and in what was
    /// made for their calls.
    fn check_pipe(
        &self,
        op: PipeOp,
        arg: u32,
        predicated: bool,
        result: Option<Type>,
        args: &[Type],
    ) -> Result<(), String> {
        let operands = match args.split_last() {
            Some((last, rest)) if predicated => {
                expect(*last == Type::BOOL, "the predicate is i1")?;
                rest
            }
            _ => args,
        };
        let known = |ty: Type| (1..=MOST_CONNECTED_BYTES).any(|n| packet_type(n) == ty);
        match op {
            PipeOp::TakePacket | PipeOp::TakeRoom => expect(result == Some(Type::BOOL), "an i1")?,
            PipeOp::Count | PipeOp::Most => expect(result == Some(Type::I32), "an i32")?,
            op if op.reserves() => expect(result == Some(RESERVATION), "a reservation, an i64")?,
            op if op.reads() => expect(result.is_some_and(known), "a packet")?,
            _ => expect(result.is_none(), "no result")?,
        }
        expect(operands.len() == op.operands(), "operand count")?;
        let (packet, rest) = operands.split_at(usize::from(op.writes()).min(operands.len()));
        expect(packet.iter().all(|t| known(*t)), "a packet as operand")?;
        let other = if op.commits() { RESERVATION } else { Type::I32 };
        expect(rest.iter().all(|t| *t == other), "a number or a reservation as operand")?;
        let Some(kernel) = &self.func.kernel else { return Ok(()) };
        let Some(KernelArgKind::Pipe(pipe)) = kernel.args.get(arg as usize).map(|a| a.kind) else {
            return Err("its argument is no pipe".into());
        };
        expect(pipe.connected.is_some(), "the pipe is not connected")?;
        let side = op.of_writer().is_none_or(|writes| writes == pipe.writes);
        expect(side, "the kernel is at the other end of this pipe")?;
        let moved = packet.first().copied().or(result.filter(|_| op.reads()));
        expect(!op.moves() || moved == pipe.packet.map(packet_type), "packets of the pipe's size")
    }

    fn check_pure(&self, op: Op, r: Type, a: &[Type]) -> Result<(), String> {
        use Op::*;
        let bits = |t: Type| t.bits(self.func.addr_bits);
        let arity = |n: usize| expect(a.len() == n, &format!("{n} operands"));
        let size = Type::int(self.func.addr_bits);
        match op {
            Const(_) | Arg { .. } => arity(0),
            ObjAddr(o) => {
                arity(0)?;
                let data = self.func.objects.get(o).ok_or("no such object")?;
                expect(r == Type::ptr(data.space), "pointer into the object's space")
            }
            WorkItem(q, dim) => {
                arity(0)?;
                let want = if q.is_i32() { Type::I32 } else { size };
                expect(dim < 3 && r == want, "size_t and dimension 0..3")?;
                let kernel = self.func.kernel.as_ref();
                let split = kernel.is_some_and(|k| k.simd_lanes.is_some() && !k.simd_group_rows);
                let from_row = split && q.counts_from_group_row(dim);
                expect(!from_row, "an id that holds where rows of work-groups are split")
            }
            Not | Clz | Popcount | BitReverse => {
                arity(1)?;
                expect(r == a[0] && r.is_int(), "integer in, same type out")
            }
            o if o.is_int_binary() => {
                arity(2)?;
                expect(a[0] == a[1] && r == a[0] && r.is_int(), "two integers of the result's type")
            }
            ICmp(_) => {
                arity(2)?;
                expect(a[0] == a[1] && !a[0].is_float(), "two integers or pointers of one type")?;
                expect(r == Type::BOOL.with_lanes(a[0].lanes), "i1 for each lane")
            }
            Select => {
                arity(3)?;
                expect(a[1] == a[2] && r == a[1], "alternatives of the result's type")?;
                let c = a[0];
                expect(
                    c.lane() == Type::BOOL && (c.lanes == 1 || c.lanes == r.lanes),
                    "i1 condition",
                )
            }
            Sext | Zext => {
                arity(1)?;
                expect(a[0].is_int() && r.is_int() && a[0].lanes == r.lanes, "integers")?;
                expect(bits(r) > bits(a[0]), "a wider result")
            }
            Slice { lo } => {
                arity(1)?;
                expect(a[0].is_int() && r.is_int() && a[0].lanes == r.lanes, "integers")?;
                let (from, to) = (a[0].lane_bits(0), r.lane_bits(0));
                expect(u32::from(lo) + to <= from, "bits inside the operand")
            }
            Concat => {
                arity(2)?;
                expect(a.iter().all(|t| t.is_int() && t.lanes == 1) && r.is_int(), "integers")?;
                expect(bits(r) == bits(a[0]) + bits(a[1]), "widths that add up")
            }
            Lookup(t) => {
                arity(1)?;
                let t = self.func.tables.get(t).ok_or("no such table")?;
                expect(a[0].is_int() && r == Type::int(u32::from(t.width)), "an integer index")
            }
            Bitcast => {
                arity(1)?;
                let plain = |t: Type| t.space().is_none();
                expect(bits(r) == bits(a[0]) && plain(r) && plain(a[0]), "equal width, no pointers")
            }
            PtrToInt => {
                arity(1)?;
                expect(
                    a[0].space().is_some() && r == size.with_lanes(a[0].lanes),
                    "pointer to size_t",
                )
            }
            IntToPtr => {
                arity(1)?;
                expect(r.space().is_some() && a[0] == size.with_lanes(r.lanes), "size_t to pointer")
            }
            PtrAdd => {
                arity(2)?;
                expect(a[0].space().is_some() && r == a[0] && a[1] == size, "pointer and size_t")
            }
            SpaceCast => {
                arity(1)?;
                let generic = |t: Type| t.space() == Some(Space::Generic);
                expect(r.space().is_some() && a[0].space().is_some(), "pointers")?;
                expect(generic(r) != generic(a[0]), "to or from generic")
            }
            VecBuild => {
                expect(r.is_vector() && a.len() == usize::from(r.lanes), "one operand a lane")?;
                expect(a.iter().all(|t| *t == r.lane()), "operands of the element type")
            }
            VecExtract(k) => {
                arity(1)?;
                expect(a[0].is_vector() && k < a[0].lanes && r == a[0].lane(), "lane of a vector")
            }
            VecInsert(k) => {
                arity(2)?;
                expect(
                    r == a[0] && r.is_vector() && k < r.lanes && a[1] == r.lane(),
                    "lane of a vector",
                )
            }
            VecExtractDyn => {
                arity(2)?;
                expect(a[0].is_vector() && r == a[0].lane() && is_index(a[1]), "vector and index")
            }
            VecInsertDyn => {
                arity(3)?;
                expect(r == a[0] && r.is_vector(), "a vector")?;
                expect(a[1] == r.lane() && is_index(a[2]), "element and index")
            }
            FAdd | FSub | FMul | FDiv | FRem | FMin | FMax | FCopysign => {
                arity(2)?;
                expect(r.is_float() && a[0] == r && a[1] == r, "two floats of the result's type")
            }
            Fma => {
                arity(3)?;
                expect(
                    r.is_float() && a.iter().all(|t| *t == r),
                    "three floats of the result's type",
                )
            }
            FSqrt | FNeg | FAbs | FRound(_) => {
                arity(1)?;
                expect(r.is_float() && a[0] == r, "a float")
            }
            FCmp(_) => {
                arity(2)?;
                expect(a[0].is_float() && a[0] == a[1], "two floats of one type")?;
                expect(r == Type::BOOL.with_lanes(a[0].lanes), "i1 for each lane")
            }
            FpToInt { .. } => {
                arity(1)?;
                expect(a[0].is_float() && r.is_int() && a[0].lanes == r.lanes, "float to integer")
            }
            IntToFp { .. } => {
                arity(1)?;
                expect(a[0].is_int() && r.is_float() && a[0].lanes == r.lanes, "integer to float")
            }
            Flushed(f) => self.check_pure(f.gradual(), r, a),
            Math(f) => {
                arity(f.args().len())?;
                let float = match f.result() {
                    MathType::Float => r,
                    MathType::Int => a[0],
                };
                let of = |kind| match kind {
                    MathType::Float => float,
                    MathType::Int => Type::I32.with_lanes(float.lanes),
                };
                let ok = float.is_float() && r == of(f.result());
                expect(
                    ok && f.args().iter().zip(a).all(|(k, t)| of(*k) == *t),
                    "the operands and result of the function",
                )
            }
            FpToFp(_) => {
                arity(1)?;
                let ok = a[0].is_float() && r.is_float() && a[0].lanes == r.lanes;
                expect(ok && a[0] != r, "float to another float")
            }
            FpToFpStochastic => {
                arity(2)?;
                let ok = a[0].is_float() && r.is_float() && a[0].lanes == r.lanes && a[0] != r;
                let random = Type::I32.with_lanes(r.lanes);
                expect(ok && a[1] == random, "float to another float, by an i32 for each lane")
            }
            _ => Err("not a pure operation".into()),
        }
    }
}

fn is_index(t: Type) -> bool {
    t.lanes == 1 && matches!(t.scalar, Scalar::Int(_))
}

fn expect(ok: bool, what: &str) -> Result<(), String> {
    if ok { Ok(()) } else { Err(format!("expected {what}")) }
}

fn check_mark(mark: SubGroupMark, result: Option<Type>, args: &[Type]) -> Result<(), String> {
    let asks = result == Some(Type::BOOL);
    match mark {
        SubGroupMark::Begin(SubGroupFn::NamedBarrier) => {
            let local = |t: &Type| t.space() == Some(Space::Local);
            let ok = matches!(args, [turns, tickets, Type::I32, Type::I32] if local(turns) && local(tickets));
            expect(ok && asks, "two local pointers and two i32 to an i1")
        }
        SubGroupMark::Begin(_) => {
            let local = args.len() == 1 && args[0].space() == Some(Space::Local);
            expect(local && asks, "a local pointer to an i1")
        }
        SubGroupMark::NewBarrier => {
            expect(args == [Type::I32] && result == Some(Type::I32), "an i32 to an i32")
        }
        SubGroupMark::Active => expect(args.is_empty() && asks, "no operands, an i1"),
        SubGroupMark::End => expect(args.is_empty() && result.is_none(), "no operands"),
    }
}
