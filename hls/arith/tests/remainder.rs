//! Remainders against MPFR: exact, so every bit is to agree.

#[path = "reference/numbers.rs"]
mod numbers;

use arith::remainder::{Kind, remainder};
use arith::stimulus::Rng;
use arith::{Format, Rounding};
use clhls_arith as arith;
use numbers::{PRECISION, decode, encode};
use rug::Float;
use rug::float::Special;

/// Quotient and remainder, as OpenCL C defines `fmod` and `remquo`: n with 7 bits and the sign of x / y.
fn expected(format: Format, kind: Kind, x: u128, y: u128) -> (u128, i32) {
    let (x_bits, y_bits) = (x, y);
    let (x, y) = (decode(format, x), decode(format, y));
    if x.is_nan() || x.is_infinite() || y.is_nan() || y.is_zero() {
        return (encode(format, Rounding::Rte, &Float::with_val(PRECISION, Special::Nan)), 0);
    }
    if y.is_infinite() || x.is_zero() {
        return (x_bits, 0);
    }
    // Exact: both are integers times the least subnormal.
    let unit = format.bias() + format.frac_bits - 1;
    let integer =
        |v: &Float| (Float::with_val(PRECISION, v.abs_ref()) << unit).to_integer().expect("finite");
    let (dividend, divisor) = (integer(&x), integer(&y));
    let (mut n, mut rest) = dividend.div_rem(divisor.clone());
    if kind == Kind::Nearest {
        let twice = rug::Integer::from(&rest * 2);
        if twice > divisor || twice == divisor && n.is_odd() {
            n += 1;
            rest -= divisor;
        }
    }
    let magnitude = encode(format, Rounding::Rte, &(Float::with_val(PRECISION, &rest) >> unit));
    let flipped = if x.is_sign_negative() { magnitude ^ format.sign_mask() } else { magnitude };
    let n = n.keep_bits(7).to_i32().expect("seven bits");
    let negative = (x_bits ^ y_bits) & format.sign_mask() != 0;
    (flipped, if negative { -n } else { n })
}

fn check(format: Format, x: u128, y: u128) {
    for kind in [Kind::Truncated, Kind::Nearest] {
        let (rest, n) = remainder(format, kind, x, y);
        let wanted = expected(format, kind, x, y);
        assert_eq!((rest, n as i32), wanted, "{format} {kind:?} {x:#x} {y:#x}");
    }
}

#[test]
fn remainders_of_all_formats() {
    for format in Format::ALL {
        let mut rng = Rng::new(17);
        for _ in 0..10_000 {
            let x = rng.float(format) as u128;
            check(format, x, rng.float(format) as u128);
            // Quotients of a few bits, ties among them.
            let y = u128::from(rng.float_near(format, x as u64));
            check(format, x, y);
            let step = u128::from(rng.below(9)) << format.frac_bits;
            check(format, x, (y & !format.sign_mask()).saturating_sub(step));
            let small = |rng: &mut Rng| {
                encode(
                    format,
                    Rounding::Rte,
                    &Float::with_val(PRECISION, rng.below(400) as f64 / 4.0 - 50.0),
                )
            };
            let (a, b) = (small(&mut rng), small(&mut rng));
            check(format, a, b);
        }
    }
}

#[test]
fn ends_of_the_ranges() {
    for format in Format::ALL {
        let most = format.max_finite();
        for x in
            [most, most - 1, 1, 2, 3, 1 << format.frac_bits, format.infinity(), format.nan(), 0]
        {
            for y in
                [most, most - 1, 1, 2, 3, 1 << format.frac_bits, format.infinity(), format.nan(), 0]
            {
                check(format, x, y);
                check(format, x | format.sign_mask(), y);
            }
        }
    }
}
