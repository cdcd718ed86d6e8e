//! The report as a whole.

use crate::kernel::Kernel;
use serde::{Deserialize, Serialize};

/// Version of the format; raised by every change that an older reader would misunderstand.
pub const REPORT_VERSION: u32 = 1;

/// `report.json` of a build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Version of this format.
    pub version: u32,
    /// Name and version of the tool.
    pub tool: String,
    /// Name of the module: the input's file name without its ending.
    pub module: String,
    /// Source files that places name.
    pub sources: Vec<Source>,
    /// The kernels, in the module's order.
    pub kernels: Vec<Kernel>,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// As the module's debug information names it.
    pub name: String,
    /// Its text, where it was at hand.
    pub text: Option<String>,
}

/// A place in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Index among the report's sources.
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 when not known.
    pub column: u32,
}

/// Resources of a device, whole numbers. Of kernels they are an estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Area {
    /// Look-up tables.
    pub lut: u64,
    /// Flip-flops.
    pub ff: u64,
    /// Multiplier tiles.
    pub dsp: u64,
    /// RAM blocks.
    pub bram: u64,
}

impl Report {
    /// The kernel of this name.
    pub fn kernel_mut(&mut self, name: &str) -> Option<&mut Kernel> {
        self.kernels.iter_mut().find(|k| k.name == name)
    }
}
