//! What a source in a dialect of OpenCL C says of its loops and kernels, which producers drop: strings of `OpModuleProcessed` that
//! `clhls-dialects` writes. A loop is known by the place of its keyword, which producers name as the place of the branch that goes back (`for`,
//! `while`) or in (`do`).

use crate::decode::Inst;
use crate::errors::R;
use crate::lower::Lower;
use crate::module::Spv;
use base::{FxHashMap, Loc};
use dialects::Hint;
use ir::analysis::{Cfg, Dominators};
use ir::{Block, Function, LoopHint, Speculation};

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
        for (header, places) in loop_places(self.b.func) {
            let found = places.iter().find_map(|loc| self.loop_of_source(*loc, true));
            let found =
                found.or_else(|| places.iter().find_map(|loc| self.loop_of_source(*loc, false)));
            let Some(hint) = found else { continue };
            let hint = merged(self.b.func.blocks[header].hint, hint);
            self.b.func.blocks[header].hint = hint;
        }
    }

    /// What is said of the loop at a place. Columns are those of preprocessed text, which macros shift: without them, the only one of a line.
    fn loop_of_source(&self, loc: Loc, with_column: bool) -> Option<&dialects::LoopHint> {
        let is_here = |hint: &&dialects::LoopHint| {
            hint.line == loc.line && self.spv.files.is(&hint.file, loc.file)
        };
        let mut here = self.spv.hints.loops.iter().filter(is_here);
        match with_column {
            true => here.find(|hint| hint.column == loc.column),
            false => here.next().filter(|_| here.next().is_none()),
        }
    }
}

/// The headers of loops, and the places that tell which loop of the source each is, the most telling first.
fn loop_places(func: &Function) -> Vec<(Block, Vec<Loc>)> {
    let cfg = Cfg::new(func);
    let dom = Dominators::new(func, &cfg);
    let mut places: FxHashMap<Block, (Vec<Loc>, Vec<Loc>)> = FxHashMap::default();
    for &block in &cfg.rpo {
        let loc = func.blocks[block].term_loc;
        for &next in &cfg.succs[block] {
            let (back, entry) = places.entry(next).or_default();
            if dom.dominates(next, block) { back.push(loc) } else { entry.push(loc) }
        }
    }
    let ordered = |header: &Block| {
        let (back, entry) = places.get(header).filter(|(back, _)| !back.is_empty())?;
        let known = back.iter().chain(entry).filter(|loc| loc.is_known());
        Some((*header, known.copied().collect()))
    };
    cfg.rpo.iter().filter_map(ordered).collect()
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
        speculation: match source.speculated {
            Some(0) => Speculation::Off,
            _ => own.speculation,
        },
    }
}
