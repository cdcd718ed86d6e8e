//! Operands where there are too many to run all.

use arith::Format;
use arith::stimulus::Rng;
use clhls_arith as arith;
use ir::{MathFn, MathType};

/// Calls `test` for the cases `first..first + count`: corners and any exponent, everyday numbers, neighbours of 1, and second
/// operands that have to do with the first one.
pub fn mixed(f: MathFn, format: Format, first: u64, count: u64, test: &mut impl FnMut(u128, u128)) {
    let mut rng = Rng::new(first ^ (format.width() as u64) << 40);
    for k in 0..count {
        let x = match k % 4 {
            0 => rng.float(format).into(),
            1 => everyday(&mut rng, format),
            2 => near_one(&mut rng, format),
            _ => u128::from(rng.bits()) & (u128::MAX >> (128 - format.width())),
        };
        let y = match f.args().get(1) {
            None => 0,
            Some(MathType::Int) => integer(&mut rng),
            Some(MathType::Float) => match rng.below(4) {
                0 => rng.float(format).into(),
                1 => rng.float_near(format, x as u64).into(),
                2 => bits(format, (rng.below(400) as f64 - 200.0) / 2.0),
                _ => everyday(&mut rng, format),
            },
        };
        test(x, y);
    }
}

/// A number of the format near `x`, by way of its exponent and fraction in double precision.
fn bits(format: Format, x: f64) -> u128 {
    let wide = u128::from(x.to_bits());
    let (sign, magnitude) = (wide >> 63, wide & (u128::MAX >> 65));
    let drop = 52 - format.frac_bits;
    let rebias = (1023 - u128::from(format.bias())) << 52;
    let narrow = magnitude.saturating_sub(rebias) >> drop;
    sign << (format.width() - 1) | narrow.min(format.max_finite())
}

/// Up to a thousand or so, either sign.
fn everyday(rng: &mut Rng, format: Format) -> u128 {
    let scale = 2f64.powi(rng.below(14) as i32 - 3);
    bits(format, (rng.bits() as i64) as f64 / 2f64.powi(63) * scale)
}

fn near_one(rng: &mut Rng, format: Format) -> u128 {
    let distance = (rng.bits() as i64) as f64 / 2f64.powi(64 + rng.below(53) as i32);
    bits(format, if rng.below(4) == 0 { -1.0 } else { 1.0 } * (1.0 + distance))
}

fn integer(rng: &mut Rng) -> u128 {
    match rng.below(3) {
        0 => rng.integer(32).into(),
        1 => u128::from((rng.below(40) as i32 - 20) as u32),
        _ => u128::from((rng.below(4000) as i32 - 2000) as u32),
    }
}
