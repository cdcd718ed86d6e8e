//! IR text (`.clir`): the printer. The grammar is in docs/ir.md; [`crate::parse`] reads it.
//!
//! Text is canonical: blocks, values and effects are numbered in layout order, so two functions
//! that differ only in dead entities or in numbering print alike, and printing what was parsed
//! from printed text gives the same text.

use crate::builder::{mask, sign_extend};
use crate::entities::{Block, Func, Inst, Value};
use crate::function::{
    BlockCall, Function, KernelArgKind, KernelInfo, LoopHint, ObjectKind, Speculation, SubGroups,
    Terminator,
};
use crate::module::{GlobalData, Module};
use crate::op::{FastMath, FenceFlags, MemFlags, Op, SubGroupMark};
use crate::types::{FloatKind, Scalar, Type};
use base::Loc;
use base::entity::SecondaryMap;
use std::borrow::Cow;
use std::fmt::{self, Display, Write};

/// Bytes of a variable's initial contents in one line of text.
const BYTES_PER_LINE: usize = 32;

impl Display for Module {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "module {} addr {} cl {}",
            quoted(&self.name),
            self.addr_bits,
            self.cl_version
        )?;
        for (_, file) in self.sources.files.iter() {
            write!(out, "source {}", quoted(&file.name))?;
            if let Some(text) = &file.text {
                out.write_str(" text")?;
                text.split_inclusive('\n')
                    .try_for_each(|line| write!(out, "\n  {}", quoted(line)))?;
                if text.is_empty() {
                    out.write_str(" \"\"")?;
                }
            }
            out.write_char('\n')?;
        }
        for (id, global) in self.globals.iter() {
            write!(out, "global {id} ")?;
            print_global(out, global)?;
        }
        for (id, func) in self.functions.iter() {
            out.write_char('\n')?;
            print_function(out, func, Some((id, self.addr_bits)))?;
        }
        Ok(())
    }
}

impl Display for Function {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_function(out, self, None)
    }
}

/// Names of the bits of [`FastMath`], lowest first.
pub(crate) const FAST_MATH_NAMES: [(u8, &str); 6] = [
    (FastMath::NO_NAN, "nnan"),
    (FastMath::NO_INF, "ninf"),
    (FastMath::NO_SIGNED_ZERO, "nsz"),
    (FastMath::ALLOW_RECIP, "arcp"),
    (FastMath::FAST, "reassoc"),
    (FastMath::CONTRACT, "contract"),
];

/// Operations without a static part, with their names.
pub(crate) const PLAIN_OPS: [(Op, &str); 41] = [
    (Op::Add, "add"),
    (Op::Sub, "sub"),
    (Op::Mul, "mul"),
    (Op::UDiv, "udiv"),
    (Op::SDiv, "sdiv"),
    (Op::URem, "urem"),
    (Op::SRem, "srem"),
    (Op::And, "and"),
    (Op::Or, "or"),
    (Op::Xor, "xor"),
    (Op::Shl, "shl"),
    (Op::LShr, "lshr"),
    (Op::AShr, "ashr"),
    (Op::Not, "not"),
    (Op::Clz, "clz"),
    (Op::Popcount, "popcount"),
    (Op::BitReverse, "bitreverse"),
    (Op::Select, "select"),
    (Op::Sext, "sext"),
    (Op::Zext, "zext"),
    (Op::Concat, "concat"),
    (Op::Bitcast, "bitcast"),
    (Op::PtrToInt, "ptrtoint"),
    (Op::IntToPtr, "inttoptr"),
    (Op::PtrAdd, "ptradd"),
    (Op::SpaceCast, "spacecast"),
    (Op::VecBuild, "vec.build"),
    (Op::VecExtractDyn, "vec.extract_dyn"),
    (Op::VecInsertDyn, "vec.insert_dyn"),
    (Op::FAdd, "fadd"),
    (Op::FSub, "fsub"),
    (Op::FMul, "fmul"),
    (Op::FDiv, "fdiv"),
    (Op::FRem, "frem"),
    (Op::Fma, "fma"),
    (Op::FSqrt, "fsqrt"),
    (Op::FNeg, "fneg"),
    (Op::FAbs, "fabs"),
    (Op::FCopysign, "fcopysign"),
    (Op::FMin, "fmin"),
    (Op::FMax, "fmax"),
];

/// The name of an operation in IR text, variants included: `add`, `icmp.ult`, `atomic.xchg`.
pub fn op_name(op: Op) -> Cow<'static, str> {
    if let Some((_, name)) = PLAIN_OPS.iter().find(|(plain, _)| *plain == op) {
        return Cow::Borrowed(name);
    }
    let sign = |signed: bool| if signed { "s" } else { "u" };
    Cow::Owned(match op {
        Op::ICmp(cc) => {
            let name = crate::IntCC::ALL.iter().find(|(c, _)| *c == cc).map_or("?", |c| c.1);
            format!("icmp.{name}")
        }
        Op::FCmp(cc) => format!("fcmp.{}", cc.name()),
        Op::FpToInt { signed, sat, round } => {
            format!("fpto{}i.{}{}", sign(signed), round.name(), if sat { ".sat" } else { "" })
        }
        Op::IntToFp { signed, round } => format!("{}itofp.{}", sign(signed), round.name()),
        Op::FpToFp(round) => format!("fptofp.{}", round.name()),
        Op::FpToFpStochastic => "fptofp.sr".into(),
        Op::FRound(round) => format!("fround.{}", round.name()),
        Op::Math(f) => format!("math.{}", f.name()),
        Op::Flushed(f) => format!("{}.ftz", f.name()),
        Op::Atomic(op, _) => format!("atomic.{}", op.name()),
        Op::Pipe { op, .. } => format!("pipe.{}", op.name()),
        Op::Barrier(_) => "barrier.work_group".into(),
        Op::SubGroup(SubGroupMark::Begin(f)) => format!("sub_group.begin.{}", f.name()),
        Op::SubGroup(SubGroupMark::Active) => "sub_group.active".into(),
        Op::SubGroup(SubGroupMark::End) => "sub_group.end".into(),
        Op::SubGroup(SubGroupMark::NewBarrier) => "sub_group.new_barrier".into(),
        other => {
            let name = match other {
                Op::Const(_) => "const",
                Op::Arg { .. } => "arg",
                Op::ObjAddr(_) => "addr",
                Op::WorkItem(..) => "workitem",
                Op::Slice { .. } => "slice",
                Op::Lookup(_) => "lookup",
                Op::VecExtract(_) => "vec.extract",
                Op::VecInsert(_) => "vec.insert",
                Op::Load(_) => "load",
                Op::Store(_) => "store",
                Op::Fence(_) => "fence",
                Op::Call(_) => "call",
                _ => "?",
            };
            return Cow::Borrowed(name);
        }
    })
}

/// A string literal: `"` and `\` escaped, other than printable ASCII and Unicode as escapes.
fn quoted(text: &str) -> impl Display + '_ {
    struct Quoted<'a>(&'a str);
    impl Display for Quoted<'_> {
        fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_char('"')?;
            for c in self.0.chars() {
                match c {
                    '"' | '\\' => write!(out, "\\{c}")?,
                    '\n' => out.write_str("\\n")?,
                    '\t' => out.write_str("\\t")?,
                    c if c.is_control() => write!(out, "\\u{{{:x}}}", u32::from(c))?,
                    c => out.write_char(c)?,
                }
            }
            out.write_char('"')
        }
    }
    Quoted(text)
}

fn print_loc(out: &mut fmt::Formatter<'_>, loc: Loc) -> fmt::Result {
    if loc.is_known() { write!(out, " @{loc}") } else { Ok(()) }
}

fn print_global(out: &mut fmt::Formatter<'_>, g: &GlobalData) -> fmt::Result {
    let space = g.space.name();
    write!(out, "{} {space} size {} align {}", quoted(&g.name), g.size, g.align)?;
    print_loc(out, g.loc)?;
    if let Some(bytes) = &g.init {
        out.write_str(" init")?;
        for line in bytes.chunks(BYTES_PER_LINE) {
            out.write_str("\n  \"")?;
            line.iter().try_for_each(|b| write!(out, "{b:02x}"))?;
            out.write_char('"')?;
        }
        if bytes.is_empty() {
            out.write_str(" \"\"")?;
        }
    }
    for (offset, target, addend) in &g.relocations {
        write!(out, "\n  reloc {offset} {target} {addend}")?;
    }
    out.write_char('\n')
}

/// Numbers of live entities in layout order.
struct Names {
    values: SecondaryMap<Value, Option<u32>>,
    blocks: SecondaryMap<Block, Option<u32>>,
    effects: SecondaryMap<Inst, Option<u32>>,
}

impl Names {
    fn new(func: &Function) -> Self {
        let mut names = Names {
            values: SecondaryMap::new(),
            blocks: SecondaryMap::new(),
            effects: SecondaryMap::new(),
        };
        let (mut value_numbers, mut effect_numbers) = (0u32.., 0u32..);
        for (n, &block) in (0u32..).zip(&func.layout) {
            names.blocks[block] = Some(n);
            for &p in &func.blocks[block].params {
                names.values[p] = value_numbers.next();
            }
            for &inst in &func.blocks[block].insts {
                if let Some(result) = func.insts[inst].result {
                    names.values[result] = value_numbers.next();
                }
                if func.insts[inst].op.is_effect() {
                    names.effects[inst] = effect_numbers.next();
                }
            }
        }
        names
    }
}

/// An entity's name; one that is in no block has no number and prints as `v?`, which the parser
/// refuses.
struct Name(char, Option<u32>);

impl Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Some(n) => write!(out, "{}{n}", self.0),
            None => write!(out, "{}?", self.0),
        }
    }
}

fn print_function(
    out: &mut fmt::Formatter<'_>,
    func: &Function,
    place: Option<(Func, u32)>,
) -> fmt::Result {
    out.write_str(if func.kernel.is_some() { "kernel " } else { "func " })?;
    if let Some((id, _)) = place {
        write!(out, "{id} ")?;
    }
    quoted(&func.name).fmt(out)?;
    if let Some(ty) = func.result {
        write!(out, " -> {ty}")?;
    }
    if place.is_some_and(|(_, addr_bits)| addr_bits != func.addr_bits) {
        write!(out, " addr {}", func.addr_bits)?;
    }
    print_loc(out, func.loc)?;
    out.write_str(" {\n")?;
    if let Some(info) = &func.kernel {
        print_kernel_info(out, info)?;
    }
    print_objects(out, func)?;
    let names = Names::new(func);
    let printer = Printer { func, names };
    func.layout.iter().try_for_each(|b| printer.block(out, *b))?;
    out.write_str("}\n")
}

fn print_kernel_info(out: &mut fmt::Formatter<'_>, info: &KernelInfo) -> fmt::Result {
    for (n, arg) in info.args.iter().enumerate() {
        write!(out, "  arg {n} {} {} ", quoted(&arg.name), quoted(&arg.type_name))?;
        match arg.kind {
            KernelArgKind::Pointer(space) => out.write_str(space.name())?,
            KernelArgKind::LocalPointer => out.write_str("local_arg")?,
            KernelArgKind::Image(format) => {
                out.write_str("image")?;
                format.map_or(Ok(()), |[order, ty]| write!(out, " format {order} {ty}"))?;
            }
            KernelArgKind::Sampler => out.write_str("sampler")?,
            KernelArgKind::Queue => out.write_str("queue")?,
            KernelArgKind::Pipe(access) => {
                out.write_str(if access.writes { "pipe write" } else { "pipe read" })?;
                access.packet.map_or(Ok(()), |bytes| write!(out, " {bytes}"))?;
                access.connected.map_or(Ok(()), |depth| write!(out, " connected {depth}"))?;
                access.limit.map_or(Ok(()), |most| write!(out, " limit {most}"))?;
                out.write_str(if access.channel { " channel" } else { "" })?;
            }
            KernelArgKind::Value(None) => out.write_str("bytes")?,
            KernelArgKind::Value(Some(ty)) => write!(out, "{ty}")?,
        }
        write!(out, " size {} align {}", arg.size, arg.align)?;
        for (set, word) in
            [(arg.restrict, "restrict"), (arg.no_write, "no_write"), (arg.no_read, "no_read")]
        {
            if set {
                write!(out, " {word}")?;
            }
        }
        out.write_char('\n')?;
    }
    for (word, size) in [
        ("reqd_work_group_size", info.reqd_work_group_size),
        ("work_group_size_hint", info.work_group_size_hint),
        ("max_work_group_size", info.max_work_group_size),
    ] {
        if let Some([x, y, z]) = size {
            writeln!(out, "  {word} {x} {y} {z}")?;
        }
    }
    if let Some(SubGroups { count, size }) = info.sub_groups {
        writeln!(out, "  sub_groups {count} of {size}")?;
    }
    for (word, n) in [
        ("max_global_work_dim", info.max_global_work_dim),
        ("num_simd_work_items", info.num_simd_work_items),
        ("simd_lanes", info.simd_lanes),
        ("groups_of_one", info.groups_of_one),
    ] {
        if let Some(n) = n {
            writeln!(out, "  {word} {n}")?;
        }
    }
    if info.simd_group_rows {
        out.write_str("  simd_group_rows\n")?;
    }
    if let Some(text) = &info.vec_type_hint {
        writeln!(out, "  vec_type_hint {}", quoted(text))?;
    }
    if info.contraction_off {
        out.write_str("  contraction_off\n")?;
    }
    if info.enqueued {
        out.write_str("  enqueued\n")?;
    }
    for name in &info.enqueues {
        writeln!(out, "  enqueues {}", quoted(name))?;
    }
    Ok(())
}

fn print_objects(out: &mut fmt::Formatter<'_>, func: &Function) -> fmt::Result {
    for (id, o) in func.objects.iter() {
        let (name, space) = (quoted(&o.name), o.space.name());
        write!(out, "  object {id} {name} {space} size {} align {}", o.size, o.align)?;
        match o.kind {
            ObjectKind::Variable => {}
            ObjectKind::Global(g) => write!(out, " = {g}")?,
            ObjectKind::LocalArg(n) => write!(out, " = arg {n}")?,
        }
        print_loc(out, o.loc)?;
        out.write_char('\n')?;
    }
    for (id, table) in func.tables.iter() {
        write!(out, "  table {id} i{} [", table.width)?;
        for (k, entry) in table.entries.iter().enumerate() {
            let sep = match k {
                0 => "",
                k if k % 8 == 0 => ",\n    ",
                _ => ", ",
            };
            write!(out, "{sep}{entry:#x}")?;
        }
        out.write_str("]\n")?;
    }
    Ok(())
}

struct Printer<'f> {
    func: &'f Function,
    names: Names,
}

impl Printer<'_> {
    fn value(&self, v: Value) -> Name {
        Name('v', self.names.values.get(v).copied().flatten())
    }

    fn effect(&self, e: Inst) -> Name {
        Name('e', self.names.effects.get(e).copied().flatten())
    }

    fn block_name(&self, b: Block) -> Name {
        Name('b', self.names.blocks.get(b).copied().flatten())
    }

    fn values(&self, values: &[Value]) -> String {
        values.iter().map(|v| self.value(*v).to_string()).collect::<Vec<_>>().join(", ")
    }

    fn block(&self, out: &mut fmt::Formatter<'_>, block: Block) -> fmt::Result {
        let data = &self.func.blocks[block];
        write!(out, "{}", self.block_name(block))?;
        if !data.params.is_empty() {
            let params: Vec<String> = data
                .params
                .iter()
                .map(|p| format!("{}:{}", self.value(*p), self.func.ty(*p)))
                .collect();
            write!(out, "({})", params.join(", "))?;
        }
        out.write_char(':')?;
        print_hint(out, &data.hint)?;
        out.write_char('\n')?;
        data.insts.iter().try_for_each(|i| self.inst(out, *i))?;
        out.write_str("  ")?;
        self.terminator(out, &data.term)?;
        print_loc(out, data.term_loc)?;
        out.write_char('\n')
    }

    fn inst(&self, out: &mut fmt::Formatter<'_>, inst: Inst) -> fmt::Result {
        let data = &self.func.insts[inst];
        out.write_str("  ")?;
        if data.op.is_effect() {
            write!(out, "{}", self.effect(inst))?;
            out.write_str(if data.result.is_some() { " " } else { "" })?;
        }
        if let Some(r) = data.result {
            write!(out, "{}:{}", self.value(r), self.func.ty(r))?;
        }
        out.write_str(" = ")?;
        self.operation(out, inst)?;
        print_fast_math(out, data.fast_math)?;
        for (k, e) in data.after.iter().enumerate() {
            write!(out, "{} {}", if k == 0 { " after" } else { "," }, self.effect(*e))?;
        }
        print_loc(out, data.loc)?;
        out.write_char('\n')
    }

    fn operation(&self, out: &mut fmt::Formatter<'_>, inst: Inst) -> fmt::Result {
        let data = &self.func.insts[inst];
        let args = self.values(&data.args);
        write!(out, "{}", op_name(data.op))?;
        match data.op {
            Op::Const(bits) => {
                let ty = data.result.map_or(Type::int(128), |r| self.func.ty(r));
                write!(out, " {}", constant_text(ty, self.func.addr_bits, bits))
            }
            Op::Arg { index, offset: 0 } => write!(out, " {index}"),
            Op::Arg { index, offset } => write!(out, " {index} offset {offset}"),
            Op::ObjAddr(object) => write!(out, " {object}"),
            Op::WorkItem(query, dim) => write!(out, " {} {dim}", query.name()),
            Op::Slice { lo } => write!(out, " {args} lo {lo}"),
            Op::Lookup(table) => write!(out, " {table} {args}"),
            Op::VecExtract(lane) | Op::VecInsert(lane) => write!(out, " {args} lane {lane}"),
            Op::Load(flags) | Op::Store(flags) | Op::Atomic(_, flags) => {
                self.memory(out, &data.args, flags)
            }
            Op::Pipe { arg, predicated, .. } => {
                write!(out, " {arg}")?;
                let (predicate, rest) = match data.args.split_last() {
                    Some((last, rest)) if predicated => (Some(*last), rest),
                    _ => (None, &data.args[..]),
                };
                rest.iter().try_for_each(|v| write!(out, " {}", self.value(*v)))?;
                predicate.map_or(Ok(()), |v| write!(out, " if {}", self.value(v)))
            }
            Op::Barrier(fence) | Op::Fence(fence) => print_fence(out, fence),
            Op::Call(callee) => write!(out, " {callee}({args})"),
            Op::SubGroup(_) if data.args.is_empty() => Ok(()),
            _ => write!(out, " {args}"),
        }
    }

    fn memory(&self, out: &mut fmt::Formatter<'_>, args: &[Value], flags: MemFlags) -> fmt::Result {
        match args.split_last() {
            Some((predicate, rest)) if flags.predicated => {
                write!(out, " {} if {}", self.values(rest), self.value(*predicate))?;
            }
            _ => write!(out, " {}", self.values(args))?,
        }
        write!(out, " align {}", 1u64 << flags.align_log2.min(63))?;
        out.write_str(if flags.volatile { " volatile" } else { "" })
    }

    fn target(&self, call: &BlockCall) -> String {
        let block = self.block_name(call.block);
        match call.args.is_empty() {
            true => block.to_string(),
            false => format!("{block}({})", self.values(&call.args)),
        }
    }

    fn terminator(&self, out: &mut fmt::Formatter<'_>, term: &Terminator) -> fmt::Result {
        match term {
            Terminator::Jump(t) => write!(out, "jump {}", self.target(t)),
            Terminator::Branch { cond, then_, else_ } => {
                let cond = self.value(*cond);
                write!(out, "br {cond}, {}, {}", self.target(then_), self.target(else_))
            }
            Terminator::Switch { value, cases, default } => {
                write!(out, "switch {}", self.value(*value))?;
                let ty = self.func.ty(*value);
                for (bits, t) in cases {
                    let bits = constant_text(ty, self.func.addr_bits, *bits);
                    write!(out, ", {bits}: {}", self.target(t))?;
                }
                write!(out, ", default {}", self.target(default))
            }
            Terminator::Return(None) => out.write_str("ret"),
            Terminator::Return(Some(v)) => write!(out, "ret {}", self.value(*v)),
            Terminator::Unreachable => out.write_str("unreachable"),
        }
    }
}

fn print_hint(out: &mut fmt::Formatter<'_>, hint: &LoopHint) -> fmt::Result {
    if *hint == LoopHint::default() {
        return Ok(());
    }
    out.write_str(" loop")?;
    for (word, n) in [("unroll", hint.unroll), ("ii", hint.ii)] {
        if let Some(n) = n {
            write!(out, " {word} {n}")?;
        }
    }
    if hint.ivdep {
        out.write_str(" ivdep")?;
    }
    for (word, n) in
        [("distance", hint.dependency_length), ("max_concurrency", hint.max_concurrency)]
    {
        if n != 0 {
            write!(out, " {word} {n}")?;
        }
    }
    if hint.no_fusion {
        out.write_str(" no_fusion")?;
    }
    out.write_str(match hint.speculation {
        Speculation::Automatic => "",
        Speculation::Off => " speculation off",
        Speculation::On => " speculation on",
    })
}

fn print_fence(out: &mut fmt::Formatter<'_>, fence: FenceFlags) -> fmt::Result {
    out.write_str(if fence.local { " local" } else { "" })?;
    out.write_str(if fence.global { " global" } else { "" })
}

fn print_fast_math(out: &mut fmt::Formatter<'_>, flags: FastMath) -> fmt::Result {
    if flags == FastMath::default() {
        return Ok(());
    }
    let mut words: Vec<String> = FAST_MATH_NAMES
        .iter()
        .filter(|(bit, _)| flags.has(*bit))
        .map(|(_, name)| (*name).to_owned())
        .collect();
    let named = FAST_MATH_NAMES.iter().fold(0, |all, (bit, _)| all | bit);
    if flags.0 & !named != 0 {
        words.push(format!("{:#x}", flags.0 & !named));
    }
    write!(out, " fast({})", words.join(", "))
}

/// A constant of type `ty` as text: integers in the shortest usual form, floating point as a
/// number when that reads back to the same bits.
fn constant_text(ty: Type, addr_bits: u32, bits: u128) -> String {
    let width = ty.lane_bits(addr_bits);
    let bits = mask(bits, width);
    match ty.scalar {
        Scalar::Float(FloatKind::F32) => {
            let x = f32::from_bits(bits as u32);
            if x.is_nan() { format!("{bits:#x}") } else { format!("{x:?}") }
        }
        Scalar::Float(FloatKind::F64) => {
            let x = f64::from_bits(bits as u64);
            if x.is_nan() { format!("{bits:#x}") } else { format!("{x:?}") }
        }
        Scalar::Float(_) => format!("{bits:#x}"),
        Scalar::Ptr(_) => {
            if bits == 0 {
                "0".into()
            } else {
                format!("{bits:#x}")
            }
        }
        Scalar::Int(1) => bits.to_string(),
        Scalar::Int(_) => match sign_extend(bits, width) {
            n @ -65536..65536 => n.to_string(),
            _ => format!("{bits:#x}"),
        },
    }
}
