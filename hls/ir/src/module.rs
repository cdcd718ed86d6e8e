//! A module: functions, variables, source files.

use crate::entities::{Func, Global};
use crate::function::Function;
use crate::types::Space;
use base::entity::PrimaryMap;
use base::{Loc, SourceMap};

/// A variable of the module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GlobalData {
    /// Name.
    pub name: String,
    /// Constant, global or local.
    pub space: Space,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// Initial bytes (`size` of them); none = zero (local: unspecified).
    pub init: Option<Vec<u8>>,
    /// Pointers in the initial bytes: offset, variable pointed to, addend.
    pub relocations: Vec<(u64, Global, i64)>,
    /// Declaration.
    pub loc: Loc,
}

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Name for messages and generated files.
    pub name: String,
    /// Width of pointers and `size_t`: 32 or 64.
    pub addr_bits: u32,
    /// OpenCL C version of the source times 100 (120, 200, 300), 0 = unknown. From 200 on
    /// work-groups need not divide the global size.
    pub cl_version: u32,
    /// Source files.
    pub sources: SourceMap,
    /// Variables.
    pub globals: PrimaryMap<Global, GlobalData>,
    /// Functions; kernels are those with `kernel` set.
    pub functions: PrimaryMap<Func, Function>,
}

impl Module {
    /// An empty module.
    pub fn new(name: impl Into<String>, addr_bits: u32) -> Self {
        Module {
            name: name.into(),
            addr_bits,
            cl_version: 0,
            sources: SourceMap::default(),
            globals: PrimaryMap::new(),
            functions: PrimaryMap::new(),
        }
    }

    /// The kernels, in order.
    pub fn kernels(&self) -> impl Iterator<Item = (Func, &Function)> {
        self.functions.iter().filter(|(_, f)| f.kernel.is_some())
    }

    /// The kernel called `name`.
    pub fn kernel(&self, name: &str) -> Option<(Func, &Function)> {
        self.kernels().find(|(_, f)| f.name == name)
    }
}
