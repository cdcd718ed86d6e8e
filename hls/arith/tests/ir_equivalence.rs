//! The IR that an operator becomes computes what the native datapath computes.

use arith::stimulus::Rng;
use arith::{Format, Operator, Rounding, build_function, eval_all, expand, math};
use clhls_arith as arith;
use ir::{Function, IntCC, Op, Terminator, Value};

/// Evaluates a one-block function of integer operations, straight from their definitions in
/// `ir::Op`.
fn run(func: &Function, inputs: &[u128]) -> u128 {
    let block = &func.blocks[func.entry()];
    let mut values = vec![0u128; func.values.len()];
    let index = |v: Value| v.as_u32() as usize;
    block.params.iter().zip(inputs).for_each(|(p, x)| values[index(*p)] = *x);
    for inst in &block.insts {
        let data = &func.insts[*inst];
        let arg = |k: usize| values[index(data.args[k])];
        let width = |k: usize| func.bits(data.args[k]);
        let result = data.result.expect("no effects");
        values[index(result)] = step(func, data.op, func.bits(result), &arg, &width);
    }
    match &block.term {
        Terminator::Return(Some(v)) => values[index(*v)],
        other => panic!("ends in {other:?}"),
    }
}

fn signed(x: u128, width: u32) -> i128 {
    ((x << (128 - width)) as i128) >> (128 - width)
}

fn step(
    func: &Function,
    op: Op,
    width: u32,
    arg: &dyn Fn(usize) -> u128,
    arg_width: &dyn Fn(usize) -> u32,
) -> u128 {
    let full = match op {
        Op::Const(c) => c,
        Op::Add => arg(0).wrapping_add(arg(1)),
        Op::Sub => arg(0).wrapping_sub(arg(1)),
        Op::Mul => arg(0).wrapping_mul(arg(1)),
        Op::And => arg(0) & arg(1),
        Op::Or => arg(0) | arg(1),
        Op::Xor => arg(0) ^ arg(1),
        Op::Not => !arg(0),
        Op::Shl if arg(1) >= width as u128 => 0,
        Op::Shl => arg(0) << arg(1),
        Op::LShr if arg(1) >= width as u128 => 0,
        Op::LShr => arg(0) >> arg(1),
        Op::AShr => (signed(arg(0), width) >> arg(1).min(width as u128 - 1)) as u128,
        Op::Clz => (arg(0).leading_zeros() - (128 - width)) as u128,
        Op::Popcount => arg(0).count_ones() as u128,
        Op::Zext => arg(0),
        Op::Sext => signed(arg(0), arg_width(0)) as u128,
        Op::Slice { lo } => arg(0) >> lo,
        Op::Concat => arg(0) << arg_width(1) | arg(1),
        Op::Select => [arg(2), arg(1)][arg(0) as usize],
        Op::ICmp(IntCC::Eq) => (arg(0) == arg(1)) as u128,
        Op::ICmp(IntCC::Ult) => (arg(0) < arg(1)) as u128,
        Op::ICmp(IntCC::Slt) => {
            (signed(arg(0), arg_width(0)) < signed(arg(1), arg_width(1))) as u128
        }
        Op::Lookup(table) => func.tables[table].entries[arg(0) as usize],
        other => panic!("{other:?} is not expected in an operator"),
    };
    full & (u128::MAX >> (128 - width))
}

fn compare(op: Operator, cases: usize, seed: u64, mut draw: impl FnMut(&mut Rng) -> Vec<u128>) {
    let func = build_function(op, 64);
    if let Err(problems) = ir::verify::verify_function(&func, None) {
        panic!("{op}: {problems:?}");
    }
    let mut rng = Rng::new(seed);
    for _ in 0..cases {
        let inputs = draw(&mut rng);
        let (mut expected, mut place) = (0, 0);
        for (bits, width) in eval_all(op, &inputs).into_iter().zip(op.output_widths()) {
            expected |= bits << place;
            place += width;
        }
        let found = run(&func, &inputs);
        assert!(found == expected, "{op}({inputs:x?}): IR {found:#x}, native {expected:#x}");
    }
}

#[test]
fn float_operators() {
    for format in Format::ALL {
        for (seed, op) in Operator::of_format(format).into_iter().enumerate() {
            compare(op, 300, seed as u64, |rng| {
                if let Operator::IToF { width, .. } = op {
                    return vec![rng.integer(width) as u128];
                }
                let x = rng.float(format);
                if let Operator::FToFStochastic { .. } = op {
                    return vec![x as u128, rng.integer(32) as u128];
                }
                let inputs = [x, rng.float_near(format, x), rng.float_near(format, x)];
                inputs[..op.input_widths().len()].iter().map(|x| *x as u128).collect()
            });
        }
    }
}

#[test]
fn mathematical_functions() {
    for format in [Format::F16, Format::F32, Format::F64] {
        for f in ir::MathFn::ALL.iter().copied().filter(|f| math::is_supported(*f, format)) {
            compare(Operator::Math(f, format), 100, 9, |rng| {
                let x = rng.float(format);
                let unit = format.one() as u64 + rng.below(1 << (format.frac_bits - 3));
                let x = [x, unit][rng.below(2) as usize];
                let y = rng.float_near(format, x);
                let second = f.args().get(1).map(|kind| match kind {
                    ir::MathType::Float => y as u128,
                    ir::MathType::Int => rng.integer(32) as u128,
                });
                [Some(x as u128), second].into_iter().flatten().collect()
            });
        }
    }
}

#[test]
fn integer_division() {
    use Operator::*;
    for width in [1, 2, 8, 16, 32, 64] {
        for op in [UDiv, URem, SDiv, SRem, UDivRem, SDivRem].map(|op| op(width)) {
            compare(op, 300, width as u64, |rng| {
                vec![rng.integer(width) as u128, rng.integer(width) as u128]
            });
        }
    }
}

/// With constant operands an expanded operator is a constant: everything folds, to the right value.
#[test]
fn constant_operands_fold() {
    let mut rng = Rng::new(21);
    for op in Operator::of_format(Format::F32) {
        for _ in 0..20 {
            let inputs: Vec<u128> =
                op.input_widths().iter().map(|w| rng.integer(*w) as u128).collect();
            let mut func = Function::new("folded", 64);
            let block = func.add_block();
            let mut builder = ir::Builder::at(&mut func, block);
            let widths = op.input_widths();
            let values: Vec<Value> = widths
                .iter()
                .zip(&inputs)
                .map(|(w, x)| builder.constant(ir::Type::int(*w), *x))
                .collect();
            let outputs = expand(op, &mut builder, &values);
            let expected = eval_all(op, &inputs);
            assert_eq!(func.as_const(outputs[0]), Some(expected[0]), "{op}({inputs:x?})");
        }
    }
}

#[test]
fn single_bits_convert() {
    let one = |to, signed| Operator::IToF { width: 1, signed, to, round: Rounding::Rte };
    for to in Format::ALL {
        assert_eq!(eval_all(one(to, false), &[0])[0], 0);
        assert_eq!(eval_all(one(to, false), &[1])[0], to.one());
        assert_eq!(eval_all(one(to, true), &[1])[0], to.one() | to.sign_mask());
    }
}

/// Linters complain about comparisons that no operand can change.
#[test]
fn comparisons_with_the_ends_are_constants() {
    use arith::bits::Bits as _;
    let mut func = Function::new("f", 64);
    let block = func.add_block();
    let x = func.add_param(block, ir::Type::int(8));
    let mut builder = ir::Builder::at(&mut func, block);
    let (below_zero, above_ones, itself) = {
        let b = arith::ir_builder::IrBuilder::new(&mut builder);
        let (zero, ones) = (b.constant(8, 0), b.constant(8, 255));
        (b.ult(x, zero), b.ult(ones, x), b.ult(x, x))
    };
    for v in [below_zero, above_ones, itself] {
        assert_eq!(func.as_const(v), Some(0));
    }
}

/// The iterated form: its blocks one after the other, the middle one as often as it says.
fn run_in_turns(form: &arith::InTurns, inputs: &[u128]) -> u128 {
    let func = &form.func;
    let mut values = vec![0u128; func.values.len()];
    let index = |v: Value| v.as_u32() as usize;
    let (mut number, mut turn) = (0, 0);
    let mut arguments = inputs.to_vec();
    loop {
        let block = &func.blocks[func.layout[number]];
        block.params.iter().zip(&arguments).for_each(|(p, x)| values[index(*p)] = *x);
        for inst in &block.insts {
            let data = &func.insts[*inst];
            let arg = |k: usize| values[index(data.args[k])];
            let width = |k: usize| func.bits(data.args[k]);
            let result = data.result.expect("no effects");
            values[index(result)] = step(func, data.op, func.bits(result), &arg, &width);
        }
        match &block.term {
            Terminator::Return(Some(v)) => return values[index(*v)],
            Terminator::Jump(next) => {
                arguments = next.args.iter().map(|v| values[index(*v)]).collect()
            }
            other => panic!("ends in {other:?}"),
        }
        turn += u32::from(number == 1);
        number += usize::from(number != 1 || turn == form.turns);
    }
}

/// Every division and root, with any number of steps a turn, computes what the pipeline computes.
#[test]
fn loops_of_steps() {
    use Operator::*;
    let mut all: Vec<Operator> =
        Operator::all().into_iter().filter(Operator::is_recurrence).collect();
    all.extend([1, 2, 3, 7, 33].into_iter().flat_map(|w| [UDivRem(w), SDivRem(w), URem(w)]));
    for op in all {
        let mut rng = Rng::new(5);
        for steps in [1, 2, 3, 4, 5, 8] {
            let form = arith::build_in_turns(op, 64, steps).expect("a recurrence");
            if let Err(problems) = ir::verify::verify_function(&form.func, None) {
                panic!("{op} in turns of {steps}: {problems:?}");
            }
            for inputs in arith::stimulus::cases(op, 150, rng.bits()) {
                let (mut expected, mut place) = (0, 0);
                for (bits, width) in eval_all(op, &inputs).into_iter().zip(op.output_widths()) {
                    expected |= bits << place;
                    place += width;
                }
                let found = run_in_turns(&form, &inputs);
                assert!(
                    found == expected,
                    "{op}({inputs:x?}) in turns of {steps}: {found:#x}, not {expected:#x}"
                );
            }
        }
    }
    let product = FMul(Format::F32, Rounding::Rte);
    assert!(arith::build_in_turns(product, 64, 1).is_none());
}
