//! Random kernels, made as IR, that always terminate and stay inside their buffers.

use crate::Rng;
use ir::*;

/// Words of each buffer.
pub const WORDS: u64 = 16;

struct Gen<'r> {
    rng: &'r mut Rng,
    func: Function,
    at: Block,
    pool: Vec<Value>,
    input: Value,
    output: Value,
    array: Object,
    pair: Object,
    task: bool,
}

/// Work-items of a launch of a kernel made here, in one work-group: one for a task.
pub fn work_items(module: &Module) -> u32 {
    let kernel = module.kernel("k").and_then(|(_, f)| f.kernel.as_ref());
    kernel.and_then(|k| k.reqd_work_group_size).map_or(3, |size| size[0])
}

/// A module with one kernel `k(in, out, n)`: two buffers of [`WORDS`] 32-bit words and a number. Every fourth
/// is a task of one work-item.
pub fn module(seed: u64) -> Module {
    let task = seed % 4 == 1;
    let rng = &mut Rng(seed);
    let mut func = Function::new("k", 64);
    let pointer = |name: &str| KernelArg {
        name: name.into(),
        type_name: "int*".into(),
        kind: KernelArgKind::Pointer(Space::Global),
        size: 8,
        align: 4,
        restrict: false,
        no_write: false,
        no_read: false,
    };
    let mut info =
        KernelInfo { args: vec![pointer("in"), pointer("out")], ..KernelInfo::default() };
    info.args[0].restrict = rng.below(2) == 0;
    if task {
        info.args[0].restrict = true;
        info.reqd_work_group_size = Some([1; 3]);
    }
    info.args.push(KernelArg {
        kind: KernelArgKind::Value(Some(Type::I32)),
        size: 4,
        type_name: "int".into(),
        restrict: false,
        ..pointer("n")
    });
    func.kernel = Some(info);
    let object = |name: &str, size| ObjectData {
        name: name.into(),
        space: Space::Private,
        size,
        align: 16,
        kind: ObjectKind::Variable,
        loc: base::Loc::UNKNOWN,
    };
    let array = func.objects.push(object("array", 4 * WORDS));
    let pair = func.objects.push(object("pair", 16));
    let entry = func.add_block();
    let mut b = Builder::at(&mut func, entry);
    let global = Type::ptr(Space::Global);
    let input = b.value(Op::Arg { index: 0, offset: 0 }, [], global);
    let output = b.value(Op::Arg { index: 1, offset: 0 }, [], global);
    let n = b.value(Op::Arg { index: 2, offset: 0 }, [], Type::I32);
    let mut pool = vec![n];
    if !task {
        pool.extend([b.query(Query::GlobalId, 0), b.query(Query::LocalId, 0)]);
    }
    let mut g = Gen { rng, func, at: entry, pool, input, output, array, pair, task };
    g.statements(3, if task { 5 } else { 10 });
    g.finish();
    let mut module = Module::new("random", 64);
    module.cl_version = 200;
    module.functions.push(g.func);
    module
}

impl Gen<'_> {
    fn b(&mut self) -> Builder<'_> {
        Builder::at(&mut self.func, self.at)
    }

    fn statements(&mut self, depth: u32, count: usize) {
        for _ in 0..count {
            if self.task {
                self.statement_of_task(depth);
                continue;
            }
            match self.rng.below(if depth > 0 { 16 } else { 12 }) {
                0..=4 => self.pure(),
                5 => self.neighbours(),
                6 => self.load(),
                7 => self.store(),
                8 => self.private(),
                9 => self.vector(),
                10 => self.float(),
                11 => self.divide(),
                12 | 13 => self.branch(depth - 1),
                14 => self.switch(depth - 1),
                _ => self.repeat(depth - 1),
            }
        }
    }

    /// Mostly loops of what can be made one loop.
    fn statement_of_task(&mut self, depth: u32) {
        match self.rng.below(if depth > 0 { 12 } else { 7 }) {
            0..=2 => self.pure(),
            3 | 4 => self.load(),
            5 => self.store(),
            6 => match self.rng.below(6) {
                0 => self.divide(),
                1 => self.float(),
                2 => self.private(),
                _ => self.store(),
            },
            7 => self.branch(depth - 1),
            _ => self.repeat(depth - 1),
        }
    }

    fn int_type(&mut self) -> Type {
        let width = self.rng.pick(&[1, 8, 16, 32, 32, 32, 64, 64, 13, 48]);
        Type::int(width)
    }

    /// An integer of type `ty`: one there is, or a constant.
    fn int(&mut self, ty: Type) -> Value {
        let fitting: Vec<Value> =
            self.pool.iter().copied().filter(|v| self.func.ty(*v) == ty).collect();
        if !fitting.is_empty() && self.rng.below(4) != 0 {
            return self.rng.pick(&fitting);
        }
        let ints: Vec<Value> =
            self.pool.iter().copied().filter(|v| self.func.ty(*v).is_int()).collect();
        if self.rng.below(3) == 0 || ints.is_empty() {
            let n = self.rng.number();
            return self.b().constant(ty, n);
        }
        let v = self.rng.pick(&ints);
        let width = ty.bits(64);
        if self.rng.below(2) == 0 {
            self.b().zext_or_trunc(v, width)
        } else {
            self.b().sext_or_trunc(v, width)
        }
    }

    fn cond(&mut self) -> Value {
        let ty = self.int_type();
        let (x, y) = (self.int(ty), self.int(ty));
        let cc = self.rng.pick(&IntCC::ALL).0;
        self.b().icmp(cc, x, y)
    }

    fn pure(&mut self) {
        use Op::*;
        let ty = self.int_type();
        let (x, y) = (self.int(ty), self.int(ty));
        let v = match self.rng.below(8) {
            0 => {
                let c = self.cond();
                self.b().select(c, x, y)
            }
            1 => self.cond(),
            2 => {
                let op = self.rng.pick(&[Not, Clz, Popcount, BitReverse]);
                self.b().unary(op, x)
            }
            3 => {
                let width = ty.bits(64);
                let lo = self.rng.below(width as usize) as u32;
                let w = 1 + self.rng.below((width - lo) as usize) as u32;
                self.b().value(Slice { lo: lo as u8 }, [x], Type::int(w))
            }
            4 if ty.bits(64) <= 64 => {
                let w = 2 * ty.bits(64);
                self.b().value(Concat, [x, y], Type::int(w))
            }
            _ => {
                let op = self.rng.pick(&[Add, Sub, Mul, And, Or, Xor, Shl, LShr, AShr, Add]);
                self.b().binary(op, x, y)
            }
        };
        self.pool.push(v);
    }

    fn divide(&mut self) {
        use Op::*;
        let ty = self.int_type();
        let x = self.int(ty);
        let y = if self.rng.below(2) == 0 {
            let n = self.rng.number() % 20;
            self.b().constant(ty, n)
        } else {
            self.int(ty)
        };
        let op = self.rng.pick(&[UDiv, SDiv, URem, SRem]);
        let v = self.b().binary(op, x, y);
        self.pool.push(v);
    }

    fn float(&mut self) {
        let ty = Type::I32;
        let (x, y) = (self.int(ty), self.int(ty));
        let op = self.rng.pick(&[Op::FAdd, Op::FSub, Op::FMul]);
        let convert = Op::IntToFp { signed: self.rng.below(2) == 0, round: Rounding::Rte };
        let mut b = self.b();
        let x = b.value(Op::Bitcast, [x], Type::F32);
        let y = b.value(convert, [y], Type::F32);
        let neg = b.unary(Op::FNeg, y);
        let sum = b.binary(op, x, neg);
        let v = b.value(Op::Bitcast, [sum], ty);
        self.pool.push(v);
    }

    /// A pointer to a word of `base`, of which there are [`WORDS`].
    fn word(&mut self, base: Value) -> Value {
        let index = self.int(Type::I64);
        let mut b = self.b();
        let mask = b.size(WORDS - 1);
        let index = b.binary(Op::And, index, mask);
        let two = b.size(2);
        let bytes = b.binary(Op::Shl, index, two);
        b.ptr_add(base, bytes)
    }

    fn load(&mut self) {
        let other = if self.task { 20 } else { 3 };
        let base = if self.rng.below(other) == 0 { self.output } else { self.input };
        let ptr = self.word(base);
        let v = self.b().load(Type::I32, ptr, MemFlags::aligned(4));
        self.pool.push(v);
    }

    fn store(&mut self) {
        let base = self.output;
        let ptr = self.word(base);
        let v = self.int(Type::I32);
        self.b().store(ptr, v, MemFlags::aligned(4));
    }

    /// Accesses to some of eight words side by side, whose addresses are computed in different ways.
    fn neighbours(&mut self) {
        let base = if self.rng.below(2) == 0 { self.output } else { self.input };
        let index = self.int(Type::I64);
        let mut b = self.b();
        let mask = b.size(WORDS - 8);
        let first = b.binary(Op::And, index, mask);
        let two = b.size(2);
        let bytes = b.binary(Op::Shl, first, two);
        let begin = b.ptr_add(base, bytes);
        for _ in 0..2 + self.rng.below(6) {
            let place = self.rng.below(8) as u64;
            let ptr = match self.rng.below(3) {
                0 => {
                    let mut b = self.b();
                    let offset = b.size(4 * place);
                    b.ptr_add(begin, offset)
                }
                1 => self.word_beside(base, first, Op::Or, place),
                _ => self.word_beside(base, first, Op::Add, place),
            };
            if base == self.output && self.rng.below(2) == 0 {
                let v = self.int(Type::I32);
                self.b().store(ptr, v, MemFlags::aligned(4));
            } else {
                let v = self.b().load(Type::I32, ptr, MemFlags::aligned(4));
                self.pool.push(v);
            }
        }
    }

    /// The word of `base` whose number is what `op` makes of `first` and `place`, computed in 32 bits.
    fn word_beside(&mut self, base: Value, first: Value, op: Op, place: u64) -> Value {
        let mut b = self.b();
        let narrow = b.zext_or_trunc(first, 32);
        let place = b.constant(Type::I32, place.into());
        let index = b.binary(op, narrow, place);
        let wide = b.zext_or_trunc(index, 64);
        let two = b.size(2);
        let bytes = b.binary(Op::Shl, wide, two);
        b.ptr_add(base, bytes)
    }

    /// Accesses to private variables: words of an array at any index, parts of a union.
    fn private(&mut self) {
        let in_array = self.rng.below(2) == 0;
        let object = if in_array { self.array } else { self.pair };
        let base = self.b().obj_addr(object);
        let (ptr, ty) = if in_array {
            (self.word(base), Type::I32)
        } else {
            let ty = self.rng.pick(&[Type::I8, Type::I16, Type::I32, Type::I64]);
            let bytes = ty.mem_bytes(64);
            let at = self.rng.below(16 / bytes as usize) as u64 * u64::from(bytes);
            let mut b = self.b();
            let at = b.size(at);
            (b.ptr_add(base, at), ty)
        };
        let flags = MemFlags::aligned(ty.mem_bytes(64));
        if self.rng.below(2) == 0 {
            let v = self.int(ty);
            self.b().store(ptr, v, flags);
        } else {
            let v = self.b().load(ty, ptr, flags);
            self.pool.push(v);
        }
    }

    fn vector(&mut self) {
        let lanes = self.rng.pick(&[2u8, 3, 4, 8]);
        let ty = Type::I32.with_lanes(lanes);
        let base = if self.rng.below(2) == 0 { self.output } else { self.input };
        let flags = MemFlags::aligned(self.rng.pick(&[4, 16]));
        let mut v = self.b().load(ty, base, flags);
        let scalar = self.int(Type::I32);
        let lane = self.rng.below(lanes.into()) as u8;
        let index = self.int(Type::I32);
        v = match self.rng.below(4) {
            0 => self.b().binary(Op::Add, v, v),
            1 => self.b().value(Op::VecInsert(lane), [v, scalar], ty),
            2 => self.b().value(Op::VecInsertDyn, [v, scalar, index], ty),
            _ => {
                let c = self.b().icmp(IntCC::Slt, v, v);
                let doubled = self.b().binary(Op::Add, v, v);
                self.b().value(Op::Select, [c, v, doubled], ty)
            }
        };
        if self.rng.below(2) == 0 {
            let out = self.output;
            self.b().store(out, v, flags);
        }
        let e = self.b().value(Op::VecExtract(lane), [v], Type::I32);
        let f = self.b().value(Op::VecExtractDyn, [v, index], Type::I32);
        self.pool.extend([e, f]);
    }

    /// Runs `body` in a new block, from which control goes on to `join` with one value each.
    fn arm(&mut self, block: Block, join: Block, types: &[Type], depth: u32) {
        let known = self.pool.len();
        self.at = block;
        let count = self.rng.below(4);
        self.statements(depth, count);
        let args: Vec<Value> = types.iter().map(|ty| self.int(*ty)).collect();
        self.b().jump(join, args);
        self.pool.truncate(known);
    }

    fn branch(&mut self, depth: u32) {
        let types = [self.int_type(), Type::I32];
        let cond = self.cond();
        let (then_, else_, join) =
            (self.func.add_block(), self.func.add_block(), self.func.add_block());
        self.b().branch(cond, then_, else_);
        self.arm(then_, join, &types, depth);
        self.arm(else_, join, &types, depth);
        self.enter(join, &types);
    }

    fn switch(&mut self, depth: u32) {
        let types = [Type::I32];
        let value = self.int(Type::I32);
        let blocks: Vec<Block> = (0..3).map(|_| self.func.add_block()).collect();
        let join = self.func.add_block();
        let default = self.int(Type::I32);
        let case = |n: u128, b: Block| (n, BlockCall::new(b, []));
        let cases = vec![case(0, blocks[0]), case(1, blocks[1]), case(7, blocks[2])];
        let default = BlockCall::new(join, [default]);
        self.b().terminate(Terminator::Switch { value, cases, default });
        for b in blocks {
            self.arm(b, join, &types, depth);
        }
        self.enter(join, &types);
    }

    fn enter(&mut self, join: Block, types: &[Type]) {
        self.at = join;
        for ty in types {
            let p = self.func.add_param(join, *ty);
            self.pool.push(p);
        }
    }

    /// A loop of a few iterations that carries two values, the second one sometimes through several iterations; sometimes left early.
    fn repeat(&mut self, depth: u32) {
        let carried = self.int_type();
        let (header, body, exit) =
            (self.func.add_block(), self.func.add_block(), self.func.add_block());
        let zero = self.b().constant(Type::I32, 0);
        // What it is now, and in the iterations before what is computed in the first one gets there.
        let distance = if self.rng.below(3) == 0 { 2 + self.rng.below(3) } else { 1 };
        let mut begin: Vec<Value> = vec![zero];
        begin.extend((0..distance).map(|_| self.int(carried)));
        self.b().jump(header, begin);
        let known = self.pool.len();
        self.at = header;
        let i = self.func.add_param(header, Type::I32);
        let line: Vec<Value> =
            (0..distance).map(|_| self.func.add_param(header, carried)).collect();
        let count = self.rng.number() % 6;
        let count = self.b().constant(Type::I32, count);
        let limit = if self.rng.below(2) == 0 {
            let n = self.int(Type::I32);
            let five = self.b().constant(Type::I32, 7);
            self.b().binary(Op::And, n, five)
        } else {
            count
        };
        let cc = self.rng.pick(&[IntCC::Ult, IntCC::Slt]);
        let go = self.b().icmp(cc, i, limit);
        self.b().branch(go, body, exit);
        let seen: Vec<Value> = [i, line[0], line[self.rng.below(distance)]].to_vec();
        self.pool.extend(&seen);
        self.at = body;
        let statements = self.rng.below(5);
        self.statements(depth, statements);
        let one = self.b().constant(Type::I32, 1);
        let next = self.b().binary(Op::Add, i, one);
        let mut again = vec![next];
        again.extend(&line[1..]);
        again.push(self.int(carried));
        if self.rng.below(3) == 0 {
            let stop = self.cond();
            self.b().terminate(Terminator::Branch {
                cond: stop,
                then_: BlockCall::new(exit, []),
                else_: BlockCall::new(header, again),
            });
        } else {
            self.b().jump(header, again);
        }
        self.pool.truncate(known);
        self.at = exit;
        self.pool.extend(seen);
    }

    /// Stores what has been computed.
    fn finish(&mut self) {
        for k in 0..WORDS / 2 {
            let v = self.int(Type::I32);
            let out = self.output;
            let mut b = self.b();
            let at = b.size(4 * k);
            let ptr = b.ptr_add(out, at);
            b.store(ptr, v, MemFlags::aligned(4));
        }
        self.b().ret(None);
    }
}
