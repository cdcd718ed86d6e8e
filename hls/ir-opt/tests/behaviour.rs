//! Optimised kernels do what they did: the interpreter runs random kernels before and after.

use fuzz::Rng;
use fuzz::ir_kernels::{self, WORDS, work_items};
use interp::{Argument, Launch, Memory, Program};
use ir::Module;
use ir_opt::{Level, Options};

/// Runs the kernel on buffers filled from `seed`; gives what is in them afterwards.
fn run(module: &Module, seed: u64) -> Result<(Vec<u8>, Vec<u8>), String> {
    let mut rng = Rng(seed);
    let mut words =
        || -> Vec<u8> { (0..WORDS).flat_map(|_| (rng.number() as u32).to_le_bytes()).collect() };
    let mut memory = Memory::new();
    let program = Program::new(module, &mut memory).map_err(|e| e.to_string())?;
    let limit = program.address_limit();
    let input = memory.allocate("in", words(), 128, limit).expect("room");
    let output = memory.allocate("out", words(), 128, limit).expect("room");
    let n = words()[..4].to_vec();
    let launch = Launch {
        kernel: "k".into(),
        work_dim: 1,
        global: [work_items(module), 1, 1],
        local: Some([work_items(module), 1, 1]),
        offset: [0; 3],
        args: vec![Argument::Pointer(input), Argument::Pointer(output), Argument::Value(n)],
    };
    let limits = interp::Options { step_limit: Some(2_000_000), ..Default::default() };
    program.run(&mut memory, &launch, &limits).map_err(|e| e.to_string())?;
    let bytes = |base| memory.buffer(base).expect("still there").to_vec();
    Ok((bytes(input), bytes(output)))
}

/// Compares a module with what `options` make of it, on a few inputs.
fn compare(module: &Module, options: &Options<'_>, what: &str) {
    let family = target::Family::unit();
    let optimised = match ir_opt::run(module.clone(), &[], options, &family) {
        Ok(m) => m,
        Err(e) => panic!("{what}: {e}\n{module}"),
    };
    for seed in 0..4 {
        let (want, got) = (run(module, seed), run(&optimised, seed));
        assert!(want.is_ok(), "{what}: {want:?}\n{module}");
        assert!(want == got, "{what}, input {seed}: {want:?} {got:?}\n{module}\n{optimised}");
    }
}

fn levels(kernels: std::ops::Range<u64>, level: Level) {
    for seed in kernels {
        let module = ir_kernels::module(seed);
        ir::verify::verify_module(&module).unwrap_or_else(|e| panic!("{seed}: {e}"));
        compare(&module, &Options { level, ..Options::default() }, &format!("kernel {seed}"));
    }
}

fn count(default: u64) -> u64 {
    std::env::var("CLHLS_RANDOM_KERNELS").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[test]
fn hardware_form() {
    levels(0..count(150), Level::O0);
}

#[test]
fn all_passes() {
    levels(1000..1000 + count(250), Level::O2);
}

/// Each pass alone, behind what it needs in front of it.
#[test]
fn each_pass() {
    for pass in ir_opt::registry::PASSES {
        for front in [&[][..], &["sroa", "scalarise", "gvn"][..]] {
            let vectors = ["narrow", "legalise-memory"].contains(&pass.name) && front.is_empty();
            if vectors {
                continue;
            }
            let passes = front.iter().chain([&pass.name]).map(|n| (*n).to_owned()).collect();
            let options = Options { passes: Some(passes), ..Options::default() };
            for seed in 2000..2000 + count(20) {
                let what = format!("{} on kernel {seed}", pass.name);
                compare(&ir_kernels::module(seed), &options, &what);
            }
        }
    }
}
