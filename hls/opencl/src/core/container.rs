//! Program binaries: what `clGetProgramInfo(CL_PROGRAM_BINARIES)` gives and `clCreateProgramWithBinary` takes.
//!
//! A binary is the magic number, the length of a description in JSON (8 bytes, little endian), the description, the
//! SPIR-V module, and the BLAKE3 hash of all before it.

use super::kernel_info::ArgInfo;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const MAGIC: &[u8; 8] = b"CLHLSBIN";
/// Raised by every change that an older library would misunderstand.
const VERSION: u32 = 1;
const HASH: usize = 32;

/// A program for a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// [`VERSION`] of the writer.
    version: u32,
    /// Name and version of the tool that wrote it.
    tool: String,
    /// Name of the device: `emu`, `sim:u250`.
    pub device: String,
    /// `CL_PROGRAM_BINARY_TYPE`
    pub binary_type: u32,
    /// Options that it was built with.
    pub options: String,
    /// Names and types of kernel arguments, as far as known.
    pub arguments: BTreeMap<String, Vec<ArgInfo>>,
    /// Hardware, for devices that need it.
    pub hardware: Option<Hardware>,
}

/// Hardware of all kernels of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hardware {
    /// `manifest.json`
    pub manifest: String,
    /// Verilog.
    pub files: Vec<HardwareFile>,
}

/// A Verilog file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HardwareFile {
    /// Name of the file.
    pub name: String,
    /// Whether it is a library module.
    pub library: bool,
    /// Contents.
    pub text: String,
}

impl Description {
    /// What a binary of this version says.
    pub fn new(device: &str, binary_type: u32, options: &str) -> Self {
        Description {
            version: VERSION,
            tool: concat!("clhls ", env!("CARGO_PKG_VERSION")).into(),
            device: device.into(),
            binary_type,
            options: options.into(),
            arguments: BTreeMap::new(),
            hardware: None,
        }
    }
}

/// The binary of a program.
pub fn write(description: &Description, module: &[u8]) -> Vec<u8> {
    let text = serde_json::to_vec(description).expect("string keys and no floats");
    let mut bytes = MAGIC.to_vec();
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text);
    bytes.extend(module);
    let hash = blake3::hash(&bytes);
    bytes.extend(hash.as_bytes());
    bytes
}

/// What a binary has; none if it is no binary of this version, or damaged.
pub fn read(bytes: &[u8]) -> Option<(Description, Vec<u8>)> {
    let (body, hash) = bytes.split_at_checked(bytes.len().checked_sub(HASH)?)?;
    let rest = body.strip_prefix(MAGIC)?;
    if blake3::hash(body).as_bytes() != hash {
        return None;
    }
    let (length, rest) = rest.split_first_chunk::<8>()?;
    let (text, module) =
        rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    let description: Description = serde_json::from_slice(text).ok()?;
    (description.version == VERSION).then(|| (description, module.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binaries_are_read_back_and_damage_is_seen() {
        let mut description = Description::new("emu", 4, "-DX");
        let file = HardwareFile { name: "k.v".into(), library: false, text: "module".into() };
        description.hardware = Some(Hardware { manifest: "{}".into(), files: vec![file] });
        let bytes = write(&description, &[1, 2, 3]);
        assert_eq!(read(&bytes), Some((description, vec![1, 2, 3])));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(read(&damaged), None, "byte {at}");
            assert_eq!(read(&bytes[..at]), None);
        }
    }
}
