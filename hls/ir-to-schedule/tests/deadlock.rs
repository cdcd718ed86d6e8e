//! Random programs as networks of channels: with the admission limits nothing ever blocks, and
//! without them the same simulations do.

mod common;

use arith::stimulus::Rng;
use clhls_ir_to_schedule as ir_to_schedule;
use ir_to_schedule::Sdc;
use schedule::tokens::{self, Outcome, simulate};
use schedule::{Control, KernelSchedule};
use std::fmt::Write;

/// A random structured program as IR text. All branches test the same bit; the simulation takes
/// them at random.
struct Program<'r> {
    rng: &'r mut Rng,
    /// Instructions and terminator of each block.
    blocks: Vec<(String, String)>,
    /// Next value and effect.
    names: u32,
    loops: u32,
}

impl Program<'_> {
    fn block(&mut self) -> usize {
        self.blocks.push(Default::default());
        self.blocks.len() - 1
    }

    fn end(&mut self, block: usize, terminator: String) {
        self.blocks[block].1 = terminator;
    }

    fn branch(&mut self, block: usize, then: usize, otherwise: usize) {
        // Either side may be the one that is taken when the bit is 1.
        let (a, b) = if self.rng.below(2) == 0 { (then, otherwise) } else { (otherwise, then) };
        self.end(block, format!("br v3, b{a}, b{b}"));
    }

    /// A pipeline, or an access to memory, or nothing.
    fn work(&mut self, block: usize) {
        let n = self.names;
        self.names += 2;
        let text = &mut self.blocks[block].0;
        let _ = match self.rng.below(4) {
            0 => writeln!(text, "  v{n}:i64 = mul v1, v1"),
            1 => writeln!(text, "  e{n} v{n}:i32 = load v0 align 4"),
            2 => {
                let m = n + 1;
                writeln!(text, "  v{n}:i64 = add v1, v1\n  v{m}:i64 = sub v{n}, v1")
            }
            _ => Ok(()),
        };
    }

    /// Statements after `at`; gives the block behind them.
    fn statements(&mut self, mut at: usize, depth: u32, barriers: bool) -> usize {
        for _ in 0..1 + self.rng.below(3) {
            self.work(at);
            at = match self.rng.below(if depth == 0 { 2 } else { 7 }) {
                0 => at,
                1 if barriers => self.barrier(at),
                1 => at,
                2 => self.if_else(at, depth - 1, barriers),
                3 | 4 => self.do_while(at, depth - 1, barriers),
                5 => self.two_ways_back(at, depth - 1, barriers),
                _ => self.two_entries(at, depth - 1, barriers),
            };
        }
        at
    }

    fn barrier(&mut self, at: usize) -> usize {
        let (next, n) = (self.block(), self.names);
        self.names += 1;
        self.end(at, format!("jump b{next}"));
        let _ = writeln!(self.blocks[next].0, "  e{n} = barrier.work_group local");
        next
    }

    fn if_else(&mut self, at: usize, depth: u32, barriers: bool) -> usize {
        let (a, b, join) = (self.block(), self.block(), self.block());
        self.branch(at, a, b);
        for side in [a, b] {
            let end = self.statements(side, depth, barriers);
            self.end(end, format!("jump b{join}"));
        }
        join
    }

    fn do_while(&mut self, at: usize, depth: u32, barriers: bool) -> usize {
        let (body, exit) = (self.block(), self.block());
        self.loops += 1;
        self.end(at, format!("jump b{body}"));
        let end = self.statements(body, depth, barriers);
        self.branch(end, body, exit);
        exit
    }

    /// A loop with `continue`.
    fn two_ways_back(&mut self, at: usize, depth: u32, barriers: bool) -> usize {
        let (header, body, rest, exit) = (self.block(), self.block(), self.block(), self.block());
        self.loops += 1;
        self.end(at, format!("jump b{header}"));
        self.work(header);
        self.branch(header, body, exit);
        let end = self.statements(body, depth, barriers);
        self.branch(end, header, rest);
        self.work(rest);
        self.end(rest, format!("jump b{header}"));
        exit
    }

    /// An irreducible loop; its sides may have loops of their own.
    fn two_entries(&mut self, at: usize, depth: u32, barriers: bool) -> usize {
        let (a, b, exit) = (self.block(), self.block(), self.block());
        self.loops += 1;
        self.branch(at, a, b);
        for (side, other) in [(a, b), (b, a)] {
            let end = self.statements(side, depth, barriers);
            self.branch(end, other, exit);
        }
        exit
    }
}

fn program(rng: &mut Rng) -> (String, u32) {
    let mut p = Program { rng, blocks: vec![], names: 10, loops: 0 };
    let start = p.block();
    let entry =
        "  v0:ptr.global = arg 0\n  v1:i64 = workitem local_id 0\n  v3:i1 = slice v1 lo 0\n";
    p.blocks[start].0.push_str(entry);
    let barriers = p.rng.below(2) == 0;
    let end = p.statements(start, 3, barriers);
    p.end(end, "ret".into());
    let mut text = String::from(
        "module \"m\" addr 64 cl 120\nkernel \"k\" {\n  arg 0 \"p\" \"int*\" global size 8 align 4\n  \
         reqd_work_group_size 8 1 1\n",
    );
    for (k, (insts, term)) in p.blocks.iter().enumerate() {
        let _ = write!(text, "b{k}:\n{insts}  {term}\n");
    }
    text.push_str("}\n");
    (text, p.loops)
}

fn schedule(text: &str) -> KernelSchedule {
    let module = ir::parse::parse_module(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let options = common::options(200.0, &Sdc);
    let (_, kernel) = module.kernels().next().expect("a kernel");
    ir_to_schedule::solve(kernel, &module, &target::Family::unit(), &options)
        .unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Makes everything as small as the rules against deadlock allow.
fn shrink(s: &mut KernelSchedule, rng: &mut Rng) {
    s.occupancy.slots = 1 + rng.below(3) as u32;
    let barrier = |b: &ir::Block| {
        let insts = &s.func.blocks[*b].insts;
        insts.iter().any(|i| matches!(s.func.insts[*i].op, ir::Op::Barrier(..)))
    };
    for l in &mut s.loops {
        let least = l.entries.len() as u32;
        let limit = (1 + rng.below(6) as u32).max(least);
        l.limit = if l.blocks.iter().any(barrier) { l.never_full(&s.occupancy) } else { limit };
        l.back_depth = l.limit;
    }
    for b in s.func.layout.clone() {
        for g in &mut s.blocks[b].segments {
            g.control = Control::StallFree { depth: 1 + rng.below(3) as u32 };
        }
    }
    // Slow, but by the rules.
    if let Err(e) = schedule::verify::verify(s) {
        let slow = |d: &base::Diagnostic| d.message.contains("too few for interval");
        assert!(e.0.iter().all(slow), "{e}");
    }
}

#[test]
fn nothing_blocks_with_admission_limits_and_much_does_without() {
    let mut rng = Rng::new(7);
    let (mut loops, mut deadlocks, mut simulations) = (0, 0, 0);
    for seed in 0..120 {
        let (text, count) = program(&mut rng);
        loops += count;
        let mut s = schedule(&text);
        shrink(&mut s, &mut rng);
        for slots in [s.occupancy.slots, 16] {
            // More groups in flight are more pressure, where no barrier needs all of them.
            let barrier = text.contains("barrier");
            s.occupancy.slots = if barrier { s.occupancy.slots } else { slots };
            let stall_percent = rng.below(60) as u32;
            let options =
                tokens::Options { seed, stall_percent, work_items: 120, ..Default::default() };
            match simulate(&s, &options) {
                Outcome::Done(_) => simulations += 1,
                Outcome::Deadlock(full) => panic!("seed {seed}: {}\n{text}", full.join("\n")),
            }
            let free = tokens::Options { admission: false, ..options };
            deadlocks += u32::from(matches!(simulate(&s, &free), Outcome::Deadlock(_)));
        }
    }
    assert_eq!(simulations, 240);
    assert!(loops > 150, "{loops} loops");
    assert!(deadlocks > 20, "only {deadlocks} deadlocks without limits");
    println!("{simulations} simulations, {loops} loops, {deadlocks} deadlocks without limits");
}

#[test]
fn a_limit_above_the_depth_of_the_back_edge_blocks() {
    // The rule is tight: a few tokens more than the FIFO holds are enough.
    let mut rng = Rng::new(11);
    let mut deadlocks = 0;
    for seed in 0..80 {
        let (text, _) = program(&mut rng);
        if text.contains("barrier") {
            continue;
        }
        let mut s = schedule(&text);
        shrink(&mut s, &mut rng);
        s.occupancy.slots = 16;
        s.loops.iter_mut().for_each(|l| l.limit += 16);
        assert!(s.loops.is_empty() || schedule::verify::verify(&s).is_err());
        let options = tokens::Options { seed, work_items: 120, ..Default::default() };
        deadlocks += u32::from(matches!(simulate(&s, &options), Outcome::Deadlock(_)));
    }
    assert!(deadlocks > 0, "no deadlock");
}

#[test]
fn a_loop_that_admits_less_than_its_barrier_waits_for_blocks() {
    let text = "module \"m\" addr 64 cl 120\nkernel \"k\" {\n  reqd_work_group_size 8 1 1\n\
                b0:\n  v1:i64 = workitem local_id 0\n  v3:i1 = slice v1 lo 0\n  jump b1\n\
                b1:\n  e0 = barrier.work_group local\n  br v3, b1, b2\nb2:\n  ret\n}\n";
    let mut s = schedule(text);
    let options = tokens::Options::default();
    assert!(matches!(simulate(&s, &options), Outcome::Done(_)));
    s.loops[0].limit = 7;
    assert!(schedule::verify::verify(&s).is_err());
    match simulate(&s, &options) {
        Outcome::Deadlock(full) => assert!(full.iter().any(|c| c.contains("barrier")), "{full:?}"),
        done => panic!("{done:?}"),
    }
}
