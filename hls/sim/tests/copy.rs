//! A hand-written streaming kernel on the simulator: the memory has the speed that was asked for.

mod common;

use abi::ArgKind;
use common::{arg, options};
use host::{HardwareStats, NdRange, Value, run};
use sim::{MemoryOptions, SimOptions, Simulator};
use std::path::Path;

/// Copies this many lines of 64 bytes; checks the copy and what follows it.
fn copy(lines: usize, memory: MemoryOptions) -> HardwareStats {
    let args = vec![
        arg(0, "from", "ulong8*", ArgKind::GlobalPtr),
        arg(1, "to", "ulong8*", ArgKind::GlobalPtr),
        arg(2, "lines", "uint", ArgKind::Scalar),
    ];
    let sources = common::sources("copy", include_str!("rtl/copy.v").into());
    let options = SimOptions { memory, ..options() };
    let mut device =
        Simulator::new(common::manifest("copy", args, 512), sources, options).expect("consistent");
    let value = |text: String| Value::parse(&text, Path::new(".")).expect("a value");
    let values: Vec<(String, Value)> = [
        ("from", format!("rand:u64[{}]:3", 8 * lines)),
        ("to", format!("fill:u64[{}]:7", 8 * (lines + 1))),
        ("lines", lines.to_string()),
    ]
    .map(|(name, text)| (name.to_owned(), value(text)))
    .into();
    let result = run(&mut device, "copy", &NdRange::new(&[1]), &values).expect("runs");
    let [from, to] = [0, 1].map(|i| &result.buffers[i].1.bytes);
    assert!(from[..] == to[..64 * lines], "the copy of {lines} lines is wrong");
    assert!(to[64 * lines..].chunks(8).all(|word| word == 7u64.to_le_bytes()));
    let stats = result.stats.hardware.expect("this is hardware");
    let bursts = lines.div_ceil(16) as u64;
    assert_eq!((stats.read_beats, stats.write_beats), (lines as u64, lines as u64));
    assert_eq!((stats.read_bursts, stats.write_bursts), (bursts, bursts));
    stats
}

#[test]
fn one_beat_a_cycle_in_both_directions() {
    let cycles = copy(4096, MemoryOptions::default()).cycles;
    // Latency of the first read and the last write, 100 each, and a few cycles of the kernel.
    assert!((4096 + 200..4096 + 230).contains(&cycles), "{cycles} cycles");
}

#[test]
fn bandwidth_limits_the_beats() {
    let cycles = |bandwidth| {
        copy(4096, MemoryOptions { bandwidth, ..MemoryOptions::default() }).cycles as f64
    };
    for bandwidth in [0.5, 0.3] {
        let expected = 4096.0 / bandwidth;
        let ratio = (cycles(bandwidth) - 200.0) / expected;
        assert!((0.99..1.02).contains(&ratio), "bandwidth {bandwidth}: {ratio}");
    }
}

#[test]
fn one_burst_at_a_time_waits_for_its_answer() {
    let memory = MemoryOptions { max_outstanding: 1, ..MemoryOptions::default() };
    let cycles = copy(64 * 16, memory).cycles;
    // Each of 64 bursts takes its latency and 16 beats; reads and writes overlap.
    assert!((64 * 115..64 * 125).contains(&cycles), "{cycles} cycles");
}

#[test]
fn stalls_in_all_channels_keep_order_within_an_id() {
    for seed in 1..=8 {
        let memory = MemoryOptions {
            seed,
            stall_rate: 0.3,
            reorder: true,
            interleave: true,
            read_latency: 20,
            ..MemoryOptions::default()
        };
        let cycles = copy(500 + seed as usize, memory).cycles;
        assert!(cycles > 500 * 10 / 7, "{cycles} cycles with 30 % stalls");
    }
}
