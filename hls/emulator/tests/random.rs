//! Random kernels do natively what the interpreter says.

use emulator::{Argument, Options, PASSES, Program};
use fuzz::Rng;
use fuzz::ir_kernels::{self, WORDS, work_items};
use host::ResolvedRange;
use interp::{Launch, Memory};
use ir::Module;

/// Contents of the two buffers and the bytes of the number.
type Inputs = ([Vec<u8>; 2], Vec<u8>);

fn inputs(seed: u64) -> Inputs {
    let mut rng = Rng(seed);
    let mut words =
        || -> Vec<u8> { (0..WORDS).flat_map(|_| (rng.number() as u32).to_le_bytes()).collect() };
    ([words(), words()], words()[..4].to_vec())
}

fn interpreted(module: &Module, ([a, b], n): &Inputs) -> [Vec<u8>; 2] {
    let mut memory = Memory::new();
    let program = interp::Program::new(module, &mut memory).expect("decodes");
    let limit = program.address_limit();
    let bases = [a, b].map(|x| memory.allocate("", x.clone(), 128, limit).expect("room"));
    let launch = Launch {
        kernel: "k".into(),
        work_dim: 1,
        global: [work_items(module), 1, 1],
        local: Some([work_items(module), 1, 1]),
        offset: [0; 3],
        args: vec![
            Argument::Pointer(bases[0]),
            Argument::Pointer(bases[1]),
            Argument::Value(n.clone()),
        ],
    };
    program.run(&mut memory, &launch, &interp::Options::default()).expect("runs");
    bases.map(|base| memory.buffer(base).expect("still there").to_vec())
}

fn native(module: &Module, ([a, b], n): &Inputs) -> [Vec<u8>; 2] {
    let program =
        Program::compile(module, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{module}"));
    let mut buffers = [a.clone(), b.clone()];
    let range = ResolvedRange {
        work_dim: 1,
        global: [work_items(module), 1, 1],
        local: [work_items(module), 1, 1],
        num_groups: [1; 3],
        offset: [0; 3],
    };
    let [a, b] = &mut buffers;
    let args = [
        Argument::Pointer(a.as_mut_ptr() as u64),
        Argument::Pointer(b.as_mut_ptr() as u64),
        Argument::Value(n.clone()),
    ];
    // SAFETY: random kernels stay inside their buffers; the interpreter has checked this one.
    unsafe { program.launch("k", &range, &args, 2) }.expect("runs");
    buffers
}

fn compare(module: &Module, what: &str) {
    for seed in 0..3 {
        let inputs = inputs(seed);
        let want = interpreted(module, &inputs);
        let got = native(module, &inputs);
        assert!(want == got, "{what}, input {seed}\n{want:?}\n{got:?}\n{module}");
    }
}

fn count(default: u64) -> u64 {
    std::env::var("CLHLS_RANDOM_KERNELS").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[test]
fn random_kernels_as_they_are() {
    for seed in 0..count(150) {
        compare(&ir_kernels::module(seed), &format!("kernel {seed}"));
    }
}

#[test]
fn random_kernels_behind_the_passes() {
    let passes = Some(PASSES.iter().map(|p| (*p).to_owned()).collect());
    let options = ir_opt::Options { passes, ..ir_opt::Options::default() };
    for seed in 0..count(150) {
        let module = ir_kernels::module(seed);
        let module = ir_opt::run(module, &[], &options, &target::Family::unit()).expect("passes");
        compare(&module, &format!("kernel {seed}"));
    }
}
