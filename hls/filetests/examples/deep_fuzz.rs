//! Mutates modules and takes them through all steps: `cargo run --release --example deep_fuzz FIRST COUNT FILE...`.
//! Each file gets seeds FIRST.. of COUNT. A case that panics, is a defect or takes long is named with its seed; one
//! that takes a minute ends the run.

use filetests::deep_fuzz::{Outcome, check};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What is running now, for the watchdog.
static CURRENT: Mutex<Option<(Instant, String)>> = Mutex::new(None);

/// A case that takes longer is reported.
const SLOW: Duration = Duration::from_secs(3);
/// A case that takes longer hangs.
const HANGS: Duration = Duration::from_secs(60);

fn main() -> std::process::ExitCode {
    let mut args = std::env::args().skip(1);
    let first: u64 = args.next().and_then(|a| a.parse().ok()).unwrap_or(0);
    let count: u64 = args.next().and_then(|a| a.parse().ok()).unwrap_or(100);
    let board = target::Library::builtin().board("u250").expect("a board that is built in");
    std::thread::spawn(watch);
    let (mut totals, mut defects) = (BTreeMap::<String, u64>::new(), 0);
    for path in args {
        let bytes = match std::fs::read(&path) {
            Ok(b) => b,
            Err(e) => {
                eprintln!("{path}: {e}");
                continue;
            }
        };
        for seed in first..first + count {
            let case = spirv_to_ir::fuzzing::mutate(&bytes, seed);
            let name = format!("{path} seed {seed}");
            let start = Instant::now();
            set_current(Some((start, name.clone())));
            let result = std::panic::catch_unwind(|| check(&case, &board));
            set_current(None);
            let time = start.elapsed();
            if time > SLOW {
                println!("SLOW {name}: {time:?}");
            }
            let kind = match result {
                Err(_) => "PANIC".to_owned(),
                Ok(Err(e)) => {
                    println!("DEFECT {name}: {}", e.trim_end());
                    "defect".to_owned()
                }
                Ok(Ok(Outcome::Refused(code))) => format!("refused {code}"),
                Ok(Ok(Outcome::Built { compared })) => {
                    *totals.entry("launches compared".into()).or_default() += u64::from(compared);
                    "built".to_owned()
                }
                Ok(Ok(other)) => format!("{other:?}"),
            };
            if kind == "PANIC" {
                println!("PANIC {name}");
            }
            defects += u64::from(kind == "PANIC" || kind == "defect");
            *totals.entry(kind).or_default() += 1;
        }
    }
    for (what, n) in totals {
        println!("{what}: {n}");
    }
    std::process::ExitCode::from(u8::from(defects > 0))
}

fn set_current(what: Option<(Instant, String)>) {
    *CURRENT.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = what;
}

fn watch() {
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let current = CURRENT.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        if let Some((start, name)) = current
            && start.elapsed() > HANGS
        {
            println!("HANGS {name}");
            // The thread that hangs cannot be joined, and nothing here needs a destructor.
            #[expect(clippy::disallowed_methods)]
            std::process::exit(3);
        }
    }
}
