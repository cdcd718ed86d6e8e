//! Operators run over arrays of operands (example `ulp`) compute what [`clhls_arith::eval`] computes.

#[path = "../examples/ulp/lanes/mod.rs"]
mod lanes;

use arith::ir_builder::IrBuilder;
use arith::native::Native;
use arith::stimulus::Rng;
use arith::{Bits, Format, Operator, Rom, eval, math};
use clhls_arith as arith;
use ir::{Builder, Function, MathFn, MathType, Type};
use lanes::{LANES, Program};

/// Fills all lanes, runs them and compares each.
fn compare(op: Operator, rng: &mut Rng, mut draw: impl FnMut(&mut Rng) -> Vec<u64>) {
    let mut program = Program::new(op);
    let mut inputs = vec![[0; LANES]; op.input_widths().len()];
    // Twice: what the first run leaves behind must not matter.
    for _ in 0..2 {
        for lane in 0..LANES {
            let operands = draw(rng);
            inputs.iter_mut().zip(operands).for_each(|(input, x)| input[lane] = x);
        }
        let mut results = [0; LANES];
        program.run(&inputs, &mut results);
        for (lane, found) in results.into_iter().enumerate() {
            let operands: Vec<u128> = inputs.iter().map(|input| input[lane].into()).collect();
            let expected = eval(op, &operands);
            assert!(
                u128::from(found) == expected,
                "{op}({operands:x?}): lanes {found:#x}, eval {expected:#x}"
            );
        }
    }
}

/// Zeros, the ends of the subnormals and of the finite numbers, 1 and its neighbours, infinity and NaNs, of both signs.
fn corners(format: Format) -> Vec<u64> {
    let (least, one) = (1 << format.frac_bits, format.one() as u64);
    let infinity = format.infinity() as u64;
    let magnitudes = [0, 1, least - 1, least, one - 1, one, one + 1, infinity - 1, infinity];
    let all = magnitudes.into_iter().chain([infinity + 1, format.nan() as u64]);
    all.flat_map(|x| [x, x | format.sign_mask() as u64]).collect()
}

#[test]
fn mathematical_functions() {
    for format in Format::ALL {
        let corners = corners(format);
        let pick = |rng: &mut Rng| corners[rng.below(corners.len() as u64) as usize];
        for f in MathFn::ALL.iter().copied().filter(|f| math::is_supported(*f, format)) {
            let mut rng = Rng::new(17);
            let mut next = 0;
            compare(Operator::Math(f, format), &mut rng, |rng| {
                next += 1;
                // All corners, then numbers of any size, and everyday ones around 1.
                let x = match corners.get(next) {
                    Some(corner) => *corner,
                    None if rng.below(2) == 0 => rng.float(format),
                    None => rng.below(2) << (format.width() - 1) | near_one(format, rng),
                };
                let y = match f.args().get(1) {
                    Some(MathType::Int) => rng.integer(32),
                    _ if rng.below(4) == 0 => pick(rng),
                    _ if rng.below(2) == 0 => rng.float_near(format, x),
                    _ => near_one(format, rng),
                };
                vec![x, y]
            });
        }
    }
}

/// From 1/8 to 8 or so.
fn near_one(format: Format, rng: &mut Rng) -> u64 {
    let binades = 6 << format.frac_bits;
    format.one() as u64 - binades / 2 + rng.below(binades)
}

#[test]
fn arithmetic() {
    for format in Format::ALL {
        for (seed, op) in Operator::of_format(format).into_iter().enumerate() {
            compare(op, &mut Rng::new(seed as u64), |rng| {
                let number = |rng: &mut Rng, k| match op.operand_format(k) {
                    Some(format) => rng.float(format),
                    None => rng.integer(op.input_widths()[k]),
                };
                (0..op.input_widths().len()).map(|k| number(rng, k)).collect()
            });
        }
    }
}

/// How many [`operation`]s there are.
const OPERATIONS: u32 = 23;

/// One operation of a builder, on operands of the same width, a bit, and an index of 6 bits.
fn operation<B: Bits>(b: &B, which: u32, x: B::V, y: B::V, bit: B::V, index: B::V) -> B::V {
    let width = b.width(x);
    let half = width.div_ceil(2);
    match which {
        0 => b.add(x, y),
        1 => b.sub(x, y),
        2 => b.umul(b.trunc(x, half), b.top(y, width.div_ceil(3))),
        3 => b.smul(b.trunc(x, half), b.top(y, width.div_ceil(3))),
        4 => b.and(x, y),
        5 => b.or(x, y),
        6 => b.xor(x, y),
        7 => b.not(x),
        8 => b.shl(x, index),
        9 => b.lshr(x, index),
        10 => b.ashr(x, index),
        11 => b.ashr(x, y),
        12 => b.zext(b.trunc(x, half), width),
        13 => b.sext(b.trunc(x, half), width),
        14 => b.slice(x, width / 3, half),
        15 => b.concat(b.trunc(x, half), b.trunc(y, (width - half).max(1))),
        16 => b.eq(b.top(x, 1), b.top(y, 1)),
        17 => b.ult(x, y),
        18 => b.slt(x, y),
        19 => b.mux(bit, x, y),
        20 => b.lzc(b.lshr(x, index)),
        21 => b.popcount(x),
        22 => b.rom(&table(width), index),
        _ => unreachable!("there are {OPERATIONS} operations"),
    }
}

/// 64 words of any width.
fn table(width: u32) -> Rom {
    let mut rng = Rng::new(u64::from(width));
    let mut word = || (u128::from(rng.bits()) << 64 | u128::from(rng.bits())) >> (128 - width);
    Rom { name: "words", width, words: (0..64).map(|_| word()).collect() }
}

/// Each operation in all widths, on words that a part of which is drawn from the ends of what the width holds.
#[test]
fn operations_are_those_of_the_native_builder() {
    let native = Native::<u128>::new();
    let mut rng = Rng::new(23);
    for width in 1..=128 {
        for which in 0..OPERATIONS {
            // A wide operand is put together from two words, a wide result taken apart.
            let widths = [64, 64, 64, 64, 1, 6];
            let inputs = widths.map(|width| [(); LANES].map(|_| rng.integer(width)));
            let mut halves = [[0; LANES]; 2];
            for (high, half) in halves.iter_mut().enumerate() {
                let mut func = Function::new("operation", 64);
                let block = func.add_block();
                let values = widths.map(|width| func.add_param(block, Type::int(width)));
                func.result = Some(Type::int(64));
                let mut builder = Builder::at(&mut func, block);
                let result = {
                    let b = IrBuilder::new(&mut builder);
                    let part = |high, low| b.trunc(b.concat(values[high], values[low]), width);
                    let (x, y) = (part(0, 1), part(2, 3));
                    let result = operation(&b, which, x, y, values[4], values[5]);
                    b.slice(b.zext(result, 128), 64 * high as u32, 64)
                };
                builder.ret(Some(result));
                Program::of(&func).run(&inputs, half);
            }
            for lane in 0..LANES {
                let value = |k: usize, width| native.value(width, u128::from(inputs[k][lane]));
                let part =
                    |high, low| native.trunc(native.concat(value(high, 64), value(low, 64)), width);
                let (x, y) = (part(0, 1), part(2, 3));
                let expected = operation(&native, which, x, y, value(4, 1), value(5, 6)).bits;
                let found = u128::from(halves[1][lane]) << 64 | u128::from(halves[0][lane]);
                assert!(
                    found == expected,
                    "operation {which} of {x:x?}, {y:x?}: {found:#x}, not {expected:#x}"
                );
            }
        }
    }
}
