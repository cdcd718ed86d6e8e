//! Pure operations: integers against Rust's own at 8 bits, exhaustively; floating point on the
//! host against the datapaths of crate `arith`; the interpreter's instructions against `eval`.

use arith::Operator;
use interp::eval::eval;
use interp::{Argument, Launch, Memory, Options, Program};
use ir::builder::mask;
use ir::{
    Builder, FloatCC, FloatKind, Function, IntCC, KernelArg, KernelArgKind, KernelInfo, MemFlags,
    Module, Op, Rounding, Space, Type,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn scalar(op: Op, result: Type, args: &[(Type, u128)]) -> u128 {
    eval(op, result, args, 64, |_| None).unwrap_or_else(|| panic!("{op:?} {args:?}"))
}

#[test]
fn integers_of_8_bits_are_as_documented() {
    for a in 0..=255u8 {
        for b in 0..=255u8 {
            let (x, y) = (a as i8, b as i8);
            let n = u32::from(b);
            let cases: [(Op, u8); 13] = [
                (Op::Add, a.wrapping_add(b)),
                (Op::Sub, a.wrapping_sub(b)),
                (Op::Mul, a.wrapping_mul(b)),
                (Op::UDiv, a.checked_div(b).unwrap_or(255)),
                (Op::URem, a.checked_rem(b).unwrap_or(a)),
                (
                    Op::SDiv,
                    match (x, y) {
                        (_, 0) => {
                            if x < 0 {
                                1
                            } else {
                                255
                            }
                        }
                        (-128, -1) => 128,
                        _ => (x / y) as u8,
                    },
                ),
                (
                    Op::SRem,
                    match (x, y) {
                        (_, 0) => a,
                        (_, -1) => 0,
                        _ => (x % y) as u8,
                    },
                ),
                (Op::And, a & b),
                (Op::Or, a | b),
                (Op::Xor, a ^ b),
                (Op::Shl, a.checked_shl(n).unwrap_or(0)),
                (Op::LShr, a.checked_shr(n).unwrap_or(0)),
                (Op::AShr, x.checked_shr(n).unwrap_or(if x < 0 { -1 } else { 0 }) as u8),
            ];
            for (op, want) in cases {
                let got = scalar(op, Type::I8, &[(Type::I8, a.into()), (Type::I8, b.into())]);
                assert_eq!(got, want.into(), "{op:?} {a} {b}");
            }
            let compares = [
                (IntCC::Eq, a == b),
                (IntCC::Ne, a != b),
                (IntCC::Ult, a < b),
                (IntCC::Ule, a <= b),
                (IntCC::Ugt, a > b),
                (IntCC::Uge, a >= b),
                (IntCC::Slt, x < y),
                (IntCC::Sle, x <= y),
                (IntCC::Sgt, x > y),
                (IntCC::Sge, x >= y),
            ];
            for (cc, want) in compares {
                let args = [(Type::I8, a.into()), (Type::I8, b.into())];
                assert_eq!(scalar(Op::ICmp(cc), Type::BOOL, &args), want.into(), "{cc:?} {a} {b}");
            }
        }
        let one = [(Type::I8, u128::from(a))];
        assert_eq!(scalar(Op::Not, Type::I8, &one), (!a).into());
        assert_eq!(scalar(Op::Clz, Type::I8, &one), a.leading_zeros().into());
        assert_eq!(scalar(Op::Popcount, Type::I8, &one), a.count_ones().into());
        assert_eq!(scalar(Op::BitReverse, Type::I8, &one), a.reverse_bits().into());
        assert_eq!(scalar(Op::Sext, Type::I16, &one), u128::from(a as i8 as i16 as u16));
        assert_eq!(scalar(Op::Zext, Type::I16, &one), a.into());
        assert_eq!(scalar(Op::Slice { lo: 3 }, Type::int(4), &one), (a >> 3 & 15).into());
        let two = [(Type::I8, u128::from(a)), (Type::int(3), 5)];
        assert_eq!(scalar(Op::Concat, Type::int(11), &two), u128::from(a) << 3 | 5);
    }
}

#[test]
fn pointers_carry_their_space() {
    let ptr = Type::ptr;
    let cast = |from, to, bits| scalar(Op::SpaceCast, ptr(to), &[(ptr(from), bits)]);
    assert_eq!(cast(Space::Local, Space::Generic, 0x1000), 0x4000_0000_0000_1000);
    assert_eq!(cast(Space::Private, Space::Generic, 0x1000), 0x8000_0000_0000_1000);
    assert_eq!(cast(Space::Global, Space::Generic, 0x1000), 0x1000);
    assert_eq!(cast(Space::Generic, Space::Local, 0x4000_0000_0000_1000), 0x1000);
    assert_eq!(cast(Space::Generic, Space::Private, 0x4000_0000_0000_1000), 0);
    assert_eq!(cast(Space::Generic, Space::Global, 0x4000_0000_0000_1000), 0);
}

#[test]
fn what_is_no_function_of_scalars_is_refused() {
    assert_eq!(eval(Op::Const(1), Type::I32, &[], 64, |_| None), None);
    let flags = MemFlags::aligned(4);
    assert_eq!(
        eval(Op::Load(flags), Type::I32, &[(Type::ptr(Space::Global), 0)], 64, |_| None),
        None
    );
    let v = Type::I32.with_lanes(2);
    assert_eq!(eval(Op::Add, v, &[(v, 0), (v, 0)], 64, |_| None), None);
    assert_eq!(eval(Op::Add, Type::I32, &[(Type::I32, 0)], 64, |_| None), None);
}

/// Bit patterns of floats: ordinary, special and their neighbours.
fn float_bits(kind: FloatKind) -> impl Strategy<Value = u128> {
    let w = kind.bits();
    let fraction = match kind {
        FloatKind::F16 => 10,
        FloatKind::BF16 => 7,
        FloatKind::F32 => 23,
        FloatKind::F64 => 52,
    };
    let exponents = 1u128 << (w - 1 - fraction);
    let near = (0..exponents, -2i128..3, any::<bool>()).prop_map(move |(e, delta, sign)| {
        mask(((e << fraction) as i128 + delta) as u128 | u128::from(sign) << (w - 1), w)
    });
    let middle = (
        (exponents / 2).saturating_sub(70)..exponents.min(exponents / 2 + 70),
        any::<u64>(),
        any::<bool>(),
    )
        .prop_map(move |(e, f, sign)| {
            mask(e << fraction | mask(f.into(), fraction) | u128::from(sign) << (w - 1), w)
        });
    prop_oneof![any::<u64>().prop_map(move |b| mask(b.into(), w)), near, middle]
}

fn check_against_datapath(op: Op, result: Type, args: &[(Type, u128)]) {
    let operator = Operator::from_ir(op, args[0].0, result).unwrap_or_else(|| panic!("{op:?}"));
    let inputs: Vec<u128> = args.iter().map(|a| a.1).collect();
    assert_eq!(
        scalar(op, result, args),
        arith::eval(operator, &inputs),
        "{op:?} -> {result} of {args:x?}"
    );
}

fn check_float(kind: FloatKind, [a, b, c]: [u128; 3], integer: u64) {
    let ty = Type::float(kind);
    let (a, b, c) = ((ty, a), (ty, b), (ty, c));
    for op in [Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FMin, Op::FMax, Op::FCopysign] {
        check_against_datapath(op, ty, &[a, b]);
    }
    check_against_datapath(Op::Fma, ty, &[a, b, c]);
    for op in [Op::FSqrt, Op::FNeg, Op::FAbs] {
        check_against_datapath(op, ty, &[a]);
    }
    for cc in 0..16 {
        check_against_datapath(Op::FCmp(FloatCC(cc)), Type::BOOL, &[a, b]);
    }
    for (round, _) in Rounding::ALL {
        check_against_datapath(Op::FRound(round), ty, &[a]);
        for to in [FloatKind::F16, FloatKind::BF16, FloatKind::F32, FloatKind::F64] {
            if to != kind {
                check_against_datapath(Op::FpToFp(round), Type::float(to), &[a]);
                let random = (Type::I32, mask(integer.into(), 32));
                check_against_datapath(Op::FpToFpStochastic, Type::float(to), &[a, random]);
            }
        }
        for w in [8, 16, 32, 64] {
            for signed in [false, true] {
                let to_int = Op::FpToInt { signed, sat: false, round };
                check_against_datapath(to_int, Type::int(w), &[a]);
                let x = (Type::int(w), mask(integer.into(), w));
                check_against_datapath(Op::IntToFp { signed, round }, ty, &[x]);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, rng_seed: RngSeed::Fixed(1500), ..ProptestConfig::default() })]

    #[test]
    fn host_and_datapath_agree_in_f32(x in prop::array::uniform3(float_bits(FloatKind::F32)), n: u64) {
        check_float(FloatKind::F32, x, n);
    }

    #[test]
    fn host_and_datapath_agree_in_f64(x in prop::array::uniform3(float_bits(FloatKind::F64)), n: u64) {
        check_float(FloatKind::F64, x, n);
    }

    #[test]
    fn remainders_of_halves_are_exact(a in float_bits(FloatKind::F16), b in float_bits(FloatKind::F16)) {
        // in units of 2^-24 every finite half is an integer
        let fixed = |bits: u128| {
            let (e, f) = ((bits >> 10 & 31) as i128, (bits & 1023) as i128);
            let magnitude = if e == 0 { f } else { (1024 + f) << (e - 1) };
            if bits >> 15 == 1 { -magnitude } else { magnitude }
        };
        let ty = Type::float(FloatKind::F16);
        let got = scalar(Op::FRem, ty, &[(ty, a), (ty, b)]);
        let finite = |x: u128| x >> 10 & 31 != 31;
        if finite(a) && finite(b) && fixed(b) != 0 {
            prop_assert_eq!(fixed(got), fixed(a) % fixed(b));
            prop_assert_eq!(got >> 15, a >> 15);
        } else if finite(a) && mask(b, 15) == 0x7c00 {
            prop_assert_eq!(got, a);
        } else {
            prop_assert_eq!(got, 0x7e00);
        }
    }
}

/// An operation, its result type and its operands.
type Case = (Op, Type, Vec<(Type, u128)>);

/// A module with a kernel that computes each operation from constants and stores the result,
/// zero-extended to 128 bits.
fn kernel_of(cases: &[Case]) -> Module {
    let mut module = Module::new("m", 64);
    let mut f = Function::new("k", 64);
    f.kernel = Some(KernelInfo {
        args: vec![KernelArg {
            name: "out".into(),
            type_name: String::new(),
            kind: KernelArgKind::Pointer(Space::Global),
            size: 8,
            align: 16,
            restrict: false,
            no_write: false,
            no_read: false,
        }],
        ..KernelInfo::default()
    });
    let entry = f.add_block();
    let mut b = Builder::at(&mut f, entry);
    let out = b.value(Op::Arg { index: 0, offset: 0 }, [], Type::ptr(Space::Global));
    for (k, (op, ty, args)) in cases.iter().enumerate() {
        let args: Vec<_> = args.iter().map(|(ty, bits)| b.constant(*ty, *bits)).collect();
        let value = b.value(*op, args, *ty);
        let bits = b.func.bits(value);
        let int = if ty.is_int() { value } else { b.value(Op::Bitcast, [value], Type::int(bits)) };
        let wide = b.zext_or_trunc(int, 128);
        let at = b.size(16 * k as u64);
        let pointer = b.ptr_add(out, at);
        b.store(pointer, wide, MemFlags::aligned(16));
    }
    b.ret(None);
    module.functions.push(f);
    ir::verify::verify_module(&module).unwrap();
    module
}

fn integer_ops(w: u32) -> Vec<(Op, Type, usize)> {
    let ty = Type::int(w);
    let mut ops: Vec<(Op, Type, usize)> = vec![
        (Op::Not, ty, 1),
        (Op::Clz, ty, 1),
        (Op::Popcount, ty, 1),
        (Op::BitReverse, ty, 1),
        (Op::Slice { lo: (w / 3) as u8 }, Type::int(w - w / 3), 1),
    ];
    use Op::*;
    for op in [Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr] {
        ops.push((op, ty, 2));
    }
    ops.extend(IntCC::ALL.map(|(cc, _)| (ICmp(cc), Type::BOOL, 2)));
    if w < 128 {
        ops.extend([(Sext, Type::int(128), 1), (Zext, Type::int(w + 1), 1)]);
    }
    if w <= 64 {
        ops.push((Concat, Type::int(2 * w), 2));
    }
    ops
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, rng_seed: RngSeed::Fixed(150), ..ProptestConfig::default() })]

    /// The machine's instructions compute what `eval` does, at every width.
    #[test]
    fn machine_and_eval_agree(
        w in prop_oneof![1u32..=128, Just(32), Just(64)],
        mut x in prop::array::uniform2(any::<u128>()),
        shift in 0u32..128,
        small: bool,
        floats in prop::array::uniform3(float_bits(FloatKind::F32)),
        doubles in prop::array::uniform3(float_bits(FloatKind::F64)),
    ) {
        x[0] >>= shift;
        if small { x[1] %= 140 }
        let mut cases: Vec<Case> = vec![];
        for (op, result, n) in integer_ops(w) {
            let args = x[..n].iter().map(|v| (Type::int(w), mask(*v, w))).collect();
            cases.push((op, result, args));
        }
        let select = vec![(Type::BOOL, x[1] & 1), (Type::int(w), mask(x[0], w)), (Type::int(w), mask(x[1], w))];
        cases.push((Op::Select, Type::int(w), select));
        for (ty, v) in [(Type::F32, floats), (Type::F64, doubles)] {
            let args = |n: usize| v[..n].iter().map(|b| (ty, *b)).collect::<Vec<_>>();
            for op in [Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FMin] {
                cases.push((op, ty, args(2)));
            }
            cases.push((Op::Fma, ty, args(3)));
            cases.push((Op::FSqrt, ty, args(1)));
            cases.extend((0..16).map(|cc| (Op::FCmp(FloatCC(cc)), Type::BOOL, args(2))));
        }
        let mut memory = Memory::new();
        let program = Program::new(&kernel_of(&cases), &mut memory).unwrap();
        let out = memory.allocate("out", vec![0; 16 * cases.len()], 16, 1 << 40).unwrap();
        let launch = Launch {
            kernel: "k".into(), work_dim: 1, global: [1; 3], local: None, offset: [0; 3],
            args: vec![Argument::Pointer(out)],
        };
        program.run(&mut memory, &launch, &Options::default()).unwrap();
        for (k, (op, ty, args)) in cases.iter().enumerate() {
            let got = memory.bytes(out + 16 * k as u64, 16).unwrap();
            let got = u128::from_le_bytes(got.try_into().unwrap());
            prop_assert_eq!(got, scalar(*op, *ty, args), "{:?} {} {:x?}", op, ty, args);
        }
    }
}
