//! Every pure operation on many types: native code against the interpreter's evaluator.

use arith::Operator;
use emulator::{Argument, Options, Program};
use fuzz::Rng;
use host::ResolvedRange;
use interp::eval::eval;
use ir::builder::mask;
use ir::{
    Builder, FloatCC, FloatKind, FlushedOp, Function, IntCC, KernelArg, KernelArgKind, KernelInfo,
    MathFn, MathType, MemFlags, Module, Op, Query, Rounding, Space, Type,
};

/// Operand sets for each operation: one a work-item.
const CASES: u32 = 64;

/// Widths that fill their registers and widths that do not.
const WIDTHS: [u32; 12] = [1, 7, 8, 13, 16, 24, 32, 33, 48, 64, 65, 128];

const FLOATS: [FloatKind; 4] = [FloatKind::F16, FloatKind::BF16, FloatKind::F32, FloatKind::F64];

/// What is tested: an operation with its types.
#[derive(Clone, Debug)]
struct Case {
    op: Op,
    result: Type,
    args: Vec<Type>,
}

fn case(op: Op, result: Type, args: &[Type]) -> Case {
    Case { op, result, args: args.to_vec() }
}

fn pointer(name: &str) -> KernelArg {
    KernelArg {
        name: name.into(),
        type_name: "uint*".into(),
        kind: KernelArgKind::Pointer(Space::Global),
        size: 8,
        align: 16,
        restrict: false,
        no_write: false,
        no_read: false,
    }
}

/// A kernel that applies the operation to operands of 16 bytes each and stores 16 bytes.
fn kernel(case: &Case) -> Function {
    let mut func = Function::new("k", 64);
    func.kernel =
        Some(KernelInfo { args: vec![pointer("in"), pointer("out")], ..Default::default() });
    let block = func.add_block();
    let mut b = Builder::at(&mut func, block);
    let wide = Type::int(128);
    let global = Type::ptr(Space::Global);
    let [input, output] = [0, 1].map(|index| b.value(Op::Arg { index, offset: 0 }, [], global));
    let id = b.query(Query::GlobalId, 0);
    let size = b.size(16 * case.args.len() as u64);
    let at = b.binary(Op::Mul, id, size);
    let place = b.ptr_add(input, at);
    let mut args = vec![];
    for (k, ty) in case.args.iter().enumerate() {
        let offset = b.size(16 * k as u64);
        let place = b.ptr_add(place, offset);
        let bits = b.load(wide, place, MemFlags::aligned(16));
        let bits = b.zext_or_trunc(bits, ty.bits(64));
        args.push(if ty.is_float() { b.value(Op::Bitcast, [bits], *ty) } else { bits });
    }
    let mut result = b.value(case.op, args, case.result);
    if case.result.is_float() {
        result = b.value(Op::Bitcast, [result], Type::int(case.result.bits(64)));
    }
    let result = b.zext_or_trunc(result, 128);
    let size = b.size(16);
    let at = b.binary(Op::Mul, id, size);
    let place = b.ptr_add(output, at);
    b.store(place, result, MemFlags::aligned(16));
    b.ret(None);
    func
}

/// Bits of an operand: corners of its type, and anything.
fn operand(ty: Type, rng: &mut Rng) -> u128 {
    let width = ty.bits(64);
    let any = rng.number();
    let Some(kind) = ty.float_kind() else { return mask(any, width) };
    let fraction = match kind {
        FloatKind::F16 => 10,
        FloatKind::BF16 => 7,
        FloatKind::F32 => 23,
        FloatKind::F64 => 52,
    };
    let (one, infinity) = match kind {
        FloatKind::F16 => (0x3c00, 0x7c00),
        FloatKind::BF16 => (0x3f80, 0x7f80),
        FloatKind::F32 => (0x3f80_0000, 0x7f80_0000),
        FloatKind::F64 => (0x3ff0_0000_0000_0000, 0x7ff0_0000_0000_0000u128),
    };
    let sign = u128::from(rng.below(2) == 0) << (width - 1);
    let random = u128::from(rng.bits()) & ((1 << fraction) - 1);
    let near = (rng.below(24) as u128) << fraction; // powers of two from 1 on
    sign | match rng.below(10) {
        0 => 0,
        1 => 1 + random % 3, // subnormal
        2 => random,         // subnormal
        3 => infinity,
        4 => infinity | random | 1,              // NaN
        5 => infinity - 1 - random % 2,          // largest
        6 => one + near + (1 << (fraction - 1)), // halves and three halves
        7 => one + near + random,
        8 => one - ((rng.below(6) as u128) << fraction) + random % 5,
        _ => mask(any, width - 1),
    }
}

/// Checks an operation; whether there is one on these types.
fn check(case: &Case, rng: &mut Rng) -> bool {
    let mut module = Module::new("m", 64);
    module.cl_version = 200;
    module.functions.push(kernel(case));
    ir::verify::verify_module(&module).unwrap_or_else(|e| panic!("{case:?}: {e}"));
    let mut inputs: Vec<u128> = vec![];
    let mut expected = vec![];
    for _ in 0..CASES {
        let bits: Vec<u128> = case.args.iter().map(|ty| operand(*ty, rng)).collect();
        let args: Vec<(Type, u128)> = case.args.iter().copied().zip(bits.clone()).collect();
        let Some(value) = eval(case.op, case.result, &args, 64, |_| None) else { return false };
        inputs.extend(bits);
        expected.push(value);
    }
    let program =
        Program::compile(&module, &Options::default()).unwrap_or_else(|e| panic!("{case:?}: {e}"));
    let mut outputs = vec![0u128; CASES as usize];
    let range = ResolvedRange {
        work_dim: 1,
        global: [CASES, 1, 1],
        local: [CASES, 1, 1],
        num_groups: [1; 3],
        offset: [0; 3],
    };
    let args = [
        Argument::Pointer(inputs.as_mut_ptr() as u64),
        Argument::Pointer(outputs.as_mut_ptr() as u64),
    ];
    // SAFETY: the kernel stays inside the vectors.
    unsafe { program.launch("k", &range, &args, 1) }.unwrap_or_else(|e| panic!("{case:?}: {e}"));
    for (k, (got, want)) in outputs.iter().zip(&expected).enumerate() {
        let operands = &inputs[k * case.args.len()..][..case.args.len()];
        assert!(got == want, "{case:?} of {operands:x?}: {got:x}, expected {want:x}");
    }
    true
}

/// Checks operations, of which there are all.
fn check_all(cases: impl IntoIterator<Item = Case>) {
    let mut rng = Rng(1);
    for case in cases {
        assert!(check(&case, &mut rng), "{case:?} is not known");
    }
}

#[test]
fn integers() {
    use Op::*;
    for w in WIDTHS {
        let ty = Type::int(w);
        let binary = [Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr];
        check_all(binary.map(|op| case(op, ty, &[ty, ty])));
        check_all([Not, Clz, Popcount, BitReverse].map(|op| case(op, ty, &[ty])));
        check_all(IntCC::ALL.map(|(cc, _)| case(ICmp(cc), Type::BOOL, &[ty, ty])));
        check_all([case(Select, ty, &[Type::BOOL, ty, ty])]);
        for other in WIDTHS {
            let to = Type::int(other);
            if other > w {
                check_all([Sext, Zext].map(|op| case(op, to, &[ty])));
            } else {
                let last = (w - other) as u8;
                check_all([0, last / 2, last].map(|lo| case(Slice { lo }, to, &[ty])));
            }
            if w + other <= 128 {
                check_all([case(Concat, Type::int(w + other), &[ty, to])]);
            }
        }
    }
}

#[test]
fn arithmetic_and_comparison_of_floats() {
    use Op::*;
    for kind in FLOATS {
        let ty = Type::float(kind);
        let binary = [FAdd, FSub, FMul, FDiv, FRem, FCopysign, FMin, FMax];
        check_all(binary.map(|op| case(op, ty, &[ty, ty])));
        check_all([FSqrt, FNeg, FAbs].map(|op| case(op, ty, &[ty])));
        check_all([case(Fma, ty, &[ty, ty, ty]), case(Select, ty, &[Type::BOOL, ty, ty])]);
        check_all((0..16).map(|cc| case(FCmp(FloatCC(cc)), Type::BOOL, &[ty, ty])));
        check_all(Rounding::ALL.map(|(r, _)| case(FRound(r), ty, &[ty])));
        for (op, _) in FlushedOp::ALL {
            let count = match op {
                FlushedOp::Sqrt => 1,
                FlushedOp::Fma => 3,
                _ => 2,
            };
            check_all([case(Flushed(op), ty, &vec![ty; count])]);
        }
    }
}

#[test]
fn conversions() {
    for kind in FLOATS {
        let ty = Type::float(kind);
        for (round, _) in Rounding::ALL {
            for signed in [false, true] {
                for w in WIDTHS {
                    let int = Type::int(w);
                    let to_int = Op::FpToInt { signed, sat: w % 2 == 0, round };
                    let from_int = Op::IntToFp { signed, round };
                    check_all([case(to_int, int, &[ty])]);
                    let known = check(&case(from_int, ty, &[int]), &mut Rng(2));
                    assert!(known || w > 64, "{from_int:?} from {w} bits");
                }
            }
            for other in FLOATS.into_iter().filter(|o| *o != kind) {
                check_all([case(Op::FpToFp(round), Type::float(other), &[ty])]);
            }
        }
        for other in FLOATS.into_iter().filter(|o| *o != kind) {
            let args = [ty, Type::I32];
            check_all([case(Op::FpToFpStochastic, Type::float(other), &args)]);
        }
    }
}

#[test]
fn functions() {
    for kind in FLOATS {
        let ty = Type::float(kind);
        for &f in MathFn::ALL {
            let of = |t: &MathType| if *t == MathType::Float { ty } else { Type::I32 };
            let args: Vec<Type> = f.args().iter().map(of).collect();
            let known = Operator::from_ir(Op::Math(f), ty, of(&f.result())).is_some();
            if known || matches!(f, MathFn::Remainder | MathFn::RemquoBits) {
                check_all([case(Op::Math(f), of(&f.result()), &args)]);
            }
        }
    }
}

/// A kernel that applies an operation to elements of buffers, one for each operand; conditions choose among the first
/// operand and the last.
fn row_kernel(case: &Case) -> Function {
    let mut func = Function::new("k", 64);
    let names = ["out", "a", "b", "c"];
    let args = names[..=case.args.len()].iter().map(|n| pointer(n)).collect();
    func.kernel = Some(KernelInfo { args, ..Default::default() });
    let block = func.add_block();
    let mut b = Builder::at(&mut func, block);
    let id = b.query(Query::GlobalId, 0);
    let place = |b: &mut Builder<'_>, index: u32, ty: Type| {
        let base = b.value(Op::Arg { index, offset: 0 }, [], Type::ptr(Space::Global));
        let shift = b.size(u64::from(ty.mem_bytes(64).ilog2()));
        let at = b.binary(Op::Shl, id, shift);
        b.ptr_add(base, at)
    };
    let mut args = vec![];
    for (k, ty) in case.args.iter().enumerate() {
        let place = place(&mut b, k as u32 + 1, *ty);
        args.push(b.load(*ty, place, MemFlags::aligned(ty.mem_bytes(64))));
    }
    if matches!(case.op, Op::Shl | Op::LShr | Op::AShr) {
        args[1] = b.constant(case.args[1], 5);
    }
    let (first, last) = (args[0], args[args.len() - 1]);
    let mut result = b.value(case.op, args, case.result);
    let mut ty = case.result;
    if ty == Type::BOOL {
        let inverse = b.unary(Op::Not, result);
        let again = b.unary(Op::Not, inverse);
        ty = case.args[0];
        result = b.select(again, first, last);
    }
    let place = place(&mut b, 0, ty);
    b.store(place, result, MemFlags::aligned(ty.mem_bytes(64)));
    b.ret(None);
    func
}

/// Checks an operation on work-items side by side: 61 of them in groups of 23.
fn check_rows(case: &Case, rng: &mut Rng) {
    const ITEMS: usize = 61;
    let mut module = Module::new("m", 64);
    module.cl_version = 200;
    module.functions.push(row_kernel(case));
    ir::verify::verify_module(&module).unwrap_or_else(|e| panic!("{case:?}: {e}"));
    let mut buffers = vec![vec![0u8; 16 * ITEMS]; case.args.len() + 1];
    let mut expected = vec![];
    for n in 0..ITEMS {
        let mut args: Vec<(Type, u128)> =
            case.args.iter().map(|ty| (*ty, operand(*ty, rng))).collect();
        for (k, (ty, bits)) in args.iter().enumerate() {
            let size = ty.mem_bytes(64) as usize;
            buffers[k + 1][n * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
        }
        if matches!(case.op, Op::Shl | Op::LShr | Op::AShr) {
            args[1].1 = 5;
        }
        let value = eval(case.op, case.result, &args, 64, |_| None)
            .unwrap_or_else(|| panic!("{case:?} is not known"));
        expected.push(match case.result {
            Type::BOOL if value == 1 => args[0].1,
            Type::BOOL => args[args.len() - 1].1,
            _ => value,
        });
    }
    let program =
        Program::compile(&module, &Options::default()).unwrap_or_else(|e| panic!("{case:?}: {e}"));
    let range = ResolvedRange {
        work_dim: 1,
        global: [ITEMS as u32, 1, 1],
        local: [23, 1, 1],
        num_groups: [3, 1, 1],
        offset: [0; 3],
    };
    let args: Vec<Argument> =
        buffers.iter_mut().map(|b| Argument::Pointer(b.as_mut_ptr() as u64)).collect();
    // SAFETY: the kernel stays inside the buffers.
    unsafe { program.launch("k", &range, &args, 1) }.unwrap_or_else(|e| panic!("{case:?}: {e}"));
    let ty = if case.result == Type::BOOL { case.args[0] } else { case.result };
    let size = ty.mem_bytes(64) as usize;
    for (n, want) in expected.iter().enumerate() {
        let got = &buffers[0][n * size..][..size];
        let want = &want.to_le_bytes()[..size];
        assert!(got == want, "{case:?}, work-item {n}: {got:x?}, expected {want:x?}");
    }
}

#[test]
fn work_items_side_by_side() {
    use Op::*;
    let mut rng = Rng(3);
    let mut cases = vec![];
    for ty in [Type::I32, Type::I64, Type::I8] {
        let binary = [Add, Sub, Mul, UDiv, SRem, And, Or, Xor, Shl, LShr, AShr];
        cases.extend(binary.map(|op| case(op, ty, &[ty, ty])));
        cases.extend([Not, Clz, Popcount].map(|op| case(op, ty, &[ty])));
        cases.extend(IntCC::ALL.map(|(cc, _)| case(ICmp(cc), Type::BOOL, &[ty, ty])));
    }
    cases.extend([Sext, Zext].map(|op| case(op, Type::I64, &[Type::I32])));
    cases.push(case(Slice { lo: 0 }, Type::I32, &[Type::I64]));
    for ty in [Type::F32, Type::F64] {
        let binary = [FAdd, FSub, FMul, FDiv, FRem, FCopysign, FMin, FMax];
        cases.extend(binary.map(|op| case(op, ty, &[ty, ty])));
        cases.extend([FSqrt, FNeg, FAbs].map(|op| case(op, ty, &[ty])));
        cases.push(case(Fma, ty, &[ty, ty, ty]));
        cases.extend((0..16).map(|cc| case(FCmp(FloatCC(cc)), Type::BOOL, &[ty, ty])));
        cases.push(case(Bitcast, Type::int(ty.bits(64)), &[ty]));
        cases.push(case(Math(MathFn::Exp), ty, &[ty]));
        for (round, _) in Rounding::ALL {
            cases.push(case(FRound(round), ty, &[ty]));
            for signed in [false, true] {
                let to_int = FpToInt { signed, sat: true, round };
                let from_int = IntToFp { signed, round };
                for int in [Type::I32, Type::I64] {
                    cases.extend([case(to_int, int, &[ty]), case(from_int, ty, &[int])]);
                }
            }
        }
    }
    cases.push(case(FpToFp(Rounding::Rte), Type::F64, &[Type::F32]));
    cases.push(case(FpToFp(Rounding::Rte), Type::F32, &[Type::F64]));
    for case in &cases {
        check_rows(case, &mut rng);
    }
}
