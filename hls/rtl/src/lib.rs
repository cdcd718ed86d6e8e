//! Register-transfer level: modules made of nets, continuous assignments, registers, read-only
//! memories and instances. One clock `clk`, one synchronous active-high reset `rst`.
//! This crate knows no OpenCL and no Verilog syntax.

pub mod build;
pub mod comparisons;
pub mod delay_lines;
pub mod names;
pub mod text;
pub mod verify;

use base::IndexMap;
use base::entity::{PrimaryMap, entity_impl};
pub use build::ModuleBuilder;

/// A net: wire, register output or port of a module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Net(u32);
entity_impl!(Net, "n");

/// Direction of a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Direction {
    Input,
    Output,
}

/// A net's name and width.
#[derive(Clone, Debug)]
pub struct NetData {
    /// Legal, unique identifier.
    pub name: String,
    /// Bits, at least 1.
    pub width: u32,
    /// Set for ports.
    pub port: Option<Direction>,
    /// Comment at the declaration (a source place), or empty.
    pub comment: String,
}

/// Operators of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// Bitwise complement.
    Not,
    /// Or of all bits; width 1.
    ReduceOr,
    /// And of all bits; width 1.
    ReduceAnd,
    /// Exclusive or of all bits; width 1.
    ReduceXor,
}

/// Operators of two operands. Both have the result's width unless said otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    /// Operands of equal width; result 1 bit.
    Eq,
    Ne,
    Ult,
    Ule,
    Slt,
    Sle,
    /// Shift by the second operand (up to [`WIDEST_AMOUNT`] bits); amounts >= width give 0.
    Shl,
    LShr,
    /// Amounts >= width give the sign.
    AShr,
}

/// Bits of the amount of a shift. Verilator 5.006, as Debian 12 has it, takes wider amounts modulo 64 where it needs no
/// more than 64 bits of the result (`VL_SHIFTL_QQW`), so that a shift by 64 is none.
pub const WIDEST_AMOUNT: u32 = 64;

impl Binary {
    /// Whether the result is one bit.
    pub fn is_comparison(self) -> bool {
        use Binary::*;
        matches!(self, Eq | Ne | Ult | Ule | Slt | Sle)
    }
}

/// An expression over nets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// Constant: width (1..=128) and bits.
    Const(u32, u128),
    /// A whole net.
    Net(Net),
    /// `width` bits of a net from bit `lo`.
    Slice {
        /// The net.
        net: Net,
        /// Lowest bit.
        lo: u32,
        /// Number of bits.
        width: u32,
    },
    /// Concatenation, most significant part first.
    Concat(Vec<Expr>),
    /// A one-bit expression repeated.
    Repeat(u32, Box<Expr>),
    /// One operand.
    Unary(Unary, Box<Expr>),
    /// Two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `condition ? a : b`
    Mux(Box<Expr>, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// One-bit constant.
    pub fn bit(b: bool) -> Expr {
        Expr::Const(1, u128::from(b))
    }

    /// Binary operation.
    pub fn bin(op: Binary, a: Expr, b: Expr) -> Expr {
        Expr::Binary(op, Box::new(a), Box::new(b))
    }

    /// Conjunction of one-bit expressions; true when empty.
    pub fn all(terms: impl IntoIterator<Item = Expr>) -> Expr {
        Self::fold(terms, Binary::And, true)
    }

    /// Disjunction of one-bit expressions; false when empty.
    pub fn any(terms: impl IntoIterator<Item = Expr>) -> Expr {
        Self::fold(terms, Binary::Or, false)
    }

    fn fold(terms: impl IntoIterator<Item = Expr>, op: Binary, empty: bool) -> Expr {
        terms.into_iter().reduce(|a, b| Expr::bin(op, a, b)).unwrap_or(Expr::bit(empty))
    }

    /// Complement.
    #[allow(clippy::should_implement_trait)]
    pub fn not(self) -> Expr {
        Expr::Unary(Unary::Not, Box::new(self))
    }

    /// This one-bit expression `n` times.
    pub fn repeat(self, n: u32) -> Expr {
        Expr::Repeat(n, Box::new(self))
    }

    /// `self ? a : b`
    pub fn mux(self, a: Expr, b: Expr) -> Expr {
        Expr::Mux(Box::new(self), Box::new(a), Box::new(b))
    }

    /// Concatenation, most significant part first; a single part stays as it is.
    pub fn concat(mut parts: Vec<Expr>) -> Expr {
        if parts.len() == 1 { parts.remove(0) } else { Expr::Concat(parts) }
    }
}

impl From<Net> for Expr {
    fn from(n: Net) -> Expr {
        Expr::Net(n)
    }
}

/// A register: on each rising clock edge `q <= reset ? value : enable ? next : q`.
#[derive(Clone, Debug)]
pub struct Register {
    /// The net that holds the value.
    pub q: Net,
    /// Next value.
    pub next: Expr,
    /// Clock enable; always when absent.
    pub enable: Option<Expr>,
    /// Reset value; datapath registers have none.
    pub reset: Option<u128>,
}

/// A read-only memory with combinational or two-cycle registered reading.
#[derive(Clone, Debug)]
pub struct Rom {
    /// Instance name.
    pub name: String,
    /// Bits of an entry.
    pub width: u32,
    /// Entries; addresses past the end read 0.
    pub entries: Vec<u128>,
    /// Who reads it, at most two: a block RAM has two ports. Their addresses are equally wide.
    pub reads: Vec<RomRead>,
    /// Clock cycles from address to data: 0 or 2.
    pub latency: u32,
    /// Freezes a registered read; always enabled when absent.
    pub enable: Option<Expr>,
}

/// A port of a read-only memory.
#[derive(Clone, Debug)]
pub struct RomRead {
    /// What its registers are called, and for the first one the memory.
    pub name: String,
    /// Address (any width that covers the entries).
    pub addr: Expr,
    /// Where the entry appears.
    pub data: Net,
}

impl Rom {
    /// Tables of fewer bits are cheaper in LUTs than in a block RAM.
    pub const SMALL_BITS: u64 = 1024;
    /// Bits of a port where a block has two for any address; one port alone may be twice as wide (DP16KD, RAMB18).
    const DUAL_PORT_BITS: u32 = 18;
    /// Entries of a block with one port of that double width.
    const WIDE_PORT_ENTRIES: usize = 512;

    /// Whether it is made of block RAMs, as the schedule takes for granted that gave it two registers.
    pub fn is_block(&self) -> bool {
        self.latency > 0 && u64::from(self.width) * self.entries.len() as u64 >= Self::SMALL_BITS
    }

    /// Whether a second reader takes fewer blocks than a second memory: short tables of wide entries are as large either way,
    /// and their readers may stand apart.
    pub fn is_shared(&self) -> bool {
        self.is_block()
            && (self.width <= Self::DUAL_PORT_BITS || self.entries.len() > Self::WIDE_PORT_ENTRIES)
    }
}

/// A parameter of an instance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Param {
    /// Number.
    Int(u64),
    /// String.
    Text(String),
    /// Bit vector of a given width, least significant 64-bit word first.
    Bits(u32, Vec<u64>),
}

impl Param {
    /// A bit vector of flags, the first one in bit 0.
    pub fn mask(flags: impl IntoIterator<Item = bool>) -> Param {
        let (mut bits, mut words) = (0, vec![]);
        for flag in flags {
            if bits % 64 == 0 {
                words.push(0);
            }
            if let Some(word) = words.last_mut() {
                *word |= u64::from(flag) << (bits % 64);
            }
            bits += 1;
        }
        Param::Bits(bits, words)
    }
}

impl From<u32> for Param {
    fn from(n: u32) -> Param {
        Param::Int(u64::from(n))
    }
}

impl From<bool> for Param {
    fn from(b: bool) -> Param {
        Param::Int(u64::from(b))
    }
}

/// Connection of an instance's port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Connection {
    /// Into the instance.
    Input(Expr),
    /// Out of the instance, to a whole net or nowhere.
    Output(Option<Net>),
}

/// An instance of another module of the design or of the library.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Module.
    pub module: String,
    /// Instance name, unique in its module.
    pub name: String,
    /// Parameters in order.
    pub params: IndexMap<String, Param>,
    /// Ports in order. The printer adds `clk` and `rst`.
    pub ports: IndexMap<String, Connection>,
    /// Whether the module has a port `clk`.
    pub clocked: bool,
    /// Whether it has a port `rst`.
    pub reset: bool,
    /// Comment line above, or empty.
    pub comment: String,
}

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Legal identifier; also the file name.
    pub name: String,
    /// Header comment, line by line.
    pub header: Vec<String>,
    /// Nets.
    pub nets: PrimaryMap<Net, NetData>,
    /// Continuous assignments, each net at most once; with a comment or the empty string.
    pub assigns: Vec<(Net, Expr, String)>,
    /// Registers.
    pub registers: Vec<Register>,
    /// Read-only memories.
    pub roms: Vec<Rom>,
    /// Instances.
    pub instances: Vec<Instance>,
    /// Whether it has ports `clk` and `rst` (declared by the printer, not in `nets`).
    pub clocked: bool,
    /// Whether its external clock and reset are `ap_clk` and `ap_rst_n` (kernel top).
    pub ap_ports: bool,
}

impl Module {
    /// Every expression of the module.
    pub(crate) fn for_each_expr(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        self.assigns.iter_mut().for_each(|(_, e, _)| f(e));
        for r in &mut self.registers {
            f(&mut r.next);
            r.enable.iter_mut().for_each(&mut *f);
        }
        for r in &mut self.roms {
            r.reads.iter_mut().for_each(|read| f(&mut read.addr));
            r.enable.iter_mut().for_each(&mut *f);
        }
        for c in self.instances.iter_mut().flat_map(|i| i.ports.values_mut()) {
            if let Connection::Input(e) = c {
                f(e);
            }
        }
    }
}

/// Modules of a design; the last one is the top.
#[derive(Clone, Debug, Default)]
pub struct Design {
    /// Modules, each after those that it instantiates.
    pub modules: Vec<Module>,
}

/// Number of bits that count `0..n` (at least 1).
pub fn bits_for(n: u64) -> u32 {
    u64::BITS - n.saturating_sub(1).max(1).leading_zeros()
}
