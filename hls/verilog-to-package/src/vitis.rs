//! Packages for AMD Vitis: kernel objects, linking, Makefile.

use abi::{Kernel, Link, Manifest, StreamPort};
use base::FileSet;
use serde::Serialize;
use target::Board;

use crate::emulation::{self, EmulatedKernel};
use crate::registers::{Register, registers};
use crate::{PackError, PackOptions, link_at, templates};

#[derive(Serialize)]
struct Design<'a> {
    module: &'a str,
    /// File name of the products: the module's name with nothing that make or a shell would interpret.
    design: String,
    board_title: &'a str,
    platform: &'a str,
    part: &'a str,
    clock_mhz: u32,
    sources: &'a [&'a str],
    kernels: Vec<KernelData<'a>>,
}

#[derive(Clone, Serialize)]
struct KernelData<'a> {
    top: &'a str,
    ports: Vec<Port<'a>>,
    registers: Vec<Register>,
    streams: Vec<Stream>,
    /// Super logic region of the first bank.
    region: Option<u32>,
}

#[derive(Clone, Serialize)]
struct Port<'a> {
    name: &'a str,
    data_bits: u32,
    bank: String,
}

/// An AXI4-Stream: a connected pipe.
#[derive(Clone, Serialize)]
struct Stream {
    /// Number in `kernel.xml`: behind those of the registers.
    id: u32,
    arg: String,
    name: String,
    data_bits: u32,
    writes: bool,
    /// Whether it leads to another kernel of the design, and, of the end that writes, where: `sink_1.axis_in`.
    linked: bool,
    to: Option<String>,
}

/// What the templates of one kernel see.
#[derive(Serialize)]
struct OneKernel<'a> {
    kernel: &'a KernelData<'a>,
    part: &'a str,
    sources: &'a [&'a str],
}

pub(crate) fn pack(
    manifest: &Manifest,
    sources: &[&str],
    board: &Board,
    options: &PackOptions,
) -> Result<FileSet, PackError> {
    let design = Design {
        module: &manifest.module,
        design: crate::host::identifier(&manifest.module),
        board_title: &board.title,
        platform: options.platform.as_deref().or(board.platform.as_deref()).unwrap_or_default(),
        part: &board.part,
        clock_mhz: clock_mhz(manifest, board)?,
        sources,
        kernels: manifest.kernels.iter().map(|k| kernel_data(manifest, k, board)).collect(),
    };
    let mut files = FileSet::new();
    let mut documents = Vec::new();
    for kernel in &design.kernels {
        let data = OneKernel { kernel, part: &board.part, sources };
        let folder = format!("package/{}", kernel.top);
        let document = templates::render("kernel.xml", &data)?;
        files.insert(format!("{folder}/kernel.xml"), document.as_str());
        documents.push(document);
        files.insert(format!("{folder}/package.tcl"), templates::render("package.tcl", &data)?);
    }
    let kernels = design.kernels.iter().zip(&documents).map(|(kernel, xml)| EmulatedKernel {
        name: kernel.top,
        registers: &kernel.registers,
        kernel_xml: xml,
    });
    let kernels: Vec<EmulatedKernel> = kernels.collect();
    files.extend(emulation::pack(design.module, &design.design, design.clock_mhz, &kernels)?);
    files.insert("package/link.cfg", templates::render("link.cfg", &design)?);
    files.insert("package/Makefile", templates::render("vitis.Makefile", &design)?);
    files.insert("package/README.md", templates::render("vitis.README.md", &design)?);
    Ok(files)
}

/// Port n goes to bank n, in every kernel, so that kernels can hand buffers on to one another.
fn kernel_data<'a>(manifest: &Manifest, kernel: &'a Kernel, board: &Board) -> KernelData<'a> {
    let bank_of = |n: usize| n as u32 % board.memory.ports;
    let ports = kernel.memory_ports.iter().enumerate();
    let ports: Vec<Port> = ports
        .map(|(n, port)| Port {
            name: &port.name,
            data_bits: port.data_bits,
            bank: board.memory.bank_name(bank_of(n)),
        })
        .collect();
    let bank = |name: &str| {
        ports.iter().find(|p| p.name == name).map(|p| p.bank.clone()).unwrap_or_default()
    };
    let registers = registers(kernel, bank);
    let streams = kernel.signature.args.iter().filter_map(|a| Some((a, a.stream.as_ref()?)));
    let streams = streams.enumerate().map(|(k, (arg, stream))| Stream {
        id: registers.len() as u32 + k as u32,
        arg: crate::host::identifier(&arg.name),
        name: stream.name.clone(),
        data_bits: stream.data_bits,
        writes: stream.writes,
        linked: link_at(manifest, kernel, arg.index).is_some(),
        to: link_at(manifest, kernel, arg.index)
            .and_then(|k| other_end(manifest, &manifest.links[k], stream)),
    });
    let streams = streams.collect();
    KernelData {
        top: &kernel.top,
        registers,
        streams,
        region: board.memory.bank_regions.first().copied(),
        ports,
    }
}

/// Instance and port of the end that reads, for the end that writes.
fn other_end(manifest: &Manifest, link: &Link, stream: &StreamPort) -> Option<String> {
    let end = Some(&link.reader).filter(|_| stream.writes)?;
    let kernel = manifest.kernels.iter().find(|k| k.signature.name == end.kernel)?;
    let port = kernel.signature.args.get(end.arg as usize)?.stream.as_ref()?;
    Some(format!("{}_1.{}", kernel.top, port.name))
}

/// The kernels' common clock, whole MHz.
fn clock_mhz(manifest: &Manifest, board: &Board) -> Result<u32, PackError> {
    crate::ecp5::common_clock(manifest, board).map(|mhz| mhz.floor() as u32)
}
