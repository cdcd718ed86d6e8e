//! Boards: a device on a card with memory and a way to build for it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::TargetError;
use crate::family::{Area, Family};

/// A board as `board-support/<name>/board.toml` describes it.
#[derive(Clone, Debug)]
pub struct Board {
    /// Name: the folder of `board-support/`, such as `u250`.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// The device's family at the board's speed grade.
    pub family: Family,
    /// The vendor's part number; `none` for a board without a device.
    pub part: String,
    /// Clock frequency when the user names none, MHz.
    pub default_clock_mhz: u32,
    /// The tools that make a bit stream.
    pub flow: Flow,
    /// The vendor's platform name; `None` when the user must give a platform file.
    pub platform: Option<String>,
    /// Global memory.
    pub memory: Memory,
    /// What the device has.
    pub resources: Resources,
    /// What the board's shell takes of it.
    pub shell: ShellResources,
    /// Facts of the open ECP5 flow, when that is the flow.
    pub ecp5: Option<Ecp5Flow>,
    /// The other files of the board's folder (constraints), by path in that folder.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Board {
    /// What the shell leaves to kernels.
    pub fn free(&self) -> Area {
        let left = |all: u64, taken: u64| all.saturating_sub(taken) as f64;
        let (all, shell) = (&self.resources, &self.shell);
        Area {
            lut: left(all.lut, shell.lut),
            ff: left(all.ff, shell.ff),
            dsp: left(all.dsp, shell.dsp),
            bram: left(all.bram, shell.bram),
        }
    }
}

/// Percent of a region's DSP tiles and RAM blocks that copies may take: they stand in few columns, and what needs them
/// next to one another runs out of places before all are used. AMD's guideline is 80 % (UG949), platforms take some of it.
const HARD_BLOCKS_PERCENT: f64 = 70.0;

impl Board {
    /// What the shell leaves to kernels of one super logic region; of the device where there is one.
    pub fn region(&self) -> Area {
        let (free, regions) = (self.free(), f64::from(self.resources.regions.max(1)));
        Area {
            lut: free.lut / regions,
            ff: free.ff / regions,
            dsp: free.dsp / regions,
            bram: free.bram / regions,
        }
    }

    /// What all kernels of a build may take together when copies of datapaths are added without being asked for: a share of
    /// one [`Self::region`], since all copies use the same memory port and packages place their kernel beside its bank.
    pub fn room_for_copies(&self) -> Area {
        let (region, logic) = (self.region(), f64::from(self.resources.fill_percent) / 100.0);
        let hard = HARD_BLOCKS_PERCENT / 100.0;
        Area {
            lut: region.lut * logic,
            ff: region.ff * logic,
            dsp: region.dsp * hard,
            bram: region.bram * hard,
        }
    }
}

/// The tools that build for a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Flow {
    /// AMD Vitis: package_xo, v++.
    Vitis,
    /// yosys, nextpnr-ecp5, ecppack.
    Ecp5,
    /// None: Verilog only.
    None,
}

/// Global memory as kernels see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Data width of each AXI4 port, bits: a power of two, 32 to 1024.
    pub data_bits: u32,
    /// Number of banks, each of which can have an AXI4 port of its own.
    pub ports: u32,
    /// Name of a bank for the board's tools; `{n}` stands for its number.
    pub banks: String,
    /// Super logic region next to each bank; empty when that does not matter.
    #[serde(default)]
    pub bank_regions: Vec<u32>,
    /// Size of all banks together, bytes.
    pub global_bytes: u64,
    /// Address bits that memory units keep, 13 to 64. More than `global_bytes` needs where others
    /// place the memory in the address space, as shells of Alveo boards do.
    #[serde(default = "all_address_bits")]
    pub address_bits: u32,
    /// Read bursts that a port keeps in flight.
    pub max_outstanding_reads: u32,
    /// Write bursts that a port keeps in flight.
    pub max_outstanding_writes: u32,
    /// Cycles from a read request at a port to its data, at the default clock and without other
    /// traffic, rounded up: what keeps requests in flight is dimensioned for it.
    pub latency_cycles: u32,
    /// Cycles of the default clock from one beat to the next of the memory behind a port, whatever their directions. `None`:
    /// it takes a read and a write beat in every cycle, as block RAM does, or is faster than the port.
    #[serde(default)]
    pub beat_cycles: Option<f64>,
}

/// AMD's guideline for designs that meet their clock is 70 % of a region's LUTs (UG949); some of it goes to the
/// platform's shell, which the boards' figures leave in.
fn usual_fill() -> u32 {
    60
}

fn all_address_bits() -> u32 {
    64
}

impl Memory {
    /// Name of bank `n` for the board's tools, such as `DDR[0]`.
    pub fn bank_name(&self, n: u32) -> String {
        self.banks.replace("{n}", &n.to_string())
    }
}

/// Resources of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resources {
    /// LUTs of the family's size.
    pub lut: u64,
    /// Flip-flops.
    pub ff: u64,
    /// RAM blocks ([`crate::RamFacts::block_bits`] each).
    pub bram: u64,
    /// UltraRAM blocks.
    pub uram: u64,
    /// DSP tiles.
    pub dsp: u64,
    /// Super logic regions: dies between which a path costs extra.
    pub regions: u32,
    /// Percent of a region's LUTs and flip-flops that copies of datapaths may fill when their number is left open.
    #[serde(default = "usual_fill")]
    pub fill_percent: u32,
}

/// What a board's shell takes of the device. All 0 when the file does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShellResources {
    /// LUTs of the family's size.
    pub lut: u64,
    /// Flip-flops.
    pub ff: u64,
    /// RAM blocks.
    pub bram: u64,
    /// DSP tiles.
    pub dsp: u64,
}

/// What the ECP5 tools and the board's shell need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ecp5Flow {
    /// Device size as nextpnr names it: `25k`, `45k`, `85k`.
    pub device: String,
    /// Package as nextpnr names it.
    pub package: String,
    /// Frequency of the board's clock input, MHz.
    pub oscillator_mhz: u32,
    /// Name of the constraints file in the board's folder.
    pub constraints: String,
    /// Name of the top module's template in the board's folder: `<module>.v.tera`.
    pub top: String,
    /// Bits per second of the USB-UART link.
    pub baud: u32,
    /// Where the kernels' memory is.
    pub memory: Ecp5Memory,
    /// Fastest clock of the shell, MHz.
    pub max_clock_mhz: u32,
}

/// Memories that the shell of ECP5 boards knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ecp5Memory {
    /// Block RAM on the chip.
    Bram,
    /// A 16-bit SDR SDRAM of 32 MiB on the board; the port is 64 bits wide.
    Sdram,
}

/// `board.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoardFile {
    title: String,
    pub(crate) family: String,
    part: String,
    pub(crate) speed_grade: String,
    default_clock_mhz: u32,
    flow: Flow,
    platform: Option<String>,
    memory: Memory,
    resources: Resources,
    #[serde(default)]
    shell: ShellResources,
    ecp5: Option<Ecp5Flow>,
}

impl BoardFile {
    /// Reads the merged tables of a `board.toml` and the board it inherits from; `path` names the file in errors.
    pub(crate) fn read(path: &str, table: toml::Table) -> Result<BoardFile, TargetError> {
        let bad = |message: String| TargetError::BadFile { path: path.to_owned(), message };
        let file: BoardFile =
            table.try_into().map_err(|e: toml::de::Error| bad(e.message().to_owned()))?;
        file.check().map_err(bad)?;
        Ok(file)
    }

    fn check(&self) -> Result<(), String> {
        let bits = self.memory.data_bits;
        if !(bits.is_power_of_two() && (32..=1024).contains(&bits)) {
            return Err(format!(
                "memory.data_bits is {bits}: AXI4 needs a power of two from 32 to 1024"
            ));
        }
        let m = &self.memory;
        if [m.ports, m.latency_cycles, self.default_clock_mhz].contains(&0) || m.global_bytes == 0 {
            return Err(
                "memory.ports, memory.global_bytes, memory.latency_cycles and default_clock_mhz must not be 0".to_owned()
            );
        }
        let (bytes, address) = (m.global_bytes, m.address_bits);
        if !(13..=64).contains(&address) || address < u64::BITS - (bytes - 1).leading_zeros() {
            return Err(format!(
                "memory.address_bits is {address}: from 13 to 64, and enough for memory.global_bytes"
            ));
        }
        if m.beat_cycles.is_some_and(|cycles| !(cycles > 0.0 && cycles.is_finite())) {
            return Err("memory.beat_cycles must be above 0".to_owned());
        }
        let r = &self.resources;
        if r.regions == 0 || !(1..=100).contains(&r.fill_percent) {
            return Err(format!(
                "resources.regions is {} and resources.fill_percent {}: at least 1, and 1 to 100",
                r.regions, r.fill_percent
            ));
        }
        if self.memory.ports > 1 && !self.memory.banks.contains("{n}") {
            return Err("memory.banks must contain {n} when there are several ports".to_owned());
        }
        if self.ecp5.as_ref().is_some_and(|e| e.memory == Ecp5Memory::Sdram) && bits != 64 {
            return Err("memory.data_bits must be 64 for ecp5.memory = \"sdram\"".to_owned());
        }
        if (self.flow == Flow::Ecp5) != self.ecp5.is_some() {
            return Err(
                "a table [ecp5] is needed for flow = \"ecp5\", and for that alone".to_owned()
            );
        }
        Ok(())
    }

    /// The board, with its family resolved and the other files of its folder.
    pub(crate) fn finish(
        self,
        name: &str,
        family: Family,
        files: BTreeMap<String, Vec<u8>>,
    ) -> Result<Board, TargetError> {
        let named =
            self.ecp5.iter().flat_map(|e| [("constraints", &e.constraints), ("top", &e.top)]);
        for (key, file) in named {
            if !files.contains_key(file) {
                return Err(TargetError::BadFile {
                    path: format!("{name}/board.toml"),
                    message: format!("ecp5.{key} names {file}, which is not in the board's folder"),
                });
            }
        }
        Ok(Board {
            name: name.to_owned(),
            title: self.title,
            family,
            part: self.part,
            default_clock_mhz: self.default_clock_mhz,
            flow: self.flow,
            platform: self.platform,
            memory: self.memory,
            resources: self.resources,
            shell: self.shell,
            ecp5: self.ecp5,
            files,
        })
    }
}
