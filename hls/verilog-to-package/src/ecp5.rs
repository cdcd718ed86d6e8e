//! Packages for ECP5 boards: a serial shell around the kernels, and the open tools' Makefile.

use abi::{Link, LinkEnd, Manifest, StreamPort};
use base::FileSet;
use serde::Serialize;
use target::{Board, Ecp5Flow, Ecp5Memory};

use crate::{PackError, Pll, ecp5_pll, link_at, templates};

/// Serial speed in simulation: 16 clocks a bit, the fastest that needs no rounding.
const SIM_CLOCK_HZ: u32 = 16_000_000;
const SIM_BAUD: u32 = 1_000_000;

/// The shell's Verilog files that every board needs.
const SHELL: [&str; 5] = [
    "clhls_uart_bridge.v",
    "clhls_uart_bridge_axi.v",
    "clhls_uart_bridge_bus.v",
    "clhls_uart_bridge_rx.v",
    "clhls_uart_bridge_tx.v",
];

#[derive(Serialize)]
struct Design<'a> {
    module: &'a str,
    design: String,
    board: &'a str,
    board_title: &'a str,
    clock_mhz: f64,
    clock_hz: u64,
    oscillator_mhz: u32,
    pll: Pll,
    baud: u32,
    /// What the link carries: ten bits a byte, less the frames around the words.
    kilobytes_per_second: u32,
    sim_clock: u32,
    sim_baud: u32,
    device: &'a str,
    package: &'a str,
    speed: &'a str,
    constraints: &'a str,
    top: &'a str,
    sources: &'a [&'a str],
    shell: Vec<String>,
    data_bits: u32,
    id_bits: u32,
    memory_words: u64,
    sdram: bool,
    memory_bytes: u64,
    /// AXI4 masters on the memory; 0 is the host.
    masters: usize,
    kernels: Vec<KernelData<'a>>,
    links: Vec<LinkData>,
}

/// A pipe between two kernels: wires.
#[derive(Serialize)]
struct LinkData {
    writer: String,
    reader: String,
    data_bits: u32,
}

/// A kernel's end of one.
#[derive(Serialize)]
struct Stream<'a> {
    name: &'a str,
    /// Number of the link.
    link: usize,
}

#[derive(Serialize)]
struct KernelData<'a> {
    index: usize,
    top: &'a str,
    ports: Vec<Port<'a>>,
    streams: Vec<Stream<'a>>,
}

#[derive(Serialize)]
struct Port<'a> {
    name: &'a str,
    master: usize,
    /// Of its ids; the shell's may be wider.
    id_bits: u32,
}

pub(crate) fn pack(
    manifest: &Manifest,
    sources: &[&str],
    board: &Board,
) -> Result<FileSet, PackError> {
    let bad =
        |message: &str| PackError::Board { board: board.name.clone(), message: message.to_owned() };
    let flow = board.ecp5.as_ref().ok_or_else(|| bad("has no table [ecp5]"))?;
    let text = |name: &str| {
        let bytes = board.files.get(name).ok_or_else(|| bad(&format!("has no file {name}")))?;
        std::str::from_utf8(bytes).map_err(|_| bad(&format!("{name} is not UTF-8")))
    };
    let top =
        flow.top.strip_suffix(".v.tera").ok_or_else(|| bad("ecp5.top must end with .v.tera"))?;
    let shell = shell_files(flow.memory, sources);
    let design = design(manifest, sources, board, flow, top, &shell)?;

    let mut files = FileSet::new();
    for name in shell {
        files.insert(format!("package/shell/{name}"), templates::file(name)?);
    }
    let system = "clhls_uart_bridge_system.v";
    files.insert(format!("package/shell/{system}"), templates::render(system, &design)?);
    files.insert(
        format!("package/{top}.v"),
        templates::render_text(&flow.top, text(&flow.top)?, &design)?,
    );
    files.insert(format!("package/{}", flow.constraints), text(&flow.constraints)?);
    files.insert("package/sim/uart_sim.cpp", templates::render("uart_sim.cpp", &design)?);
    files.insert(
        "package/sim/clhls_uart_bridge_sim.v",
        templates::render("uart_sim_top.v", &design)?,
    );
    if design.sdram {
        let model = "clhls_uart_bridge_sdram_model.v";
        files.insert(format!("package/sim/{model}"), templates::file(model)?);
    }
    files.insert("package/Makefile", templates::render("ecp5.Makefile", &design)?);
    files.insert("package/README.md", templates::render("ecp5.README.md", &design)?);
    Ok(files)
}

/// The shell's Verilog files for a kind of memory; library files that the kernels bring themselves are left out.
fn shell_files(memory: Ecp5Memory, sources: &[&str]) -> Vec<&'static str> {
    let brought = |name: &str| sources.iter().any(|path| path.rsplit('/').next() == Some(name));
    let mut files: Vec<&str> = SHELL.to_vec();
    match memory {
        Ecp5Memory::Bram => {
            files.extend(["clhls_uart_bridge_ram.v"]);
            let library = ["clhls_ram.v", "clhls_ecp5_ram.v", "clhls_ecp5_ram16k.v"];
            files.extend(library.into_iter().filter(|name| !brought(name)));
        }
        Ecp5Memory::Sdram => files.extend(["clhls_uart_bridge_sdram.v"]),
    }
    files
}

/// Streams have to lead from kernel to kernel.
fn check_streams(manifest: &Manifest, board: &Board) -> Result<(), PackError> {
    for kernel in &manifest.kernels {
        for arg in kernel.signature.args.iter().filter(|a| a.stream.is_some()) {
            if link_at(manifest, kernel, arg.index).is_none() {
                let (kernel, arg) = (kernel.signature.name.clone(), arg.name.clone());
                return Err(PackError::Stream { kernel, arg, board: board.name.clone() });
            }
        }
    }
    Ok(())
}

/// The pipes between kernels.
fn links(manifest: &Manifest) -> Vec<LinkData> {
    let end = |end: &LinkEnd| {
        let kernel = manifest.kernels.iter().find(|k| k.signature.name == end.kernel)?;
        let arg = kernel.signature.args.iter().find(|a| a.index == end.arg)?;
        Some((format!("{}.{}", end.kernel, arg.name), arg.stream.as_ref()?.data_bits))
    };
    let data = |link: &Link| {
        let ((writer, data_bits), (reader, _)) = (end(&link.writer)?, end(&link.reader)?);
        Some(LinkData { writer, reader, data_bits })
    };
    manifest.links.iter().filter_map(data).collect()
}

fn design<'a>(
    manifest: &'a Manifest,
    sources: &'a [&'a str],
    board: &'a Board,
    flow: &'a Ecp5Flow,
    top: &'a str,
    shell: &[&str],
) -> Result<Design<'a>, PackError> {
    check_streams(manifest, board)?;
    let wanted = common_clock(manifest, board)?;
    let pll = ecp5_pll(f64::from(flow.oscillator_mhz), wanted)
        .filter(|_| wanted <= f64::from(flow.max_clock_mhz))
        .ok_or_else(|| PackError::Clock {
            board: board.name.clone(),
            clock_mhz: wanted,
            max_mhz: flow.max_clock_mhz,
        })?;
    let clock_mhz = pll.output_mhz(f64::from(flow.oscillator_mhz));
    let kernels = kernels(manifest);
    let memory_words = board.memory.global_bytes * 8 / u64::from(board.memory.data_bits);
    if !memory_words.is_power_of_two() {
        return Err(PackError::Board {
            board: board.name.clone(),
            message: "memory.global_bytes must be a power of two".to_owned(),
        });
    }
    Ok(Design {
        module: &manifest.module,
        design: crate::host::identifier(&manifest.module),
        board: &board.name,
        board_title: &board.title,
        clock_mhz,
        clock_hz: (clock_mhz * 1e6).round() as u64,
        oscillator_mhz: flow.oscillator_mhz,
        pll,
        baud: flow.baud,
        kilobytes_per_second: flow.baud / 10_300,
        sim_clock: SIM_CLOCK_HZ,
        sim_baud: SIM_BAUD,
        device: &flow.device,
        package: &flow.package,
        speed: &board.family.grade,
        constraints: &flow.constraints,
        top,
        sources,
        shell: shell
            .iter()
            .chain([&"clhls_uart_bridge_system.v"])
            .map(|name| format!("shell/{name}"))
            .collect(),
        data_bits: board.memory.data_bits,
        id_bits: widest_id(manifest),
        memory_words,
        sdram: flow.memory == Ecp5Memory::Sdram,
        memory_bytes: board.memory.global_bytes,
        masters: 1 + manifest.kernels.iter().map(|k| k.memory_ports.len()).sum::<usize>(),
        kernels,
        links: links(manifest),
    })
}

/// The kernels, their memory ports numbered through: 0 is the host.
fn kernels(manifest: &Manifest) -> Vec<KernelData<'_>> {
    let mut master = 0;
    let mut kernels = Vec::new();
    for (index, kernel) in manifest.kernels.iter().enumerate() {
        let mut ports = Vec::new();
        for port in &kernel.memory_ports {
            master += 1;
            ports.push(Port { name: &port.name, master, id_bits: port.id_bits });
        }
        let streams = kernel.signature.args.iter().filter_map(|arg| {
            let StreamPort { name, .. } = arg.stream.as_ref()?;
            Some(Stream { name, link: link_at(manifest, kernel, arg.index)? })
        });
        kernels.push(KernelData { index, top: &kernel.top, ports, streams: streams.collect() });
    }
    kernels
}

/// The one clock of all kernels, MHz.
pub(crate) fn common_clock(manifest: &Manifest, board: &Board) -> Result<f64, PackError> {
    let mut clocks = manifest.kernels.iter().map(|k| k.clock_mhz);
    let first =
        clocks.next().ok_or_else(|| PackError::NoKernel { module: manifest.module.clone() })?;
    match clocks.find(|&c| c != first) {
        Some(other) => Err(PackError::Clocks { a: first, b: other, board: board.name.clone() }),
        None => Ok(first),
    }
}

/// Bits of the widest ids of a memory port; 1 when there is no port.
fn widest_id(manifest: &Manifest) -> u32 {
    let ports = manifest.kernels.iter().flat_map(|kernel| &kernel.memory_ports);
    ports.map(|port| port.id_bits).max().unwrap_or(1)
}
