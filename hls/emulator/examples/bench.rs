//! Times the launches of `make bench-emu` as native code: `bench FOLDER-OF-MODULES`.
//!
//! Each line of the standard input is a launch; the answer is a line with its time and the processors' time, both in
//! seconds, the best of a few. `first` answers instead with the time from SPIR-V to the end of a first, small launch. The host
//! program `testbenches/host/bench_emulator.py` asks, and asks PoCL the same.

use emulator::{Argument, Options, PASSES, Program};
use host::ResolvedRange;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

/// Launches of which the best time counts.
const REPEAT: usize = 3;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let folder = std::env::args().nth(1).ok_or("usage: bench FOLDER-OF-MODULES")?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let (seconds, processors) = match words.as_slice() {
            ["first", name] => first(Path::new(&folder), name)?,
            [name, size] => timed(Path::new(&folder), name, size.parse()?)?,
            _ => return Err(format!("not a launch: {line}").into()),
        };
        println!("{seconds:.9} {processors:.9}");
        std::io::stdout().flush()?;
    }
    Ok(())
}

/// Reads a module and compiles one of its kernels.
fn load(folder: &Path, module: &str, kernel: &str) -> Outcome<Program> {
    let bytes = std::fs::read(folder.join(format!("{module}.clang-22.spv")))?;
    compile(&bytes, kernel)
}

fn compile(bytes: &[u8], kernel: &str) -> Outcome<Program> {
    let kernels = [kernel.to_owned()];
    let options = spirv_to_ir::Options { kernels: kernels.to_vec(), ..Default::default() };
    let module = spirv_to_ir::read(bytes, &options)?;
    let passes = Some(PASSES.iter().map(|p| (*p).to_owned()).collect());
    let options = ir_opt::Options { passes, ..Default::default() };
    let module = ir_opt::run(module, &kernels, &options, &target::Family::unit())?;
    Ok(Program::compile(&module, &Options { kernels: kernels.to_vec(), ..Default::default() })?)
}

fn range(global: [u32; 2], local: [u32; 2]) -> ResolvedRange {
    ResolvedRange {
        work_dim: 2,
        global: [global[0], global[1], 1],
        local: [local[0], local[1], 1],
        num_groups: [global[0] / local[0], global[1] / local[1], 1],
        offset: [0; 3],
    }
}

/// Numbers that are neither zero nor subnormal.
fn floats(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from_bits(0x3f80_0000 | state >> 9) - 0.5
    };
    std::iter::repeat_with(next).take(count).collect()
}

fn pointer<T>(buffer: &mut [T]) -> Argument {
    Argument::Pointer(buffer.as_mut_ptr() as u64)
}

fn int(n: u32) -> Argument {
    Argument::Value(n.to_le_bytes().to_vec())
}

fn float(x: f32) -> Argument {
    Argument::Value(x.to_le_bytes().to_vec())
}

/// Time that all threads together have been running, in seconds.
fn processor_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The best times of a launch of size `n`, the same as in the host program.
fn timed(folder: &Path, name: &str, n: u32) -> Outcome<(f64, f64)> {
    let threads = std::thread::available_parallelism()?.get();
    let square = (n as usize).pow(2);
    let (program, kernel, range, mut buffers, args);
    match name {
        "matmul" => {
            (program, kernel) = (load(folder, "matmul_naive", "matmul")?, "matmul");
            range = self::range([n, n], [16, 16]);
            buffers = [floats(square, 1), floats(square, 2), vec![0.0; square]];
            let [a, b, c] = &mut buffers;
            args = vec![pointer(a), pointer(b), pointer(c), int(n), int(n)];
        }
        "mandelbrot" => {
            (program, kernel) = (load(folder, "mandelbrot", "mandelbrot")?, "mandelbrot");
            range = self::range([n, n], [16, 16]);
            buffers = [vec![0.0; square.div_ceil(2)], vec![], vec![]];
            let step = float(3.0 / n as f32);
            let corner = [float(-2.2), float(-1.5)];
            let [left, top] = corner;
            args = vec![pointer(&mut buffers[0]), int(n), left, top, step, int(256)];
        }
        "nbody" => {
            (program, kernel) = (load(folder, "nbody", "nbody_step")?, "nbody_step");
            range = self::range([n, 1], [64, 1]);
            buffers = [0, 1, 2].map(|seed| floats(4 * n as usize, seed));
            let [p, v, m] = &mut buffers;
            let numbers = [int(n), float(0.01), float(0.05)];
            args = [pointer(p), pointer(v), pointer(m)]
                .into_iter()
                .chain(numbers)
                .chain([Argument::Local(64 * 16)])
                .collect();
        }
        "saxpy" => {
            (program, kernel) = (load(folder, "saxpy", "saxpy")?, "saxpy");
            range = self::range([n, 1], [256, 1]);
            buffers = [floats(n as usize, 1), floats(n as usize, 2), vec![]];
            let [x, y, _] = &mut buffers;
            args = vec![float(2.5), pointer(x), pointer(y)];
        }
        _ => return Err(format!("no launch `{name}`").into()),
    }
    let mut best = (f64::MAX, f64::MAX);
    for _ in 0..REPEAT {
        let (start, before) = (Instant::now(), processor_time());
        // SAFETY: the kernels stay inside buffers of these sizes.
        unsafe { program.launch(kernel, &range, &args, threads)? };
        best.0 = best.0.min(start.elapsed().as_secs_f64());
        best.1 = best.1.min(processor_time() - before);
    }
    drop(buffers);
    Ok(best)
}

/// From the bytes of a module to the end of a first launch of one of its kernels, which is `saxpy`'s or like it.
fn first(folder: &Path, name: &str) -> Outcome<(f64, f64)> {
    let bytes = std::fs::read(folder.join(format!("{name}.clang-22.spv")))?;
    let mut buffers = [floats(64, 1), floats(64, 2)];
    let [x, y] = &mut buffers;
    let args = [float(2.5), pointer(x), pointer(y)];
    let (start, before) = (Instant::now(), processor_time());
    let program = compile(&bytes, name)?;
    // SAFETY: the kernel works on 64 numbers.
    unsafe { program.launch(name, &range([64, 1], [64, 1]), &args, 1)? };
    Ok((start.elapsed().as_secs_f64(), processor_time() - before))
}
