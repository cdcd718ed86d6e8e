//! Functions of sub-groups are refused exactly where only some work-items of a group may come.

use ir_opt::{Level, Options, run};
use std::fmt::Write;

/// A kernel of these blocks, with the arguments and ids that they use in front.
fn kernel(blocks: &str) -> ir::Module {
    let mut text = String::from(
        "module \"m\" addr 64 cl 200\n\
         global g0 \"flags\" local size 64 align 4\n\
         kernel f0 \"k\" {\n\
         arg 0 \"out\" \"int*\" global size 8 align 4 restrict\n\
         arg 1 \"in\" \"int*\" global size 8 align 4 restrict\n\
         arg 2 \"n\" \"int\" i32 size 4 align 4\n\
         object o0 \"flags\" local size 64 align 4 = g0\n\
         b0:\n\
         v0:ptr.global = arg 0\n\
         v1:ptr.global = arg 1\n\
         v2:i32 = arg 2\n\
         v3:i64 = workitem local_id 0\n\
         v4:i64 = workitem group_id 0\n\
         v5:ptr.local = addr o0\n\
         v6:i32 = const 0\n\
         v7:i32 = const 1\n\
         v8:i32 = const 4\n\
         v9:i64 = const 8\n\
         v10:i1 = icmp.sgt v2, v8\n\
         v11:i1 = icmp.ult v3, v9\n\
         v12:i1 = icmp.ult v4, v9\n",
    );
    // writing to a string cannot fail
    let _ = writeln!(text, "{blocks}}}");
    ir::parse::parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

const CALL: &str = "e90 = barrier.sub_group.shuffle local\n";

fn outcome(blocks: &str, level: Level) -> Result<ir::Module, &'static str> {
    let module = kernel(&blocks.replace("CALL", CALL));
    let options = Options { level, ..Options::default() };
    run(module, &[], &options, &target::Family::unit()).map_err(|e| e.0[0].code)
}

#[track_caller]
fn accepted(blocks: &str) {
    for level in [Level::O0, Level::O2] {
        let module = outcome(blocks, level).unwrap_or_else(|code| panic!("{code}"));
        assert!(module.to_string().contains("barrier.work_group local"));
        assert!(!module.to_string().contains("barrier.sub_group"));
    }
}

#[track_caller]
fn refused(blocks: &str) {
    for level in [Level::O0, Level::O2] {
        assert_eq!(outcome(blocks, level).err(), Some("E0308"));
    }
}

#[test]
fn straight_lines() {
    accepted("CALL ret\n");
}

#[test]
fn branches() {
    // an argument; the id of the group; both
    accepted("br v10, b1, b2\nb1:\nCALL jump b2\nb2:\nret\n");
    accepted("br v12, b1, b2\nb1:\nCALL jump b2\nb2:\nret\n");
    accepted("v20:i1 = and v10, v12\nbr v20, b1, b2\nb1:\nCALL ret\nb2:\nret\n");
    refused("br v11, b1, b2\nb1:\nCALL jump b2\nb2:\nret\n");
    refused("v20:i1 = and v10, v11\nbr v20, b1, b2\nb1:\nCALL ret\nb2:\nret\n");
    // behind a branch that parts work-items, where they meet again; not behind one that some leave from
    accepted("br v11, b1, b2\nb1:\ne0 = store v0, v7 align 4\njump b2\nb2:\nCALL ret\n");
    refused("br v11, b1, b2\nb1:\nret\nb2:\nCALL ret\n");
    // nobody goes there
    accepted("br v11, b1, b2\nb1:\nunreachable\nb2:\nCALL ret\n");
    refused(
        "v20:i64 = workitem global_linear_id 0\nswitch v20, 0: b1, 7: b2, default b2\nb1:\nCALL jump b2\nb2:\nret\n",
    );
}

#[test]
fn values_that_depend_on_the_way() {
    // which way was taken decides later
    refused(
        "br v11, b1, b2\nb1:\njump b3(v6)\nb2:\njump b3(v7)\nb3(v20:i32):\nv21:i1 = icmp.eq v20, v7\n\
         br v21, b4, b5\nb4:\nCALL jump b5\nb5:\nret\n",
    );
    // an argument chose the way
    accepted(
        "br v10, b1, b2\nb1:\njump b3(v6)\nb2:\njump b3(v7)\nb3(v20:i32):\nv21:i1 = icmp.eq v20, v7\n\
         br v21, b4, b5\nb4:\nCALL jump b5\nb5:\nret\n",
    );
}

#[test]
fn loops() {
    // as many rounds for all, whatever happens inside
    let body = |exit: &str, call: &str, behind: &str| {
        format!(
            "jump b1(v6)\nb1(v20:i32):\nv21:i1 = icmp.slt v20, {exit}\nbr v21, b2, b4\nb2:\n{call} br v11, b3, b5\nb3:\n\
             e1 = store v0, v20 align 4\njump b5\nb5:\nv22:i32 = add v20, v7\njump b1(v22)\nb4:\n{behind} ret\n"
        )
    };
    accepted(&body("v2", CALL, ""));
    accepted(&body("v2", CALL, "e91 = barrier.sub_group.vote local\n"));
    let own = "v23:i32 = slice v3 lo 0\n";
    refused(&format!("{own}{}", body("v23", CALL, "")));
    // behind it they meet again, with counts of their own
    accepted(&format!("{own}{}", body("v23", "", CALL)));
    refused(&format!(
        "{own}{}b6:\nCALL jump b7\nb7:\nret\n",
        body("v23", "", "v30:i1 = icmp.eq v20, v8\nbr v30, b6, b7\n").replace("b7\n ret\n", "b7\n")
    ));
    // some leave in the middle
    refused(
        "jump b1(v6)\nb1(v20:i32):\nv21:i1 = icmp.slt v20, v2\nbr v21, b2, b4\nb2:\nbr v11, b3, b4\nb3:\n\
         CALL v22:i32 = add v20, v7\njump b1(v22)\nb4:\nret\n",
    );
}

#[test]
fn what_is_loaded() {
    let test = |load: &str, store: &str| {
        format!(
            "e0 v20:i32 = {load}\n{store}v21:i1 = icmp.eq v20, v7\nbr v21, b1, b2\nb1:\nCALL jump b2\nb2:\nret\n"
        )
    };
    accepted(&test("load v1 align 4", ""));
    accepted(&test("load v1 align 4", "e1 = store v0, v20 align 4 after e0\n"));
    // written by the kernel, by others, at a place of the work-item's own, atomically
    refused(&test("load v0 align 4", "e1 = store v0, v20 align 4 after e0\n"));
    refused(&test("load v1 align 4 volatile", ""));
    refused(&format!("v19:ptr.global = ptradd v1, v3\n{}", test("load v19 align 1", "")));
    refused(&test("atomic.add v1, v7 align 4", ""));
    refused(&test("load v5 align 4", "e1 = store v5, v7 align 4 after e0\n"));
}

#[test]
fn local_memory_between_barriers() {
    let test = |before: &str, load: &str, behind: &str| {
        format!(
            "{before}{load}v21:i1 = icmp.eq v20, v7\n{behind}br v21, b1, b2\nb1:\nCALL jump b2\nb2:\nret\n"
        )
    };
    let load = "e3 v20:i32 = load v5 align 4\n";
    let store = "br v11, b5, b6\nb5:\ne0 = store v5, v7 align 4\njump b6\nb6:\n";
    let wait = "e1 = barrier.work_group local\n";
    accepted(&test(&format!("{store}{wait}"), load, ""));
    // somebody may write already, or still
    refused(&test(store, load, ""));
    let soon = "br v11, b7, b8\nb7:\ne4 = store v5, v6 align 4\njump b8\nb8:\n";
    refused(&test(&format!("{store}{wait}"), load, soon));
    let later = format!("e5 = barrier.work_group local\n{soon}");
    accepted(&test(&format!("{store}{wait}"), load, &later));
    // at a place of the work-item's own
    let own = "v18:ptr.local = ptradd v5, v3\ne3 v20:i32 = load v18 align 1\n";
    refused(&test(&format!("{store}{wait}"), own, ""));
    // beside the load, on another way from the same barrier
    refused(&format!(
        "{store}{wait}br v11, b7, b8\nb7:\ne4 = store v5, v6 align 4\njump b9(v7)\nb8:\n{load}jump b9(v20)\n\
         b9(v22:i32):\nv23:i1 = icmp.eq v22, v7\nbr v23, b1, b2\nb1:\nCALL jump b2\nb2:\nret\n"
    ));
}

#[test]
fn loops_while_any_work_item_wants_more() {
    let rounds = |reset: &str| {
        format!(
            "jump b1\nb1:\ne0 = barrier.work_group local\n{reset}br v11, b2, b3\nb2:\ne2 = store v5, v7 align 4\njump b3\nb3:\n\
             e3 = barrier.work_group local\ne4 v20:i32 = load v5 align 4 after e3\nv21:i1 = icmp.eq v20, v7\n\
             br v21, b4, b5\nb4:\nCALL jump b1\nb5:\nret\n"
        )
    };
    accepted(&rounds(""));
    refused(&rounds(
        "e1 v30:i32 = atomic.add v0, v7 align 4 after e0\nv31:i1 = icmp.eq v30, v7\nbr v31, b5, b6\nb6:\n",
    ));
}

#[test]
fn elections_leave_no_barrier() {
    let module = outcome(
        "e0 = barrier.sub_group.elect\ne1 = store v0, v7 align 4 after e0\nret\n",
        Level::O2,
    );
    let module = module.expect("fine");
    assert!(!module.to_string().contains("barrier"));
}

#[test]
fn messages_name_function_and_branch() {
    let text = "br v11, b1, b2 @0:1:1\nb1:\ne0 = barrier.sub_group.ballot local @0:2:1\njump b2\nb2:\nret\n";
    let mut text = kernel("ret\n").to_string().replace("ret\n", text);
    text = text.replacen(
        "global g0",
        "source \"k.cl\" text \"if (id < 8)\\n\" \"  ballot();\\n\"\nglobal g0",
        1,
    );
    let module = ir::parse::parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let sources = module.sources.clone();
    let errors =
        run(module, &[], &Options::default(), &target::Family::unit()).expect_err("parted");
    let shown = errors.render(&sources);
    for part in ["E0308", "`sub_group_ballot`", "k.cl:2:1", "k.cl:1:1", "issue 6", "neutral value"]
    {
        assert!(shown.contains(part), "`{part}` is not in: {shown}");
    }
}

/// Writes random kernels: numbers of the next value and block, and blocks that edges backwards go through.
struct Random {
    rng: fuzz::Rng,
    blocks: usize,
    value: u32,
    block: usize,
    backward: String,
}

impl Random {
    fn value(&mut self) -> u32 {
        self.value += 1;
        self.value
    }

    /// An edge from block `b`, mostly forward and not far; backward only while rounds are left.
    fn target(&mut self, b: usize, pool: &[u32], rounds: u32) -> String {
        let to = match self.rng.below(5) {
            0 => 1 + self.rng.below(self.blocks + 1),
            _ => (b + 1 + self.rng.below(3)).min(self.blocks + 1),
        };
        let (x, y) = (self.rng.pick(pool), self.rng.pick(pool));
        if to > b {
            return format!("b{to}(v{x}, v{y}, v{rounds})");
        }
        self.block += 1;
        let (at, left, out) = (self.block, self.value(), self.value());
        let _ = writeln!(
            self.backward,
            "b{at}:\nv{left}:i32 = sub v{rounds}, v7\nv{out}:i1 = icmp.slt v{left}, v6\n\
             br v{out}, b{}(v6, v6, v6), b{to}(v{x}, v{y}, v{left})",
            self.blocks + 1
        );
        format!("b{at}")
    }

    /// Some arithmetic on the parameters and what the entry computes, and a branch.
    fn block(&mut self, b: usize, marked: bool) -> String {
        let [p, q, rounds] = [(); 3].map(|()| self.value());
        let mut text = format!("b{b}(v{p}:i32, v{q}:i32, v{rounds}:i32):\n");
        if marked {
            let _ = writeln!(text, "e{b} = barrier.sub_group.shuffle local");
        }
        // The argument, small constants, sometimes the local id.
        let mut pool = vec![p, q, 2, 2, 6, 7];
        if self.rng.below(4) == 0 {
            pool.push(13);
        }
        for _ in 0..2 {
            let made = self.value();
            let op = self.rng.pick(&["add", "xor", "sub", "and"]);
            let (x, y) = (self.rng.pick(&pool), self.rng.pick(&pool));
            let _ = writeln!(text, "v{made}:i32 = {op} v{x}, v{y}");
            pool.push(made);
        }
        let (test, cc) = (self.value(), self.rng.pick(&["slt", "eq", "ult"]));
        let (x, y) = (self.rng.pick(&pool), self.rng.pick(&pool));
        let (one, two) = (self.target(b, &pool, rounds), self.target(b, &pool, rounds));
        let _ = writeln!(text, "v{test}:i1 = icmp.{cc} v{x}, v{y}\nbr v{test}, {one}, {two}");
        text
    }
}

/// A kernel of random blocks, with a function of sub-groups in one of them or more.
fn random_kernel(seed: u64) -> ir::Module {
    let mut rng = fuzz::Rng(seed);
    let blocks = 3 + rng.below(8);
    let certain = 1 + rng.below(blocks);
    let mut random = Random { rng, blocks, value: 100, block: blocks + 1, backward: String::new() };
    let mut text =
        String::from("v13:i32 = slice v3 lo 0\nv14:i32 = const 5\njump b1(v2, v6, v14)\n");
    for b in 1..=blocks {
        let marked = b == certain || random.rng.below(6) == 0;
        text += &random.block(b, marked);
    }
    let _ = writeln!(text, "b{}(v97:i32, v98:i32, v99:i32):\nret", blocks + 1);
    text += &random.backward;
    kernel(&text)
}

/// The code of the error with which a launch of one group ends, if it does.
fn launched(module: &ir::Module, n: i32) -> Option<&'static str> {
    use interp::{Argument, Launch, Memory, Program};
    let mut memory = Memory::new();
    let program = Program::new(module, &mut memory).expect("fine");
    let limit = program.address_limit();
    let mut buffer = |name: &str| {
        Argument::Pointer(memory.allocate(name, vec![0; 64], 64, limit).expect("room"))
    };
    let args = vec![buffer("out"), buffer("in"), Argument::Value(n.to_le_bytes().to_vec())];
    let launch = Launch {
        kernel: "k".into(),
        work_dim: 1,
        global: [5, 1, 1],
        local: Some([5, 1, 1]),
        offset: [0; 3],
        args,
    };
    let limits = interp::Options { step_limit: Some(100_000), ..Default::default() };
    program.run(&mut memory, &launch, &limits).err().map(|e| e.0[0].code)
}

#[test]
fn what_is_accepted_brings_all_work_items_together() {
    let passes = ["simplify-cfg", "sroa", "dce", "converge"];
    let options = Options {
        passes: Some(passes.iter().map(|p| (*p).to_owned()).collect()),
        ..Options::default()
    };
    let (mut fine, mut apart) = (0, 0);
    for seed in 0..3000 {
        let module = random_kernel(seed);
        ir::verify::verify_module(&module).unwrap_or_else(|e| panic!("{seed}: {e}\n{module}"));
        let parted = [-1, 0, 3, 5].iter().any(|n| launched(&module, *n) == Some("E0510"));
        match run(module.clone(), &[], &options, &target::Family::unit()) {
            Ok(_) => {
                assert!(!parted, "{seed}: accepted\n{module}");
                fine += 1;
            }
            Err(e) => {
                assert_eq!(e.0[0].code, "E0308");
                apart += usize::from(parted);
            }
        }
    }
    // Both come often enough to mean something.
    assert!(fine > 300 && apart > 300, "{fine} accepted, {apart} refused that were wrong");
}
