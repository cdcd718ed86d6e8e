//! The library that tells the example `ulp` which results need no closer look rounds correctly.

#[path = "../examples/ulp/double.rs"]
mod double;
#[path = "../examples/ulp/filter.rs"]
mod filter;
#[expect(dead_code, reason = "also has the bounds of the operators")]
mod functions;
#[path = "../examples/ulp/operands.rs"]
mod operands;

use arith::{Format, math};
use clhls_arith as arith;
use filter::{Filter, LIMIT};
use functions::numbers::decode;
use ir::{MathFn, MathType};

/// Numbers that the library gives for a function, on so many operands, and how far the worst is off.
fn worst(f: MathFn, format: Format, filter: &Filter, cases: u64) -> (u64, f64) {
    let (mut asked, mut worst) = (0, 0f64);
    operands::mixed(f, format, 77, cases, &mut |x, y| {
        let result = u128::from(filter.result(x as u64, y as u64));
        let magnitude = result & !format.sign_mask();
        if magnitude == 0 || magnitude >= format.infinity() {
            return;
        }
        asked += 1;
        let error = if format == Format::F64 {
            let second = match f.args().get(1) {
                Some(MathType::Int) => rug::Float::with_val(64, y as u32 as i32),
                _ => decode(format, y),
            };
            functions::error(
                f,
                format,
                x,
                result,
                &functions::value(f, &decode(format, x), &second),
            )
        } else {
            double::error(f, format, x, y, result)
        };
        assert!(error <= LIMIT, "{}_{format}({x:#x}, {y:#x}): {error} ulp", f.name());
        worst = worst.max(error);
    });
    (asked, worst)
}

fn all(single: u64, double: u64) {
    for (format, cases) in [(Format::F32, single), (Format::F64, double)] {
        for f in MathFn::ALL.iter().copied().filter(|f| math::is_supported(*f, format)) {
            let Some(filter) = Filter::of(f, format) else { continue };
            let (asked, worst) = worst(f, format, &filter, cases);
            println!("{}_{format}: {worst:.5} ulp in {asked} cases", f.name());
            assert!(asked > cases / 20, "{}_{format}: it has hardly any numbers", f.name());
        }
    }
}

#[test]
fn samples() {
    all(4_000, 400);
}

/// Two million cases a function: `cargo test --release -p clhls-arith --test ulp_filter -- --ignored --nocapture`.
#[test]
#[ignore = "takes some minutes in a release build"]
fn at_length() {
    all(2_000_000, 200_000);
}
