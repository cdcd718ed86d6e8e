//! An `.xclbin` without a bit stream, for XRT's emulation: the container that XRT's header `xclbin.h` describes.

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

/// A zero-terminated name in a field of `size` bytes.
fn name(text: &str, size: usize) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    assert!(bytes.len() < size, "{text}");
    bytes.resize(size, 0);
    bytes
}

/// A file with one kernel: its `kernel.xml`, the memory banks, and for each of its buffers (argument, bank).
pub fn xclbin(kernel: &str, kernel_xml: &str, banks: &[&str], buffers: &[(u32, u32)]) -> Vec<u8> {
    let mut memories = (banks.len() as u32).to_le_bytes().to_vec();
    memories.extend([0; 4]);
    for (i, bank) in banks.iter().enumerate() {
        // DDR4, used; KiB; address
        memories.extend([1, 1, 0, 0, 0, 0, 0, 0]);
        memories.extend((16u64 << 20).to_le_bytes());
        memories.extend(((i as u64) << 34).to_le_bytes());
        memories.extend(name(bank, 16));
    }
    let mut connections = (buffers.len() as u32).to_le_bytes().to_vec();
    for (arg, bank) in buffers {
        connections.extend([arg.to_le_bytes(), 0u32.to_le_bytes(), bank.to_le_bytes()].concat());
    }
    // one kernel instance with an interrupt, ap_ctrl_hs, at address 0x1800000
    let mut layout = 1u32.to_le_bytes().to_vec();
    layout.extend([0; 4]);
    layout.extend([1u32.to_le_bytes(), 1u32.to_le_bytes()].concat());
    layout.extend(0x180_0000u64.to_le_bytes());
    layout.extend(name(&format!("{kernel}:{kernel}_1"), 64));
    let mut clocks = 1u16.to_le_bytes().to_vec();
    clocks.extend(300u16.to_le_bytes());
    clocks.extend([1, 0, 0, 0, 0, 0]);
    clocks.extend(name("DATA_CLK", 128));

    container(&[
        (BITSTREAM, vec![0; 64]),
        (EMBEDDED_METADATA, metadata(kernel, kernel_xml).into_bytes()),
        (MEM_TOPOLOGY, memories.clone()),
        (ASK_GROUP_TOPOLOGY, memories),
        (CONNECTIVITY, connections.clone()),
        (ASK_GROUP_CONNECTIVITY, connections),
        (IP_LAYOUT, layout),
        (CLOCK_FREQ_TOPOLOGY, clocks),
        (BUILD_METADATA, b"{}".to_vec()),
    ])
}

/// The document that v++ builds around the kernels' `kernel.xml`; ports and arguments stand in it without the elements around.
fn metadata(kernel: &str, kernel_xml: &str) -> String {
    let start = kernel_xml.find("<kernel ").expect("a kernel");
    let end = kernel_xml.find("</kernel>").expect("a kernel");
    let mut contents = kernel_xml[start..end].to_owned();
    for list in ["<ports>", "</ports>", "<args>", "</args>"] {
        contents = contents.replace(list, "");
    }
    let instance = format!(
        "<instance name=\"{kernel}_1\"><addrRemap base=\"0x1800000\" range=\"0x1000\" port=\"s_axi_control\"/></instance>"
    );
    format!(
        "<?xml version=\"1.0\"?><project name=\"p\"><platform vendor=\"clhls\" boardid=\"b\" name=\"n\" featureRomTime=\"0\">\
         <device name=\"fpga0\"><core name=\"OCL_REGION_0\" target=\"hw_em\" type=\"clc_region\">{contents}{instance}</kernel>\
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
    file.extend(name("clhls_test_platform", 64));
    file.extend([7; 16]);
    file.extend([0; 16]);
    file.extend((sections.len() as u32).to_le_bytes());
    file.extend([0; 4]);
    assert_eq!(file.len(), HEADER);
    file.extend(table);
    file.extend(data);
    file
}
