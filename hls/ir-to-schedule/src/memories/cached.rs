//! Which loads have a cache.

use crate::Options;
use ir::analysis::{Base, Provenance};
use ir::{Function, Inst, KernelArgKind, Op};

/// Words of a cache, unless the user says how many bytes: block RAMs are at least so deep.
const WORDS: u32 = 512;
/// The least number of lines that the unit can have.
const LEAST_LINES: u64 = 4;

/// Whether an instruction reads texels of a read-only image: which ones depends on data, but near ones follow one another, and
/// nothing in the launch writes them.
pub fn reads_image(func: &Function, provenance: &Provenance, inst: Inst) -> bool {
    let data = &func.insts[inst];
    let Some(Base::Arg(k)) = provenance.single(data.args[0]) else { return false };
    let arg = func.kernel.as_ref().and_then(|info| info.args.get(k as usize));
    matches!(data.op, Op::Load(flags) if !flags.volatile)
        && arg.is_some_and(|a| matches!(a.kind, KernelArgKind::Image(_)) && a.no_write)
}

/// Lines of the cache of an access of `bytes` bytes to an image; 0 for none.
pub fn lines(bytes: u32, options: &Options) -> u32 {
    let word = bytes.max(options.bus_bytes);
    let line = u64::from(schedule::cache_line_bytes(options.bus_bytes));
    let wanted = options.image_cache_bytes.unwrap_or_else(|| u64::from(WORDS * word));
    match wanted / line {
        0 if wanted == 0 => 0,
        lines => lines.next_power_of_two().clamp(LEAST_LINES, 1 << 16) as u32,
    }
}
