//! What a work-item asks of a compute unit and of memory: which of them limits a kernel of several units.

use crate::{Made, View, memories};
use report::{Access, Memory, MemoryKind};
use schedule::LoopKind;

/// Iterations of a loop whose number does not follow from constants.
const USUAL_TRIPS: f64 = 16.0;

/// What the tokens of a kernel ask for, each on average: a work-item, or several that go side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Demand {
    /// Cycles from one token to the next in one compute unit, memory behind ports left out: those of the loop that is
    /// busiest, each iteration of which takes its interval; 1 or more.
    pub unit_cycles: f64,
    /// Beats at the memory port that has most, of reads and of writes. Atomics count as both.
    pub beats: (f64, f64),
}

/// A place in the control flow: a loop without those inside of it, or what is in none.
struct Region {
    /// How often a token comes by.
    times: f64,
    /// Least cycles between two tokens there.
    interval: f64,
}

/// What the tokens of a kernel ask for, by its schedule. Loops of which nothing is known are assumed to run 16 times, so that
/// what stands in them outweighs what does not.
pub fn demand(made: &Made<'_>) -> Demand {
    let view = View::new(made);
    let (accesses, memories) = (memories::accesses(&view), memories::memories(&view));
    let regions: Vec<Region> =
        places(&view).map(|place| region(&view, place, &accesses, &memories)).collect();
    let cycles = regions.iter().map(|r| r.times * r.interval).fold(1.0, f64::max);
    let times = |a: &Access| regions[a.in_loop.map_or(0, |l| l as usize + 1)].times;
    let beats = |port: &str, not: &str| -> f64 {
        let of = |a: &&Access| a.kind != not && a.port.as_deref() == Some(port);
        accesses.iter().filter(of).map(|a| a.beats * times(a)).sum()
    };
    let ports = made.kernel.memory_ports.iter();
    let ports = ports.map(|p| (beats(&p.name, "store"), beats(&p.name, "load")));
    let most = ports.reduce(|a, b| if b.0.max(b.1) > a.0.max(a.1) { b } else { a });
    Demand { unit_cycles: cycles, beats: most.unwrap_or_default() }
}

/// No loop, then every loop in order.
fn places(view: &View<'_>) -> impl Iterator<Item = Option<usize>> {
    std::iter::once(None).chain((0..view.s.loops.len()).map(Some))
}

fn region(
    view: &View<'_>,
    place: Option<usize>,
    accesses: &[Access],
    memories: &[Memory],
) -> Region {
    let here: Vec<&Access> =
        accesses.iter().filter(|a| a.in_loop.map(|l| l as usize) == place).collect();
    let s = view.s;
    let on_chip = s.memories.keys().zip(memories).filter(|(_, m)| m.kind != MemoryKind::Device);
    let on_chip = on_chip.map(|m| memories::interval(view, place, m, &here)).fold(1.0, f64::max);
    let blocks = s.func.layout.iter().filter(|b| view.in_loop[**b].map(|l| l as usize) == place);
    let segments = blocks.flat_map(|b| &s.blocks[*b].segments).map(|g| g.ii).max();
    let mut interval = on_chip.max(f64::from(segments.unwrap_or(1)));
    let mut times = 1.0;
    let mut around = place;
    while let Some(k) = around {
        times *= schedule::trips::count(s, k).map_or(USUAL_TRIPS, |n| n as f64).max(1.0);
        around = s.loops[k].parent;
    }
    if let Some(l) = place.map(|k| &s.loops[k]) {
        interval = interval.max(f64::from(l.ii));
        // Fewer work-items than the loop is long leave gaps.
        if l.kind == LoopKind::Threaded && l.limit > 0 {
            interval = interval.max(f64::from(l.latency) / f64::from(l.limit));
        }
    }
    Region { times, interval }
}
