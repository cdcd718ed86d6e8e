//! Build times and speed of a simulation, as stated in `docs/simulation.md`:
//! `cargo run --release -p clhls-sim --example measure -- DIR KERNEL N [NAME=VALUE]...`
//! launches the kernel of a build directory over N work-items, with a cold and a warm cache.

use host::{Device, NdRange, Value, run};
use sim::{SimOptions, Simulator};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

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
        let start = Instant::now();
        let result = run(&mut device, kernel, &NdRange::new(&[size.parse()?]), &args)?;
        let seconds = start.elapsed().as_secs_f64();
        let hardware = result.stats.hardware.ok_or("no measurements")?;
        println!(
            "{}: {} cycles in {seconds:.3} s = {:.0} kHz; {} read and {} write beats",
            device.name(),
            hardware.cycles,
            hardware.cycles as f64 / seconds / 1000.0,
            hardware.read_beats,
            hardware.write_beats
        );
    }
    Ok(())
}
