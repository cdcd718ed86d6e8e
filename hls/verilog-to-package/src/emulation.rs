//! What XRT's emulation needs to run a program on a simulated design without Vitis: an `.xclbin` without a bit stream, the
//! container that XRT's header `xclbin.h` describes, and a script that starts the program.

use abi::regs;
use base::FileSet;
use serde::Serialize;

use crate::registers::{GLOBAL, Register};
use crate::{PackError, templates};

/// A kernel as the package describes it.
pub(crate) struct EmulatedKernel<'a> {
    pub(crate) name: &'a str,
    pub(crate) registers: &'a [Register],
    pub(crate) kernel_xml: &'a str,
}

#[derive(Serialize)]
struct Script<'a> {
    module: &'a str,
    design: &'a str,
}

/// The files of `package/emulation/`.
pub(crate) fn pack(
    module: &str,
    design: &str,
    clock_mhz: u32,
    kernels: &[EmulatedKernel<'_>],
) -> Result<FileSet, PackError> {
    let mut files = FileSet::new();
    let script = templates::render("xrt_run", &Script { module, design })?;
    files.insert("package/emulation/run", script);
    files.insert(format!("package/emulation/{design}.xclbin"), xclbin(clock_mhz, kernels));
    Ok(files)
}

/// Section kinds.
const BITSTREAM: u32 = 0;
const EMBEDDED_METADATA: u32 = 2;
const MEM_TOPOLOGY: u32 = 6;
const CONNECTIVITY: u32 = 7;
const IP_LAYOUT: u32 = 8;
const CLOCK_FREQ_TOPOLOGY: u32 = 11;
const BUILD_METADATA: u32 = 14;
const ASK_GROUP_TOPOLOGY: u32 = 26;
const ASK_GROUP_CONNECTIVITY: u32 = 27;

/// A zero-terminated name in a field of `size` bytes, cut if it must be.
fn name(text: &str, size: usize) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.truncate(size - 1);
    bytes.resize(size, 0);
    bytes
}

/// Bytes of a memory bank, and where the first one begins: both as on Alveo cards.
const BANK_BYTES: u64 = 16 << 30;
const FIRST_BANK: u64 = 1 << 38;

/// A file with these kernels, each once.
fn xclbin(clock_mhz: u32, kernels: &[EmulatedKernel<'_>]) -> Vec<u8> {
    let mut banks: Vec<&str> = Vec::new();
    let mut connections = Vec::new();
    for (instance, kernel) in (0u32..).zip(kernels) {
        for register in kernel.registers.iter().filter(|r| r.qualifier == GLOBAL) {
            let bank = banks.iter().position(|bank| *bank == register.bank).unwrap_or_else(|| {
                banks.push(&register.bank);
                banks.len() - 1
            });
            connections.push([register.id, instance, bank as u32]);
        }
    }
    let mut memories = (banks.len() as u32).to_le_bytes().to_vec();
    memories.extend([0; 4]);
    for (i, bank) in (0u64..).zip(&banks) {
        // DDR4, used; KiB; address
        memories.extend([1, 1, 0, 0, 0, 0, 0, 0]);
        memories.extend((BANK_BYTES >> 10).to_le_bytes());
        memories.extend((FIRST_BANK + i * BANK_BYTES).to_le_bytes());
        memories.extend(name(bank, 16));
    }
    let mut connectivity = (connections.len() as u32).to_le_bytes().to_vec();
    connectivity.extend(connections.iter().flatten().flat_map(|word| word.to_le_bytes()));
    let mut layout = (kernels.len() as u32).to_le_bytes().to_vec();
    layout.extend([0; 4]);
    for (address, kernel) in addresses().zip(kernels) {
        // a kernel with an interrupt, ap_ctrl_hs
        layout.extend([1u32.to_le_bytes(), 1u32.to_le_bytes()].concat());
        layout.extend(address.to_le_bytes());
        layout.extend(name(&format!("{0}:{0}_1", kernel.name), 64));
    }
    let mut clocks = 1u16.to_le_bytes().to_vec();
    clocks.extend(u16::try_from(clock_mhz).unwrap_or(u16::MAX).to_le_bytes());
    clocks.extend([1, 0, 0, 0, 0, 0]);
    clocks.extend(name("DATA_CLK", 128));

    container(&[
        (BITSTREAM, vec![0; 64]),
        (EMBEDDED_METADATA, metadata(kernels).into_bytes()),
        (MEM_TOPOLOGY, memories.clone()),
        (ASK_GROUP_TOPOLOGY, memories),
        (CONNECTIVITY, connectivity.clone()),
        (ASK_GROUP_CONNECTIVITY, connectivity),
        (IP_LAYOUT, layout),
        (CLOCK_FREQ_TOPOLOGY, clocks),
        (BUILD_METADATA, b"{}".to_vec()),
    ])
}

/// Where the kernels' registers are.
fn addresses() -> impl Iterator<Item = u64> {
    (0..).map(|kernel| regs::XRT_BASE + kernel * regs::XRT_STRIDE)
}

/// The document that v++ builds around the kernels' `kernel.xml`; ports and arguments stand in it without the elements around.
fn metadata(kernels: &[EmulatedKernel<'_>]) -> String {
    let mut inside = String::new();
    for (address, kernel) in addresses().zip(kernels) {
        let xml = kernel.kernel_xml;
        let start = xml.find("<kernel ").unwrap_or(0);
        let end = xml.find("</kernel>").unwrap_or(xml.len());
        let mut contents = xml[start..end].to_owned();
        for list in ["<ports>", "</ports>", "<args>", "</args>"] {
            contents = contents.replace(list, "");
        }
        inside += &contents;
        inside += &format!(
            "<instance name=\"{}_1\"><addrRemap base=\"{address:#x}\" range=\"0x1000\" port=\"s_axi_control\"/></instance></kernel>",
            kernel.name
        );
    }
    format!(
        "<?xml version=\"1.0\"?><project name=\"emulation\"><platform vendor=\"clhls\" boardid=\"emulation\" name=\"emulation\" featureRomTime=\"0\">\
         <device name=\"fpga0\"><core name=\"OCL_REGION_0\" target=\"hw_em\" type=\"clc_region\">{inside}\
         </core></device></platform></project>"
    )
}

fn container(sections: &[(u32, Vec<u8>)]) -> Vec<u8> {
    const HEADER: usize = 456;
    let mut table = Vec::new();
    let mut data = Vec::new();
    let start = HEADER + 40 * sections.len();
    for (kind, bytes) in sections {
        while !(start + data.len()).is_multiple_of(8) {
            data.push(0);
        }
        table.extend(kind.to_le_bytes());
        table.extend(name("section", 16));
        table.extend([0; 4]);
        table.extend(((start + data.len()) as u64).to_le_bytes());
        table.extend((bytes.len() as u64).to_le_bytes());
        data.extend(bytes);
    }
    let mut file = name("xclbin2", 8);
    file.extend((-1i32).to_le_bytes());
    file.extend([0xff; 28]);
    file.extend([0; 256]);
    file.extend(1u64.to_le_bytes());
    file.extend(((start + data.len()) as u64).to_le_bytes());
    file.extend([0; 16]);
    // version 2.1, mode hardware emulation, no action
    file.extend([0, 0, 2, 1, 4, 0, 0, 0]);
    file.extend([1; 16]);
    file.extend(name("clhls_emulation", 64));
    file.extend([7; 16]);
    file.extend([0; 16]);
    file.extend((sections.len() as u32).to_le_bytes());
    file.extend([0; 4]);
    file.extend(table);
    file.extend(data);
    file
}
