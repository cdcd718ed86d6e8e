//! Kernels: memory spaces, calls, barriers, the index space, and what is reported as an error.

use interp::{Argument, Launch, Memory, Options, Order, Program, Stats};

struct Device {
    module: ir::Module,
    memory: Memory<'static>,
    program: Program,
}

fn device(text: &str) -> Device {
    let module = ir::parse::parse_module(text).unwrap_or_else(|e| panic!("{e}"));
    ir::verify::verify_module(&module).unwrap_or_else(|e| panic!("{e}"));
    let mut memory = Memory::new();
    let program = Program::new(&module, &mut memory).unwrap();
    Device { module, memory, program }
}

impl Device {
    fn ints(&mut self, name: &str, values: &[u32]) -> Argument {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let name = format!("buffer `{name}`");
        Argument::Pointer(self.memory.allocate(name, bytes, 4, 1 << 40).unwrap())
    }

    fn read(&self, arg: &Argument) -> Vec<u32> {
        let Argument::Pointer(address) = arg else { panic!("no buffer") };
        let bytes = self.memory.buffer(*address).unwrap();
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    fn launch(
        &mut self,
        sizes: [[u32; 3]; 2],
        args: &[Argument],
        options: Options,
    ) -> Result<Stats, String> {
        let launch = Launch {
            kernel: self.program.kernel_names().next().unwrap().into(),
            work_dim: 3,
            global: sizes[0],
            local: Some(sizes[1]),
            offset: [0; 3],
            args: args.to_vec(),
        };
        let done = self.program.run(&mut self.memory, &launch, &options);
        done.map_err(|e| e.render(&self.module.sources))
    }

    fn run(&mut self, global: u32, local: u32, args: &[Argument]) -> Result<Stats, String> {
        self.launch([[global, 1, 1], [local, 1, 1]], args, Options::default())
    }
}

/// Sum of the numbers of each group by a tree in local memory, `LOCAL` work-items.
const REDUCE: &str = r#"
module "reduce" addr 64 cl 200
source "reduce.cl" text "line 1\n" "  barrier(CLK_LOCAL_MEM_FENCE);\n"
kernel "reduce" {
  arg 0 "in" "uint*" global size 8 align 4 no_write
  arg 1 "out" "uint*" global size 8 align 4
  arg 2 "tmp" "uint*" local_arg size 0 align 4
  object o0 "tmp" local size 0 align 4 = arg 2
b0:
  v0:ptr.global = arg 0
  v1:ptr.global = arg 1
  v2:ptr.local = addr o0
  v3:i64 = workitem global_id 0
  v4:i64 = workitem local_id 0
  v5:i64 = const 2
  v6:i64 = shl v3, v5
  v7:ptr.global = ptradd v0, v6
  e0 v8:i32 = load v7 align 4
  v9:i64 = shl v4, v5
  v10:ptr.local = ptradd v2, v9
  e1 = store v10, v8 align 4 after e0
  e2 = barrier.work_group local after e1 @0:2:3
  v11:i64 = workitem local_size 0
  v12:i64 = const 1
  v13:i64 = lshr v11, v12
  jump b1(v13)
b1(v14:i64):
  v15:i64 = const 0
  v16:i1 = icmp.ne v14, v15
  br v16, b2, b5
b2:
  v17:i1 = icmp.ult v4, v14
  br v17, b3, b4
b3:
  v18:i64 = shl v14, v5
  v19:ptr.local = ptradd v10, v18
  e3 v20:i32 = load v19 align 4
  e4 v21:i32 = load v10 align 4
  v22:i32 = add v20, v21
  e5 = store v10, v22 align 4 after e4
  jump b4
b4:
  e6 = barrier.work_group local @0:2:5
  v23:i64 = lshr v14, v12
  jump b1(v23)
b5:
  v24:i1 = icmp.eq v4, v15
  br v24, b6, b7
b6:
  v25:i64 = workitem group_id 0
  v26:i64 = shl v25, v5
  v27:ptr.global = ptradd v1, v26
  e7 v28:i32 = load v2 align 4
  e8 = store v27, v28 align 4
  jump b7
b7:
  ret
}
"#;

#[test]
fn barriers_and_local_memory_in_every_order() {
    let input: Vec<u32> = (0..64).map(|n| n * n + 1).collect();
    let want: Vec<u32> = input.chunks(16).map(|c| c.iter().sum()).collect();
    for order in [Order::Sequential, Order::Shuffled { seed: 3 }, Order::Interleaved { seed: 4 }] {
        let mut d = device(REDUCE);
        let args = [d.ints("in", &input), d.ints("out", &[0; 4]), Argument::Local(64)];
        let options = Options { order, ..Options::default() };
        let stats = d.launch([[64, 1, 1], [16, 1, 1]], &args, options).unwrap();
        assert_eq!(d.read(&args[1]), want, "{order:?}");
        assert_eq!(stats.work_items, 64);
    }
}

#[test]
fn out_of_bounds_names_line_buffer_and_offset() {
    let mut d = device(REDUCE);
    let args = [d.ints("in", &[0; 60]), d.ints("out", &[0; 4]), Argument::Local(64)];
    let e = d.run(64, 16, &args).unwrap_err();
    assert!(
        e.contains("load out of bounds: 4 bytes at offset 240 of buffer `in` (240 bytes)"),
        "{e}"
    );
    assert!(e.contains("global id (60, 0, 0) in work-group (3, 0, 0)"), "{e}");
    let mut d = device(REDUCE);
    let args = [d.ints("in", &[0; 64]), d.ints("out", &[0; 4]), Argument::Local(60)];
    let e = d.run(64, 16, &args).unwrap_err();
    assert!(
        e.contains("store out of bounds: 4 bytes at offset 60 of local object `tmp` (60 bytes)"),
        "{e}"
    );
    let null = [Argument::Pointer(0), args[1].clone(), Argument::Local(64)];
    let e = d.run(64, 16, &null).unwrap_err();
    assert!(e.contains("load through a null pointer: 4 bytes at address 0"), "{e}");
    let Argument::Pointer(out) = args[1] else { panic!() };
    let e = d.run(16, 16, &[args[0].clone(), Argument::Pointer(out + 2), Argument::Local(64)]);
    assert!(e.unwrap_err().contains("misaligned store: 4 bytes at offset 2 of buffer `out`"));
}

#[test]
fn launches_that_are_not_allowed() {
    let mut d = device(&REDUCE.replace("cl 200", "cl 120"));
    let args = [d.ints("in", &[0; 64]), d.ints("out", &[0; 4]), Argument::Local(64)];
    let e = d.run(64, 15, &args).unwrap_err();
    assert!(e.contains("does not divide the global size"), "{e}");
    let e = d.run(64, 16, &args[..2]).unwrap_err();
    assert!(e.contains("kernel `reduce` has 3 arguments, 2 given"), "{e}");
    let swapped = [args[2].clone(), args[1].clone(), args[0].clone()];
    let e = d.run(64, 16, &swapped).unwrap_err();
    assert!(
        e.contains(
            "argument 0 `in` (uint*) of kernel `reduce` does not take 64 bytes of local memory"
        ),
        "{e}"
    );
}

/// Each work-item with `local_id < n` goes to a barrier; the others end, or wait at another one.
fn divergent(other: &str) -> String {
    format!(
        r#"
module "m" addr 64 cl 200
source "d.cl" text "1\n" "  if (lid < 3) barrier(0);\n" "  else barrier(1);\n"
kernel "k" {{
b0:
  v0:i64 = workitem local_id 0
  v1:i64 = const 3
  v2:i1 = icmp.ult v0, v1
  br v2, b1, b2
b1:
  e0 = barrier.work_group local @0:2:16
  ret
b2:
  {other}
  ret
}}
"#
    )
}

#[test]
fn divergent_barriers_are_reported() {
    let e = device(&divergent("")).run(8, 8, &[]).unwrap_err();
    assert!(
        e.contains("error[E0510]: only 3 of 8 work-items of the work-group reach this barrier"),
        "{e}"
    );
    assert!(e.contains("d.cl:2:16") && e.contains("if (lid < 3) barrier(0);"), "{e}");
    let e = device(&divergent("e1 = barrier.work_group local @0:3:8")).run(8, 8, &[]).unwrap_err();
    assert!(e.contains("wait at different barriers"), "{e}");
    assert!(e.contains("d.cl:2:16") && e.contains("d.cl:3:8"), "{e}");
    device(&divergent("")).run(6, 3, &[]).unwrap();
}

#[test]
fn remainder_groups_and_queries_in_three_dimensions() {
    let text = r#"
module "m" addr 32 cl 200
kernel "k" {
  arg 0 "out" "uint*" global size 4 align 4
b0:
  v0:ptr.global = arg 0
  v1:i32 = workitem global_linear_id 0
  v2:i32 = const 2
  v3:i32 = shl v1, v2
  v4:ptr.global = ptradd v0, v3
  v5:i32 = workitem local_linear_id 0
  v6:i32 = workitem local_size 0
  v7:i32 = workitem local_size 1
  v8:i32 = workitem group_id 1
  v9:i32 = workitem num_groups 1
  v10:i32 = workitem enqueued_local_size 0
  v11:i32 = const 10
  v12:i32 = mul v5, v11
  v13:i32 = add v12, v6
  v14:i32 = mul v13, v11
  v15:i32 = add v14, v7
  v16:i32 = mul v15, v11
  v17:i32 = add v16, v8
  v18:i32 = mul v17, v11
  v19:i32 = add v18, v9
  v20:i32 = mul v19, v11
  v21:i32 = add v20, v10
  e0 = store v4, v21 align 4
  ret
}
"#;
    let mut d = device(text);
    let args = [d.ints("out", &[0; 15])];
    d.launch([[5, 3, 1], [2, 2, 1]], &args, Options::default()).unwrap();
    let mut want = vec![];
    for y in 0..3 {
        for x in 0..5 {
            let (sx, sy) = (if x == 4 { 1 } else { 2 }, if y == 2 { 1 } else { 2 });
            let lid = (y % 2) * sx + x % 2;
            want.push(((((lid * 10 + sx) * 10 + sy) * 10 + y / 2) * 10 + 2) * 10 + 2);
        }
    }
    assert_eq!(d.read(&args[0]), want);
}

#[test]
fn calls_private_objects_generic_pointers_tables_and_switches() {
    // f(p, n) = *p + table[n], through a generic pointer to private, local or global memory
    let text = r#"
module "m" addr 64 cl 200
global g0 "offset" global size 4 align 4 init "64000000"
global g1 "where" constant size 16 align 8 init "0000000000000000" "0000000000000000"
  reloc 8 g0 0
global g2 "tile" local size 4 align 4
kernel "k" {
  arg 0 "out" "uint*" global size 8 align 4
  object o0 "own" private size 8 align 4
  object o1 "tile" local size 4 align 4 = g2
  object o2 "where" constant size 16 align 8 = g1
b0:
  v0:ptr.global = arg 0
  v1:i64 = workitem global_id 0
  v2:ptr.private = addr o0
  v3:i32 = const 7
  e0 = store v2, v3 align 4
  v4:ptr.local = addr o1
  v5:i32 = const 40
  e1 = store v4, v5 align 4 after e0
  v6:ptr.constant = addr o2
  v7:i64 = const 8
  v8:ptr.constant = ptradd v6, v7
  e2 v9:ptr.global = load v8 align 8 after e1
  v10:ptr.generic = spacecast v2
  v11:ptr.generic = spacecast v4
  v12:ptr.generic = spacecast v9
  switch v1, 0: b1(v10), 2: b1(v12), default b1(v11)
b1(v13:ptr.generic):
  v14:i2 = slice v1 lo 0
  e3 v15:i32 = call f1(v13, v14)
  v16:i64 = const 2
  v17:i64 = shl v1, v16
  v18:ptr.global = ptradd v0, v17
  e4 = store v18, v15 align 4 after e3
  ret
}
func "f" -> i32 {
  object o0 "pad" private size 16 align 16
  table t0 i32 [1, 2, 3]
b0(v0:ptr.generic, v1:i2):
  e0 v2:i32 = load v0 align 4
  v3:i32 = lookup t0 v1
  v4:i32 = add v2, v3
  v5:ptr.private = addr o0
  e1 = store v5, v4 align 16 after e0
  e2 v6:i32 = load v5 align 4 after e1
  ret v6
}
"#;
    let mut d = device(text);
    let args = [d.ints("out", &[0; 4])];
    d.run(4, 2, &args).unwrap();
    // the table has 3 entries: index 3 gives 0
    assert_eq!(d.read(&args[0]), [7 + 1, 40 + 2, 100 + 3, 40]);
}

#[test]
fn vectors_in_memory_and_dynamic_lanes() {
    let text = r#"
module "m" addr 64 cl 120
kernel "k" {
  arg 0 "io" "uint*" global size 8 align 16
  arg 1 "v" "ushort4" v4i16 size 8 align 8
b0:
  v0:ptr.global = arg 0
  e0 v1:v4i32 = load v0 align 16
  v2:v4i16 = arg 1
  v3:v4i32 = zext v2
  v4:v4i32 = add v1, v3
  v5:v2i64 = bitcast v4
  v6:i64 = vec.extract v5 lane 1
  v7:i32 = const 2
  v8:i32 = vec.extract_dyn v4, v7
  v9:i32 = const 9
  v10:i32 = vec.extract_dyn v4, v9
  v11:v4i32 = vec.insert_dyn v4, v8, v10
  v12:v4i32 = vec.insert_dyn v11, v9, v9
  e1 = store v0, v12 align 16 after e0
  v13:i64 = const 16
  v14:ptr.global = ptradd v0, v13
  e2 = store v14, v6 align 8 after e1
  v15:v3i32 = vec.build v7, v9, v8
  v16:i64 = const 24
  v17:ptr.global = ptradd v0, v16
  v18:i1 = const 1
  v19:i1 = const 0
  e3 = store v17, v15 if v18 align 4 after e2
  e4 = store v0, v15 if v19 align 4 after e3
  ret
}
"#;
    let mut d = device(text);
    let io = d.ints("io", &[1, 2, 3, 4, 0, 0, 0, 0, 0, 0]);
    let v = [10u16, 20, 30, 40].iter().flat_map(|x| x.to_le_bytes()).collect();
    d.run(1, 1, &[io.clone(), Argument::Value(v)]).unwrap();
    // lane 2 (33) replaces lane 0, since lane 9 of a vector of 4 reads as 0
    assert_eq!(d.read(&io), [33, 22, 33, 44, 33, 44, 2, 9, 33, 0]);
}

#[test]
fn block_arguments_are_passed_all_at_once() {
    // (a, b, c) <- (b, c, a) five times, a cycle of three
    let text = r#"
module "m" addr 64 cl 120
kernel "k" {
  arg 0 "out" "uint*" global size 8 align 4
b0:
  v0:i32 = const 1
  v1:i32 = const 2
  v2:i32 = const 3
  v3:i32 = const 0
  jump b1(v0, v1, v2, v3)
b1(v4:i32, v5:i32, v6:i32, v7:i32):
  v8:i32 = add v7, v0
  v9:i32 = const 5
  v10:i1 = icmp.ult v7, v9
  br v10, b1(v5, v6, v4, v8), b2
b2:
  v11:ptr.global = arg 0
  v12:v3i32 = vec.build v4, v5, v6
  e0 = store v11, v12 align 4
  ret
}
"#;
    let mut d = device(text);
    let out = d.ints("out", &[0; 3]);
    d.run(1, 1, std::slice::from_ref(&out)).unwrap();
    assert_eq!(d.read(&out), [3, 1, 2]);
}

#[test]
fn atomics() {
    let text = |op: &str, operands: &str| {
        format!(
            r#"
module "m" addr 64 cl 120
kernel "k" {{
  arg 0 "io" "uint*" global size 8 align 4
b0:
  v0:ptr.global = arg 0
  v1:i32 = const -7
  v2:i32 = const 5
  e0 v3:i32 = atomic.{op} v0{operands} align 4
  v4:i64 = const 4
  v5:ptr.global = ptradd v0, v4
  e1 = store v5, v3 align 4 after e0
  ret
}}
"#
        )
    };
    let minus7 = -7i32 as u32;
    for (op, operands, want) in [
        ("load", "", 5),
        ("store", ", v1", minus7),
        ("xchg", ", v1", minus7),
        ("cmpxchg", ", v1, v2", minus7),
        ("cmpxchg", ", v2, v1", 5),
        ("add", ", v1", -2i32 as u32),
        ("sub", ", v1", 12),
        ("and", ", v1", 5 & minus7),
        ("or", ", v1", 5 | minus7),
        ("xor", ", v1", 5 ^ minus7),
        ("umin", ", v1", 5),
        ("umax", ", v1", minus7),
        ("smin", ", v1", minus7),
        ("smax", ", v1", 5),
    ] {
        let mut d = device(&text(op, operands));
        let io = d.ints("io", &[5, 0]);
        d.run(1, 1, std::slice::from_ref(&io)).unwrap();
        assert_eq!(d.read(&io), [want, 5], "{op}{operands}");
    }
}

#[test]
fn endless_loops_end_at_the_limit() {
    let text = "module \"m\" addr 64 cl 120\nsource \"l.cl\"\nkernel \"k\" {\nb0:\n  jump b1\nb1:\n  jump b1 @0:7:3\n}\n";
    for order in [Order::Sequential, Order::Interleaved { seed: 1 }] {
        let options = Options { step_limit: Some(10_000), order, ..Options::default() };
        let e = device(text).launch([[4, 1, 1], [2, 1, 1]], &[], options).unwrap_err();
        assert!(e.contains("error[E0511]") && e.contains("l.cl:7:3"), "{e}");
    }
}

#[test]
fn random_order_shows_a_race() {
    // every work-item adds to one counter without an atomic
    let text = r#"
module "m" addr 64 cl 120
kernel "k" {
  arg 0 "n" "uint*" global size 8 align 4
b0:
  v0:ptr.global = arg 0
  e0 v1:i32 = load v0 align 4
  v2:i32 = const 1
  v3:i32 = add v1, v2
  e1 = store v0, v3 align 4 after e0
  ret
}
"#;
    let count = |order| {
        let mut d = device(text);
        let n = d.ints("n", &[0]);
        let options = Options { order, ..Options::default() };
        d.launch([[64, 1, 1], [64, 1, 1]], std::slice::from_ref(&n), options).unwrap();
        d.read(&n)[0]
    };
    assert_eq!(count(Order::Sequential), 64);
    assert!((0..8).any(|seed| count(Order::Interleaved { seed }) < 64));
}

#[test]
fn variables_keep_their_contents_until_reload() {
    let text = r#"
module "m" addr 64 cl 200
global g0 "n" global size 4 align 4 init "05000000"
kernel "k" {
  arg 0 "out" "uint*" global size 8 align 4
  object o0 "n" global size 4 align 4 = g0
b0:
  v0:ptr.global = addr o0
  v1:i32 = const 1
  e0 v2:i32 = atomic.add v0, v1 align 4
  v3:ptr.global = arg 0
  e1 = store v3, v2 align 4 after e0
  ret
}
"#;
    let mut d = device(text);
    let out = d.ints("out", &[0]);
    let mut next = |reload: bool| {
        if reload {
            d.program.reload(&mut d.memory).unwrap();
        }
        d.run(1, 1, std::slice::from_ref(&out)).unwrap();
        d.read(&out)[0]
    };
    assert_eq!([next(false), next(false), next(true), next(false)], [5, 6, 5, 6]);
}
