//! Text of schedules: what is printed reads back, and nothing makes the parser panic.

mod common;

use clhls_schedule as schedule;
use schedule::{MemoryKind, Place, parse::parse, text::print};

#[test]
fn printed_schedules_read_back() {
    let mut count = 0;
    for file in ["task", "ndrange", "interval", "division", "sharing", "order", "ahead", "replicas"]
    {
        for text in common::texts(file) {
            let s = parse(&text).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(print(&s), text);
            count += 1;
        }
    }
    assert_eq!(count, 21);
}

#[test]
fn that_a_kernel_spreads_reads_back() {
    let text = &common::texts("task")[0];
    let end = text.find('\n').expect("a line");
    let far = format!("{} spread{}", &text[..end], &text[end..]);
    let (without, with) = (parse(text).expect("reads"), parse(&far).expect("reads"));
    assert_eq!((without.spread, with.spread), (false, true));
    assert_eq!(print(&with), far);
}

#[test]
fn facts_of_the_text_arrive() {
    let s = common::kernel("ndrange", "phases");
    assert_eq!(s.clock.overhead_ns, 0.16);
    assert_eq!(s.occupancy.max_work_group_size, 16);
    assert!(!s.task);
    assert!(s.memories.values().any(|m| m.kind == MemoryKind::Local && m.bytes == 64));
    assert_eq!(s.units.values().map(|u| u.name.as_str()).collect::<Vec<_>>(), ["udiv_u32"]);
    let barriers = s.func.insts.keys().filter(|i| s.place[*i] == Some(Place::BlockEntry));
    assert_eq!(barriers.count(), 2);
    let tangle = common::kernel("ndrange", "tangle");
    assert_eq!(tangle.loops[0].entries.len(), 2);
    let beside = common::kernel("division", "beside");
    let turning = beside.units.values().find_map(|u| u.turning).expect("a loop of steps");
    assert_eq!((turning.turns, turning.cycles), (8, 1));
    assert_eq!(beside.forms.len(), 1);
    let weigh = common::kernel("sharing", "weigh");
    assert_eq!(weigh.shared.len(), 1);
    assert_eq!((weigh.shared[0].insts.len(), weigh.shared[0].staged), (3, true));
    let near = common::kernel("replicas", "near");
    assert!(near.memories.values().any(|m| m.replicas == Some(4)));
    assert_eq!(near.accesses.values().map(|a| a.replica).max(), Some(3));
    let crowd = common::kernel("replicas", "crowd");
    assert_eq!((crowd.loops[0].ports.is_some(), crowd.loops[0].ii), (true, 2));
    let chase = common::kernel("task", "chase");
    let p = chase.pipelined.values().next().expect("a loop");
    assert_eq!((p.feedback.len(), p.late.len()), (2, 1));
}

#[test]
fn errors_name_the_line() {
    let text = &common::texts("task")[0];
    let error = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        parse(&text.replacen(from, to, 1)).expect_err(to).to_string()
    };
    assert!(error(" period", " length").contains("expected `period`"));
    assert!(error("\"accumulate\"", "\"other\"").contains("is not called `other`"));
    assert!(error("\nprologue 0", "\nprologue one").contains("`one` is not a number"));
    assert!(error("access e0 mem0", "access e0 mem7").contains("mem7 does not exist"));
    assert!(error("loop b1", "loop b99").contains("b99 does not exist"));
    assert!(error(" read 6", " reads 6").contains("expected `read`"));
    assert!(error("unit \"fmul_f32\"", "unit fmul_f32").contains("expected a string"));
    assert!(error("[static]", "[somewhere]").contains("expected `s` and a number"));
    assert!(error("[s0@0", "s0@0").contains("E0010"));
}

#[test]
fn damaged_text_never_panics() {
    let texts: Vec<String> = common::texts("task");
    let mut state = 1u64;
    let mut next = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    let mut refused = 0;
    for round in 0..400 {
        let mut bytes = texts[round % texts.len()].clone().into_bytes();
        for _ in 0..1 + next(3) {
            // The header is short: aim at it half of the time.
            let end = if next(2) == 0 { 1500.min(bytes.len()) } else { bytes.len() };
            let at = next(end);
            match next(3) {
                0 => bytes[at] = b" 0:@sbev\"\n[]"[next(12)],
                1 => drop(bytes.drain(at..(at + next(9)).min(bytes.len()))),
                _ => bytes.insert(at, b' ' + next(95) as u8),
            }
        }
        if let Ok(s) = parse(&String::from_utf8_lossy(&bytes)) {
            // Neither may the verifier on what is read.
            let _ = schedule::verify::verify(&s);
            let _ = schedule::verify::verify_timing(&s);
        } else {
            refused += 1;
        }
    }
    assert!(refused > 100, "{refused}");
}
