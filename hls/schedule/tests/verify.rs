//! Each rule of `verify()` and `verify_timing()`: a valid schedule in which one thing is broken
//! must be rejected for that reason.

mod common;

use clhls_schedule as schedule;
use common::{expect, set_cycle};
use ir::{Block, Inst, Op, Speculation, Terminator};
use schedule::verify::verify;
use schedule::{AccessKind, Control, KernelSchedule, LoopKind, MemoryKind, OpTiming, Place, Unit};

/// An instruction for which `f` holds.
fn find(s: &KernelSchedule, f: impl Fn(&KernelSchedule, Inst) -> bool) -> Inst {
    let mut all = s.func.layout.iter().flat_map(|b| &s.func.blocks[*b].insts);
    *all.find(|i| f(s, **i)).expect("there is such an instruction")
}

fn op(s: &KernelSchedule, wanted: Op) -> Inst {
    find(s, |s, i| s.func.insts[i].op == wanted)
}

fn block_of(s: &KernelSchedule, inst: Inst) -> Block {
    *s.func.layout.iter().find(|b| s.func.blocks[**b].insts.contains(&inst)).expect("placed")
}

fn looping(s: &KernelSchedule) -> Block {
    *s.pipelined.keys().next().expect("a pipelined loop")
}

#[test]
fn places() {
    expect("task", "accumulate", "has no place", |s| {
        let i = op(s, Op::FAdd);
        s.place[i] = None;
    });
    expect("task", "accumulate", "does not end inside its segment", |s| {
        let i = op(s, Op::FAdd);
        set_cycle(s, i, 9);
    });
    expect("task", "accumulate", "has no segment", |s| {
        let b = s.func.layout[1];
        s.blocks[b].segments.clear();
    });
    expect("task", "accumulate", "is launch-uniform but uses", |s| {
        let i = op(s, Op::FMul);
        s.place[i] = Some(Place::Static);
    });
    expect("task", "accumulate", "is no work-item query of the entry", |s| {
        let i = op(s, Op::FMul);
        s.place[i] = Some(Place::Dispatch);
    });
    expect("task", "accumulate", "is no access but stands at a boundary", |s| {
        let i = op(s, Op::FMul);
        s.place[i] = Some(Place::Boundary { segment: 0 });
    });
    expect("task", "accumulate", "is no barrier in front of", |s| {
        let i = op(s, Op::FMul);
        s.place[i] = Some(Place::BlockEntry);
    });
    expect("task", "accumulate", "accesses memory, but not at a boundary", |s| {
        let i = find(s, |s, i| matches!(s.func.insts[i].op, Op::Store(_)));
        s.place[i] = Some(Place::Segment { segment: 0, cycle: 0 });
    });
}

#[test]
fn dependences() {
    expect("task", "accumulate", "is ready", |s| {
        let i = op(s, Op::FAdd);
        set_cycle(s, i, 0);
    });
    expect("task", "accumulate", "is answered after the end", |s| {
        let i = find(s, |s, i| s.accesses.get(&i).is_some_and(|a| a.kind == AccessKind::Load));
        s.place[i] = Some(Place::Boundary { segment: 1 });
    });
    expect("task", "chase", "starts before", |s| {
        // The second load needs the pointer of its own iteration only at its boundary; the sum
        // needs the answer.
        let sum = find(s, |s, i| {
            s.func.insts[i].op == Op::Add
                && matches!(s.place[i], Some(Place::Segment { segment: 1, .. }))
        });
        s.place[sum] = Some(Place::Segment { segment: 0, cycle: 0 });
    });
    expect("task", "chase", "does not wait for", |s| {
        // Two loads at one boundary, ordered all at once.
        let b = looping(s);
        let loads = s.accesses.keys().filter(|i| block_of(s, **i) == b).copied();
        let loads: Vec<Inst> = loads.collect();
        s.func.insts[loads[1]].after.push(loads[0]);
    });
    expect("interval", "early_use", "is not ready at the end", |s| {
        let b = looping(s);
        s.blocks[b].segments[1].latency = 0;
    });
}

#[test]
fn prologue_and_units() {
    expect("ndrange", "phases", "does not end in the prologue", |s| s.prologue_latency = 0);
    expect("ndrange", "phases", "starts before", |s| {
        // The product of the launch uses the shifted size.
        let shift = find(s, |s, i| {
            s.func.insts[i].op == Op::Shl && matches!(s.place[i], Some(Place::Prologue { .. }))
        });
        s.timing[shift].latency = 1;
        s.prologue_latency += 9;
    });
    expect("ndrange", "phases", "counts on a faster unit", |s| {
        let i = find(s, |s, i| s.unit_of[i].is_some());
        s.timing[i].latency -= 1;
    });
    expect("ndrange", "phases", "of unit udiv_u32 starts before", |s| {
        let unit = s.units.values_mut().next().expect("a unit");
        let insts = &unit.func.blocks[unit.func.entry()].insts;
        let last = *insts.last().expect("instructions");
        unit.place[last] = Some(Place::Segment { segment: 0, cycle: 0 });
    });
    expect("ndrange", "phases", "of unit udiv_u32 has no place", |s| {
        let unit = s.units.values_mut().next().expect("a unit");
        let last = *unit.func.blocks[unit.func.entry()].insts.last().expect("instructions");
        unit.place[last] = None;
    });
    expect("ndrange", "phases", "unit udiv_u32 takes longer than its latency", |s| {
        let unit = s.units.values_mut().next().expect("a unit");
        unit.timing.latency -= 1;
    });
}

/// The unit that is a loop of steps.
fn turning(s: &mut KernelSchedule) -> &mut Unit {
    s.units.values_mut().find(|u| u.turning.is_some()).expect("a loop of steps")
}

/// Changes the place or the timing of an operation of a block of that unit.
fn in_turning(
    s: &mut KernelSchedule,
    block: usize,
    change: impl Fn(&mut Option<Place>, &mut OpTiming),
) {
    let unit = turning(s);
    let insts = &unit.func.blocks[unit.func.layout[block]].insts;
    let placed = |i: &&Inst| matches!(unit.place[**i], Some(Place::Segment { .. }));
    let inst = *insts.iter().rfind(placed).expect("an operation");
    change(&mut unit.place[inst], &mut unit.inst_timing[inst]);
}

#[test]
fn loops_of_steps() {
    expect(
        "division",
        "beside",
        "may start every 8 cycles, but its unit sdiv_s16_i9 every 9",
        |s| {
            // A second start while the loop still turns.
            let b = looping(s);
            s.blocks[b].segments.iter_mut().for_each(|g| g.ii = 8);
        },
    );
    expect("division", "beside", "is neither a pipeline nor a loop", |s| turning(s).turning = None);
    expect("division", "beside", "starts before", |s| {
        in_turning(s, 2, |place, _| *place = Some(Place::Segment { segment: 0, cycle: 0 }));
    });
    expect("division", "beside", "has no place", |s| {
        in_turning(s, 1, |place, _| *place = Some(Place::Segment { segment: 0, cycle: 0 }));
    });
    expect("division", "beside", "takes", |s| {
        // The next remainder stands when the registers have taken it.
        in_turning(s, 1, |place, _| *place = Some(Place::Segment { segment: 1, cycle: 1 }));
    });
    expect("division", "beside", "does not wait for the loop", |s| {
        in_turning(s, 0, |_, timing| timing.latency = 5);
    });
    expect("division", "beside", "the loop of unit sdiv_s16_i9 misses the clock period", |s| {
        turning(s).turning.as_mut().expect("a loop").load_ns = 3.0;
    });
    expect("division", "beside", "takes longer than its latency", |s| {
        turning(s).turning.as_mut().expect("a loop").turns += 1;
    });
}

#[test]
fn loops_cannot_deadlock() {
    expect("ndrange", "phases", "a control-flow cycle has no back-edge FIFO", |s| {
        s.loops[0].back_edges.clear();
    });
    expect("ndrange", "phases", "has no FIFO", |s| s.loops[0].back_edges.clear());
    expect("ndrange", "phases", "does not lead back to", |s| {
        let entry = s.func.entry();
        s.loops[0].back_edges.push((entry, 0));
    });
    expect("ndrange", "phases", "admits nothing", |s| s.loops[0].limit = 0);
    expect("ndrange", "phases", "but its back edge holds 127", |s| s.loops[0].back_depth = 127);
    expect("ndrange", "phases", "but its barrier waits for up to", |s| s.loops[0].limit = 127);
    expect("ndrange", "phases", "at its 2 entries that takes 129", |s| {
        // The gates of two entries close one work-item earlier.
        let other = s.loops[0].blocks[1];
        s.loops[0].entries.push(other);
    });
    // Irreducible: both entries are counted, and there is room for both.
    expect("ndrange", "tangle", "without counting", |s| {
        s.loops[0].entries.pop();
    });
    expect("ndrange", "tangle", "admits 1 at 2 entries", |s| s.loops[0].limit = 1);
    expect("ndrange", "tangle", "but its back edge holds 8", |s| s.loops[0].back_depth = 8);
    expect("ndrange", "tangle", "a control-flow cycle has no back-edge FIFO", |s| s.loops.clear());
    expect("ndrange", "tangle", "is not entered at its header", |s| s.loops[0].entries.reverse());
    expect("ndrange", "tangle", "are not nested", |s| {
        let mut other = s.loops[0].clone();
        other.blocks.truncate(2);
        s.loops.push(other);
    });
    expect("ndrange", "tangle", "stands before its parent", |s| s.loops[0].parent = Some(0));
}

#[test]
fn overlapping_iterations() {
    type Change = fn(&mut schedule::PipelinedLoop);
    let rules: [(&str, Change); 9] = [
        ("leaves on the wrong condition", |p| p.exit_on_true = !p.exit_on_true),
        ("in the next iteration", |p| p.feedback.truncate(1)),
        ("in the next iteration", |p| {
            let again = p.feedback[0];
            p.feedback.push(again);
        }),
        ("carries what is no parameter", |p| {
            let again = p.feedback[0];
            p.feedback.push(schedule::Feedback { param: again.next, ..again });
        }),
        ("before it stands", |p| p.late[0].known.segment = 0),
        ("before it stands", |p| p.condition.cycle = 9),
        ("is written before it is read", |p| p.feedback[0].read = 1),
        ("is outside of its segment", |p| p.feedback[0].segment = 7),
        ("is outside of its segment", |p| p.feedback[0].write = 9),
    ];
    for (message, change) in rules {
        expect("task", "chase", message, |s| {
            let b = looping(s);
            change(&mut s.pipelined[&b]);
        });
    }
    expect("task", "accumulate", "too early", |s| {
        let b = looping(s);
        let f = s.pipelined[&b].feedback.iter_mut().find(|f| f.segment == 1).expect("the sum");
        f.write -= 1;
    });
    expect("task", "accumulate", "starts before", |s| {
        // The register is read after the operation that uses it.
        let b = looping(s);
        let f = s.pipelined[&b].feedback.iter_mut().find(|f| f.segment == 1).expect("the sum");
        f.read += 1;
    });
    expect("task", "accumulate", "does not fit interval 6", |s| {
        let b = looping(s);
        s.blocks[b].segments.iter_mut().for_each(|g| g.ii = 6);
    });
    expect("task", "accumulate", "have several intervals", |s| {
        let b = looping(s);
        s.blocks[b].segments[0].ii = 1;
    });
    expect("task", "accumulate", "is slower than interval 6", |s| s.loops[0].ii = 6);
    fn order(s: &mut KernelSchedule) -> &mut schedule::Order {
        let b = looping(s);
        s.pipelined[&b].order.as_mut().expect("accesses in order")
    }
    let nowhere = "are in order where there are none";
    expect("order", "far", nowhere, |s| order(s).distance = 0);
    expect("order", "far", nowhere, |s| order(s).to += 1);
    expect("order", "far", nowhere, |s| order(s).from = 2);
    expect("order", "far", "is slower than interval 11", |s| {
        let b = looping(s);
        s.blocks[b].segments[1].latency = 400;
    });
    fn queue(s: &mut KernelSchedule) -> &mut schedule::Feedback {
        let b = looping(s);
        s.pipelined[&b].feedback.iter_mut().find(|f| f.distance > 1).expect("the queue")
    }
    expect("distance", "four", "in the next iteration", |s| queue(s).distance = 3);
    expect("distance", "four", "in the next iteration", |s| queue(s).distance = 1);
    expect("windows", "window", "in the next iteration", |s| queue(s).distance = 7);
    // of a window only what is read has a way, and that must have one
    expect("windows", "window", "in the next iteration", |s| {
        let b = looping(s);
        s.pipelined[&b].feedback.retain(|f| f.distance == 1);
    });
    expect("windows", "window", "in the next iteration", |s| {
        let (b, f) = (looping(s), *queue(s));
        let [unread, next] = [2, 3].map(|k| s.func.blocks[b].params[k]);
        let way = schedule::Feedback { param: unread, next, distance: 1, ..f };
        s.pipelined[&b].feedback.push(way);
    });
    expect("distance", "four", "in the next iteration", |s| queue(s).next = queue(s).param);
    expect("distance", "four", "too early", |s| queue(s).write -= 1);
    expect("distance", "four", "does not fit interval 1", |s| {
        let b = looping(s);
        s.blocks[b].segments.iter_mut().for_each(|g| g.ii = 1);
    });
    expect("task", "chase", "is slower than interval 2", |s| s.loops[0].ii = 2);
    expect("task", "accumulate", "but work-items do, too", |s| s.task = false);
    expect("task", "accumulate", "overlap over a barrier or fence", |s| {
        let i = op(s, Op::FMul);
        s.func.insts[i].op = Op::Fence(Default::default());
    });
    expect("task", "accumulate", "is not planned", |s| s.loops.clear());
    expect("task", "accumulate", "is no pipelined block", |s| s.pipelined.clear());
    expect("task", "accumulate", "is slower than", |s| s.loops[0].kind = LoopKind::Threaded);
    expect("task", "accumulate", "does not loop on itself", |s| {
        let b = looping(s);
        let Terminator::Branch { then_, else_, .. } = &mut s.func.blocks[b].term else {
            panic!("the loop ends in a branch")
        };
        then_.clone_from(else_);
    });
}

/// The only group of a schedule, and the segment that it is in.
fn shared_segment(s: &mut KernelSchedule) -> &mut schedule::Segment {
    let i = s.shared[0].insts[0];
    let b = block_of(s, i);
    let Some(Place::Segment { segment, .. }) = s.place[i] else { panic!("in a segment") };
    &mut s.blocks[b].segments[segment as usize]
}

#[test]
fn tokens_keep_their_distances() {
    let segment = |ii, window| schedule::Segment {
        latency: 30,
        ii,
        window,
        control: Control::StallFree { depth: 16 },
    };
    // By counting: all distances of two tokens, all cycles in which they are at an instance.
    for (ii, window) in [(1, 0), (3, 0), (3, 8), (4, 9), (5, 4), (7, 30)] {
        let g = segment(ii, window);
        for distance in 0..40 {
            let allowed =
                distance == 0 || distance >= ii && (distance > window || distance % ii == 0);
            assert_eq!(g.may_be_apart(distance), allowed, "{ii} {window} {distance}");
        }
        for interval in 1..6u32 {
            for cycles in 0..30u32 {
                let meets = (0..60u32).filter(|d| g.may_be_apart(*d)).any(|d| {
                    // The first token's second operation, and the second token's first one.
                    cycles.abs_diff(d) < interval
                });
                assert_eq!(
                    g.collides(cycles, interval),
                    meets,
                    "{ii} {window} {interval} {cycles}"
                );
            }
        }
    }
}

#[test]
fn shared_instances() {
    expect("sharing", "weigh", "can want their instance at once", |s| {
        // Two of the products in one cycle.
        let (i, j) = (s.shared[0].insts[0], s.shared[0].insts[1]);
        s.place[j] = s.place[i];
    });
    expect("sharing", "weigh", "can want their instance at once", |s| {
        // Iterations as close as the products of one.
        shared_segment(s).ii = 3;
    });
    expect("sharing", "weigh", "can want their instance at once", |s| {
        // Six cycles apart, as two iterations may be that are no multiple of five cycles apart.
        let (i, j) = (s.shared[0].insts[0], s.shared[0].insts[2]);
        let Some(Place::Segment { segment, cycle }) = s.place[i] else { panic!("in a segment") };
        s.place[j] = Some(Place::Segment { segment, cycle: cycle + 6 });
    });
    let mut s = common::kernel("sharing", "weigh");
    let (i, j) = (s.shared[0].insts[0], s.shared[0].insts[2]);
    let Some(Place::Segment { segment, cycle }) = s.place[i] else { panic!("in a segment") };
    s.place[j] = Some(Place::Segment { segment, cycle: cycle + 6 });
    shared_segment(&mut s).window = 6;
    let text = verify(&s).err().map_or(String::new(), |e| e.to_string());
    assert!(!text.contains("can want"), "the window keeps them apart: {text}");
    expect("sharing", "weigh", "less than two operations", |s| s.shared[0].insts.truncate(1));
    expect("sharing", "weigh", "has a part in two instances", |s| {
        let i = s.shared[0].insts[0];
        s.shared[0].insts.push(i);
    });
    expect("sharing", "weigh", "have different units", |s| {
        let i = op(s, Op::FAdd);
        s.shared[0].insts[1] = i;
    });
    expect("sharing", "weigh", "has no instance that could be shared", |s| {
        let i = op(s, Op::Add);
        s.shared[0].insts[1] = i;
    });
    expect("sharing", "weigh", "shares logic without registers", |s| {
        let i = s.shared[0].insts[1];
        s.timing[i].latency = 1;
    });
    expect("sharing", "weigh", "shares an instance outside of segments", |s| {
        let i = s.shared[0].insts[1];
        s.place[i] = Some(Place::Prologue { cycle: 0 });
    });
    expect("sharing", "weigh", "share an instance over segments", |s| {
        let i = s.shared[0].insts[1];
        s.place[i] = Some(Place::Segment { segment: 0, cycle: 0 });
    });
    expect("sharing", "weigh", "does not count on the multiplexers", |s| {
        let i = s.shared[0].insts[1];
        s.timing[i].input_ns = 0.5;
    });
    expect("sharing", "weigh", "counts on a faster unit", |s| s.shared[0].staged = false);
}

#[test]
fn fetched_loads() {
    // Loads in the order of the file: of the work-item's own element; three fetched ones; through a loaded index; of what is
    // written; volatile; in a branch.
    let load = |s: &KernelSchedule, n: usize| {
        let all: Vec<Inst> = s.accesses.keys().copied().collect();
        all[n]
    };
    let fetch = |s: &mut KernelSchedule, n: usize| {
        let i = load(s, n);
        s.place[i] = Some(Place::Fetched);
    };
    expect("fetched", "weighted", "is launch-uniform but uses", |s| {
        // As if nothing wrote what it reads.
        let i = load(s, 0);
        s.accesses[&i].read_only = true;
        fetch(s, 0);
    });
    for n in [4, 5, 6, 7] {
        expect("fetched", "weighted", "cannot be fetched before the launch", |s| fetch(s, n));
    }
    expect("fetched", "weighted", "cannot be fetched before the launch", |s| {
        let i = load(s, 1);
        s.accesses[&i].read_only = false;
    });
}

#[test]
fn capacities() {
    let depth = |s: &mut KernelSchedule, new| {
        let i = op(s, Op::UDiv);
        let b = block_of(s, i);
        let Some(Place::Segment { segment, .. }) = s.place[i] else { panic!("in a segment") };
        s.blocks[b].segments[segment as usize].control = Control::StallFree { depth: new };
    };
    expect("ndrange", "phases", "can hold nothing", |s| depth(s, 0));
    expect("ndrange", "phases", "has stages, but nothing stops them", |s| {
        let i = op(s, Op::UDiv);
        let b = block_of(s, i);
        let Some(Place::Segment { segment, .. }) = s.place[i] else { panic!("in a segment") };
        s.blocks[b].segments[segment as usize].control = Control::Enabled;
    });
    expect("ndrange", "phases", "credits, too few for interval 1", |s| depth(s, 16));
    expect("ndrange", "phases", "no work-item can be in flight", |s| s.occupancy.slots = 0);
    expect("ndrange", "phases", "slots apart", |s| s.occupancy.slot_bits = 0);
    expect("ndrange", "phases", "8 places for the work-items of a group of 16", |s| {
        s.occupancy.lid_bits = 3;
    });
    expect("task", "chase", "has several in flight", |s| s.occupancy.max_work_group_size = 2);
    expect("ndrange", "tangle", "asks which one it is", |s| s.task = true);
    expect("ndrange", "phases", "accesses no memory", |s| {
        s.accesses.pop();
    });
    expect("ndrange", "phases", "at once", |s| s.accesses[0].bytes = 128);
    expect("ndrange", "phases", "does not fit into", |s| {
        let m = s.memories.values_mut().find(|m| m.kind == MemoryKind::Local).expect("local");
        m.bytes = 32;
    });
    let replicas = |s: &mut schedule::KernelSchedule, n: u32| {
        let m = s.memories.values_mut().find(|m| m.kind == MemoryKind::Local).expect("local");
        m.replicas = Some(n);
    };
    expect("replicas", "near", "a load of mem0 asks a replica that is none", |s| replicas(s, 3));
    expect("replicas", "near", "mem0 has a replica that answers nobody", |s| replicas(s, 5));
    expect("replicas", "near", "mem0 cannot have replicas", |s| {
        let m = s.memories.values_mut().find(|m| m.kind == MemoryKind::Local).expect("local");
        m.atomic = true;
    });
    expect("replicas", "near", "mem0 has replicas that nobody writes", |s| {
        let store = s.accesses.values_mut().find(|a| a.kind == AccessKind::Store).expect("a store");
        store.kind = AccessKind::Load;
    });
    expect("ndrange", "phases", "has a part of a word", |s| {
        let m = s.memories.values_mut().find(|m| m.kind == MemoryKind::Local).expect("local");
        m.bytes = 66;
    });
    expect("ndrange", "phases", "that is none", |s| {
        s.accesses[0].memory = base::entity::EntityRef::new(9);
    });
}

#[test]
fn timing() {
    expect("interval", "early_use", "into a cycle of", |s| {
        // The sum and the exclusive or behind it are in one cycle.
        let sum = s.func.insts[op(s, Op::Xor)].args[0];
        let i = s.func.def_inst(sum).expect("computed");
        s.timing[i].input_ns = 3.0;
        s.timing[i].output_ns = 3.0;
    });
    expect("ndrange", "phases", "of unit udiv_u32 misses the clock period", |s| {
        s.clock.period_ns /= 1.5;
    });
    expect("ndrange", "phases", "slower at its borders than it says", |s| {
        let unit = s.units.values_mut().next().expect("a unit");
        unit.timing.output_ns = 0.1;
    });
    expect("ndrange", "phases", "slower at its borders than it says", |s| {
        let unit = s.units.values_mut().next().expect("a unit");
        unit.timing.input_ns = 0.1;
    });
}

#[test]
fn iterations_ahead() {
    type Change = fn(&mut KernelSchedule, Block);
    let unknown = "does not know who is ahead";
    let rules: [(&str, Change); 8] = [
        ("differ about speculation", |s, b| s.pipelined[&b].speculated = false),
        ("differ about speculation", |s, b| {
            s.func.blocks[b].hint.speculation = Speculation::Automatic;
        }),
        ("ahead of the condition", |s, b| {
            // The store happens by its own predicate.
            let i = op_in(s, b, |op| matches!(op, Op::Store(_)));
            let chosen = *s.func.insts[i].args.last().expect("a predicate");
            let select = s.func.def_inst(chosen).expect("computed");
            let own = s.func.insts[select].args[1];
            *s.func.insts[i].args.last_mut().expect("a predicate") = own;
        }),
        ("ahead of the condition", |s, b| {
            // What is chosen for iterations ahead is not 0.
            let i = op_in(s, b, |op| op == Op::Select);
            s.func.insts[i].args.swap(1, 2);
        }),
        ("ahead of the condition", |s, b| {
            let i = op_in(s, b, |op| matches!(op, Op::Load(_)));
            if let Op::Load(flags) = &mut s.func.insts[i].op {
                flags.volatile = true;
            }
        }),
        (unknown, |s, b| {
            // It leaves whether it is ahead or not.
            let i = condition(s, b);
            let leaves = s.func.insts[i].args[1];
            if let Terminator::Branch { cond, .. } = &mut s.func.blocks[b].term {
                *cond = leaves;
            }
        }),
        (unknown, |s, b| {
            let i = condition(s, b);
            s.func.insts[i].op = Op::Or;
        }),
        (unknown, |s, b| {
            // Who leaves goes on.
            let not = op_in(s, b, |op| op == Op::Xor);
            s.func.insts[not].op = Op::Or;
        }),
    ];
    for (message, change) in rules {
        expect("ahead", "copy", message, |s| {
            let b = looping(s);
            change(s, b);
        });
    }
    expect("ahead", "copy", unknown, |s| {
        // The first iteration is taken for one ahead.
        let (b, entry) = (looping(s), s.func.entry());
        let other = s.func.blocks[b].params[0];
        let alive = s.func.blocks[b].params.len() - 1;
        s.func.blocks[entry].term.targets_mut()[0].args[alive] = other;
    });
    expect("ahead", "not_ahead", "is slower than interval", |s| s.loops[0].ii = 1);
}

/// The instruction that computes the condition of a block's branch.
fn condition(s: &KernelSchedule, block: Block) -> Inst {
    match s.func.blocks[block].term {
        Terminator::Branch { cond, .. } => s.func.def_inst(cond).expect("computed"),
        _ => panic!("a branch"),
    }
}

fn op_in(s: &KernelSchedule, block: Block, f: impl Fn(Op) -> bool) -> Inst {
    find(s, |s, i| s.func.blocks[block].insts.contains(&i) && f(s.func.insts[i].op))
}

/// What `testbenches/units/carry` tries as the longest ways: `D - 2` cycles from reader to writer at interval 1, three iterations fewer in
/// block RAM.
#[test]
fn intervals_of_queues() {
    let module = ir::parse::parse_module(
        "module \"m\" addr 64 cl 0\n\nkernel f0 \"k\" {\nb0:\n  v0:i32 = const 0\n  ret\n}\n",
    );
    let module = module.unwrap_or_else(|e| panic!("{e}"));
    let func = module.functions.values().next().expect("a function");
    let value = func.insts[func.blocks[func.entry()].insts[0]].result.expect("a value");
    let interval = |distance: u32, write: u32| {
        let way =
            schedule::Feedback { param: value, next: value, distance, segment: 0, read: 0, write };
        way.interval()
    };
    assert_eq!([interval(64, 62), interval(64, 63)], [1, 2], "LUTRAM");
    assert_eq!([interval(70, 65), interval(70, 66)], [1, 2], "block RAM");
}
