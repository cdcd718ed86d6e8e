//! Operators as hardware, each alone: their Verilog for a board and clock, and a bench that holds
//! it to the native datapath.

pub mod bench;

use arith::Operator;
use base::FileSet;
use rtl::Design;
use target::Family;

/// Where and how fast operators are to run.
pub struct Goal {
    /// Device family of the board.
    pub family: Family,
    /// Clock, MHz.
    pub clock_mhz: f64,
}

impl Goal {
    /// The goal of a built-in board.
    ///
    /// # Errors
    /// If there is no such board.
    pub fn new(board: &str, clock_mhz: f64) -> Result<Goal, String> {
        let board = target::Library::builtin().board(board).map_err(|e| e.to_string())?;
        Ok(Goal { family: board.family, clock_mhz })
    }
}

/// An operator as Verilog.
#[derive(Clone, Debug)]
pub struct Emitted {
    /// The operator.
    pub operator: Operator,
    /// Module; its ports are `clk`, `rst`, `in0`.. and `out0`.
    pub module: String,
    /// Cycles from operands to result.
    pub latency: u32,
    /// The module and what it needs of the library, as `<module>.v`.
    pub files: FileSet,
}

impl Emitted {
    /// Bits of `out0`: all results, the first in the low bits.
    pub fn output_width(&self) -> u32 {
        self.operator.output_widths().iter().sum()
    }
}

/// The operators of these names, or all of them.
///
/// # Errors
/// A name that no operator has.
pub fn select(names: &[String]) -> Result<Vec<Operator>, String> {
    let all = Operator::all();
    if names.is_empty() {
        return Ok(all);
    }
    let find = |name: &String| {
        let found = all.iter().find(|op| op.to_string() == *name);
        found.copied().ok_or(format!("no operator is called {name}"))
    };
    names.iter().map(find).collect()
}

/// Schedules an operator as kernels get it and prints its Verilog.
///
/// # Errors
/// If no schedule is found or the module is not valid.
pub fn emit(operator: Operator, goal: &Goal) -> Result<Emitted, String> {
    let failed = |e: base::Diagnostics| {
        let messages: Vec<&str> = e.0.iter().map(|d| d.message.as_str()).collect();
        format!("{operator}: {}", messages.join("; "))
    };
    let Goal { family, clock_mhz } = goal;
    let unit = ir_to_schedule::operator_unit(operator, family, *clock_mhz, &ir_to_schedule::Sdc)
        .map_err(failed)?;
    let module = schedule_to_rtl::unit_module(&unit, &family.name);
    let (name, latency) = (module.name.clone(), unit.timing.latency);
    let files = rtl_to_verilog::emit(&Design { modules: vec![module] }).map_err(failed)?;
    Ok(Emitted { operator, module: name, latency, files })
}
