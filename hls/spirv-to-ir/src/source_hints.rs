//! What a source in a dialect of OpenCL C says of its loops and kernels, which producers drop: strings of `OpModuleProcessed` that
//! `clhls-dialects` writes. A loop is known by the place of its keyword, which producers name as the place of the branch that goes
//! back in `for` and `while`; of a `do` it names no branch for certain, and what is said of such a loop is not used.

use crate::decode::Inst;
use crate::errors::R;
use crate::lower::Lower;
use crate::module::Spv;
use base::Loc;
use dialects::Hint;
use ir::analysis::loops::LoopData;
use ir::analysis::{Cfg, Loops};
use ir::{LoopHint, Speculation};

/// Lanes that a kernel may have.
const LANES: std::ops::RangeInclusive<u32> = 2..=16;

/// The loops that the source says something of.
#[derive(Debug, Default)]
pub(crate) struct SourceHints {
    loops: Vec<dialects::LoopHint>,
    kernels: Vec<dialects::KernelHint>,
}

impl SourceHints {
    /// Reads an `OpModuleProcessed`, which may say something else.
    pub fn read(&mut self, inst: &Inst) -> R<()> {
        match Hint::parse(&inst.string(0)?.0) {
            Some(Hint::Loop(hint)) => self.loops.push(hint),
            Some(Hint::Kernel(hint)) => self.kernels.push(hint),
            None => {}
        }
        Ok(())
    }
}

/// Adds what hints say of kernels to what the module's modes do.
pub(crate) fn complete_modes(spv: &mut Spv<'_>) {
    let hints = std::mem::take(&mut spv.hints);
    for hint in &hints.kernels {
        let Some(entry) = spv.entry_points.iter().find(|e| e.name == hint.name) else { continue };
        let info = spv.modes.entry(entry.function).or_default();
        let lanes = hint.simd.filter(|n| LANES.contains(n) && n.is_power_of_two());
        info.num_simd_work_items = info.num_simd_work_items.or(lanes);
        let most = hint.max_work_group.filter(|n| *n > 0).map(|n| [n, 1, 1]);
        info.max_work_group_size = info.max_work_group_size.or(most);
    }
    spv.hints = hints;
}

impl Lower<'_, '_, '_> {
    /// Puts what the source says of loops on their headers.
    pub(crate) fn loops_of_source(&mut self) {
        let loops = &self.spv.hints.loops;
        if loops.is_empty() {
            return;
        }
        let cfg = Cfg::new(self.b.func);
        let all = Loops::new(self.b.func, &cfg);
        let mut found: Vec<(&LoopData, usize)> = vec![];
        for data in all.loops.values() {
            let back = data.latches.iter().map(|latch| self.b.func.blocks[*latch].term_loc);
            found.extend(back.filter_map(|loc| self.hint_at(loc)).map(|hint| (data, hint)));
        }
        // The branch that leaves a loop may be the one that goes back in the loop around it: it is the inner one's.
        let inner = |(data, hint): &(&LoopData, usize)| {
            let inside = |d: &LoopData| d.header != data.header && data.blocks.contains(&d.header);
            !found.iter().any(|(other, same)| same == hint && inside(other))
        };
        for (data, hint) in found.iter().filter(|f| inner(f)) {
            let Some(source) = self.spv.hints.loops.get(*hint) else { continue };
            let block = &mut self.b.func.blocks[data.header];
            block.hint = merged(block.hint, source);
        }
    }

    /// The number of what is said of the loop whose keyword is at a place. A claim on another loop would make wrong hardware, so the column
    /// counts.
    fn hint_at(&self, loc: Loc) -> Option<usize> {
        let is_here = |hint: &dialects::LoopHint| {
            (hint.line, hint.column) == (loc.line, loc.column)
                && self.spv.files.is(&hint.file, loc.file)
        };
        self.spv.hints.loops.iter().position(is_here)
    }
}

/// What a module's own controls and the source say together.
fn merged(own: LoopHint, source: &dialects::LoopHint) -> LoopHint {
    LoopHint {
        unroll: own.unroll.or(source.no_unroll.then_some(1)),
        ii: own.ii.or(source.interval.filter(|n| *n > 0)),
        // with a distance it holds of fewer iterations
        ivdep: own.ivdep || (source.independent && source.distance.is_none()),
        dependency_length: own.dependency_length.max(source.distance.unwrap_or_default()),
        max_concurrency: match own.max_concurrency {
            0 => source.max_concurrency.unwrap_or_default(),
            own => own,
        },
        no_fusion: own.no_fusion || source.no_fusion,
        speculation: match source.speculated {
            Some(0) => Speculation::Off,
            _ => own.speculation,
        },
    }
}
