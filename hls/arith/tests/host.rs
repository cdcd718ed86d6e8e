//! Operators against the host's IEEE 754 hardware (round to nearest even).

use arith::native::Native;
use arith::stimulus::Rng;
use arith::{Format, Rounding, float};
use clhls_arith as arith;

const CASES: usize = 300_000;

fn same32(ours: u64, host: f32) -> bool {
    if host.is_nan() { ours == Format::F32.nan() as u64 } else { ours == host.to_bits() as u64 }
}

fn same64(ours: u128, host: f64) -> bool {
    if host.is_nan() { ours == Format::F64.nan() } else { ours == host.to_bits() as u128 }
}

#[test]
fn f32_add_sub_mul() {
    let b = Native::<u64>::new();
    let mut rng = Rng::new(1);
    let rne = Rounding::Rte;
    for _ in 0..CASES {
        let x = rng.float(Format::F32);
        let y = rng.float_near(Format::F32, x);
        let (xf, yf) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
        let (xv, yv) = (b.value(32, x), b.value(32, y));
        let sum = float::fadd(&b, Format::F32, rne, xv, yv).bits;
        assert!(same32(sum, xf + yf), "{x:08x} + {y:08x} = {sum:08x}");
        let difference = float::fsub(&b, Format::F32, rne, xv, yv).bits;
        assert!(same32(difference, xf - yf), "{x:08x} - {y:08x} = {difference:08x}");
        let product = float::fmul(&b, Format::F32, rne, xv, yv).bits;
        assert!(same32(product, xf * yf), "{x:08x} * {y:08x} = {product:08x}");
    }
}

#[test]
fn f64_add_sub_mul() {
    let b = Native::<u128>::new();
    let mut rng = Rng::new(1);
    let rne = Rounding::Rte;
    for _ in 0..CASES {
        let x = rng.float(Format::F64);
        let y = rng.float_near(Format::F64, x);
        let (xf, yf) = (f64::from_bits(x), f64::from_bits(y));
        let (xv, yv) = (b.value(64, x as u128), b.value(64, y as u128));
        let sum = float::fadd(&b, Format::F64, rne, xv, yv).bits;
        assert!(same64(sum, xf + yf), "{x:016x} + {y:016x} = {sum:016x}");
        let difference = float::fsub(&b, Format::F64, rne, xv, yv).bits;
        assert!(same64(difference, xf - yf), "{x:016x} - {y:016x} = {difference:016x}");
        let product = float::fmul(&b, Format::F64, rne, xv, yv).bits;
        assert!(same64(product, xf * yf), "{x:016x} * {y:016x} = {product:016x}");
    }
}
