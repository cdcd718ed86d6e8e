//! Functions of sub-groups wait for all work-items of a group where these come together, and let them take turns elsewhere.

use ir_opt::{Level, Options, run};
use std::fmt::Write;

/// A kernel of these blocks, with the arguments and ids that they use in front.
fn kernel(blocks: &str) -> ir::Module {
    let mut text = String::from(
        "module \"m\" addr 64 cl 200\n\
         global g0 \"flags\" local size 64 align 4\n\
         global g1 \"turns\" local size 12 align 4\n\
         global g2 \"tickets\" local size 20 align 4\n\
         kernel f0 \"k\" {\n\
         arg 0 \"out\" \"int*\" global size 8 align 4 restrict\n\
         arg 1 \"in\" \"int*\" global size 8 align 4 restrict\n\
         arg 2 \"n\" \"int\" i32 size 4 align 4\n\
         object o0 \"flags\" local size 64 align 4 = g0\n\
         object o1 \"turns\" local size 12 align 4 = g1\n\
         object o2 \"tickets\" local size 20 align 4 = g2\n\
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
         v12:i1 = icmp.ult v4, v9\n\
         v15:ptr.local = addr o1\n",
    );
    // writing to a string cannot fail
    let _ = writeln!(text, "{blocks}}}");
    ir::parse::parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

const CALL: &str = "e90 v90:i1 = sub_group.begin.shuffle v15\ne91 = barrier.work_group local after e90\n\
                    e92 = sub_group.end after e91\n";
const VOTE: &str = "e94 v91:i1 = sub_group.begin.vote v15\ne95 = barrier.work_group local after e94\n\
                    e96 = sub_group.end after e95\n";

fn outcome(blocks: &str, level: Level) -> Result<ir::Module, &'static str> {
    let module = kernel(&blocks.replace("CALL", CALL));
    let options = Options { level, ..Options::default() };
    run(module, &[], &options, &target::Family::unit()).map_err(|e| e.0[0].code)
}

/// Optimised, and whether work-items take turns in it, which an atomic operation shows.
#[track_caller]
fn optimised(blocks: &str) -> [(String, bool); 2] {
    [Level::O0, Level::O2].map(|level| {
        let module = outcome(blocks, level).unwrap_or_else(|code| panic!("{code}")).to_string();
        assert!(!module.contains("sub_group."));
        let turns = module.contains("atomic.umin");
        (module, turns)
    })
}

#[track_caller]
fn together(blocks: &str) {
    for (module, turns) in optimised(blocks) {
        assert!(module.contains("barrier.work_group local") && !turns);
    }
}

#[track_caller]
fn apart(blocks: &str) {
    for (_, turns) in optimised(blocks) {
        assert!(turns);
    }
}

#[test]
fn straight_lines() {
    together("CALL ret\n");
}

#[test]
fn branches() {
    // an argument; the id of the group; both
    together("br v10, b1, b2\nb1:\nCALL jump b2\nb2:\nret\n");
    together("br v12, b1, b2\nb1:\nCALL jump b2\nb2:\nret\n");
    together("v20:i1 = and v10, v12\nbr v20, b1, b2\nb1:\nCALL ret\nb2:\nret\n");
    apart("br v11, b1, b2\nb1:\nCALL jump b2\nb2:\nret\n");
    apart("v20:i1 = and v10, v11\nbr v20, b1, b2\nb1:\nCALL ret\nb2:\nret\n");
    // behind a branch that parts work-items, where they meet again; not behind one that some leave from
    together("br v11, b1, b2\nb1:\ne0 = store v0, v7 align 4\njump b2\nb2:\nCALL ret\n");
    apart("br v11, b1, b2\nb1:\nret\nb2:\nCALL ret\n");
    // nobody goes there
    together("br v11, b1, b2\nb1:\nunreachable\nb2:\nCALL ret\n");
    apart(
        "v20:i64 = workitem global_linear_id 0\nswitch v20, 0: b1, 7: b2, default b2\nb1:\nCALL jump b2\nb2:\nret\n",
    );
}

#[test]
fn values_that_depend_on_the_way() {
    // which way was taken decides later
    apart(
        "br v11, b1, b2\nb1:\njump b3(v6)\nb2:\njump b3(v7)\nb3(v20:i32):\nv21:i1 = icmp.eq v20, v7\n\
         br v21, b4, b5\nb4:\nCALL jump b5\nb5:\nret\n",
    );
    // an argument chose the way
    together(
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
    together(&body("v2", CALL, ""));
    together(&body("v2", CALL, VOTE));
    let own = "v23:i32 = slice v3 lo 0\n";
    apart(&format!("{own}{}", body("v23", CALL, "")));
    // behind it they meet again, with counts of their own
    together(&format!("{own}{}", body("v23", "", CALL)));
    apart(&format!(
        "{own}{}b6:\nCALL jump b7\nb7:\nret\n",
        body("v23", "", "v30:i1 = icmp.eq v20, v8\nbr v30, b6, b7\n").replace("b7\n ret\n", "b7\n")
    ));
    // some leave in the middle
    apart(
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
    together(&test("load v1 align 4", ""));
    together(&test("load v1 align 4", "e1 = store v0, v20 align 4 after e0\n"));
    // written by the kernel, by others, at a place of the work-item's own, atomically
    apart(&test("load v0 align 4", "e1 = store v0, v20 align 4 after e0\n"));
    apart(&test("load v1 align 4 volatile", ""));
    apart(&format!("v19:ptr.global = ptradd v1, v3\n{}", test("load v19 align 1", "")));
    apart(&test("atomic.add v1, v7 align 4", ""));
    apart(&test("load v5 align 4", "e1 = store v5, v7 align 4 after e0\n"));
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
    together(&test(&format!("{store}{wait}"), load, ""));
    // somebody may write already, or still
    apart(&test(store, load, ""));
    let soon = "br v11, b7, b8\nb7:\ne4 = store v5, v6 align 4\njump b8\nb8:\n";
    apart(&test(&format!("{store}{wait}"), load, soon));
    let later = format!("e5 = barrier.work_group local\n{soon}");
    together(&test(&format!("{store}{wait}"), load, &later));
    // at a place of the work-item's own
    let own = "v18:ptr.local = ptradd v5, v3\ne3 v20:i32 = load v18 align 1\n";
    apart(&test(&format!("{store}{wait}"), own, ""));
    // beside the load, on another way from the same barrier
    apart(&format!(
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
    together(&rounds(""));
    apart(&rounds(
        "e1 v30:i32 = atomic.add v0, v7 align 4 after e0\nv31:i1 = icmp.eq v30, v7\nbr v31, b5, b6\nb6:\n",
    ));
}

#[test]
fn elections_leave_no_barrier() {
    let module = outcome(
        "e0 v20:i1 = sub_group.begin.elect v15\ne2 = sub_group.end after e0\n\
         e1 = store v0, v7 align 4 after e2\nret\n",
        Level::O2,
    );
    let module = module.expect("fine");
    assert!(!module.to_string().contains("barrier"));
}

/// Two branches part work-items, each until it is over, and both lead to one endless loop: so they are one region, with two ways out.
#[test]
fn several_places_where_work_items_meet() {
    let blocks = "v20:i64 = const 2\nv21:i64 = shl v3, v20\nv22:ptr.global = ptradd v1, v21\nv23:ptr.global = ptradd v0, v21\n\
        e0 v24:i32 = load v22 align 4\nv25:i32 = const 100\nv26:i1 = icmp.slt v24, v25\nbr v26, b1, b4\n\
        b1:\ne1 = store v23, v7 align 4\njump b2\n\
        b2:\nv27:i32 = const 50\nv28:i1 = icmp.slt v24, v27\nbr v28, b3, b4\n\
        b3:\nv29:i32 = add v24, v8\ne2 = store v23, v29 align 4\nret\n\
        b4:\nCALL jump b4\n";
    apart(blocks);
    for level in [Level::O0, Level::O2] {
        let module = outcome(blocks, level).expect("fine");
        let written = launched(&module, 0, 1_000_000).expect("nobody is in the loop");
        assert_eq!(written[..20], [4, 0, 0, 0].repeat(5), "{module}");
    }
}

/// Writes random kernels: numbers of the next value and block, and blocks that edges backwards go through.
struct Random {
    rng: fuzz::Rng,
    brackets: bool,
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

    /// A function that gives each work-item that calls it its own value back, through local memory, which those that do not call it
    /// also write to; without brackets it waits for nobody. Sometimes a named barrier of one sub-group follows, of which each work-item is one.
    fn call(&mut self, b: usize, value: u32) -> (String, u32) {
        let [begun, active, place, other, stored, result] = [(); 6].map(|()| self.value());
        let e = 10 * b;
        let (named, is_named) = (self.value(), self.rng.below(3) == 0);
        let mut text = match self.brackets {
            true => format!(
                "e{e} v{begun}:i1 = sub_group.begin.shuffle v15\ne{} v{active}:i1 = sub_group.active\n\
                 v{other}:i32 = const 77\nv{stored}:i32 = select v{active}, v{value}, v{other}\n\
                 v{place}:ptr.local = ptradd v5, v16\ne{} = store v{place}, v{stored} align 4 after e{e}\n\
                 e{} = barrier.work_group local after e{}\ne{} v{result}:i32 = load v{place} align 4 after e{}\n\
                 e{} = sub_group.end after e{}\n",
                e + 1,
                e + 2,
                e + 3,
                e + 2,
                e + 4,
                e + 3,
                e + 5,
                e + 4,
            ),
            false => format!("v{result}:i32 = add v{value}, v6\n"),
        };
        if self.brackets && is_named {
            let _ = writeln!(
                text,
                "e{} v{named}:i1 = sub_group.begin.named_barrier v15, v80, v7, v81 after e{}\n\
                 e{} = barrier.work_group local after e{}\ne{} = sub_group.end after e{}",
                e + 6,
                e + 5,
                e + 7,
                e + 6,
                e + 8,
                e + 7,
            );
        }
        (text, result)
    }

    /// Some arithmetic on the parameters and what the entry computes, and a branch.
    fn block(&mut self, b: usize, marked: bool) -> String {
        let [p, q, rounds] = [(); 3].map(|()| self.value());
        let mut text = format!("b{b}(v{p}:i32, v{q}:i32, v{rounds}:i32):\n");
        // The argument, small constants, sometimes the local id.
        let mut pool = vec![p, q, 2, 2, 6, 7];
        if marked {
            let (call, result) = self.call(b, p);
            text += &call;
            pool.push(result);
        }
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

/// A kernel of random blocks, with a function of sub-groups in one of them or more; at the end each work-item writes what it has.
fn random_kernel(seed: u64, brackets: bool) -> ir::Module {
    let mut rng = fuzz::Rng(seed);
    let blocks = 3 + rng.below(8);
    let certain = 1 + rng.below(blocks);
    let (value, block, backward) = (100, blocks + 1, String::new());
    let mut random = Random { rng, brackets, blocks, value, block, backward };
    let mut text = String::from(
        "v13:i32 = slice v3 lo 0\nv14:i32 = const 5\nv17:i64 = const 2\nv16:i64 = shl v3, v17\n\
         v80:ptr.local = addr o2\ne1000 v81:i32 = sub_group.new_barrier v7\njump b1(v2, v6, v14)\n",
    );
    for b in 1..=blocks {
        let marked = b == certain || random.rng.below(6) == 0;
        text += &random.block(b, marked);
    }
    let _ = writeln!(
        text,
        "b{}(v97:i32, v98:i32, v99:i32):\nv94:i32 = mul v97, v14\n\
         v95:i32 = add v94, v98\nv96:ptr.global = ptradd v0, v16\ne1 = store v96, v95 align 4\nret",
        blocks + 1
    );
    text += &random.backward;
    kernel(&text)
}

/// What a launch of one group writes, or the code of the error with which it ends.
fn launched(module: &ir::Module, n: i32, steps: u64) -> Result<Vec<u8>, &'static str> {
    use interp::{Argument, Launch, Memory, Program};
    let mut memory = Memory::new();
    let program = Program::new(module, &mut memory).expect("fine");
    let limit = program.address_limit();
    let mut buffer = |name: &str| memory.allocate(name, vec![0; 64], 64, limit).expect("room");
    let (out, input) = (buffer("out"), buffer("in"));
    let value = Argument::Value(n.to_le_bytes().to_vec());
    let args = vec![Argument::Pointer(out), Argument::Pointer(input), value];
    let launch = Launch {
        kernel: "k".into(),
        work_dim: 1,
        global: [5, 1, 1],
        local: Some([5, 1, 1]),
        offset: [0; 3],
        args,
    };
    let limits = interp::Options { step_limit: Some(steps), ..Default::default() };
    program.run(&mut memory, &launch, &limits).map_err(|e| e.0[0].code)?;
    Ok(memory.buffer(out).expect("there").to_vec())
}

/// Whatever way work-items take, they get what they get without waiting for each other, and all wait where one does.
#[test]
fn work_items_keep_their_ways_and_values() {
    let passes = ["simplify-cfg", "sroa", "dce", "converge"];
    let few = Options {
        passes: Some(passes.iter().map(|p| (*p).to_owned()).collect()),
        ..Options::default()
    };
    let (mut together, mut turns) = (0, 0);
    for seed in 0..3000 {
        let (alone, module) = (random_kernel(seed, false), random_kernel(seed, true));
        ir::verify::verify_module(&module).unwrap_or_else(|e| panic!("{seed}: {e}\n{module}"));
        let full = Options::default();
        let made: Vec<ir::Module> = [&few, &full]
            .into_iter()
            .take(if seed % 10 == 0 { 2 } else { 1 })
            .map(|how| {
                run(module.clone(), &[], how, &target::Family::unit())
                    .unwrap_or_else(|e| panic!("{seed}: {e}\n{module}"))
            })
            .collect();
        match made[0].to_string().contains("atomic.umin") {
            true => turns += 1,
            false => together += 1,
        }
        for n in [-1, 0, 3, 5] {
            let want = launched(&alone, n, 100_000).unwrap_or_else(|e| panic!("{seed}: {e}"));
            for m in &made {
                let have = launched(m, n, 100_000_000);
                assert_eq!(have.as_ref(), Ok(&want), "{seed}, {n}:\n{module}\n{m}");
            }
        }
    }
    // Both come often enough to mean something.
    assert!(together > 300 && turns > 300, "{together} together, {turns} in turns");
}
