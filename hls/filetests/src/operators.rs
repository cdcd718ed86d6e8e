//! Operators as hardware, each alone: their Verilog for a board and clock, and a bench that holds
//! it to the native datapath.

pub mod bench;

use arith::Operator;
use base::FileSet;
use rtl::Design;
use schedule::Unit;
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
    /// Name of its unit: that of the operator, with its interval where it is a loop of steps.
    pub name: String,
    /// Module; its ports are `clk`, `rst`, `start` where it is a loop of steps, `in0`.. and `out0`.
    pub module: String,
    /// Cycles from operands to result.
    pub latency: u32,
    /// Least cycles from operands to the next ones.
    pub interval: u32,
    /// Where it is a loop of steps: the cycle after the operands in which `start` must be 1.
    pub start: Option<u32>,
    /// The module and what it needs of the library, as `<module>.v`.
    pub files: FileSet,
}

impl Emitted {
    /// Bits of `out0`: all results, the first in the low bits.
    pub fn output_width(&self) -> u32 {
        self.operator.output_widths().iter().sum()
    }
}

/// A form of an operator's hardware.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Operands every cycle.
    Pipeline,
    /// The loop of steps of least area.
    Smallest,
    /// The loop of steps of the shortest interval.
    Fastest,
}

impl Form {
    /// What stands behind an operator's name.
    const SUFFIXES: [(&'static str, Form); 2] =
        [("_smallest", Form::Smallest), ("_fastest", Form::Fastest)];
}

/// The operators of these names, or all of them, as pipelines. A name may end in `_smallest` or `_fastest`, which asks for a loop
/// of steps.
///
/// # Errors
/// A name that no operator has.
pub fn select(names: &[String]) -> Result<Vec<(Operator, Form)>, String> {
    let all = Operator::all();
    if names.is_empty() {
        return Ok(all.into_iter().map(|op| (op, Form::Pipeline)).collect());
    }
    let find = |name: &String| {
        let suffixed = |(suffix, form): (&str, Form)| Some((name.strip_suffix(suffix)?, form));
        let (base, form) =
            Form::SUFFIXES.into_iter().find_map(suffixed).unwrap_or((name, Form::Pipeline));
        let found = all.iter().find(|op| op.to_string() == *base);
        found.map(|op| (*op, form)).ok_or(format!("no operator is called {name}"))
    };
    names.iter().map(find).collect()
}

/// Schedules an operator as kernels get it and prints its Verilog.
///
/// # Errors
/// If no schedule is found or the module is not valid; for a loop of steps of an operator that has none.
pub fn emit(operator: Operator, form: Form, goal: &Goal) -> Result<Emitted, String> {
    if form == Form::Pipeline {
        let Goal { family, clock_mhz } = goal;
        let sdc = &ir_to_schedule::Sdc;
        let unit = ir_to_schedule::operator_unit(operator, family, *clock_mhz, sdc);
        return verilog(operator, &unit.map_err(|e| failed(operator, &e))?, goal);
    }
    let mut all = emit_turning(operator, goal)?;
    let wanted = if form == Form::Smallest { all.drain(..).next() } else { all.pop() };
    wanted.ok_or(format!("{operator} has no loop of steps"))
}

/// The loops of steps that kernels may get for an operator, the smallest first; none of most operators.
///
/// # Errors
/// As [`emit`].
pub fn emit_turning(operator: Operator, goal: &Goal) -> Result<Vec<Emitted>, String> {
    let Goal { family, clock_mhz } = goal;
    if !operator.is_recurrence() {
        return Ok(vec![]);
    }
    let units = ir_to_schedule::turning_units(operator, family, *clock_mhz, &ir_to_schedule::Sdc);
    let units = units.map_err(|e| failed(operator, &e))?;
    units.iter().map(|unit| verilog(operator, unit, goal)).collect()
}

fn failed(operator: Operator, e: &base::Diagnostics) -> String {
    let messages: Vec<&str> = e.0.iter().map(|d| d.message.as_str()).collect();
    format!("{operator}: {}", messages.join("; "))
}

fn verilog(operator: Operator, unit: &Unit, goal: &Goal) -> Result<Emitted, String> {
    let module = schedule_to_rtl::unit_module(unit, &goal.family.name, false);
    let (name, module_name) = (unit.name.clone(), module.name.clone());
    let (latency, interval) = (unit.timing.latency, unit.interval());
    let start = unit.turning.map(|t| t.start);
    let files = rtl_to_verilog::emit(&Design { modules: vec![module] });
    let files = files.map_err(|e| failed(operator, &e))?;
    Ok(Emitted { operator, name, module: module_name, latency, interval, start, files })
}
