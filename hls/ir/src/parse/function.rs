//! Functions of IR text.

use super::{Parser, Result, Token, constant, error};
use crate::entities::{Block, Func, Global, Inst, Object, Table, Value};
use crate::function::{
    BlockCall, Function, KernelArg, KernelArgKind, KernelInfo, LoopHint, MOST_WORK_ITEMS,
    ObjectData, ObjectKind, PipeAccess, Speculation, SubGroups, TableData, Terminator,
};
use crate::math::MathFn;
use crate::module::Module;
use crate::op::{
    AtomicOp, FastMath, FenceFlags, FloatCC, FlushedOp, IntCC, MemFlags, Op, Query, Rounding,
    SubGroupFn, SubGroupMark,
};
use crate::pipe::PipeOp;
use crate::print::{FAST_MATH_NAMES, PLAIN_OPS};
use crate::types::Type;
use base::entity::EntityRef;
use base::{FxHashMap, Loc};

/// Numbers of the text to entities of the function. While a function is read, operands and
/// targets hold the text's numbers, because a name may be used before its definition.
#[derive(Default)]
struct Names {
    values: FxHashMap<u32, Value>,
    blocks: FxHashMap<u32, Block>,
    effects: FxHashMap<u32, Inst>,
    /// Where in the text each instruction and terminator stands, in layout order.
    places: Vec<Loc>,
}

impl Parser<'_> {
    pub(super) fn function(&mut self, module: &Module) -> Result<Function> {
        let kernel = match self.word() {
            Some("kernel") => Some(KernelInfo::default()),
            Some("func") => None,
            _ => return self.unexpected("`kernel` or `func`"),
        };
        self.next();
        if let Token::Word(_) = self.peek() {
            self.numbered('f', module.functions.len())?;
        }
        let mut func = Function::new(self.string()?, module.addr_bits);
        func.kernel = kernel;
        func.result = if self.eat_mark("->") { Some(self.ty()?) } else { None };
        if self.eat_word("addr") {
            func.addr_bits = self.addr_bits()?;
        }
        func.loc = self.place()?;
        self.expect_mark("{")?;
        if let Some(info) = &mut func.kernel {
            self.kernel_info(info)?;
        }
        self.objects(&mut func, module)?;
        let mut names = Names::default();
        while !self.eat_mark("}") {
            self.block(&mut func, &mut names)?;
        }
        resolve(&mut func, &names)?;
        Ok(func)
    }

    fn kernel_info(&mut self, info: &mut KernelInfo) -> Result<()> {
        while self.eat_word("arg") {
            let loc = self.loc();
            if self.number::<usize>()? != info.args.len() {
                return Err(error(loc, "arguments are numbered in order"));
            }
            info.args.push(self.kernel_arg()?);
        }
        loop {
            match self.word() {
                Some("reqd_work_group_size") => info.reqd_work_group_size = self.sizes()?,
                Some("work_group_size_hint") => info.work_group_size_hint = self.sizes()?,
                Some("max_work_group_size") => info.max_work_group_size = self.sizes()?,
                Some("sub_groups") => info.sub_groups = Some(self.sub_groups()?),
                Some("max_global_work_dim") => info.max_global_work_dim = self.attribute()?,
                Some("num_simd_work_items") => info.num_simd_work_items = self.attribute()?,
                Some("simd_lanes") => info.simd_lanes = self.attribute()?,
                Some("simd_group_rows") => {
                    self.next();
                    info.simd_group_rows = true;
                }
                Some("groups_of_one") => info.groups_of_one = self.attribute()?,
                Some("vec_type_hint") => {
                    self.next();
                    info.vec_type_hint = Some(self.string()?);
                }
                Some("contraction_off") => {
                    self.next();
                    info.contraction_off = true;
                }
                Some("enqueued") => {
                    self.next();
                    info.enqueued = true;
                }
                Some("enqueues") => {
                    self.next();
                    let name = self.string()?;
                    info.enqueues.push(name);
                }
                _ => return Ok(()),
            }
        }
    }

    fn sizes(&mut self) -> Result<Option<[u32; 3]>> {
        self.next();
        let loc = self.loc();
        let sizes: [u32; 3] = [self.number()?, self.number()?, self.number()?];
        let items = sizes.iter().try_fold(1u32, |p, n| p.checked_mul(*n));
        match items.is_some_and(|n| (1..=MOST_WORK_ITEMS).contains(&n)) {
            true => Ok(Some(sizes)),
            false => {
                let text = format!("a work-group has 1 to {MOST_WORK_ITEMS} work-items");
                Err(error(loc, text))
            }
        }
    }

    fn sub_groups(&mut self) -> Result<SubGroups> {
        self.next();
        let loc = self.loc();
        let count = self.number()?;
        self.expect_word("of")?;
        let size = self.number()?;
        let sub_groups = SubGroups { count, size };
        let some = count > 0 && size > 0;
        if some && sub_groups.fewest_work_items() <= MOST_WORK_ITEMS.into() {
            return Ok(sub_groups);
        }
        let text = format!(
            "{count} sub-groups of {size} are no work-group of 1 to {MOST_WORK_ITEMS} work-items"
        );
        Err(error(loc, text))
    }

    fn attribute(&mut self) -> Result<Option<u32>> {
        self.next();
        Ok(Some(self.number()?))
    }

    fn kernel_arg(&mut self) -> Result<KernelArg> {
        let name = self.string()?;
        let type_name = self.string()?;
        let kind = if self.eat_word("local_arg") {
            KernelArgKind::LocalPointer
        } else if self.eat_word("bytes") {
            KernelArgKind::Value(None)
        } else if self.eat_word("image") {
            let format = match self.eat_word("format") {
                true => Some([self.number()?, self.number()?]),
                false => None,
            };
            KernelArgKind::Image(format)
        } else if self.eat_word("sampler") {
            KernelArgKind::Sampler
        } else if self.eat_word("queue") {
            KernelArgKind::Queue
        } else if self.eat_word("pipe") {
            let writes = self.eat_word("write");
            if !writes {
                self.expect_word("read")?;
            }
            let packet = match self.peek() {
                Token::Number(_) => Some(self.number()?),
                _ => None,
            };
            let connected = match self.eat_word("connected") {
                true => Some(self.number()?),
                false => None,
            };
            let limit = match self.eat_word("limit") {
                true => Some(self.number()?),
                false => None,
            };
            let channel = self.eat_word("channel");
            KernelArgKind::Pipe(PipeAccess { writes, packet, connected, limit, channel })
        } else if let Ok(space) = self.space() {
            KernelArgKind::Pointer(space)
        } else {
            KernelArgKind::Value(Some(self.ty()?))
        };
        self.expect_word("size")?;
        let size = self.number()?;
        self.expect_word("align")?;
        let align = self.number()?;
        Ok(KernelArg {
            name,
            type_name,
            kind,
            size,
            align,
            restrict: self.eat_word("restrict"),
            no_write: self.eat_word("no_write"),
            no_read: self.eat_word("no_read"),
        })
    }

    fn objects(&mut self, func: &mut Function, module: &Module) -> Result<()> {
        while self.eat_word("object") {
            let loc = self.loc();
            self.numbered('o', func.objects.len())?;
            let name = self.string()?;
            let space = self.space()?;
            let (size, align) = self.size_align()?;
            let kind = self.object_kind()?;
            if !align.is_power_of_two() {
                return Err(error(loc, "an alignment is a power of two"));
            }
            if let ObjectKind::Global(g) = kind
                && g.index() >= module.globals.len()
            {
                return Err(error(loc, format!("{g} does not exist")));
            }
            func.objects.push(ObjectData { name, space, size, align, kind, loc: self.place()? });
        }
        while self.eat_word("table") {
            self.numbered('t', func.tables.len())?;
            let ty = self.ty()?;
            let width = ty.lane_bits(func.addr_bits) as u8;
            if !ty.is_int() || ty.is_vector() {
                return self.unexpected("a table of integers");
            }
            self.expect_mark("[")?;
            let entries = self.list("]", |p| p.literal(ty, 64))?;
            func.tables.push(TableData { width, entries });
        }
        Ok(())
    }

    fn object_kind(&mut self) -> Result<ObjectKind> {
        if !self.eat_mark("=") {
            Ok(ObjectKind::Variable)
        } else if self.eat_word("arg") {
            Ok(ObjectKind::LocalArg(self.number()?))
        } else {
            Ok(ObjectKind::Global(Global::from_u32(self.entity('g')?)))
        }
    }

    fn literal(&mut self, ty: Type, addr_bits: u32) -> Result<u128> {
        let text = match self.peek() {
            Token::Number(text) | Token::Word(text) => *text,
            _ => "",
        };
        match constant(text, ty, addr_bits) {
            Some(bits) => {
                self.next();
                Ok(bits)
            }
            None => self.unexpected(&format!("a constant of type {ty}")),
        }
    }

    fn block(&mut self, func: &mut Function, names: &mut Names) -> Result<()> {
        let loc = self.loc();
        let number = self.entity('b')?;
        let block = func.add_block();
        if names.blocks.insert(number, block).is_some() {
            return Err(error(loc, format!("b{number} is defined twice")));
        }
        if self.eat_mark("(") {
            let params = self.list(")", |p| {
                let loc = p.loc();
                let value = p.entity('v')?;
                p.expect_mark(":")?;
                Ok((value, p.ty()?, loc))
            })?;
            for (number, ty, loc) in params {
                let value = func.add_param(block, ty);
                names.define_value(number, value, loc)?;
            }
        }
        self.expect_mark(":")?;
        if self.eat_word("loop") {
            func.blocks[block].hint = self.hint()?;
        }
        loop {
            names.places.push(self.loc());
            if let Some(term) = self.terminator(func)? {
                func.blocks[block].term = term;
                func.blocks[block].term_loc = self.place()?;
                return Ok(());
            }
            self.inst(func, block, names)?;
        }
    }

    fn hint(&mut self) -> Result<LoopHint> {
        let mut hint = LoopHint::default();
        loop {
            match self.word() {
                Some("unroll") => hint.unroll = self.attribute()?,
                Some("ii") => hint.ii = self.attribute()?,
                Some("distance") => hint.dependency_length = self.attribute()?.unwrap_or(0),
                Some("max_concurrency") => hint.max_concurrency = self.attribute()?.unwrap_or(0),
                Some("ivdep") => {
                    self.next();
                    hint.ivdep = true;
                }
                Some("no_fusion") => {
                    self.next();
                    hint.no_fusion = true;
                }
                Some("speculation") => {
                    self.next();
                    hint.speculation = match self.word() {
                        Some("on") => Speculation::On,
                        Some("off") => Speculation::Off,
                        _ => return Err(error(self.loc(), "speculation is `on` or `off`")),
                    };
                    self.next();
                }
                _ => return Ok(hint),
            }
        }
    }

    fn value(&mut self) -> Result<Value> {
        self.entity('v').map(Value::from_u32)
    }

    /// Values separated by commas, at least `least` of them.
    fn values(&mut self, least: usize) -> Result<Vec<Value>> {
        let is_value = |p: &Self| p.word().is_some_and(|w| super::entity_number(w, 'v').is_some());
        let mut all = vec![];
        if least > 0 || is_value(self) {
            all.push(self.value()?);
            while self.eat_mark(",") {
                all.push(self.value()?);
            }
        }
        Ok(all)
    }

    fn target(&mut self) -> Result<BlockCall> {
        let block = Block::from_u32(self.entity('b')?);
        let args = if self.eat_mark("(") { self.list(")", Self::value)? } else { vec![] };
        Ok(BlockCall::new(block, args))
    }

    /// A terminator, if one stands here.
    fn terminator(&mut self, func: &Function) -> Result<Option<Terminator>> {
        let Some(word) = self.word() else { return Ok(None) };
        if !matches!(word, "jump" | "br" | "switch" | "ret" | "unreachable") {
            return Ok(None);
        }
        self.next();
        let term = match word {
            "jump" => Terminator::Jump(self.target()?),
            "br" => {
                let cond = self.value()?;
                self.expect_mark(",")?;
                let then_ = self.target()?;
                self.expect_mark(",")?;
                Terminator::Branch { cond, then_, else_: self.target()? }
            }
            "switch" => {
                let value = self.value()?;
                let mut cases = vec![];
                self.expect_mark(",")?;
                while !self.eat_word("default") {
                    // the selector's type may not be known yet: checked against 128 bits here
                    // and cut to the selector's width once names are resolved
                    let bits = self.literal(Type::int(128), func.addr_bits)?;
                    self.expect_mark(":")?;
                    cases.push((bits, self.target()?));
                    self.expect_mark(",")?;
                }
                Terminator::Switch { value, cases, default: self.target()? }
            }
            "ret" => Terminator::Return(self.values(0)?.first().copied()),
            _ => Terminator::Unreachable,
        };
        Ok(Some(term))
    }

    /// `e5 v7:i32 = load v3 align 4 after e2 @0:1:2`
    fn inst(&mut self, func: &mut Function, block: Block, names: &mut Names) -> Result<()> {
        let loc = self.loc();
        let starts_with =
            |p: &Self, c| p.word().is_some_and(|w| super::entity_number(w, c).is_some());
        let effect = if starts_with(self, 'e') { Some(self.entity('e')?) } else { None };
        let mut result = None;
        if effect.is_none() || starts_with(self, 'v') {
            let number = self.entity('v')?;
            self.expect_mark(":")?;
            result = Some((number, self.ty()?));
        }
        self.expect_mark("=")?;
        let ty = result.map(|r| r.1);
        let (op, args) = self.operation(ty, func.addr_bits)?;
        if op.is_effect() != effect.is_some() {
            return Err(error(loc, "an effect has an `eN` in front, nothing else has"));
        }
        let inst = func.make_inst(op, args, ty, Loc::UNKNOWN);
        func.blocks[block].insts.push(inst);
        if let (Some((number, _)), Some(value)) = (result, func.insts[inst].result) {
            names.define_value(number, value, loc)?;
        }
        let data = &mut func.insts[inst];
        data.fast_math = self.fast_math()?;
        if self.eat_word("after") {
            loop {
                data.after.push(Inst::from_u32(self.entity('e')?));
                if !self.eat_mark(",") {
                    break;
                }
            }
        }
        data.loc = self.place()?;
        match effect {
            Some(number) if names.effects.insert(number, inst).is_some() => {
                Err(error(loc, format!("e{number} is defined twice")))
            }
            _ => Ok(()),
        }
    }

    fn fast_math(&mut self) -> Result<FastMath> {
        if !self.eat_word("fast") {
            return Ok(FastMath::default());
        }
        self.expect_mark("(")?;
        let bits = self.list(")", |p| {
            let name = p.word().and_then(|w| FAST_MATH_NAMES.iter().find(|(_, name)| *name == w));
            match name {
                Some((bit, _)) => {
                    p.next();
                    Ok(*bit)
                }
                None => p.number(),
            }
        })?;
        Ok(FastMath(bits.into_iter().fold(0, |all, bit| all | bit)))
    }

    /// An operation with its static part and operands (numbers of the text).
    fn operation(&mut self, result: Option<Type>, addr_bits: u32) -> Result<(Op, Vec<Value>)> {
        let loc = self.loc();
        let Some(word) = self.word() else { return self.unexpected("an operation") };
        self.next();
        if let Some((op, _)) = PLAIN_OPS.iter().find(|(_, name)| *name == word) {
            return Ok((*op, self.values(1)?));
        }
        let (stem, variant) = word.split_once('.').unwrap_or((word, ""));
        Ok(match (stem, variant) {
            ("const", "") => {
                let ty = result.ok_or_else(|| error(loc, "a constant has a result"))?;
                (Op::Const(self.literal(ty, addr_bits)?), vec![])
            }
            ("arg", "") => {
                let index = self.number()?;
                let offset = if self.eat_word("offset") { self.number()? } else { 0 };
                (Op::Arg { index, offset }, vec![])
            }
            ("addr", "") => (Op::ObjAddr(Object::from_u32(self.entity('o')?)), vec![]),
            ("workitem", "") => {
                let query = Query::ALL.iter().find(|(_, name)| self.word() == Some(name));
                let Some((query, _)) = query else { return self.unexpected("a query") };
                self.next();
                (Op::WorkItem(*query, self.number()?), vec![])
            }
            ("slice", "") => {
                let args = self.values(1)?;
                self.expect_word("lo")?;
                (Op::Slice { lo: self.number()? }, args)
            }
            ("lookup", "") => {
                let table = Table::from_u32(self.entity('t')?);
                (Op::Lookup(table), self.values(1)?)
            }
            ("vec", "extract" | "insert") => {
                let args = self.values(1)?;
                self.expect_word("lane")?;
                let lane = self.number()?;
                (
                    if variant == "extract" { Op::VecExtract(lane) } else { Op::VecInsert(lane) },
                    args,
                )
            }
            ("call", "") => {
                let callee = Func::from_u32(self.entity('f')?);
                self.expect_mark("(")?;
                (Op::Call(callee), self.list(")", Self::value)?)
            }
            ("barrier", "work_group") => (Op::Barrier(self.fence()), vec![]),
            ("sub_group", _) => {
                let mark = sub_group_mark(variant)
                    .ok_or_else(|| error(loc, format!("no operation is called `{word}`")))?;
                let some = mark.operands() > 0;
                (Op::SubGroup(mark), if some { self.values(1)? } else { vec![] })
            }
            ("fence", "") => (Op::Fence(self.fence()), vec![]),
            ("load" | "store" | "atomic", _) => return self.memory(stem, variant, loc),
            ("pipe", _) => {
                let op = PipeOp::ALL.iter().find(|(_, name)| *name == variant);
                let (op, _) = op.ok_or_else(|| error(loc, "no such operation on pipes"))?;
                let arg = self.number()?;
                let mut args = vec![];
                for _ in 0..op.operands() {
                    args.push(self.value()?);
                }
                let predicated = self.eat_word("if");
                if predicated {
                    args.push(self.value()?);
                }
                (Op::Pipe { op: *op, arg, predicated }, args)
            }
            _ => {
                let op = float_op(stem, variant)
                    .ok_or_else(|| error(loc, format!("no operation is called `{word}`")))?;
                (op, self.values(1)?)
            }
        })
    }

    fn memory(&mut self, stem: &str, variant: &str, loc: Loc) -> Result<(Op, Vec<Value>)> {
        let mut args = self.values(1)?;
        let predicated = self.eat_word("if");
        if predicated {
            args.push(self.value()?);
        }
        self.expect_word("align")?;
        let align_loc = self.loc();
        let align: u32 = self.number()?;
        if !align.is_power_of_two() {
            return Err(error(align_loc, "an alignment is a power of two"));
        }
        let volatile = self.eat_word("volatile");
        let flags = MemFlags { volatile, predicated, ..MemFlags::aligned(align) };
        let op = match (stem, variant) {
            ("load", "") => Op::Load(flags),
            ("store", "") => Op::Store(flags),
            _ => {
                let op =
                    AtomicOp::ALL.iter().find(|(_, name)| stem == "atomic" && *name == variant);
                let (op, _) = op.ok_or_else(|| error(loc, "no such memory operation"))?;
                Op::Atomic(*op, flags)
            }
        };
        Ok((op, args))
    }

    fn fence(&mut self) -> FenceFlags {
        FenceFlags { local: self.eat_word("local"), global: self.eat_word("global") }
    }
}

fn sub_group_mark(variant: &str) -> Option<SubGroupMark> {
    match variant {
        "active" => Some(SubGroupMark::Active),
        "end" => Some(SubGroupMark::End),
        "new_barrier" => Some(SubGroupMark::NewBarrier),
        _ => {
            let name = variant.strip_prefix("begin.")?;
            SubGroupFn::ALL.iter().find(|(_, n)| *n == name).map(|(f, _)| SubGroupMark::Begin(*f))
        }
    }
}

/// Comparisons and conversions, whose variant is part of the name.
fn float_op(stem: &str, variant: &str) -> Option<Op> {
    let mode = |name: &str| Rounding::ALL.iter().find(|(_, n)| *n == name).map(|r| r.0);
    Some(match stem {
        "icmp" => Op::ICmp(IntCC::ALL.iter().find(|(_, name)| *name == variant)?.0),
        "fcmp" => Op::FCmp((0..16).map(FloatCC).find(|cc| cc.name() == variant)?),
        "fptosi" | "fptoui" => {
            let (round, sat) = match variant.split_once('.') {
                Some((round, "sat")) => (round, true),
                Some(_) => return None,
                None => (variant, false),
            };
            Op::FpToInt { signed: stem == "fptosi", sat, round: mode(round)? }
        }
        "sitofp" | "uitofp" => Op::IntToFp { signed: stem == "sitofp", round: mode(variant)? },
        "fptofp" if variant == "sr" => Op::FpToFpStochastic,
        "fptofp" => Op::FpToFp(mode(variant)?),
        "fround" => Op::FRound(mode(variant)?),
        "math" => Op::Math(MathFn::from_name(variant)?),
        _ if variant == "ftz" => {
            Op::Flushed(FlushedOp::ALL.iter().find(|(_, name)| *name == stem)?.0)
        }
        _ => return None,
    })
}

impl Names {
    fn define_value(&mut self, number: u32, value: Value, loc: Loc) -> Result<()> {
        match self.values.insert(number, value) {
            Some(_) => Err(error(loc, format!("v{number} is defined twice"))),
            None => Ok(()),
        }
    }
}

/// Replaces numbers of the text by entities.
fn resolve(func: &mut Function, names: &Names) -> Result<()> {
    let mut places = names.places.iter().copied();
    for block in func.layout.clone() {
        for inst in func.blocks[block].insts.clone() {
            let mut missing = None;
            let data = &mut func.insts[inst];
            for v in &mut data.args {
                replace(v, &names.values, &mut missing);
            }
            for e in &mut data.after {
                replace(e, &names.effects, &mut missing);
            }
            undefined(missing, places.next())?;
        }
        let mut missing = None;
        let mut term = func.blocks[block].term.clone();
        for t in term.targets_mut() {
            replace(&mut t.block, &names.blocks, &mut missing);
        }
        term.map_uses(|mut v| {
            replace(&mut v, &names.values, &mut missing);
            v
        });
        let place = places.next();
        undefined(missing, place)?;
        if let Terminator::Switch { value, cases, .. } = &mut term {
            let width = func.ty(*value).lane_bits(func.addr_bits);
            cases.iter_mut().for_each(|(bits, _)| *bits = crate::builder::mask(*bits, width));
        }
        func.blocks[block].term = term;
    }
    Ok(())
}

fn replace<E: EntityRef + std::fmt::Display>(
    entity: &mut E,
    names: &FxHashMap<u32, E>,
    missing: &mut Option<String>,
) {
    match names.get(&(entity.index() as u32)) {
        Some(found) => *entity = *found,
        None => *missing = Some(entity.to_string()),
    }
}

fn undefined(missing: Option<String>, place: Option<Loc>) -> Result<()> {
    match missing {
        Some(name) => {
            Err(error(place.unwrap_or(Loc::UNKNOWN), format!("{name} is not defined here")))
        }
        None => Ok(()),
    }
}
