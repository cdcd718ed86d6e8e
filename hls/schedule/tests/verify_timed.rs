//! The rules of accesses in cycles of segments: a valid schedule in which one thing is broken must be rejected for that reason.

mod common;

use clhls_schedule as schedule;
use common::{expect, set_cycle};
use ir::Inst;
use schedule::{AccessKind, KernelSchedule, Place};

/// The access with a number.
fn access(s: &KernelSchedule, number: usize) -> Inst {
    *s.accesses.get_index(number).expect("there is such an access").0
}

fn cycle(s: &KernelSchedule, inst: Inst) -> u32 {
    match s.place[inst] {
        Some(Place::Segment { cycle, .. }) => cycle,
        other => panic!("{other:?} has no cycle"),
    }
}

#[test]
fn ports() {
    expect("timed", "exchange", "take a port of", |s| {
        let (first, second) = (access(s, 3), access(s, 4));
        let at = cycle(s, first);
        set_cycle(s, second, at);
    });
    // Whole intervals apart they meet in different iterations.
    expect("timed", "exchange", "take a port of", |s| {
        let block = *s.pipelined.keys().next().expect("a loop");
        let last = s.blocks[block].segments.last_mut().expect("a segment");
        last.latency += 1;
        let (first, second) = (access(s, 3), access(s, 4));
        let at = cycle(s, first) + 2;
        set_cycle(s, second, at);
    });
    expect("timed", "exchange", "has no port 7", |s| {
        let load = access(s, 1);
        s.accesses[&load].timed = Some(7);
    });
    expect("timed", "exchange", "has no port 0", |s| {
        let load = access(s, 1);
        s.accesses[&load].timed = Some(0);
    });
    expect("timed", "parts", "is written in parts at one of two sides", |s| {
        for m in s.memories.values_mut() {
            m.replicas = None;
        }
    });
}

#[test]
fn order() {
    expect("timed", "exchange", "does not wait for", |s| {
        let (load, store) = (access(s, 1), access(s, 3));
        let at = cycle(s, load);
        set_cycle(s, store, at);
    });
    // The load comes before the store of the iteration that it was taken to be given the word of.
    expect("timed", "exchange", "of 1 iterations before", |s| {
        for t in &mut s.in_turn {
            t.distance = 1;
        }
    });
    expect("timed", "exchange", "accesses come in turn outside of segments", |s| {
        let first = access(s, 0);
        s.in_turn[0].first = first;
    });
}

#[test]
fn held() {
    // The address of a load is known in the cycle of its own segment only.
    expect("hazards", "by_key", "is not known in front", |s| {
        let load = access(s, 2);
        let address = s.func.def_inst(s.func.insts[load].args[0]).expect("an operation");
        s.place[address] = Some(Place::Segment { segment: 2, cycle: 0 });
        s.in_turn.iter_mut().for_each(|t| t.held = true);
    });
    expect("hazards", "under_condition", "is not known in front", |s| {
        let store = access(s, 2);
        let args = &s.func.insts[store].args;
        let predicate = s.func.def_inst(args[args.len() - 1]).expect("an operation");
        s.place[predicate] = Some(Place::Segment { segment: 2, cycle: 0 });
    });
    // A loop-carried value that is read in the segment itself.
    expect("hazards", "chased", "is not known in front", |s| {
        s.in_turn.iter_mut().for_each(|t| t.held = true);
    });
    expect("hazards", "by_key", "are held that are in no segment of a loop", |s| {
        s.pipelined.clear();
    });
    expect("hazards", "by_key", "may touch two addresses", |s| {
        let load = access(s, 2);
        s.accesses[&load].align = 2;
    });
    // Not held they come too early.
    expect("hazards", "by_key", "of 1 iterations before", |s| {
        s.in_turn.iter_mut().for_each(|t| t.held = false);
    });
    expect("hazards", "three_before", "of 2 iterations before", |s| {
        s.in_turn.iter_mut().for_each(|t| t.distance = t.distance.min(2));
    });
}

#[test]
fn places() {
    expect("timed", "exchange", "has no time for its access", |s| {
        let load = access(s, 1);
        s.timing[load].latency = 1;
    });
    expect("timed", "exchange", "has no time for its access", |s| {
        let load = access(s, 1);
        s.place[load] = Some(Place::Boundary { segment: 0 });
    });
    expect("timed", "exchange", "differ about time", |s| {
        let load = access(s, 1);
        s.accesses[&load].timed = None;
    });
    expect("timed", "exchange", "cannot be accessed in cycles of segments", |s| {
        s.memories.values_mut().for_each(|m| m.atomic = true);
    });
    expect("timed", "exchange", "cannot be accessed in cycles of segments", |s| s.task = false);
    expect("timed", "exchange", "takes a port that others may have", |s| {
        s.pipelined.values_mut().for_each(|p| p.speculated = true);
    });
    expect("timed", "until", "accesses memory, but not at a boundary", |s| {
        let load = access(s, 1);
        assert_eq!(s.accesses[&load].kind, AccessKind::Load);
        s.place[load] = Some(Place::Segment { segment: 0, cycle: 0 });
    });
}
