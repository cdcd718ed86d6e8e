//! Speed of the interpreter: instructions a second on arithmetic and on memory traffic.
//! `cargo bench -p clhls-interp`

use interp::{Argument, Launch, Memory, Options, Program};
use std::time::Instant;

/// A loop of integer and float arithmetic.
const ARITHMETIC: &str = r#"
module "m" addr 64 cl 120
kernel "k" {
  arg 0 "out" "uint*" global size 8 align 4
b0:
  v0:i32 = const 0
  v1:f32 = const 1.5
  jump b1(v0, v0, v1)
b1(v2:i32, v3:i32, v4:f32):
  v5:i32 = const 1664525
  v6:i32 = mul v3, v5
  v7:i32 = const 1013904223
  v8:i32 = add v6, v7
  v9:i32 = const 7
  v10:i32 = lshr v8, v9
  v11:i32 = xor v8, v10
  v12:f32 = fmul v4, v1
  v13:f32 = fadd v12, v4
  v14:i32 = const 1
  v15:i32 = add v2, v14
  v16:i32 = const 100000
  v17:i1 = icmp.ult v15, v16
  br v17, b1(v15, v11, v13), b2
b2:
  v18:ptr.global = arg 0
  e0 = store v18, v11 align 4
  ret
}
"#;

/// A sum over a buffer, one element a work-item and 64 times.
const MEMORY: &str = r#"
module "m" addr 64 cl 120
kernel "k" {
  arg 0 "io" "uint*" global size 8 align 4
b0:
  v0:ptr.global = arg 0
  v1:i64 = workitem global_id 0
  v2:i64 = const 2
  v3:i64 = shl v1, v2
  v4:ptr.global = ptradd v0, v3
  v5:i32 = const 0
  jump b1(v5)
b1(v6:i32):
  e0 v7:i32 = load v4 align 4
  v8:i32 = const 1
  v9:i32 = add v7, v8
  e1 = store v4, v9 align 4 after e0
  v10:i32 = add v6, v8
  v11:i32 = const 64
  v12:i1 = icmp.ult v10, v11
  br v12, b1(v10), b2
b2:
  ret
}
"#;

fn main() {
    for (name, text, items) in [("arithmetic", ARITHMETIC, 40), ("memory", MEMORY, 100_000)] {
        let module = ir::parse::parse_module(text).expect("parses");
        let mut memory = Memory::new();
        let program = Program::new(&module, &mut memory).expect("decodes");
        let size = items as usize * 4;
        let io = memory.allocate("io", vec![0; size], 4, program.address_limit()).expect("fits");
        let launch = Launch {
            kernel: "k".into(),
            work_dim: 1,
            global: [items, 1, 1],
            local: None,
            offset: [0; 3],
            args: vec![Argument::Pointer(io)],
        };
        let start = Instant::now();
        let stats = program.run(&mut memory, &launch, &Options::default()).expect("runs");
        let rate = stats.steps as f64 / start.elapsed().as_secs_f64() / 1e6;
        println!("{name}: {} instructions, {rate:.0} million a second", stats.steps);
    }
}
