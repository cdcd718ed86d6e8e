//! Text form of schedules (`.sched`): the kernel's IR with a place for each instruction.

use crate::{Control, KernelSchedule, LoopKind, Place};
use std::fmt::Write;

/// The schedule as text, for people and for file tests.
pub fn print(s: &KernelSchedule) -> String {
    let mut out = String::new();
    // Writing to a `String` cannot fail.
    print_to(s, &mut out).expect("string");
    out
}

fn print_to(s: &KernelSchedule, out: &mut String) -> std::fmt::Result {
    writeln!(out, "schedule {} period {:.2} ns", s.func.name, s.clock.period_ns)?;
    let o = &s.occupancy;
    writeln!(out, "  slots {} work-group {} task {}", o.slots, o.max_work_group_size, s.task)?;
    writeln!(out, "  prologue {} cycles", s.prologue_latency)?;
    for (id, m) in s.memories.iter() {
        writeln!(out, "  {id} {} {:?} {} bytes x{}", m.name, m.kind, m.bytes, m.word_bytes)?;
    }
    for (id, u) in s.units.iter() {
        writeln!(out, "  {id} {} latency {}", u.name, u.timing.latency)?;
    }
    for l in &s.loops {
        let kind = match l.kind {
            LoopKind::Threaded => "threaded",
            LoopKind::Pipelined => "pipelined",
        };
        let (h, n) = (l.header, l.limit);
        writeln!(
            out,
            "  loop {h} {kind} ii {} latency {} limit {n}: {}",
            l.ii, l.latency, l.reason
        )?;
    }
    for &b in &s.func.layout {
        writeln!(out, "{b}:")?;
        for (k, seg) in s.blocks[b].segments.iter().enumerate() {
            let control = match seg.control {
                Control::StallFree { depth } => format!("fifo {depth}"),
                Control::Enabled => "enabled".to_owned(),
            };
            writeln!(out, "  segment {k} latency {} ii {} {control}", seg.latency, seg.ii)?;
        }
        for &i in &s.func.blocks[b].insts {
            let d = &s.func.insts[i];
            let place = match s.place[i] {
                Some(Place::Static) => "static".to_owned(),
                Some(Place::Prologue { cycle }) => format!("prologue@{cycle}"),
                Some(Place::Dispatch) => "dispatch".to_owned(),
                Some(Place::Segment { segment, cycle }) => format!("s{segment}@{cycle}"),
                Some(Place::Boundary { segment }) => format!("after s{segment}"),
                Some(Place::BlockEntry) => "entry".to_owned(),
                None => "?".to_owned(),
            };
            let args: Vec<String> = d.args.iter().map(|v| v.to_string()).collect();
            let result = d.result.map_or(String::new(), |r| format!("{r}:{} = ", s.func.ty(r)));
            writeln!(out, "  {place:<12} {result}{:?} {}", d.op, args.join(", "))?;
        }
    }
    Ok(())
}
