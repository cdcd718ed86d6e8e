//! Kernels written as IR: control flow, barriers, memories, and what is refused; the interpreter is the reference.

use emulator::{Argument, Options, Program};
use host::ResolvedRange;
use interp::{Launch, Memory};
use ir::Module;

fn parse(text: &str) -> Module {
    let module = ir::parse::parse_module(text).unwrap_or_else(|e| panic!("{e}"));
    ir::verify::verify_module(&module).unwrap_or_else(|e| panic!("{e}"));
    module
}

/// One dimension.
#[derive(Clone, Copy)]
struct Range {
    global: u32,
    local: u32,
    offset: u32,
}

/// Runs kernel `k`, whose first argument is a buffer, natively; the buffer afterwards.
fn native(
    module: &Module,
    options: &Options,
    range: Range,
    buffer: &[u32],
    rest: &[Argument],
) -> base::Result<Vec<u32>> {
    let program = Program::compile(module, options)?;
    let mut buffer = buffer.to_vec();
    let mut args = vec![Argument::Pointer(buffer.as_mut_ptr() as u64)];
    args.extend_from_slice(rest);
    let resolved = ResolvedRange {
        work_dim: 1,
        global: [range.global, 1, 1],
        local: [range.local, 1, 1],
        num_groups: [range.global.div_ceil(range.local), 1, 1],
        offset: [range.offset, 0, 0],
    };
    // SAFETY: the interpreter has found no access outside the buffer.
    unsafe { program.launch("k", &resolved, &args, 2)? };
    Ok(buffer)
}

fn interpreted(module: &Module, range: Range, buffer: &[u32], rest: &[Argument]) -> Vec<u32> {
    let mut memory = Memory::new();
    let program = interp::Program::new(module, &mut memory).expect("decodes");
    let bytes = buffer.iter().flat_map(|w| w.to_le_bytes()).collect();
    let base = memory.allocate("buffer", bytes, 128, program.address_limit()).expect("room");
    let mut args = vec![Argument::Pointer(base)];
    args.extend_from_slice(rest);
    let launch = Launch {
        kernel: "k".into(),
        work_dim: 1,
        global: [range.global, 1, 1],
        local: Some([range.local, 1, 1]),
        offset: [range.offset, 0, 0],
        args,
    };
    program
        .run(&mut memory, &launch, &interp::Options::default())
        .unwrap_or_else(|e| panic!("{e}"));
    let bytes = memory.buffer(base).expect("still there");
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// Runs a kernel on the interpreter and natively, side by side and not.
fn same(text: &str, range: Range, buffer: &[u32], rest: &[Argument]) -> Vec<u32> {
    let module = parse(text);
    let want = interpreted(&module, range, buffer, rest);
    for side_by_side in [false, true] {
        let options = Options { side_by_side, ..Options::default() };
        let got = native(&module, &options, range, buffer, rest).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(got, want, "side by side: {side_by_side}\n{text}");
    }
    want
}

fn counted(n: u32) -> Vec<u32> {
    (0..n).map(|k| k.wrapping_mul(0x9e37_79b9) ^ k).collect()
}

const PLAIN: Range = Range { global: 64, local: 16, offset: 0 };

/// Rounds of a sum over neighbours in local memory: barriers in a loop, values that live across them.
const NEIGHBOURS: &str = r#"
module "m" addr 64 cl 200
global g0 "tile" local size 256 align 4
kernel "k" {
  arg 0 "io" "uint*" global size 8 align 4
  arg 1 "rounds" "uint" i32 size 4 align 4
  object o0 "tile" local size 256 align 4 = g0
b0:
  v0:ptr.global = arg 0
  v1:i32 = arg 1
  v2:i64 = workitem global_id 0
  v3:i64 = workitem local_id 0
  v4:i64 = workitem local_size 0
  v5:i64 = const 2
  v6:i64 = shl v2, v5
  v7:ptr.global = ptradd v0, v6
  e0 v8:i32 = load v7 align 4
  v9:ptr.local = addr o0
  v10:i64 = shl v3, v5
  v11:ptr.local = ptradd v9, v10
  v12:i32 = const 0
  jump b1(v12, v8)
b1(v13:i32, v14:i32):
  v15:i1 = icmp.ult v13, v1
  br v15, b2, b3
b2:
  e1 = store v11, v14 align 4
  e2 = barrier.work_group local after e1
  v16:i64 = const 1
  v17:i64 = add v3, v16
  v18:i64 = urem v17, v4
  v19:i64 = shl v18, v5
  v20:ptr.local = ptradd v9, v19
  e3 v21:i32 = load v20 align 4 after e2
  e4 = barrier.work_group local after e3
  v22:i32 = mul v14, v21
  v23:i32 = add v22, v13
  v24:i32 = const 1
  v25:i32 = add v13, v24
  jump b1(v25, v23)
b3:
  e5 = store v7, v14 align 4
  ret
}
"#;

#[test]
fn barriers_in_loops() {
    for rounds in [0u32, 1, 5] {
        let rounds = [Argument::Value(rounds.to_le_bytes().to_vec())];
        same(NEIGHBOURS, PLAIN, &counted(64), &rounds);
        // groups that are not a multiple of what runs side by side, and one that is smaller than the others
        let odd = Range { global: 61, local: 13, offset: 3 };
        same(NEIGHBOURS, odd, &counted(64), &rounds);
    }
}

/// A barrier inside a cycle with two entries.
const IRREDUCIBLE: &str = r#"
module "m" addr 64 cl 200
kernel "k" {
  arg 0 "io" "uint*" global size 8 align 4
  arg 1 "n" "uint" i32 size 4 align 4
b0:
  v0:ptr.global = arg 0
  v1:i32 = arg 1
  v2:i64 = workitem global_id 0
  v3:i64 = const 2
  v4:i64 = shl v2, v3
  v5:ptr.global = ptradd v0, v4
  e0 v6:i32 = load v5 align 4
  v7:i32 = const 1
  v8:i32 = and v1, v7
  v9:i1 = icmp.eq v8, v7
  br v9, b1(v1, v6), b2(v1, v6)
b1(v10:i32, v11:i32):
  v12:i32 = add v11, v10
  e1 = barrier.work_group global
  v13:i32 = mul v12, v12
  jump b2(v10, v13)
b2(v14:i32, v15:i32):
  v16:i32 = const 0
  v17:i1 = icmp.eq v14, v16
  br v17, b4, b3
b3:
  v18:i32 = sub v14, v7
  e2 = barrier.work_group local
  v19:i32 = xor v15, v6
  switch v18, 0: b2(v18, v19), 3: b4, default b1(v18, v19)
b4:
  e3 = store v5, v15 align 4
  ret
}
"#;

#[test]
fn barriers_in_irreducible_control_flow() {
    for n in 0..7u32 {
        same(IRREDUCIBLE, PLAIN, &counted(64), &[Argument::Value(n.to_le_bytes().to_vec())]);
    }
}

/// Private arrays across a barrier, a call with an array of its own, and generic pointers.
const PRIVATE: &str = r#"
module "m" addr 64 cl 200
kernel f0 "k" {
  arg 0 "io" "uint*" global size 8 align 4
  object o0 "own" private size 20 align 4
b0:
  v0:ptr.global = arg 0
  v1:i64 = workitem global_id 0
  v2:i64 = const 2
  v3:i64 = shl v1, v2
  v4:ptr.global = ptradd v0, v3
  e0 v5:i32 = load v4 align 4
  v6:ptr.private = addr o0
  v7:i64 = const 3
  v8:i64 = and v1, v7
  v9:i64 = shl v8, v2
  v10:ptr.private = ptradd v6, v9
  e1 = store v10, v5 align 4
  e2 = barrier.work_group local
  v11:ptr.generic = spacecast v10
  e3 v12:i32 = load v11 align 4 after e2
  e4 v13:i32 = call f1(v12)
  e5 v14:v4i32 = load v6 align 4
  v15:i32 = vec.extract v14 lane 2
  v16:i32 = add v13, v15
  e6 = store v4, v16 align 4
  ret
}
func f1 "g" -> i32 {
  object o0 "x" private size 8 align 8
b0(v0:i32):
  v1:ptr.private = addr o0
  e0 v2:i32 = load v1 align 4
  v3:i32 = const 40
  v4:i1 = icmp.ult v0, v3
  br v4, b1, b2
b1:
  ret v3
b2:
  v5:i32 = add v0, v2
  e1 = store v1, v5 align 4
  e2 v6:i16 = load v1 align 2 after e1
  v7:i32 = sext v6
  ret v7
}
"#;

#[test]
fn private_memory_calls_and_generic_pointers() {
    same(PRIVATE, PLAIN, &counted(64), &[]);
}

/// Through an index of 32 bits that wraps somewhere in the range, and whose upper bits count too once it is extended.
const WRAPPING: &str = r#"
module "m" addr 64 cl 200
kernel "k" {
  arg 0 "io" "float*" global size 8 align 4
  arg 1 "start" "int" i32 size 4 align 4
b0:
  v0:ptr.global = arg 0
  v1:i32 = arg 1
  v2:i64 = workitem global_id 0
  v3:i32 = slice v2 lo 0
  v4:i32 = add v3, v1
  v5:i64 = sext v4
  v6:i64 = const 63
  v7:i64 = and v5, v6
  v8:i64 = const 2
  v9:i64 = shl v7, v8
  v10:ptr.global = ptradd v0, v9
  e0 v11:f32 = load v10 align 4
  v12:f32 = const 3.0
  v13:f32 = fmul v11, v12
  v14:f32 = sitofp.rte v4
  v15:f32 = fadd v13, v14
  v16:i64 = const 33
  v17:i64 = lshr v5, v16
  v18:i32 = slice v17 lo 0
  v19:f32 = sitofp.rte v18
  v20:f32 = fadd v15, v19
  e1 = store v10, v20 align 4 after e0
  ret
}
"#;

/// Neighbouring 32-bit indices are extended before they become addresses: rows as long as nothing wraps.
const ROWS: &str = r#"
module "m" addr 64 cl 200
kernel "k" {
  arg 0 "io" "float*" global size 8 align 4
  arg 1 "start" "uint" i32 size 4 align 4
b0:
  v0:ptr.global = arg 0
  v1:i32 = arg 1
  v2:i64 = workitem global_id 0
  v3:i32 = slice v2 lo 0
  v4:i32 = add v3, v1
  v5:i64 = OP v4
  v6:i64 = OP v1
  v7:i64 = sub v5, v6
  v8:i64 = const 0x100000000
  v9:i64 = urem v7, v8
  v10:i64 = const 2
  v11:i64 = shl v7, v10
  v12:i64 = const 0x3ffffffff
  v13:i64 = and v11, v12
  v14:ptr.global = ptradd v0, v11
  v15:ptr.global = ptradd v0, v13
  e0 v16:f32 = load POINTER align 4
  v17:f32 = fmul v16, v16
  v18:f32 = fadd v17, v16
  v19:f32 = fsub v18, v17
  e1 = store v15, v19 align 4 after e0
  ret
}
"#;

#[test]
fn indices_that_wrap() {
    let values: Vec<u32> = (0..64).map(|k| (k as f32 * 0.75 - 3.0).to_bits()).collect();
    for start in [0u32, 5, 0x7fff_ffd0, 0x7fff_ffdd, 0xffff_fff1] {
        let start = [Argument::Value(start.to_le_bytes().to_vec())];
        same(WRAPPING, Range { global: 64, local: 64, offset: 0 }, &values, &start);
    }
    for (op, start, pointer) in [
        ("sext", 7, "v14"),
        ("sext", 0xffff_fff0, "v14"),
        ("zext", 7, "v14"),
        ("sext", 0x7fff_fff3, "v15"),
        ("zext", 0xffff_fff3, "v15"),
    ] {
        let text = ROWS.replace("OP", op).replace("POINTER", pointer);
        let start = [Argument::Value(u32::to_le_bytes(start).to_vec())];
        same(&text, Range { global: 61, local: 61, offset: 0 }, &values, &start);
    }
}

/// NaNs with payloads through arithmetic, signs, choices and loops.
const NANS: &str = r#"
module "m" addr 64 cl 200
kernel "k" {
  arg 0 "io" "float*" global size 8 align 4
b0:
  v0:ptr.global = arg 0
  v1:i64 = workitem global_id 0
  v2:i64 = const 2
  v3:i64 = shl v1, v2
  v4:ptr.global = ptradd v0, v3
  e0 v5:f32 = load v4 align 4
  v6:i32 = const 0
  v7:f32 = const 0.0
  jump b1(v6, v7, v5)
b1(v8:i32, v9:f32, v10:f32):
  v11:f32 = fadd v9, v5
  v12:f32 = fneg v11
  v13:i1 = fcmp.olt v5, v9
  v14:f32 = select v13, v12, v10
  v15:f32 = fmax v14, v11
  v16:f32 = fcopysign v15, v14
  v17:i32 = const 1
  v18:i32 = add v8, v17
  v19:i32 = const 3
  v20:i1 = icmp.ult v18, v19
  br v20, b1(v18, v11, v16), b2
b2:
  v21:f32 = fabs v14
  v22:f32 = select v13, v5, v16
  v23:i32 = bitcast v22
  v24:i32 = bitcast v12
  v25:i32 = bitcast v21
  v26:i32 = xor v23, v24
  v27:i32 = const 5
  v28:i32 = mul v25, v27
  v29:i32 = add v26, v28
  e1 = store v4, v29 align 4
  ret
}
"#;

#[test]
fn nans_show_the_right_bits() {
    let mut values: Vec<u32> = vec![
        0x7fc0_0000,
        0xffc0_0000,
        0x7fc0_1234,
        0xffff_ffff,
        0x7f80_0001,
        0xff80_0000,
        0x7f80_0000,
        0,
        0x8000_0000,
        1,
        0x8000_0001,
        0x3f80_0000,
        0xbf80_0000,
        0x7f7f_ffff,
        0xff7f_ffff,
        0x4049_0fdb,
    ];
    values.extend(counted(48));
    let n = values.len() as u32;
    same(NANS, Range { global: n, local: 16, offset: 0 }, &values, &[]);
}

/// Local ids below `arg 1` go to another barrier than the rest, or to none.
const APART: &str = r#"
module "m" addr 64 cl 200
kernel "k" {
  arg 0 "io" "uint*" global size 8 align 4
  arg 1 "n" "uint" i32 size 4 align 4
b0:
  v0:i32 = arg 1
  v1:i64 = workitem local_id 0
  v2:i32 = slice v1 lo 0
  v3:i1 = icmp.ult v2, v0
  br v3, b1, b2
b1:
  e0 = barrier.work_group local
  ret
b2:
  OTHER
}
"#;

fn fails(text: &str, n: u32) -> String {
    let rest = [Argument::Value(n.to_le_bytes().to_vec())];
    native(&parse(text), &Options::default(), PLAIN, &counted(64), &rest).unwrap_err().to_string()
}

#[test]
fn barriers_that_not_all_reach_are_errors() {
    let ends = APART.replace("OTHER", "ret");
    let waits = APART.replace("OTHER", "e1 = barrier.work_group local\n ret");
    for n in [3, 15] {
        assert!(fails(&ends, n).contains("E0510"), "{}", fails(&ends, n));
        assert!(fails(&waits, n).contains("different barriers"), "{}", fails(&waits, n));
    }
    let all = [Argument::Value(16u32.to_le_bytes().to_vec())];
    for text in [ends, waits] {
        native(&parse(&text), &Options::default(), PLAIN, &counted(64), &all).expect("all wait");
    }
    assert!(fails(&APART.replace("OTHER", "unreachable"), 3).contains("E0506"));
}

#[test]
fn what_cannot_run_natively_is_refused() {
    let compile = |text: &str| {
        let module = ir::parse::parse_module(text).unwrap_or_else(|e| panic!("{e}"));
        match Program::compile(&module, &Options::default()) {
            Ok(_) => panic!("compiles: {text}"),
            Err(e) => e.to_string(),
        }
    };
    let narrow = compile("module \"m\" addr 32 cl 120\nkernel \"k\" {\nb0:\n  ret\n}\n");
    assert!(narrow.contains("32-bit addresses"), "{narrow}");
    let inside = "module \"m\" addr 64 cl 120\nkernel f0 \"k\" {\nb0:\n  e0 = call f1()\n  ret\n}\nfunc f1 \"g\" {\nb0:\n  e0 = barrier.work_group local\n  ret\n}\n";
    let inside = compile(inside);
    assert!(inside.contains("E0509") && inside.contains("`g`"), "{inside}");
    let again = compile(
        "module \"m\" addr 64 cl 120\nkernel f0 \"k\" {\nb0:\n  e0 = call f1()\n  ret\n}\nfunc f1 \"g\" {\nb0:\n  e0 = call f1()\n  ret\n}\n",
    );
    assert!(again.contains("calls itself"), "{again}");
}

#[test]
fn launches_are_checked() {
    let module = parse(NEIGHBOURS);
    let run =
        |range, rest: &[Argument]| native(&module, &Options::default(), range, &[0; 64], rest);
    let one = Argument::Value(vec![1, 0, 0, 0]);
    assert!(run(PLAIN, &[]).unwrap_err().to_string().contains("2 arguments"));
    let wrong = run(PLAIN, &[Argument::Value(vec![1])]).unwrap_err().to_string();
    assert!(wrong.contains("argument 1") && wrong.contains("1 bytes"), "{wrong}");
    assert!(run(PLAIN, &[Argument::Pointer(8)]).is_err());
    assert!(run(Range { global: 0, ..PLAIN }, std::slice::from_ref(&one)).is_err());
    assert!(run(PLAIN, &[one]).is_ok());
}

/// Global atomics from all work-groups, on several threads, and a variable of the module.
const COUNTING: &str = r#"
module "m" addr 64 cl 200
global g0 "total" global size 4 align 4 init "05000000"
global g1 "place" constant size 8 align 8 init "0000000000000000" reloc 0 g0 0
kernel "k" {
  arg 0 "io" "uint*" global size 8 align 4
  object o0 "total" global size 4 align 4 = g0
  object o1 "place" constant size 8 align 8 = g1
b0:
  v0:ptr.global = arg 0
  v1:ptr.constant = addr o1
  e0 v2:ptr.global = load v1 align 8
  v3:i32 = const 1
  e1 v4:i32 = atomic.add v2, v3 align 4 after e0
  v5:ptr.global = addr o0
  v6:i32 = const 3
  e2 v7:i32 = atomic.umax v0, v6 align 4 after e1
  e3 v8:i32 = atomic.load v5 align 4 after e2
  v9:i64 = const 4
  v10:ptr.global = ptradd v0, v9
  e4 v11:i32 = atomic.smax v10, v8 align 4 after e3
  ret
}
"#;

#[test]
fn atomics_count_every_work_item() {
    let program = Program::compile(&parse(COUNTING), &Options::default()).expect("compiles");
    let range = ResolvedRange {
        work_dim: 1,
        global: [100_000, 1, 1],
        local: [10, 1, 1],
        num_groups: [10_000, 1, 1],
        offset: [0; 3],
    };
    for _ in 0..2 {
        let mut buffer = [2u32, 0];
        let args = [Argument::Pointer(buffer.as_mut_ptr() as u64)];
        // SAFETY: the kernel touches the two words and its own variable.
        unsafe { program.launch("k", &range, &args, 3) }.expect("runs");
        assert_eq!(buffer, [3, 100_005]);
        // SAFETY: the launch is over.
        unsafe { program.reset_variables() };
    }
}

/// A minimum and a maximum of 128 bits, signed and unsigned, which Cranelift recognises and cannot translate.
#[test]
fn choices_of_128_bits() {
    for cc in ["slt", "sgt", "ult", "ugt"] {
        let text = format!(
            r#"
module "m" addr 64 cl 200
kernel "k" {{
  arg 0 "io" "uint*" global size 8 align 4
b0:
  v0:ptr.global = arg 0
  v1:i64 = workitem global_id 0
  v2:i64 = const 2
  v3:i64 = shl v1, v2
  v4:ptr.global = ptradd v0, v3
  e0 v5:i32 = load v4 align 4
  v6:i128 = sext v5
  v7:i128 = const 100000
  v8:i128 = mul v6, v6
  v9:i128 = sub v7, v8
  v10:i1 = icmp.{cc} v9, v6
  v11:i128 = select v10, v9, v6
  v12:i64 = slice v11 lo 31
  v13:i32 = slice v12 lo 1
  e1 = store v4, v13 align 4 after e0
  ret
}}
"#
        );
        let buffer: Vec<u32> = [0, 1, 50, 400, u32::MAX, 1 << 31, 0x7fff_ffff, 0xffff_ff00].into();
        same(&text, Range { global: 8, local: 4, offset: 0 }, &buffer, &[]);
    }
}
