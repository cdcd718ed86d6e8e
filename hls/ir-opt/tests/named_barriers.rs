//! Named barriers let go on whom they are of, once these have come, wherever they were called.

use ir_opt::{Level, Options, run};
use std::fmt::Write;

/// Work-items of the only group; each is a sub-group of its own.
const ITEMS: u32 = 5;
/// Named barriers of a kernel.
const BARRIERS: usize = 4;
/// Most calls of a work-item.
const CALLS: usize = 6;

/// A kernel of these blocks, with what they use in front.
fn kernel(blocks: &str) -> ir::Module {
    let mut text = String::from(
        "module \"m\" addr 64 cl 200\n\
         global g0 \"seen\" local size 20 align 4\n\
         global g1 \"turns\" local size 12 align 4\n\
         global g2 \"tickets\" local size 20 align 4\n\
         kernel f0 \"k\" {\n\
         arg 0 \"out\" \"int*\" global size 8 align 4 restrict\n\
         arg 1 \"in\" \"int*\" global size 8 align 4 restrict\n\
         object o0 \"seen\" local size 20 align 4 = g0\n\
         object o1 \"turns\" local size 12 align 4 = g1\n\
         object o2 \"tickets\" local size 20 align 4 = g2\n\
         b0:\n\
         v0:ptr.global = arg 0\n\
         v1:ptr.global = arg 1\n\
         v2:i64 = workitem local_linear_id 0\n\
         v3:i64 = const 2\n\
         v4:i64 = shl v2, v3\n\
         v5:ptr.local = addr o0\n\
         v6:ptr.local = ptradd v5, v4\n\
         v7:ptr.local = addr o1\n\
         v8:ptr.local = addr o2\n\
         v9:i32 = slice v2 lo 0\n\
         v10:i32 = const 0\n\
         v11:i32 = const 1\n\
         v12:ptr.global = ptradd v0, v4\n",
    );
    // writing to a string cannot fail
    let _ = writeln!(text, "{blocks}}}");
    ir::parse::parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// A launch of one group in a random order: what it writes, or the code of the error with which it ends.
fn launched(module: &ir::Module, input: &[u8], seed: u64) -> Result<Vec<i32>, &'static str> {
    use interp::{Argument, Launch, Memory, Order, Program};
    let mut memory = Memory::new();
    let program = Program::new(module, &mut memory).expect("fine");
    let limit = program.address_limit();
    let out = memory.allocate("out", vec![0; 4 * ITEMS as usize], 64, limit).expect("room");
    let input = memory.allocate("in", input.to_vec(), 64, limit).expect("room");
    let launch = Launch {
        kernel: "k".into(),
        work_dim: 1,
        global: [ITEMS, 1, 1],
        local: Some([ITEMS, 1, 1]),
        offset: [0; 3],
        args: vec![Argument::Pointer(out), Argument::Pointer(input)],
    };
    let order = Order::Interleaved { seed };
    let limits =
        interp::Options { step_limit: Some(10_000_000), order, ..interp::Options::default() };
    program.run(&mut memory, &launch, &limits).map_err(|e| e.0[0].code)?;
    let bytes = memory.buffer(out).expect("there").to_vec();
    Ok(bytes.chunks(4).map(|c| i32::from_le_bytes(c.try_into().expect("four"))).collect())
}

fn optimised(blocks: &str, level: Level) -> ir::Module {
    let options = Options { level, ..Options::default() };
    run(kernel(blocks), &[], &options, &target::Family::unit())
        .unwrap_or_else(|e| panic!("{e}\n{blocks}"))
}

/// Writes kernels: numbers of the next value, block and effect.
struct Writer {
    text: String,
    value: u32,
    block: u32,
    effect: u32,
}

impl Writer {
    fn new() -> Self {
        Writer { text: String::new(), value: 100, block: 100, effect: 100 }
    }

    fn next(&mut self) -> u32 {
        self.value += 1;
        self.value
    }

    fn block(&mut self) -> u32 {
        self.block += 1;
        self.block
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    fn effect(&mut self) -> u32 {
        self.effect += 1;
        self.effect
    }

    fn value(&mut self, ty: &str, what: &str) -> u32 {
        let v = self.next();
        self.line(&format!("v{v}:{ty} = {what}"));
        v
    }

    fn access(&mut self, result: Option<u32>, what: &str) {
        let e = self.effect();
        let after = if self.text.ends_with(":\n") { String::new() } else { self.after(e) };
        let result = result.map_or(String::new(), |v| format!(" v{v}:i32 ="));
        match result.is_empty() {
            true => self.line(&format!("e{e} = {what}{after}")),
            false => self.line(&format!("e{e}{result} {what}{after}")),
        }
    }

    /// Effects of a block come one behind the other.
    fn after(&self, e: u32) -> String {
        let block = self.text.rfind(":\n").map_or("", |at| &self.text[at..]);
        let has_effect = block.contains(&format!("e{} ", e - 1));
        if has_effect { format!(" after e{}", e - 1) } else { String::new() }
    }

    /// A new barrier.
    fn make(&mut self, count: u32) -> u32 {
        let count = self.value("i32", &format!("const {count}"));
        let v = self.next();
        self.access(Some(v), &format!("sub_group.new_barrier v{count}"));
        v
    }

    /// Waits at a barrier.
    fn wait(&mut self, barrier: u32) {
        let (e, begun) = (self.effect(), self.next());
        let after = self.after(e);
        self.line(&format!(
            "e{e} v{begun}:i1 = sub_group.begin.named_barrier v7, v8, v11, v{barrier}{after}"
        ));
        self.access(None, "barrier.work_group local");
        self.access(None, "sub_group.end");
    }

    /// Leaves a number in the work-item's own place.
    fn leave(&mut self, number: u32) {
        self.access(None, &format!("store v6, v{number} align 4"));
    }

    /// The least that some work-items left, if that is less than `least`.
    fn look(&mut self, mut least: u32, who: &[u32]) -> u32 {
        for w in who {
            let at = self.value("i64", &format!("const {}", 4 * w));
            let place = self.value("ptr.local", &format!("ptradd v5, v{at}"));
            let v = self.next();
            self.access(Some(v), &format!("load v{place} align 4"));
            let less = self.value("i1", &format!("icmp.slt v{v}, v{least}"));
            least = self.value("i32", &format!("select v{less}, v{v}, v{least}"));
        }
        least
    }
}

/// Barriers, each with the work-items that call it, and who waits at which one, in an order in which it can be done.
struct Plan {
    members: Vec<Vec<u32>>,
    calls: Vec<usize>,
}

impl Plan {
    fn random(rng: &mut fuzz::Rng) -> Plan {
        let member = |rng: &mut fuzz::Rng| {
            let some: Vec<u32> = (0..ITEMS).filter(|_| rng.below(2) == 0).collect();
            if some.is_empty() { vec![rng.below(ITEMS as usize) as u32] } else { some }
        };
        let members = (0..BARRIERS).map(|_| member(rng)).collect();
        let calls = (0..1 + rng.below(CALLS)).map(|_| rng.below(BARRIERS)).collect();
        Plan { members, calls }
    }

    /// The calls of a work-item, by their numbers from 1.
    fn of(&self, item: u32) -> Vec<(u32, usize)> {
        let all = (1..).zip(self.calls.iter().copied());
        all.filter(|(_, b)| self.members[*b].contains(&item)).collect()
    }

    /// The barriers of the calls of each work-item and their numbers, and how many they are, as bytes.
    fn table(&self) -> Vec<u8> {
        let row = |item: u32| {
            let mut row: Vec<u32> =
                self.of(item).iter().flat_map(|(n, b)| [*n, *b as u32]).collect();
            row.resize(2 * CALLS, 0);
            row
        };
        (0..ITEMS).flat_map(row).flat_map(u32::to_le_bytes).collect()
    }
}

/// A kernel that does what a plan says: some work-items at calls of their own, the others in a loop whose one call is of the barrier that a table names.
/// In front of each call a work-item leaves its number, and behind it looks whether all that call the barrier have come as far; then its result is
/// how often it waited.
fn planned(plan: &Plan, in_loop: u32) -> String {
    let mut w = Writer::new();
    let made: Vec<u32> = plan.members.iter().map(|m| w.make(m.len() as u32)).collect();
    // Nobody has left anything yet.
    w.leave(10);
    w.access(None, "barrier.work_group local");
    let end = w.block();
    for item in 0..ITEMS {
        let [own, next] = [w.block(), w.block()];
        let id = w.value("i32", &format!("const {item}"));
        let is_own = w.value("i1", &format!("icmp.eq v9, v{id}"));
        w.line(&format!("br v{is_own}, b{own}, b{next}\nb{own}:"));
        let waited = match item < in_loop {
            true => looped(&mut w, plan, item, &made),
            false => straight(&mut w, plan, item, &made),
        };
        w.line(&format!("jump b{end}(v{waited})\nb{next}:"));
    }
    w.line(&format!("jump b{end}(v10)"));
    let result = w.next();
    w.line(&format!("b{end}(v{result}:i32):"));
    w.access(None, &format!("store v12, v{result} align 4"));
    w.line("ret");
    w.text
}

/// The work-item's calls one behind the other; the value is how often nobody was missing.
fn straight(w: &mut Writer, plan: &Plan, item: u32, made: &[u32]) -> u32 {
    let mut waited = 10;
    for (number, barrier) in plan.of(item) {
        let number = w.value("i32", &format!("const {number}"));
        w.leave(number);
        w.wait(made[barrier]);
        let least = w.look(number, &plan.members[barrier]);
        let good = w.value("i1", &format!("icmp.eq v{least}, v{number}"));
        let more = w.value("i32", &format!("add v{waited}, v11"));
        waited = w.value("i32", &format!("select v{good}, v{more}, v{waited}"));
        // Not a word about one barrier is lost by others that follow.
        let behind = w.block();
        w.line(&format!("jump b{behind}\nb{behind}:"));
    }
    waited
}

/// The same in a loop over the table, with one call.
fn looped(w: &mut Writer, plan: &Plan, item: u32, made: &[u32]) -> u32 {
    let [head, body, behind] = [w.block(), w.block(), w.block()];
    let [at, waited] = [w.next(), w.next()];
    let rounds = w.value("i32", &format!("const {}", plan.of(item).len()));
    w.line(&format!("jump b{head}(v10, v10)\nb{head}(v{at}:i32, v{waited}:i32):"));
    let more = w.value("i1", &format!("icmp.slt v{at}, v{rounds}"));
    w.line(&format!("br v{more}, b{body}, b{behind}\nb{body}:"));
    let row = w.value("i32", &format!("const {}", item as usize * CALLS));
    let row = w.value("i32", &format!("add v{row}, v{at}"));
    let row = w.value("i64", &format!("zext v{row}"));
    let eight = w.value("i64", "const 3");
    let row = w.value("i64", &format!("shl v{row}, v{eight}"));
    let first = w.value("ptr.global", &format!("ptradd v1, v{row}"));
    let four = w.value("i64", "const 4");
    let second = w.value("ptr.global", &format!("ptradd v{first}, v{four}"));
    let [number, name] = [w.next(), w.next()];
    w.access(Some(number), &format!("load v{first} align 4"));
    w.access(Some(name), &format!("load v{second} align 4"));
    let mut barrier = made[0];
    let mut is = vec![];
    for (k, &b) in made.iter().enumerate() {
        let k = w.value("i32", &format!("const {k}"));
        let same = w.value("i1", &format!("icmp.eq v{name}, v{k}"));
        is.push(same);
        barrier = w.value("i32", &format!("select v{same}, v{b}, v{barrier}"));
    }
    w.leave(number);
    w.wait(barrier);
    let mut least = number;
    for (same, members) in is.into_iter().zip(&plan.members) {
        let of_these = w.look(number, members);
        least = w.value("i32", &format!("select v{same}, v{of_these}, v{least}"));
    }
    let good = w.value("i1", &format!("icmp.eq v{least}, v{number}"));
    let once_more = w.value("i32", &format!("add v{waited}, v11"));
    let once_more = w.value("i32", &format!("select v{good}, v{once_more}, v{waited}"));
    let next = w.value("i32", &format!("add v{at}, v11"));
    w.line(&format!("jump b{head}(v{next}, v{once_more})\nb{behind}:"));
    waited
}

/// Work-items wait for those that a barrier is of and for nobody else: they come to their ends, and all that a barrier is of have come
/// there when one goes on.
#[test]
fn work_items_wait_for_each_other() {
    let mut rng = fuzz::Rng(7);
    for seed in 0..100 {
        let plan = Plan::random(&mut rng);
        let blocks = planned(&plan, seed % (ITEMS + 1));
        let want: Vec<i32> = (0..ITEMS).map(|i| plan.of(i).len() as i32).collect();
        for level in [Level::O0, Level::O2] {
            let module = optimised(&blocks, level);
            for order in 0..3 {
                let have = launched(&module, &plan.table(), order);
                assert_eq!(have.as_ref(), Ok(&want), "{seed}, {:?}:\n{module}", plan.members);
            }
        }
    }
}

/// More sub-groups than a barrier is of go through in several lots.
#[test]
fn more_come_than_a_barrier_is_of() {
    let call = |count: u32, items: u32| {
        let mut w = Writer::new();
        let made = w.make(count);
        let id = w.value("i32", &format!("const {items}"));
        let some = w.value("i1", &format!("icmp.ult v9, v{id}"));
        w.line(&format!("br v{some}, b1, b2\nb1:"));
        w.wait(made);
        w.line("jump b2\nb2:\ne900 = store v12, v11 align 4\nret");
        w.text
    };
    let outcome = |count, items| {
        let module = optimised(&call(count, items), Level::O2);
        launched(&module, &[0; 4], 1)
    };
    let all = Ok(vec![1; ITEMS as usize]);
    for (count, items) in [(1, 1), (1, 4), (2, 2), (2, 4), (3, 3), (4, 4), (0, 3)] {
        assert_eq!(outcome(count, items), all, "{count} of {items}");
    }
    // Some wait in vain: an error, not a result.
    for (count, items) in [(2, 1), (2, 3), (3, 4), (5, 4), (70000, 4)] {
        assert_eq!(outcome(count, items), Err("E0510"), "{count} of {items}");
    }
}

/// The first work-item waits in front of a branch for the one that comes from behind it, or for one that has left a loop.
#[test]
fn calls_in_branches_one_behind_the_other() {
    let mut w = Writer::new();
    let made = w.make(2);
    w.leave(10);
    w.access(None, "barrier.work_group local");
    let is = |w: &mut Writer, item: u32, yes: u32, no: u32| {
        let id = w.value("i32", &format!("const {item}"));
        let same = w.value("i1", &format!("icmp.eq v9, v{id}"));
        w.line(&format!("br v{same}, b{yes}, b{no}\nb{yes}:"));
    };
    is(&mut w, 0, 1, 2);
    w.wait(made);
    let seen = w.look(11, &[3]);
    w.line(&format!("jump b2(v{seen})\nb2(v99:i32):"));
    let text = w.text.replace("b1, b2\n", "b1, b2(v10)\n");
    w.text = text;
    is(&mut w, 3, 3, 4);
    w.leave(11);
    w.wait(made);
    w.line("jump b4\nb4:");
    w.access(None, "barrier.work_group local");
    w.access(None, "store v12, v99 align 4");
    w.line("ret");
    for level in [Level::O0, Level::O2] {
        let module = optimised(&w.text, level);
        assert_eq!(launched(&module, &[0; 4], 3), Ok(vec![1, 0, 0, 0, 0]), "{module}");
    }
}

/// Somebody waits where the others are at a barrier of all, or at the end.
#[test]
fn others_do_not_go_on_at_barriers_of_all() {
    for behind in ["e901 = barrier.work_group local\n", ""] {
        let mut w = Writer::new();
        let made = w.make(2);
        let first = w.value("i1", "icmp.eq v9, v10");
        w.line(&format!("br v{first}, b1, b2\nb1:"));
        w.wait(made);
        w.line(&format!("jump b2\nb2:\n{behind}e902 = store v12, v11 align 4\nret"));
        for level in [Level::O0, Level::O2] {
            let module = optimised(&w.text, level);
            assert_eq!(launched(&module, &[0; 4], 3), Err("E0510"));
        }
    }
}

/// Where all come together the number does not matter, and nothing is counted.
#[test]
fn all_together() {
    let mut w = Writer::new();
    let made = w.make(2);
    w.wait(made);
    w.line("ret");
    let module = optimised(&w.text, Level::O2).to_string();
    assert!(module.contains("barrier.work_group") && !module.contains("atomic"), "{module}");
    // One that nobody waits at.
    let mut w = Writer::new();
    w.make(2);
    w.line("ret");
    assert!(!optimised(&w.text, Level::O2).to_string().contains("sub_group"));
}

#[test]
fn made_in_a_loop() {
    let mut w = Writer::new();
    w.line("jump b1(v10)\nb1(v99:i32):");
    let made = w.make(2);
    w.text = w.text.replace("v101\n", "v101 @0:2:1\n");
    let some = w.value("i1", "icmp.ult v9, v11");
    w.line(&format!("br v{some}, b2, b3\nb2:"));
    w.wait(made);
    w.line("jump b3\nb3:");
    let next = w.value("i32", "add v99, v11");
    let more = w.value("i1", &format!("icmp.slt v{next}, v9"));
    w.line(&format!("br v{more}, b1(v{next}), b4\nb4:\nret"));
    let text = kernel("ret\n").to_string().replace("ret\n", &w.text).replacen(
        "global g0",
        "source \"k.cl\" text \"for (;;) {\\n\" \"  make();\\n\"\nglobal g0",
        1,
    );
    let module = ir::parse::parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let sources = module.sources.clone();
    let errors =
        run(module, &[], &Options::default(), &target::Family::unit()).expect_err("in a loop");
    let shown = errors.render(&sources);
    for part in ["E0308", "a named barrier is made in a loop", "k.cl:2:1", "in front of the loop"] {
        assert!(shown.contains(part), "`{part}` is not in: {shown}");
    }
}
