//! Which segments end in the queues of their accesses, and which in an exit FIFO.

mod common;

use clhls_schedule as schedule;
use schedule::{AccessKind, KernelSchedule, MemoryKind, Place};

/// Whether the tokens of the segment in front of access number `site` go straight into queues.
fn reserves(s: &KernelSchedule, site: usize) -> bool {
    let (&inst, _) = s.accesses.get_index(site).expect("there are so many accesses");
    let Some(Place::Boundary { segment }) = s.place[inst] else { panic!("{inst} is an access") };
    let holds = |b: &&ir::Block| s.func.blocks[**b].insts.contains(&inst);
    let block = *s.func.layout.iter().find(holds).expect("it is in a block");
    assert!(s.accesses_behind(block, segment).contains(&inst));
    s.reserves_exit(block, segment)
}

#[test]
fn where_accesses_are_answered() {
    let s = common::kernel("task", "accumulate");
    assert!(reserves(&s, 0), "a load");
    assert!(!reserves(&s, 1), "a store that nobody waits for: nothing waits beside it");
}

#[test]
fn not_with_unanswered_stores_on_the_chip() {
    let mut s = common::kernel("ndrange", "phases");
    let (_, store) = s.accesses.get_index_mut(1).expect("a store to local memory");
    assert_eq!((store.kind, store.ack), (AccessKind::Store, true));
    store.ack = false;
    let memory = store.memory;
    assert_eq!(s.memories[memory].kind, MemoryKind::Local);
    // Beside it, in the same place, a load that is answered.
    let (&store, _) = s.accesses.get_index(1).expect("it is there");
    let (&load, _) = s.accesses.get_index(0).expect("a load");
    let moved = |s: &mut KernelSchedule| s.place[load] = s.place[store];
    let blocks: Vec<_> = s.func.layout.clone();
    let home = |s: &KernelSchedule, i| {
        *blocks.iter().find(|b| s.func.blocks[**b].insts.contains(&i)).expect("placed")
    };
    assert_eq!(home(&s, store), home(&s, load), "both are in one block");
    moved(&mut s);
    assert!(!reserves(&s, 1), "its place may be the next work-item's when the token is gone");
    s.memories[memory].kind = MemoryKind::Device { port: 0 };
    assert!(reserves(&s, 1), "the launch waits for one in device memory");
}

#[test]
fn not_where_iterations_keep_an_order() {
    let mut s = common::kernel("order", "far");
    let &block = s.pipelined.keys().next().expect("a pipelined loop");
    let order = s.pipelined[&block].order.expect("accesses in order");
    let boundaries = |s: &KernelSchedule| [order.from, order.to].map(|k| s.reserves_exit(block, k));
    assert_eq!(boundaries(&s), [false, false]);
    s.pipelined.get_mut(&block).expect("it is there").order = None;
    assert_eq!(boundaries(&s), [true, true], "a load and a store that is answered");
}
