//! The body of the deep fuzz target, also run by `cargo test`: whatever the bytes, a module that can be read
//! goes through every step to Verilog or ends in an error of the user's, and optimisation does not change what
//! its kernels compute.
//!
//! Kernels are compared in the interpreter, as read and as optimised, where their result is defined: each as a
//! single work-item, so that there are no races; without the promises of the source that a mutation may have
//! broken (fast math, contraction, arguments that are not written, independent iterations, group sizes); not if
//! they turn pointers to integers, compare them or put them into memory, since optimisation moves objects; and
//! only if the kernel as read ends without an error. Everything else is defined: `docs/ir.md`, crate `interp`.

use abi::PipeDescriptor;
use base::Diagnostics;
use driver::pipeline::{Options, Pipeline, ReadOptions, Scheduling, read_spirv};
use interp::{Argument, Launch, Memory, Program};
use ir::{FastMath, Function, KernelArg, KernelArgKind, LoopHint, Module, Op};
use std::path::Path;
use target::Board;

/// Largest module that goes on after it has been read, in instructions.
const MOST_INSTS: usize = 3000;
/// Bytes of each buffer and local argument of a compared launch.
const BUFFER_BYTES: usize = 4096;
/// Instructions that a kernel may take as read; as optimised it gets more, since they count differently.
const STEPS: u64 = 200_000;
/// Largest alignment that buffers get; kernels that ask for more are not compared.
const MOST_ALIGNED: u32 = 4096;
/// Codes of errors that are defects of clhls (docs/errors.md).
const DEFECT_CODES: [&str; 9] =
    ["E0001", "E0002", "E0003", "E0004", "E0005", "E0006", "E0010", "E0305", "E0306"];

/// How a case ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The bytes are no module.
    Unreadable,
    /// A module that is too large to go on.
    TooLarge,
    /// A later step refused it with an error of this code.
    Refused(&'static str),
    /// It became Verilog.
    Built {
        /// Kernels whose results were compared.
        compared: u32,
    },
}

/// Runs a case on a board.
///
/// # Errors
/// A defect of clhls, for people.
///
/// # Panics
/// Where a step panics: a defect too.
pub fn check(bytes: &[u8], board: &Board) -> Result<Outcome, String> {
    let Ok(module) = read_spirv(bytes, "case", &[], Path::new(""), &ReadOptions::default()) else {
        return Ok(Outcome::Unreadable);
    };
    let insts = |f: &Function| f.layout.iter().map(|b| f.blocks[*b].insts.len()).sum::<usize>();
    if module.functions.values().map(insts).sum::<usize>() > MOST_INSTS {
        return Ok(Outcome::TooLarge);
    }
    let compared = compare_all(&module, board)?;
    match build(module, board) {
        Ok(()) => Ok(Outcome::Built { compared }),
        Err(e) => refusal(&e).map(Outcome::Refused),
    }
}

/// The code of an error that is not a defect.
fn refusal(e: &Diagnostics) -> Result<&'static str, String> {
    match e.0.first() {
        None => Err("an error without a message".into()),
        Some(d) if DEFECT_CODES.contains(&d.code) => Err(e.to_string()),
        Some(d) => Ok(d.code),
    }
}

/// All steps after reading; each verifies what it makes.
fn build(module: Module, board: &Board) -> Result<(), Diagnostics> {
    let options = Options {
        kernels: vec![],
        level: ir_opt::Level::O2,
        simd: Some(1),
        aligned_pointers: true,
        compute_units: Some(1),
        work_groups: None,
        memory_ports: 1,
        without_passes: vec![],
        image_cache: None,
        local_bytes: BUFFER_BYTES as u64,
        scheduling: Scheduling::Sdc,
        clock_mhz: None,
        platform: None,
        connections: vec![],
        spec_constants: vec![],
        dump: false,
    };
    let mut silent = |_: &str| {};
    let built = Pipeline::new(&options, board, &mut silent).compile(module);
    built.map(|_| ()).map_err(|f| f.diagnostics)
}

/// Compares the kernels of a module with their optimised forms; gives how many could be.
fn compare_all(module: &Module, board: &Board) -> Result<u32, String> {
    let mut raw = module.clone();
    raw.functions.values_mut().for_each(drop_promises);
    let helpers = raw.functions.values().filter(|f| f.kernel.is_none());
    if helpers.into_iter().any(shows_addresses) {
        return Ok(0);
    }
    let options = ir_opt::Options { level: ir_opt::Level::O2, ..ir_opt::Options::default() };
    let optimised = match ir_opt::run(raw.clone(), &[], &options, &board.family) {
        Ok(m) => m,
        Err(e) => return refusal(&e).map(|_| 0),
    };
    compare(&raw, &optimised)
}

fn drop_promises(f: &mut Function) {
    f.insts.values_mut().for_each(|i| i.fast_math = FastMath::default());
    f.blocks
        .values_mut()
        .for_each(|b| b.hint = LoopHint { unroll: b.hint.unroll, ..LoopHint::default() });
    if let Some(kernel) = &mut f.kernel {
        kernel.contraction_off = true;
        kernel.reqd_work_group_size = None;
        kernel.max_work_group_size = None;
        kernel.sub_groups = None;
        kernel.num_simd_work_items = None;
        for arg in &mut kernel.args {
            (arg.no_write, arg.no_read) = (false, false);
        }
    }
}

/// Whether a function can tell at which addresses objects stand.
fn shows_addresses(f: &Function) -> bool {
    let insts = f.layout.iter().flat_map(|b| &f.blocks[*b].insts);
    insts.into_iter().any(|i| {
        let d = &f.insts[*i];
        let is_pointer = |v: &ir::Value| f.ty(*v).space().is_some();
        match d.op {
            Op::PtrToInt | Op::IntToPtr | Op::Bitcast => {
                d.args.iter().chain(&d.result).any(is_pointer)
            }
            Op::ICmp(_) => d.args.iter().any(is_pointer),
            op if op.is_effect() => d.args.iter().skip(1).chain(&d.result).any(is_pointer),
            _ => false,
        }
    })
}

/// Runs the kernels of two modules that should compute the same; gives how many ran.
///
/// # Errors
/// The first difference: where the first module ends well, the second must, with the same buffers.
pub fn compare(raw: &Module, optimised: &Module) -> Result<u32, String> {
    let mut compared = 0;
    for (_, kernel) in raw.kernels() {
        let Some(info) = &kernel.kernel else { continue };
        if info.args.iter().any(|a| a.align > MOST_ALIGNED) || shows_addresses(kernel) {
            continue;
        }
        for seed in 0..2 {
            let Ok(want) = run(raw, &kernel.name, &info.args, seed, STEPS) else { continue };
            let got = run(optimised, &kernel.name, &info.args, seed, 20 * STEPS).map_err(|e| {
                format!("kernel `{}` runs as read, but optimised: {e}", kernel.name)
            })?;
            for (k, (w, g)) in want.iter().zip(&got).enumerate() {
                if let Some(at) = difference(w, g) {
                    let name = &kernel.name;
                    let what =
                        format!("kernel `{name}`, seed {seed}: buffer {k} differs at byte {at}");
                    return Err(format!("{what}: {:02x} as read, {:02x} optimised", w[at], g[at]));
                }
            }
            compared += 1;
        }
    }
    Ok(compared)
}

/// Buffers after a launch of one work-item.
fn run(
    module: &Module,
    kernel: &str,
    args: &[KernelArg],
    seed: u8,
    steps: u64,
) -> Result<Vec<Vec<u8>>, Diagnostics> {
    let mut memory = Memory::new();
    let program = Program::new(module, &mut memory)?;
    let mut buffers = vec![];
    let mut values = vec![];
    for (k, arg) in args.iter().enumerate() {
        values.push(match arg.kind {
            KernelArgKind::Pointer(_) => {
                let bytes = contents(seed.wrapping_add(k as u8));
                let align = u64::from(MOST_ALIGNED);
                let base = memory.allocate("buffer", bytes, align, program.address_limit());
                buffers.extend(base);
                Argument::Pointer(base.unwrap_or_default())
            }
            KernelArgKind::LocalPointer => Argument::Local(BUFFER_BYTES as u64),
            KernelArgKind::Value(_) => Argument::Value(scalar(arg.size as usize, seed)),
            // An image without texels.
            KernelArgKind::Image(_) | KernelArgKind::Sampler | KernelArgKind::Queue => {
                Argument::Value(vec![0; arg.size as usize])
            }
            // A pipe with room for packets, and some that can be read.
            KernelArgKind::Pipe(access) => {
                let packet = access.packet.unwrap_or(4).clamp(1, 1 << 10);
                let pipe = PipeDescriptor::new(8, packet).and_then(|pipe| {
                    let object = pipe.object(&vec![seed; 4 * packet as usize])?;
                    let align = u64::from(abi::pipe::ALIGN);
                    let base = memory.allocate("pipe", object, align, program.address_limit());
                    buffers.extend(base);
                    Some(PipeDescriptor { address: base?, ..pipe })
                });
                let bytes = pipe.map(|pipe| pipe.to_bytes().to_vec());
                Argument::Value(bytes.unwrap_or_else(|| vec![0; arg.size as usize]))
            }
        });
    }
    let launch = Launch {
        kernel: kernel.into(),
        work_dim: 3,
        global: [1; 3],
        local: Some([1; 3]),
        offset: [3 * u32::from(seed), u32::from(seed), 0],
        args: values,
    };
    let options = interp::Options { step_limit: Some(steps), ..interp::Options::default() };
    program.run(&mut memory, &launch, &options)?;
    Ok(buffers.iter().map(|b| memory.buffer(*b).unwrap_or_default().to_vec()).collect())
}

/// Words from 0 to 12: as indices they stay inside.
fn contents(seed: u8) -> Vec<u8> {
    let word = |i: usize| ((i * 7 + usize::from(seed) * 5) % 13) as u32;
    (0..BUFFER_BYTES / 4).flat_map(|i| word(i).to_le_bytes()).collect()
}

/// A small integer, or with the other seed a float in its upper half.
fn scalar(size: usize, seed: u8) -> Vec<u8> {
    let mut bytes = vec![0; size];
    for lane in bytes.chunks_mut(4) {
        let word: u32 = if seed == 0 { 4 } else { 0x4040_0000 };
        let len = lane.len();
        lane.copy_from_slice(&word.to_le_bytes()[..len]);
    }
    bytes
}

/// The first byte that differs, unless it is of two NaNs, which need not agree.
fn difference(want: &[u8], got: &[u8]) -> Option<usize> {
    if want.len() != got.len() {
        return Some(0);
    }
    (0..want.len()).find(|&at| {
        want[at] != got[at] && in_nan(want, at).is_none_or(|n| in_nan(got, at) != Some(n))
    })
}

/// Size of the f16, f32 or f64 around a byte that is a NaN.
fn in_nan(bytes: &[u8], at: usize) -> Option<usize> {
    [2, 4, 8].into_iter().find(|n| {
        let start = at / n * n;
        let Some(word) = bytes.get(start..start + n) else { return false };
        let bits = word.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
        match n {
            2 => bits & 0x7fff > 0x7c00,
            4 => f32::from_bits(bits as u32).is_nan(),
            _ => f64::from_bits(bits).is_nan(),
        }
    })
}
