//! Build times and speed of a simulation, as stated in `docs/simulation.md`:
//! `cargo run --release -p clhls-sim --example measure -- DIR KERNEL N [NAME=VALUE]...`
//! launches the kernel of a build directory over N work-items, with a cold and a warm cache.

use host::{Device, NdRange, Value, run};
use sim::{SimOptions, Simulator};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [dir, kernel, size, values @ ..] = arguments.as_slice() else {
        return Err("usage: measure DIR KERNEL N [NAME=VALUE]...".into());
    };
    let mut args = Vec::new();
    for text in values {
        let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
        args.push((name.to_owned(), Value::parse(value, Path::new("."))?));
    }
    let cache = tempfile::tempdir()?;
    let options = SimOptions { cache_dir: Some(cache.path().to_owned()), ..SimOptions::default() };
    for cache in ["empty", "warm", "warm"] {
        let mut device = Simulator::open(Path::new(dir), options.clone())?;
        let built = device.build(kernel)?;
        println!("cache {cache}: {:.3} s to the model", built.time.as_secs_f64());
        if !built.cached {
            continue;
        }
        let start = cpu_seconds()?;
        let result = run(&mut device, kernel, &NdRange::new(&[size.parse()?]), &args)?;
        let seconds = cpu_seconds()? - start;
        let hardware = result.stats.hardware.ok_or("no measurements")?;
        println!(
            "{}: {} cycles in {seconds:.3} CPU-s = {:.0} kHz; {} read and {} write beats",
            device.name(),
            hardware.cycles,
            hardware.cycles as f64 / seconds / 1000.0,
            hardware.read_beats,
            hardware.write_beats
        );
    }
    Ok(())
}

/// Processor time of this thread: a busy machine does not change it.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: f64 = text.split(' ').next().ok_or("no time in schedstat")?.parse()?;
    Ok(nanoseconds / 1e9)
}
