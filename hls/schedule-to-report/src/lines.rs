//! What each source line became.

use crate::{Made, View, area};
use base::entity::EntityRef;
use base::{FxHashMap, Loc};
use ir::Inst;
use report::{Area, Line, Place, When};
use std::collections::BTreeMap;
use target::Area as Estimate;

#[derive(Default)]
struct Sum {
    operations: u32,
    ii: Option<u32>,
    /// First start and last end by block.
    span: BTreeMap<u32, (u32, u32)>,
    area: Estimate,
    accesses: Vec<u32>,
}

fn grow(to: &mut Estimate, by: &Estimate) {
    to.lut += by.lut;
    to.ff += by.ff;
    to.dsp += by.dsp;
    to.bram += by.bram;
}

/// What stands in the modules of segments, of a kernel whose top module holds everything else.
pub(crate) fn datapath(made: &Made<'_>) -> Area {
    let mut sum = Estimate::default();
    for part in made.parts.iter().filter(|p| p.module != made.kernel.top) {
        grow(&mut sum, &part.area);
    }
    area(sum)
}

/// The lines in order, and the area that belongs to none.
pub(crate) fn lines(view: &View<'_>) -> (Vec<Line>, Area) {
    let mut sums: BTreeMap<(u32, u32), Sum> = BTreeMap::new();
    let key = |p: Place| (p.file, p.line);
    for op in &view.operations.list {
        let Some(place) = op.place else { continue };
        let sum = sums.entry(key(place)).or_default();
        sum.operations += 1;
        sum.accesses.extend(op.access);
        if op.when == When::Launch {
            continue;
        }
        let block = view.s.func.layout[op.block as usize];
        let ii = view.in_loop[block].map(|l| view.s.loops[l as usize].ii);
        sum.ii = sum.ii.max(ii);
        let end = op.cycle + op.latency;
        let span = sum.span.entry(op.block).or_insert((op.cycle, end));
        *span = (span.0.min(op.cycle), span.1.max(end));
    }
    let mut other = Estimate::default();
    let values = places_of_values(view);
    for part in view.made.parts {
        match owner(view, &values, &part.name) {
            Some(loc) => {
                grow(&mut sums.entry((loc.file, loc.line)).or_default().area, &part.area);
            }
            None => grow(&mut other, &part.area),
        }
    }
    let line = |((file, line), sum): ((u32, u32), Sum)| Line {
        place: Place { file, line, column: 0 },
        operations: sum.operations,
        ii: sum.ii,
        latency: sum.span.values().map(|(a, b)| b - a).max().unwrap_or(0),
        area: area(sum.area),
        accesses: sum.accesses,
    };
    (sums.into_iter().map(line).collect(), area(other))
}

/// Source places of the values of a kernel, by their number.
fn places_of_values(view: &View<'_>) -> FxHashMap<usize, Loc> {
    let func = &view.s.func;
    let insts = func.layout.iter().flat_map(|b| &func.blocks[*b].insts);
    let place = |i: &Inst| {
        let data = &func.insts[*i];
        data.result.filter(|_| data.loc.is_known()).map(|r| (r.index(), data.loc))
    };
    insts.filter_map(place).collect()
}

/// The place that a net or instance was made for: names of datapaths begin with the number of a value (`v12`), those of
/// memory units end with the number of an access (`load3`).
fn owner(view: &View<'_>, values: &FxHashMap<usize, Loc>, name: &str) -> Option<Loc> {
    let name = name.strip_prefix("u_").unwrap_or(name);
    let number = |prefix: &str| {
        let rest = name.strip_prefix(prefix)?;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..digits].parse::<usize>().ok()
    };
    if let Some(n) = number("v") {
        return values.get(&n).copied();
    }
    let site = ["load", "store", "mem", "atomic"].iter().find_map(|p| number(p))?;
    let (_, access) = view.s.accesses.get_index(site)?;
    Some(access.loc).filter(|l| l.is_known())
}
