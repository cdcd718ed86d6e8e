//! `clhls run --profile` on simulated hardware: what the report says was measured is what must have happened.

use crate::common::{self, outcome, program, scratch, text};
use driver::DONE;
use report::Report;
use std::path::Path;

const ITEMS: u64 = 300;

fn run(input: &Path, options: &[&str]) -> common::Outcome {
    let mut command = program();
    command.args(["run", text(input), "-q", "--global", "300", "--arg", "io=iota:u32[300]"]);
    // simulators of the last run of these tests are used again
    command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
    outcome(&command.args(options).output().expect("ran"))
}

fn read(dir: &Path) -> Report {
    let json = std::fs::read_to_string(dir.join("report.json")).expect("written");
    Report::parse(&json).expect("a report")
}

#[test]
fn measurements_count_what_happened() {
    let (dir, input) = scratch();
    let built = dir.path().join("out");
    let build = ["build", text(&input), "--board", "unit", "--simd", "1", "-q", "-o", text(&built)];
    assert_eq!(common::clhls(&build).code, DONE);
    assert_eq!(read(&built).kernels[0].measured, None);

    let o = run(&built, &["--profile"]);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    let report = read(&built);
    let kernel = &report.kernels[0];
    let m = kernel.measured.as_ref().expect("measured");
    assert_eq!(m.work_items, ITEMS);
    assert!(o.out.contains(&format!("{} cycles", m.cycles)), "{}", o.out);
    // A load and a store of four bytes for each work-item.
    let counts: Vec<(u64, u64)> = m.accesses.iter().map(|a| (a.count, a.bytes)).collect();
    assert_eq!(counts, [(ITEMS, 4 * ITEMS); 2]);
    // 1200 bytes each way, in whole beats of eight.
    let [port] = m.ports.as_slice() else { panic!("{:?}", m.ports) };
    assert_eq!((port.read_bytes, port.written_bytes), (4 * ITEMS, 4 * ITEMS));
    let seconds = m.cycles as f64 / (kernel.clock_mhz * 1e6);
    assert!((port.read_bytes_per_second - 1200.0 / seconds).abs() <= 0.5);
    // Every work-item passes every channel once; the drawing names each of them.
    assert!(!m.channels.is_empty());
    for c in &m.channels {
        assert_eq!(c.tokens, ITEMS, "{c:?}");
        assert!(c.stalled < m.cycles && c.occupancy <= 1.0, "{c:?}");
        assert!(c.interval >= 1.0 && c.interval <= m.cycles as f64 / (ITEMS - 1) as f64, "{c:?}");
        assert!(kernel.edges.iter().any(|e| e.channel == c.channel), "{c:?}: {:?}", kernel.edges);
    }
    let page = std::fs::read_to_string(built.join("report.html")).expect("written");
    assert!(page.contains("\"measured\":{\"cycles\":"));

    // Slow memory: work-items wait beside their loads.
    let other = dir.path().join("elsewhere");
    let slow =
        ["--profile", "--mem-latency", "400", "--stall-rate", "0.5", "--report", text(&other)];
    let o = run(&built, &slow);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    assert_eq!(read(&built), report, "the build's report stays");
    let slow = read(&other).kernels.remove(0).measured.expect("measured");
    let waiting = |m: &report::Measured| {
        m.channels
            .iter()
            .filter(|c| c.channel.ends_with("beside_q"))
            .map(|c| c.stalled)
            .sum::<u64>()
    };
    assert!(waiting(&slow) > waiting(m) + 250, "{} against {}", waiting(&slow), waiting(m));
}

#[test]
fn caches_of_images_are_measured() {
    let dir = tempfile::tempdir().expect("scratch");
    let module = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../testbenches/filetests/spirv-to-ir/image_sample.spv"
    );
    let mut command = program();
    command.args(["run", module, "-q", "--device", "sim", "--board", "unit", "--profile"]);
    command.args(["--global", "40", "--image-format", "sample.0=r:float", "--report"]);
    command.args([text(dir.path()), "--arg", "0=image:r:float:rand:f32[20,16]:1"]);
    command.args(["--arg", "1=zeros:f32[40,4]"]);
    command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
    let o = outcome(&command.output().expect("ran"));
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    let report = read(dir.path());
    let kernel = &report.kernels[0];
    let m = kernel.measured.as_ref().expect("measured");
    let mut misses = 0;
    for (access, n) in kernel.accesses.iter().zip(&m.accesses) {
        assert_eq!(n.cache.is_some(), access.cache_bytes > 0, "{access:?}");
        let Some(cache) = &n.cache else { continue };
        assert_eq!(cache.hits + cache.misses, n.count, "{cache:?}");
        let rate = cache.hits as f64 / n.count as f64;
        assert!((cache.hit_rate - rate).abs() < 1e-4, "{cache:?}");
        // It waits for each line that it asks for, and does nothing else for longer than the launch.
        assert!((1..=m.cycles).contains(&cache.waiting) && cache.refused < m.cycles, "{cache:?}");
        misses += cache.misses;
    }
    // Columns 0 to 10 of rows 0 to 20, a line of 64 bytes each: a cache for even rows and one for odd ones, twice.
    assert_eq!(misses, 2 * 20);
}

#[test]
fn a_kernel_file_is_measured_too() {
    let (dir, input) = scratch();
    let out = dir.path().join("report");
    let sim = ["--device", "sim", "--board", "unit", "--profile"];
    let o = run(&input, &[&sim[..], &["--report", text(&out)]].concat());
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    assert!(read(&out).kernels[0].measured.is_some());
    let without = run(&input, &["--device", "sim", "--board", "unit", "--report", text(&out)]);
    assert!(without.err.contains("E0613"), "{}", without.err);
}
