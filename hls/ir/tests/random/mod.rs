//! Random modules for the text tests: every field takes every kind of value; they need not verify.

use base::entity::EntityRef as _;
use base::source::SourceFile;
use base::{Loc, SmallVec};
use ir::builder::mask;
use ir::*;

/// splitmix64.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        base::random::splitmix64(&mut self.0)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 1
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.coin() { Some(make(self)) } else { None }
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// Small and huge numbers, both often.
    fn number(&mut self) -> u128 {
        let wide = u128::from(self.next()) << 64 | u128::from(self.next());
        let shift = self.below(128) as u32;
        if self.coin() { wide >> shift } else { !(wide >> shift) }
    }

    fn loc(&mut self) -> Loc {
        match self.coin() {
            true => Loc {
                file: self.below(3) as u32,
                line: self.below(1000) as u32 + 1,
                column: self.below(100) as u32,
            },
            false => Loc::UNKNOWN,
        }
    }

    fn text(&mut self) -> String {
        (0..self.below(8))
            .map(|_| {
                self.pick(&['a', 'Z', '0', '_', ' ', '"', '\\', '\n', '\t', '\u{7}', ';', 'ü', '{'])
            })
            .collect()
    }

    fn scalar(&mut self) -> Scalar {
        let float = [FloatKind::F16, FloatKind::BF16, FloatKind::F32, FloatKind::F64];
        match self.below(4) {
            0 => Scalar::Ptr(self.pick(&Space::ALL)),
            1 => Scalar::Float(self.pick(&float)),
            2 => Scalar::Int(self.pick(&[1, 8, 16, 32, 64])),
            _ => Scalar::Int(self.below(128) as u8 + 1),
        }
    }

    fn ty(&mut self) -> Type {
        Type { scalar: self.scalar(), lanes: self.pick(&[1, 1, 1, 2, 3, 4, 8, 16]) }
    }
}

/// The module of a seed.
pub fn module(seed: u64) -> Module {
    let r = &mut Rng(seed);
    let mut module = Module::new(r.text(), r.pick(&[32, 64]));
    module.cl_version = r.pick(&[0, 120, 200, 300]);
    for _ in 0..r.below(3) {
        let file = SourceFile { name: r.text(), text: r.maybe(Rng::text) };
        module.sources.files.push(file);
    }
    let globals = r.below(3);
    for _ in 0..globals {
        let global = global(r, globals);
        module.globals.push(global);
    }
    for _ in 0..r.below(3) {
        let func = function(r, module.addr_bits, globals);
        module.functions.push(func);
    }
    module
}

fn global(r: &mut Rng, count: u64) -> GlobalData {
    let relocation =
        |r: &mut Rng| (r.below(100), Global::new(r.below(count) as usize), r.next() as i64 >> 40);
    GlobalData {
        name: r.text(),
        space: r.pick(&Space::ALL),
        size: r.next(),
        align: 1 << r.below(8),
        init: r.maybe(|r| (0..r.below(70)).map(|_| r.next() as u8).collect()),
        relocations: (0..r.below(3)).map(|_| relocation(r)).collect(),
        loc: r.loc(),
    }
}

fn kernel_info(r: &mut Rng) -> KernelInfo {
    let kind = |r: &mut Rng| match r.below(5) {
        0 => KernelArgKind::Pointer(r.pick(&Space::ALL)),
        1 => KernelArgKind::LocalPointer,
        2 => KernelArgKind::Value(None),
        3 => {
            let packet = r.maybe(|r| r.next() as u32);
            let connected = r.maybe(|r| r.next() as u32);
            let limit = r.maybe(|r| r.next() as u32);
            let (writes, channel) = (r.coin(), r.coin());
            KernelArgKind::Pipe(PipeAccess { writes, packet, connected, limit, channel })
        }
        _ => KernelArgKind::Value(Some(r.ty())),
    };
    let arg = |r: &mut Rng| KernelArg {
        name: r.text(),
        type_name: r.text(),
        kind: kind(r),
        size: r.next() as u32,
        align: r.next() as u32,
        restrict: r.coin(),
        no_write: r.coin(),
        no_read: r.coin(),
    };
    let size =
        |r: &mut Rng| [1 + r.below(40) as u32, 1 + r.below(40) as u32, 1 + r.below(40) as u32];
    KernelInfo {
        args: (0..r.below(4)).map(|_| arg(r)).collect(),
        reqd_work_group_size: r.maybe(size),
        work_group_size_hint: r.maybe(size),
        max_work_group_size: r.maybe(size),
        sub_groups: r
            .maybe(|r| SubGroups { count: 1 + r.below(40) as u32, size: r.pick(&[8, 16, 32]) }),
        max_global_work_dim: r.maybe(|r| r.below(4) as u32),
        num_simd_work_items: r.maybe(|r| r.next() as u32),
        simd_lanes: r.maybe(|r| r.next() as u32),
        simd_group_rows: r.coin(),
        groups_of_one: r.maybe(|r| 1 + r.below(256) as u32),
        enqueued: r.coin(),
        enqueues: if r.coin() { vec!["a kernel".into(), "b".into()] } else { vec![] },
        vec_type_hint: r.maybe(Rng::text),
        contraction_off: r.coin(),
    }
}

fn function(r: &mut Rng, addr_bits: u32, globals: u64) -> Function {
    let mut f = Function::new(r.text(), r.pick(&[32, 64, addr_bits]));
    f.kernel = r.maybe(kernel_info);
    f.result = r.maybe(Rng::ty);
    f.loc = r.loc();
    for _ in 0..r.below(4) {
        let kind = match r.below(3) {
            0 if globals > 0 => ObjectKind::Global(Global::new(r.below(globals) as usize)),
            1 => ObjectKind::LocalArg(r.next() as u32),
            _ => ObjectKind::Variable,
        };
        let (name, space, loc) = (r.text(), r.pick(&Space::ALL), r.loc());
        let (size, align) = (r.next(), 1 << r.below(8));
        f.objects.push(ObjectData { name, space, size, align, kind, loc });
    }
    for _ in 0..r.below(3) {
        let width = r.below(128) as u8 + 1;
        let entries = (0..r.below(20)).map(|_| mask(r.number(), width.into())).collect();
        f.tables.push(TableData { width, entries });
    }
    for _ in 0..r.below(5) + 1 {
        let block = f.add_block();
        fill_block(r, &mut f, block);
    }
    connect(r, &mut f);
    f
}

fn fill_block(r: &mut Rng, f: &mut Function, block: Block) {
    for _ in 0..r.below(3) {
        let ty = r.ty();
        f.add_param(block, ty);
    }
    if r.below(3) == 0 {
        f.blocks[block].hint = LoopHint {
            unroll: r.maybe(|r| r.below(9) as u32),
            ii: r.maybe(|r| r.below(9) as u32),
            ivdep: r.coin(),
            dependency_length: r.below(9) as u32,
            max_concurrency: r.below(9) as u32,
            no_fusion: r.coin(),
            speculation: [Speculation::Automatic, Speculation::Off, Speculation::On]
                [r.below(3) as usize],
        };
    }
    for _ in 0..r.below(8) {
        let op = operation(r);
        let result = match op {
            Op::Store(_) | Op::Barrier(..) | Op::Fence(_) => None,
            Op::SubGroup(SubGroupMark::End) => None,
            Op::Pipe { op, .. } if op.writes() => None,
            Op::Call(_) => r.maybe(Rng::ty),
            _ => Some(r.ty()),
        };
        let op = match (op, result) {
            (Op::Const(bits), Some(ty)) => Op::Const(mask(bits, ty.lane_bits(f.addr_bits))),
            _ => op,
        };
        let loc = r.loc();
        let inst = f.make_inst(op, [], result, loc);
        f.insts[inst].fast_math = FastMath(if r.coin() { 0 } else { r.next() as u8 });
        if op.is_effect() {
            let earlier: SmallVec<[Inst; 2]> = f.blocks[block]
                .insts
                .iter()
                .copied()
                .filter(|i| f.insts[*i].op.is_effect())
                .collect();
            f.insts[inst].after = earlier.into_iter().filter(|_| r.coin()).collect();
        }
        f.blocks[block].insts.push(inst);
    }
}

fn operation(r: &mut Rng) -> Op {
    let round = r.pick(&Rounding::ALL).0;
    let (signed, sat) = (r.coin(), r.coin());
    let byte = r.next() as u8;
    let index = r.next() as u32 >> 1;
    let fence = FenceFlags { local: r.coin(), global: r.coin() };
    let flags = MemFlags { align_log2: r.below(8) as u8, volatile: r.coin(), predicated: r.coin() };
    let begin = SubGroupMark::Begin(r.pick(&SubGroupFn::ALL).0);
    use Op::*;
    let all = [
        Const(r.number()),
        Const(r.number()),
        Const(u128::from(r.below(3))),
        Arg { index, offset: 0 },
        Arg { index, offset: index },
        ObjAddr(Object::from_u32(index)),
        WorkItem(r.pick(&Query::ALL).0, byte),
        Add,
        Sub,
        Mul,
        UDiv,
        SDiv,
        URem,
        SRem,
        And,
        Or,
        Xor,
        Shl,
        LShr,
        AShr,
        Not,
        Clz,
        Popcount,
        BitReverse,
        ICmp(r.pick(&IntCC::ALL).0),
        Select,
        Sext,
        Zext,
        Slice { lo: byte },
        Concat,
        Lookup(Table::from_u32(index)),
        Bitcast,
        PtrToInt,
        IntToPtr,
        PtrAdd,
        SpaceCast,
        VecBuild,
        VecExtract(byte),
        VecInsert(byte),
        VecExtractDyn,
        VecInsertDyn,
        FAdd,
        FSub,
        FMul,
        FDiv,
        FRem,
        Fma,
        FSqrt,
        FNeg,
        FAbs,
        FCopysign,
        FMin,
        FMax,
        FCmp(FloatCC(byte & 15)),
        FpToInt { signed, sat, round },
        IntToFp { signed, round },
        FpToFp(round),
        FpToFpStochastic,
        FRound(round),
        Math(r.pick(MathFn::ALL)),
        Flushed(r.pick(&FlushedOp::ALL).0),
        Load(flags),
        Store(flags),
        Atomic(r.pick(&AtomicOp::ALL).0, flags),
        Barrier(fence),
        SubGroup(r.pick(&[
            begin,
            SubGroupMark::Active,
            SubGroupMark::End,
            SubGroupMark::NewBarrier,
        ])),
        Fence(fence),
        Pipe { op: r.pick(&PipeOp::ALL).0, arg: index, predicated: r.coin() },
        Call(Func::from_u32(index)),
    ];
    r.pick(&all)
}

/// Operands and terminators: any value and block of the function, wherever it is defined.
fn connect(r: &mut Rng, f: &mut Function) {
    let values: Vec<Value> = f.values.keys().collect();
    let blocks = f.layout.clone();
    let some = |r: &mut Rng, n: u64| -> SmallVec<[Value; 4]> {
        if values.is_empty() {
            return SmallVec::new();
        }
        (0..n).map(|_| r.pick(&values)).collect()
    };
    for inst in f.insts.keys().collect::<Vec<_>>() {
        use Op::*;
        let count = match f.insts[inst].op {
            Const(_) | Arg { .. } | ObjAddr(_) | WorkItem(..) | Barrier(..) | Fence(_) => 0,
            // There is no text for one without its operands.
            SubGroup(mark) if mark.operands() > 0 && values.is_empty() => {
                f.insts[inst].op = SubGroup(SubGroupMark::Active);
                0
            }
            SubGroup(mark) => mark.operands() as u64,
            Call(_) => r.below(4),
            // There is no text for an access without a pointer.
            Load(_) | Store(_) | Atomic(..) | Pipe { .. } if values.is_empty() => {
                f.insts[inst].op = Fence(FenceFlags::default());
                0
            }
            Pipe { op, predicated, .. } => op.operands() as u64 + u64::from(predicated),
            Load(m) | Store(m) | Atomic(_, m) => 1 + u64::from(m.predicated) + r.below(2),
            _ => 1 + r.below(4),
        };
        f.insts[inst].args = some(r, count);
    }
    let call = |r: &mut Rng| {
        let n = r.below(3);
        BlockCall { block: r.pick(&blocks), args: some(r, n) }
    };
    for &b in &blocks {
        let term = match r.below(5) {
            0 => Terminator::Jump(call(r)),
            1 if !values.is_empty() => {
                Terminator::Branch { cond: r.pick(&values), then_: call(r), else_: call(r) }
            }
            2 if !values.is_empty() => {
                let value = r.pick(&values);
                let width = f.ty(value).lane_bits(f.addr_bits);
                // integers only: the text of a case is read without its type
                match f.ty(value).is_int() {
                    true => Terminator::Switch {
                        value,
                        cases: (0..r.below(4))
                            .map(|_| (mask(r.number(), width), call(r)))
                            .collect(),
                        default: call(r),
                    },
                    false => Terminator::Unreachable,
                }
            }
            3 => Terminator::Return(some(r, 1).first().copied().filter(|_| r.coin())),
            _ => Terminator::Unreachable,
        };
        f.blocks[b].term = term;
        f.blocks[b].term_loc = r.loc();
    }
}
