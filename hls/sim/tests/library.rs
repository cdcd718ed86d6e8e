//! A kernel made of the units of the RTL library: host, memory model and library fit together.

mod common;

use abi::{ArgKind, Channel, Site, SiteKind};
use common::{arg, options};
use host::{Device, Error, HardwareStats, LaunchArg, NdRange, Value, run};
use sim::{MemoryOptions, SimOptions, Simulator, Source};
use std::path::Path;

/// All of the library; a model reads only what it uses.
fn library() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rtl-templates");
    let mut sources = Vec::new();
    for folder in ["lib", "axi"] {
        for item in std::fs::read_dir(root.join(folder)).expect("the RTL library") {
            let path = item.expect("listable").path();
            if path.extension().is_some_and(|extension| extension == "v") {
                let name = path.file_name().expect("a file").to_string_lossy().into_owned();
                let text = std::fs::read_to_string(&path).expect("readable");
                sources.push(Source { name, text, library: true });
            }
        }
    }
    sources
}

fn simulator(data_bits: u32, options: SimOptions) -> Simulator {
    let args = vec![
        arg(0, "a", "uint*", ArgKind::GlobalPtr),
        arg(1, "b", "uint*", ArgKind::GlobalPtr),
        arg(2, "c", "uint*", ArgKind::GlobalPtr),
        arg(3, "n", "uint", ArgKind::Scalar),
    ];
    let mut manifest = common::manifest("stream", args, data_bits);
    let kernel = &mut manifest.kernels[0];
    kernel.signature.non_uniform = true;
    kernel.sites = [SiteKind::Load, SiteKind::Load, SiteKind::Store]
        .into_iter()
        .zip(0..)
        .map(|(kind, id)| Site {
            id,
            kind,
            port: Some("m_axi_gmem0".into()),
            source: format!("stream.cl:2:{}", 40 + id),
            bytes: 4,
            argument: Some(id),
        })
        .collect();
    kernel.channels = vec![Channel {
        id: 0,
        name: "beside the loads".into(),
        source: "stream.cl:2:40".into(),
        valid: Some("u_beside.m_valid".into()),
        ready: Some("u_beside.m_ready".into()),
        space: Some("u_beside.s_ready".into()),
        waiting: None,
    }];
    let width = format!("DATA_BITS = {data_bits}");
    let text = include_str!("rtl/stream.v").replace("DATA_BITS = 512", &width);
    let mut sources = library();
    sources.push(Source { name: "stream.v".into(), text, library: true });
    Simulator::new(manifest, sources, options).expect("consistent")
}

fn launch(
    device: &mut Simulator,
    range: &NdRange,
    size: usize,
    n: usize,
) -> Result<HardwareStats, Error> {
    let value = |text: String| Value::parse(&text, Path::new(".")).expect("a value");
    let args: Vec<(String, Value)> = [
        ("a", format!("rand:u32[{size}]:1")),
        ("b", format!("rand:u32[{size}]:2")),
        ("c", format!("fill:u32[{size}]:7")),
        ("n", n.to_string()),
    ]
    .map(|(name, text)| (name.to_owned(), value(text)))
    .into();
    let result = run(device, "stream", range, &args)?;
    let words = |index: usize| {
        let bytes = &result.buffers[index].1.bytes;
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("4 bytes"));
        bytes.chunks(4).map(word).collect::<Vec<u32>>()
    };
    let (a, b, c) = (words(0), words(1), words(2));
    let first = range.offset.as_ref().map_or(0, |offset| offset[0] as usize);
    for i in 0..size {
        let inside = (first..first + range.global[0] as usize).contains(&i) && i < n;
        let expected = if inside { a[i].wrapping_add(b[i]) } else { 7 };
        assert_eq!(c[i], expected, "element {i} of {size}");
    }
    Ok(result.stats.hardware.expect("this is hardware"))
}

#[test]
fn one_work_item_a_cycle() {
    let mut device = simulator(512, options());
    let stats = launch(&mut device, &NdRange::new(&[16384]), 16384, 16384).expect("runs");
    assert_eq!((stats.read_beats, stats.write_beats), (2 * 1024, 1024), "lines are shared");
    // Fill and drain take the two latencies of 100 and some.
    assert!(stats.cycles < 16384 + 400, "{} cycles", stats.cycles);
}

#[test]
fn awkward_launches_are_right_under_stalls() {
    for seed in 1..=4 {
        let memory = MemoryOptions {
            seed,
            stall_rate: 0.3,
            reorder: true,
            interleave: true,
            read_latency: 30,
            write_latency: 10,
            ..MemoryOptions::default()
        };
        for bits in [64, 512] {
            let mut device = simulator(bits, SimOptions { memory, ..options() });
            let mut run = |range: NdRange, size, n| {
                launch(&mut device, &range, size, n).unwrap_or_else(|error| panic!("{error}"));
            };
            run(NdRange::new(&[1]), 1, 1);
            run(NdRange::new(&[1001]).with_local(&[7]), 1001, 1000);
            run(NdRange::new(&[1000]).with_local(&[64]), 1000, 1000);
            run(NdRange::new(&[100]).with_local(&[10]).with_offset(&[37]), 200, 130);
        }
    }
}

#[test]
fn accesses_outside_are_reported_before_they_happen() {
    let mut device = simulator(512, options());
    let error = launch(&mut device, &NdRange::new(&[130]), 129, 130).expect_err("129 elements");
    assert!(
        error.message.starts_with(
            "kernel `stream`: stream.cl:2:40: load of 4 bytes (argument `a`) accesses bytes 516 to 519 of \
             the buffer of argument `a`, which has 516 bytes"
        ),
        "{}",
        error.message
    );
}

#[test]
fn misaligned_accesses_are_reported() {
    let mut device = simulator(512, options());
    let size = 64;
    let buffer = device.allocate(size).expect("room");
    device.write(buffer, 0, &vec![0; size as usize]).expect("inside");
    let at = |offset| LaunchArg::Buffer { buffer, offset };
    let args = [at(0), at(2), at(0), LaunchArg::Value(vec![1, 0, 0, 0])];
    let error = device.launch("stream", &NdRange::new(&[1]), &args).expect_err("misaligned");
    assert!(
        error
            .message
            .contains("stream.cl:2:41: load of 4 bytes (argument `b`) accesses bytes 2 to 5")
            && error.message.contains("is not a multiple of 4"),
        "{}",
        error.message
    );
}
