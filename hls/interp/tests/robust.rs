//! Whatever module the verifier accepts runs to an end or to a message; it never panics.

use interp::{Argument, Launch, Memory, Options, Order, Program};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const KERNELS: [&str; 2] = [
    r#"module "m" addr 64 cl 200
global g0 "g" global size 8 align 8 init "0100000000000000"
global g1 "tile" local size 64 align 4
kernel f0 "k" {
  arg 0 "io" "uint*" global size 8 align 4
  arg 1 "tmp" "uint*" local_arg size 0 align 4
  arg 2 "v" "uint4" v4i32 size 16 align 16
  object o0 "tmp" local size 0 align 4 = arg 1
  object o1 "tile" local size 64 align 4 = g1
  object o2 "g" global size 8 align 8 = g0
  object o3 "own" private size 16 align 4
  table t0 i8 [1, 2, 3]
b0:
  v0:ptr.global = arg 0
  v1:ptr.local = addr o0
  v2:ptr.private = addr o3
  v3:ptr.generic = spacecast v2
  v4:i64 = workitem local_id 0
  v5:i64 = const 2
  v6:i64 = shl v4, v5
  v7:ptr.local = ptradd v1, v6
  v8:v4i32 = arg 2
  v9:i32 = vec.extract v8 lane 1
  e0 = store v7, v9 align 4
  e1 = barrier.work_group local after e0
  e2 v10:i32 = atomic.add v0, v9 align 4 after e1
  e3 = store v3, v10 align 4 after e2
  jump b1(v9, v10)
b1(v11:i32, v12:i32):
  e4 v13:i32 = load v3 align 4
  e5 v14:i32 = call f1(v13, v11) after e4
  v15:i1 = icmp.ult v11, v14
  br v15, b1(v14, v11), b2
b2:
  switch v12, 0: b3, 1: b1(v12, v11), default b3
b3:
  e6 = barrier.work_group local
  ret
}
"#,
    r#"func f1 "f" -> i32 {
  object o0 "x" private size 8 align 8
b0(v0:i32, v1:i32):
  v2:ptr.private = addr o0
  v3:v2i32 = vec.build v0, v1
  e0 = store v2, v3 align 8
  e1 v4:i64 = load v2 align 8 after e0
  v5:i128 = zext v4
  v6:i128 = mul v5, v5
  v7:i32 = slice v6 lo 40
  v8:f32 = bitcast v7
  v9:f32 = fsqrt v8
  v10:i32 = fptosi.rtz v9
  v11:i32 = vec.extract_dyn v3, v10
  v12:i32 = add v11, v10
  ret v12
}
"#,
];

/// Replaces one number or word of the text by another one of the text.
fn damage(text: &str, at: usize, from: usize) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_';
    let mut words = vec![];
    let mut start = None;
    for (k, c) in text.char_indices() {
        match (is_word(c), start) {
            (true, None) => start = Some(k),
            (false, Some(s)) => {
                words.push(s..k);
                start = None;
            }
            _ => {}
        }
    }
    let (target, source) = (words[at % words.len()].clone(), words[from % words.len()].clone());
    format!("{}{}{}", &text[..target.start], &text[source], &text[target.end..])
}

#[test]
fn the_kernel_itself_is_accepted() {
    let module = ir::parse::parse_module(&KERNELS.concat()).unwrap();
    ir::verify::verify_module(&module).unwrap();
    Program::new(&module, &mut Memory::new()).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, rng_seed: RngSeed::Fixed(4000), ..ProptestConfig::default() })]

    #[test]
    fn damaged_kernels_end(at in 0usize..4096, from in 0usize..4096, seed: u64, global in 1u32..9, local in 1u32..5) {
        let text = damage(&KERNELS.concat(), at, from);
        let Ok(module) = ir::parse::parse_module(&text) else { return Ok(()) };
        if ir::verify::verify_module(&module).is_err() {
            return Ok(());
        }
        let mut memory = Memory::new();
        let Ok(program) = Program::new(&module, &mut memory) else { return Ok(()) };
        let io = memory.allocate("io", vec![0; 64], 4, program.address_limit()).unwrap();
        let args = vec![Argument::Pointer(io), Argument::Local(64), Argument::Value(vec![3; 16])];
        let kernel = program.kernel_names().next().unwrap_or_default().to_owned();
        let launch = Launch { kernel, work_dim: 1, global: [global, 1, 1], local: Some([local, 1, 1]), offset: [0; 3], args };
        let options = Options { step_limit: Some(2000), order: Order::Interleaved { seed }, ..Options::default() };
        let _ = program.run(&mut memory, &launch, &options);
    }
}
