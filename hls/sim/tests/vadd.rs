//! A hand-written kernel on the simulator: right answers, and every kind of misbehaviour is noticed.

mod common;

use abi::{ArgKind, Channel, Manifest, ScalarType, Site, SiteKind};
use common::{arg, options};
use host::{Array, Error, ErrorKind, HardwareStats, NdRange, Value, run};
use sim::{MemoryOptions, SimOptions, Simulator, Source};
use std::path::Path;

fn manifest(data_bits: u32) -> Manifest {
    let args = vec![
        arg(0, "a", "uint*", ArgKind::GlobalPtr),
        arg(1, "b", "uint*", ArgKind::GlobalPtr),
        arg(2, "c", "uint*", ArgKind::GlobalPtr),
        arg(3, "n", "uint", ArgKind::Scalar),
        arg(4, "mode", "uint", ArgKind::Scalar),
    ];
    let mut manifest = common::manifest("vadd", args, data_bits);
    let site = |id, kind, column, argument| Site {
        id,
        kind,
        port: Some("m_axi_gmem0".into()),
        source: format!("vadd.cl:2:{column}"),
        bytes: 4,
        argument: Some(argument),
    };
    let kernel = &mut manifest.kernels[0];
    kernel.sites = vec![
        site(0, SiteKind::Load, 23, 0),
        site(1, SiteKind::Load, 30, 1),
        site(2, SiteKind::Store, 16, 2),
    ];
    kernel.channels = vec![Channel {
        id: 0,
        name: "store -> done".into(),
        source: "vadd.cl:2:16".into(),
        valid: Some("ch_valid".into()),
        ready: Some("ch_ready".into()),
        space: Some("ch_space".into()),
        waiting: None,
    }];
    manifest
}

fn sources(data_bits: u32) -> Vec<Source> {
    let width = format!("DATA_BITS = {data_bits}");
    common::sources("vadd", include_str!("rtl/vadd.v").replace("DATA_BITS = 64", &width))
}

fn simulator(data_bits: u32, options: SimOptions) -> Simulator {
    Simulator::new(manifest(data_bits), sources(data_bits), options).expect("consistent")
}

fn words(array: &Array) -> Vec<u32> {
    array.bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("4"))).collect()
}

/// Launches vadd over `size` work-items with buffers of `size` elements.
fn launch(device: &mut Simulator, size: usize, n: u32, mode: u32) -> Result<HardwareStats, Error> {
    let value = |text: String| Value::parse(&text, Path::new(".")).expect("a value");
    let args: Vec<(String, Value)> = [
        ("a", format!("rand:u32[{size}]:1")),
        ("b", format!("rand:u32[{size}]:2")),
        ("c", format!("fill:u32[{size}]:7")),
        ("n", n.to_string()),
        ("mode", mode.to_string()),
    ]
    .map(|(name, text)| (name.to_owned(), value(text)))
    .into();
    let global = size.max(n as usize) as u64;
    let result = run(device, "vadd", &NdRange::new(&[global]), &args)?;
    let [a, b, c] = [0, 1, 2].map(|i| words(&result.buffers[i].1));
    for i in 0..size {
        let expected = if i < n as usize { a[i].wrapping_add(b[i]) } else { 7 };
        assert_eq!(c[i], expected, "element {i} of {size}, n = {n}");
    }
    assert_eq!(result.buffers[2].1.scalar, ScalarType::U32);
    assert_eq!(result.stats.work_items, global);
    Ok(result.stats.hardware.expect("this is hardware"))
}

#[test]
fn every_bus_width_gives_the_right_answer() {
    for bits in [32, 64, 512, 1024] {
        let mut device = simulator(bits, options());
        for (size, n) in [(1, 1), (17, 17), (1001, 999)] {
            let stats = launch(&mut device, size, n, 0).expect("runs");
            let lines = u64::from(n.div_ceil(bits / 32));
            assert_eq!((stats.read_beats, stats.write_beats), (2 * lines, lines), "{bits} bits");
            assert_eq!(stats.read_bytes, 2 * lines * u64::from(bits) / 8);
            assert_eq!((stats.read_bursts, stats.write_bursts), (2 * lines, lines));
        }
    }
}

#[test]
fn latency_is_what_was_asked_for() {
    let cycles = |read_latency, write_latency| {
        let memory = MemoryOptions { read_latency, write_latency, ..MemoryOptions::default() };
        let mut device = simulator(64, SimOptions { memory, ..options() });
        launch(&mut device, 200, 200, 0).expect("runs").cycles
    };
    let base = cycles(10, 10);
    // 100 lines; the two reads of a line overlap.
    assert_eq!(cycles(60, 10) - base, 100 * 50);
    assert_eq!(cycles(10, 40) - base, 100 * 30);
}

#[test]
fn stalls_and_reordering_change_the_time_but_not_the_answer() {
    let mut times = Vec::new();
    for seed in 1..=6 {
        let memory = MemoryOptions {
            seed,
            stall_rate: 0.4,
            bandwidth: 0.7,
            reorder: true,
            interleave: true,
            read_latency: 1 + seed as u32,
            write_latency: 3,
            ..MemoryOptions::default()
        };
        let mut device = simulator(512, SimOptions { memory, ..options() });
        times.push(launch(&mut device, 1001, 1001, 0).expect("runs").cycles);
        let mut again = simulator(512, SimOptions { memory, ..options() });
        let repeated = launch(&mut again, 1001, 1001, 0).expect("runs").cycles;
        assert_eq!(times.last(), Some(&repeated), "the seed decides everything");
    }
    times.sort_unstable();
    times.dedup();
    assert!(times.len() >= 4, "stalls are random: {times:?}");
}

#[test]
fn random_initial_state_does_not_matter_to_a_kernel_that_resets() {
    let mut device = simulator(64, SimOptions { random_state: true, ..options() });
    launch(&mut device, 33, 33, 0).expect("runs");
}

fn failure(size: usize, n: u32, mode: u32) -> String {
    let mut device = simulator(64, options());
    let error = launch(&mut device, size, n, mode).expect_err("misbehaves");
    assert_eq!(error.kind, ErrorKind::Execution);
    // The device works again afterwards.
    launch(&mut device, 5, 5, 0).expect("runs after a failure");
    error.message
}

#[test]
fn accesses_outside_buffers_name_the_source_line() {
    let message = failure(100, 101, 0);
    let (text, cycle) = message.split_once(" (address 0x4000000190, cycle ").expect("says when");
    assert_eq!(
        text,
        "kernel `vadd`: vadd.cl:2:23: load of 4 bytes (argument `a`) accesses bytes 400 to 403 of the \
         buffer of argument `a`, which has 400 bytes"
    );
    assert!(cycle.ends_with(')'));
}

#[test]
fn writes_that_no_access_announced_are_noticed_on_the_bus() {
    let message = failure(99, 99, 8);
    assert!(
        message.starts_with(
            "kernel `vadd`: port m_axi_gmem0 writes bytes 392 to 399 of the buffer of argument `c`, \
             which has 396 bytes"
        ),
        "{message}"
    );
}

#[test]
fn hangs_name_the_channel_that_waits() {
    let message = failure(10, 10, 1);
    assert!(message.contains("it hangs: nothing moves any more"), "{message}");
    assert!(message.contains("no channel holds a work-item"), "{message}");
    let message = failure(10, 10, 10);
    assert!(
        message.ends_with(
            "channel 0 `store -> done` (vadd.cl:2:16) has work-items that its reader does not take, and is full"
        ),
        "{message}"
    );
}

#[test]
fn long_work_without_memory_accesses_is_no_hang() {
    let mut device = simulator(64, options());
    let stats = launch(&mut device, 4, 4, 9).expect("runs");
    assert!(stats.cycles > 200_000);
}

#[test]
fn broken_axi_rules_are_named() {
    assert!(failure(10, 10, 4).contains("WLAST does not agree with AWLEN"));
    assert!(failure(1000, 1000, 2).contains("burst crosses a 4 KiB boundary"));
    let mut device = simulator(
        64,
        SimOptions {
            memory: MemoryOptions { stall_rate: 0.9, ..MemoryOptions::default() },
            ..options()
        },
    );
    let error = launch(&mut device, 10, 10, 5).expect_err("withdraws ARVALID");
    assert!(error.message.contains("VALID was withdrawn before READY"), "{}", error.message);
}

#[test]
fn the_control_protocol_is_checked() {
    assert!(failure(10, 10, 3).contains("said done before the memory had answered 1 writes"));
    assert!(failure(10, 10, 6).contains("a barrier was left incomplete"));
    assert!(failure(10, 10, 7).contains("it is done but raised no interrupt"));
}

#[test]
fn the_cycle_limit_ends_a_launch() {
    let mut device = simulator(64, SimOptions { max_cycles: 500, ..options() });
    let error = launch(&mut device, 1000, 1000, 0).expect_err("too slow");
    assert_eq!(
        error.message,
        "kernel `vadd`: not done after 500 cycles, the limit of this simulation"
    );
}

#[test]
fn waveforms_are_written() {
    let dir = tempfile::tempdir().expect("a scratch directory");
    let path = dir.path().join("wave.fst");
    let mut device = simulator(64, SimOptions { trace: Some(path.clone()), ..options() });
    launch(&mut device, 20, 20, 0).expect("runs");
    drop(device);
    let size = std::fs::metadata(&path).expect("written").len();
    assert!(size > 1000, "{size} bytes");
}

#[test]
fn broken_verilog_gives_the_tool_s_message() {
    let mut sources = sources(64);
    sources[0].text = sources[0].text.replace("assign m_axi_gmem0_bready  = 1'b1;", "assign = ;");
    let device = Simulator::new(manifest(64), sources, options()).expect("consistent");
    let error = device.build("vadd").expect_err("does not parse");
    assert!(error.message.contains("verilator failed"), "{}", error.message);
    assert!(error.message.contains("vadd.v:"), "{}", error.message);
}

#[test]
fn a_build_directory_is_opened_and_incomplete_ones_are_refused() {
    let dir = tempfile::tempdir().expect("a scratch directory");
    let open = || Simulator::open(dir.path(), options()).map(drop).map_err(|error| error.message);
    assert!(open().expect_err("empty").contains("manifest.json"));
    std::fs::write(dir.path().join(abi::MANIFEST_FILE), manifest(64).to_json()).expect("writable");
    assert!(open().expect_err("no rtl").contains("rtl"));
    std::fs::create_dir(dir.path().join("rtl")).expect("writable");
    assert_eq!(open().expect_err("no kernel"), "kernel `vadd`: rtl/vadd.v is missing");
    for source in sources(64) {
        std::fs::write(dir.path().join("rtl").join(source.name), source.text).expect("writable");
    }
    let mut device = Simulator::open(dir.path(), options()).expect("complete");
    launch(&mut device, 9, 9, 0).expect("runs");
}
