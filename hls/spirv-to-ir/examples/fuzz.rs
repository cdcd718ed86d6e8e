//! Mutates modules and reads them: `cargo run --release --example fuzz FIRST COUNT FILE...`.
//! A panic names the seed through the last line printed; each file gets seeds FIRST.. of COUNT.

use std::time::Instant;

fn main() {
    let mut args = std::env::args().skip(1);
    let first: u64 = args.next().and_then(|a| a.parse().ok()).unwrap_or(0);
    let count: u64 = args.next().and_then(|a| a.parse().ok()).unwrap_or(1000);
    for path in args {
        let bytes = match std::fs::read(&path) {
            Ok(b) => b,
            Err(e) => {
                eprintln!("{path}: {e}");
                continue;
            }
        };
        let mut valid = 0u64;
        for seed in first..first + count {
            let case = spirv_to_ir::fuzzing::mutate(&bytes, seed);
            let start = Instant::now();
            let result = std::panic::catch_unwind(|| spirv_to_ir::fuzzing::check(&case));
            let time = start.elapsed();
            match result {
                Ok(ok) => valid += u64::from(ok),
                Err(_) => println!("PANIC {path} seed {seed}"),
            }
            if time.as_millis() > 500 {
                println!("SLOW {path} seed {seed}: {time:?}");
            }
        }
        println!("{path}: {valid} of {count} still valid");
    }
}
