//! What each construct comes to, written by hand.

use dialects::{Problem, Translation, is_likely, translate};

const ENABLE: &str = "#pragma OPENCL EXTENSION cl_intel_channels : enable\n";

fn translation(text: &str) -> Translation {
    let marked = format!("# 1 \"a.cl\"\n{text}");
    let translation = translate(&marked).unwrap_or_else(|p| panic!("{}: {text}", p.message));
    let says = !translation.hints.is_empty() || !translation.notes.is_empty();
    assert!(is_likely(&marked) || (translation.text.is_none() && !says), "not likely: {text}");
    translation
}

/// `text` with spaces instead of what is in `⟦⟧`, as wide and with its line breaks.
fn blanked(text: &str) -> String {
    let mut new = String::new();
    for (index, part) in text.split(['⟦', '⟧']).enumerate() {
        match index % 2 {
            0 => new.push_str(part),
            _ => new.extend(part.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' })),
        }
    }
    new
}

/// The text behind the marker of the file, and whether a prelude is before it.
fn behind_prelude(translation: &Translation) -> (String, bool) {
    let text = translation.text.as_deref().expect("the text changes");
    let (prelude, rest) = text.split_once("# 1 \"a.cl\"\n").expect("the marker");
    assert!(prelude.is_empty() || prelude.starts_with("# 1 \"<clhls>\"\n"));
    (rest.to_owned(), !prelude.is_empty())
}

/// Expects a text of something that needs no prelude; `new` as [`blanked`] takes it.
fn expect(text: &str, new: &str) -> Translation {
    let translation = translation(text);
    assert_eq!(behind_prelude(&translation), (blanked(new), false));
    translation
}

/// Expects a text where channels are enabled.
fn expect_channels(text: &str, new: &str) -> Translation {
    let translation = translation(&format!("{ENABLE}{text}"));
    let new = blanked(&format!("⟦{ENABLE}⟧{new}"));
    assert_eq!(behind_prelude(&translation), (new, true));
    translation
}

fn problem(text: &str) -> Problem {
    translate(&format!("# 1 \"a.cl\"\n{text}")).expect_err(text)
}

fn hints(translation: &Translation) -> Vec<String> {
    translation.hints.iter().map(ToString::to_string).collect()
}

fn notes(translation: &Translation) -> Vec<String> {
    translation.notes.iter().map(|n| format!("{}:{}: {}", n.file, n.line, n.text)).collect()
}

/// Expects that nothing is found in a text.
fn unchanged(text: &str) {
    let found = translation(text);
    assert_eq!(found, Translation::default(), "{text}");
}

#[test]
fn channels_become_variables() {
    expect_channels("channel int a;", "extern __constant int a __asm__(\"clhls.channel.a.0\");");
    expect_channels(
        "channel struct X b[4][N] __attribute__((depth(2 * 8)));",
        "extern __constant struct X b[4][N] __asm__(\"clhls.channel.b.16\") ⟦__attribute__((depth(2 * 8)))⟧;",
    );
    expect_channels(
        "channel unsigned char c __attribute((io(\"eth.0 in\"), depth(1)));",
        "extern __constant unsigned char c __asm__(\"clhls.channel.c.1.io.eth_0_in\") ⟦__attribute((io(\"eth.0 in\"), depth(1)))⟧;",
    );
    expect_channels(
        "channel struct { int *a; } s;",
        "extern __constant struct { int *a; } s __asm__(\"clhls.channel.s.0\");",
    );
}

#[test]
fn attributes_before_names_are_for_all() {
    expect_channels(
        "channel __attribute__((depth(3))) float4 a, b __attribute__((depth(0))), c[2];",
        "extern __constant ⟦__attribute__((depth(3)))⟧ float4 a __asm__(\"clhls.channel.a.3\"), \
         b __asm__(\"clhls.channel.b.0\") ⟦__attribute__((depth(0)))⟧, c[2] __asm__(\"clhls.channel.c.3\");",
    );
    let text = expect_channels(
        "__attribute__((depth(3), numbanks(2), aligned(8))) static channel\nconst int a;",
        "__attribute__((⟦depth(3), numbanks(2),⟧ aligned(8))) ⟦static⟧ extern __constant\n⟦const⟧ int a __asm__(\"clhls.channel.a.3\");",
    );
    assert_eq!(notes(&text), ["a.cl:2: the attribute numbanks is not used"]);
}

#[test]
fn channel_is_a_name_elsewhere() {
    unchanged("int channel; void f(int channel) { int channel = 1; }\n");
    unchanged("typedef int channel; channel c;");
    expect_channels(
        "int f(int channel) { int channel2 = channel; channel = 1; return channel; }",
        "int f(int channel) { int channel2 = channel; channel = 1; return channel; }",
    );
    // what is no declaration of a channel is left to clang
    for text in ["channel int;", "channel int a = 1;", "channel int a(int b);", "channel", "int a"]
    {
        expect_channels(text, text);
    }
}

#[test]
fn operations_on_channels_make_channel_a_keyword() {
    for call in
        ["read_channel_intel(a)", "write_channel_altera(a, 1)", "read_channel_nb_intel(a, &x)"]
    {
        let made = translation(&format!("channel int a; void f(void) {{ bool x; {call}; }}"));
        let (text, has_prelude) = behind_prelude(&made);
        assert!(has_prelude && text.contains("__asm__(\"clhls.channel.a.0\")"), "{text}");
    }
    unchanged("int channel; void f(void) { read_channel(channel); }");
}

#[test]
fn channels_behind_definitions_are_found() {
    expect_channels(
        "struct X { int a; } x; int f(void) { return 0; }\n# 7 \"b.h\"\nchannel int a; struct Y;",
        "struct X { int a; } x; int f(void) { return 0; }\n# 7 \"b.h\"\n\
         extern __constant int a __asm__(\"clhls.channel.a.0\"); struct Y;",
    );
}

#[test]
fn depths_must_be_numbers() {
    let found = problem(&format!("{ENABLE}\n channel int a __attribute__((depth(N)));"));
    assert_eq!((found.file.as_str(), found.line, found.column), ("a.cl", 3, 31));
    assert_eq!(found.message, "the depth of a is not a number");
    for text in ["depth", "depth()", "depth(-1)", "depth(1, )) b", "io()", "io(1)", "io(\"\")"] {
        let text = format!("{ENABLE}channel int a __attribute__(({text}));");
        let found = translate(&text);
        assert!(found.is_err() || text.contains(" b"), "{text}: {found:?}");
    }
    let found = problem(&format!("{ENABLE}channel int *a;"));
    assert_eq!(found.message, "pointers cannot go through channels and pipes");
}

#[test]
fn what_is_used_brings_the_prelude() {
    for name in ["read_channel_intel(a)", "write_channel_nb_altera(a, 1)", "__fpga_reg(1)"] {
        let text = format!("int f() {{ return {name}; }}\n");
        let translation = translation(&text);
        assert_eq!(behind_prelude(&translation), (text, true));
    }
    let unmarked = translate("int a = __fpga_reg(1);").expect("no problem");
    let text = unmarked.text.expect("a prelude");
    assert!(text.ends_with("# 1 \"<input>\"\nint a = __fpga_reg(1);"), "{text}");
}

#[test]
fn pipes_at_program_scope_are_channels() {
    let text = "pipe int p[2] __attribute__((xcl_reqd_pipe_depth(32)));\n\
                void f(int *a, pipe int q) { write_pipe_block(p[0], a); read_pipe(p[1], a); \
                read_pipe_block((p)[1], f(1, 2)); write_pipe(q, a); get_pipe_max_packets(p[0]); }";
    let new = "extern __constant int p[2] __asm__(\"clhls.channel.p.32\") ⟦__attribute__((xcl_reqd_pipe_depth(32)))⟧;\n\
               void f(int *a, pipe int q) { clhls_pipe_write_block(p[0], a); clhls_pipe_read(p[1], a); \
               clhls_pipe_read_block((p)[1], f(1, 2)); write_pipe(q, a); clhls_pipe_most(p[0]); }";
    let found = translation(text);
    assert_eq!(behind_prelude(&found), (blanked(new), true));
    assert_eq!(notes(&found), [""; 0]);
}

#[test]
fn pipes_that_are_parameters_stay() {
    unchanged(
        "kernel void f(read_only pipe int p, int *a) { read_pipe(p, a); read_pipe(p, r, 0, a); }",
    );
    let text = "kernel void f(read_only pipe int p, int *a) { read_pipe_block(p, a); }";
    assert_eq!(behind_prelude(&translation(text)), (text.to_owned(), true));
}

#[test]
fn reservations_of_pipes_at_program_scope_are_refused() {
    let pipe = "pipe int p __attribute__((xcl_reqd_pipe_depth(32)));\n";
    for call in ["read_pipe(p, r, 0, &a)", "work_group_reserve_read_pipe(p, 4)"] {
        let found = problem(&format!("{pipe}void f() {{\n {call}; }}"));
        assert_eq!((found.line, found.column), (3, 2), "{call}");
        assert_eq!(found.message, "reservations of a pipe at program scope are not supported");
        assert!(found.help.contains("--connect"));
    }
}

#[test]
fn pragmas_of_loops_are_hints() {
    let found = expect(
        "void f() {\n#pragma ivdep\n#pragma ii (1 + 1)\n# 30 \"b.h\"\n  for (;;) {}\n#pragma loop_coalesce\n\
         #pragma ivdep safelen(8)\n  l: while (0) {}\n#pragma max_concurrency 1\n#pragma nofusion\ndo ; while (0); }",
        "void f() {\n⟦#pragma ivdep⟧\n⟦#pragma ii (1 + 1)⟧\n# 30 \"b.h\"\n  for (;;) {}\n⟦#pragma loop_coalesce\n\
         #pragma ivdep safelen(8)⟧\n  l: while (0) {}\n⟦#pragma max_concurrency 1\n#pragma nofusion⟧\ndo ; while (0); }",
    );
    let expected = [
        "clhls.loop b.h:30:3 ivdep ii=2",
        "clhls.loop b.h:33:6 ivdep distance=8 coalesce=0",
        "clhls.loop b.h:36:1 max_concurrency=1 no_fusion",
    ];
    assert_eq!(hints(&found), expected);
    let found = expect(
        "void f() {\n#pragma disable_loop_pipelining\n#pragma speculated_iterations 0\n#pragma max_interleaving \\\n 3\nfor (;;); }",
        "void f() {\n⟦#pragma disable_loop_pipelining\n#pragma speculated_iterations 0\n#pragma max_interleaving \\\n 3⟧\nfor (;;); }",
    );
    let expected = ["clhls.loop a.cl:6:1 max_interleaving=3 speculated=0 no_pipeline"];
    assert_eq!(hints(&found), expected);
}

#[test]
fn pragmas_that_are_not_used_are_told() {
    let found = translation(
        "void f() {\n#pragma ivdep array(a)\nfor (;;);\n#pragma ivdep array(b) safelen(2)\nfor (;;);\n#pragma ii N\n\
         for (;;);\n#pragma ii 2\n f(); \n#pragma ii 0\nfor (;;); }",
    );
    let expected = [
        "a.cl:2: ivdep of one array is not used: it says nothing of the other accesses",
        "a.cl:6: ii is not used: \"N\" is not a number for it",
        "a.cl:8: ii is not used: it is not directly before a loop",
    ];
    assert_eq!(notes(&found), expected);
    assert_eq!(hints(&found), [""; 0]);
}

#[test]
fn pragmas_of_clang_stay() {
    unchanged("void f() {\n#pragma unroll 4\n for (;;) {} }");
    let found = translation("void f() {\n#pragma nounroll\n for (;;) {} }");
    assert_eq!(found.text, None);
    assert_eq!(hints(&found), ["clhls.loop a.cl:3:2 no_unroll"]);
}

#[test]
fn macros_are_known_in_pragmas() {
    let found = expect(
        "#define W 4\n#define V (W*2)\nvoid f() {\n#pragma ii W\n#pragma unroll  V\n for (;;) {} }",
        "⟦#define W 4\n#define V (W*2)⟧\nvoid f() {\n⟦#pragma ii W⟧\n#pragma unroll(4*2)\n for (;;) {} }",
    );
    assert_eq!(hints(&found), ["clhls.loop a.cl:6:2 ii=4"]);
    unchanged("#define W 4\nint a;");
}

#[test]
fn attributes_of_loops_are_hints() {
    let found = expect(
        "void f() { __attribute__((xcl_pipeline_loop(2), xcl_loop_tripcount(1, 2))) for (;;) {}\n\
         __attribute__((xcl_pipeline_loop))\n__attribute__((opencl_unroll_hint(4)))\nfor (;;); }",
        "void f() { ⟦__attribute__((xcl_pipeline_loop(2), xcl_loop_tripcount(1, 2)))⟧ for (;;) {}\n\
         ⟦__attribute__((xcl_pipeline_loop))⟧\n__attribute__((opencl_unroll_hint(4)))\nfor (;;); }",
    );
    assert_eq!(hints(&found), ["clhls.loop a.cl:1:76 ii=2"]);
    assert_eq!(notes(&found), [""; 0]);
}

#[test]
fn labels_come_first() {
    expect(
        "void f() { __attribute__((opencl_unroll_hint)) l: for (;;) {} }",
        "void f() { l: _Pragma(\"unroll\")⟦l_unroll_hint)) l:⟧ for (;;) {} }",
    );
    expect(
        "void f() {\n  l: __attribute__((opencl_unroll_hint(2)))\n  m: for (;;) {} }",
        "void f() {\n  l: m: _Pragma(\"unroll 2\")⟦unroll_hint(2)))⟧\n  ⟦m:⟧ for (;;) {} }",
    );
    expect(
        "void f() {\n#pragma unroll 4\n  l: for (;;) { xcl_; } }",
        "void f() {\nl: _Pragma(\"unroll 4\")\n  ⟦l:⟧ for (;;) { xcl_; } }",
    );
    unchanged("void f() { l:\n#pragma unroll 4\n  for (;;) {} m: for (;;); a ? (b) c : d; }");
    // columns are those of what is compiled
    let found = translation(
        "void f() { __attribute__((opencl_unroll_hint, xcl_pipeline_loop(2), foo)) label: for (;;); }",
    );
    let new = behind_prelude(&found).0;
    let column = new.find("for (").expect("the loop") + 1;
    assert_eq!(hints(&found), [format!("clhls.loop a.cl:1:{column} ii=2")]);
}

#[test]
fn attributes_that_clang_does_not_know_go() {
    let found = expect(
        "__attribute__((xcl_dataflow)) void f() {\n\
         int a[4] __attribute__((xcl_array_partition(complete, 1)\n)), b __attribute__((__register__, aligned(4)));\n\
         int c __attribute__ (( aligned(4), memory(\"x\"), packed )), d __attribute__((register));\n\
         __attribute__((xcl_pipeline_workitems)) { } }",
        "⟦__attribute__((xcl_dataflow))⟧ void f() {\n\
         int a[4] ⟦__attribute__((xcl_array_partition(complete, 1)\n))⟧, b __attribute__((⟦__register__,⟧ aligned(4)));\n\
         int c __attribute__ (( aligned(4), ⟦memory(\"x\"),⟧ packed )), d ⟦__attribute__((register))⟧;\n\
         ⟦__attribute__((xcl_pipeline_workitems))⟧ { } }",
    );
    let expected = [
        "a.cl:1: the attribute xcl_dataflow is not used",
        "a.cl:2: the attribute xcl_array_partition is not used",
        "a.cl:3: the attribute register is not used",
        "a.cl:4: the attribute memory is not used",
    ];
    assert_eq!(notes(&found), expected);
    unchanged("int memory, depth; void f(int task) { int a __attribute__((aligned(4), unused)); }");
}

#[test]
fn kernel_attributes_are_hints() {
    let found = expect(
        "__attribute__((autorun)) __attribute__((num_compute_units(2, 4)))\n__kernel void f(void) { }\n\
         __attribute__((num_simd_work_items(4), reqd_work_group_size(64, 1, 1)))\nkernel void g(void) { }\n\
         kernel __attribute__((max_work_group_size(256))) void h(void);\nkernel void h(void) { }\n\
         kernel void i(void) { }",
        "⟦__attribute__((autorun)) __attribute__((num_compute_units(2, 4)))⟧\n__kernel void f(void) { }\n\
         __attribute__((⟦num_simd_work_items(4),⟧ reqd_work_group_size(64, 1, 1)))\nkernel void g(void) { }\n\
         kernel ⟦__attribute__((max_work_group_size(256)))⟧ void h(void);\nkernel void h(void) { }\n\
         kernel void i(void) { }",
    );
    let expected = [
        "clhls.kernel f autorun compute_units=2,4",
        "clhls.kernel g simd=4",
        "clhls.kernel h max_work_group=256",
    ];
    assert_eq!(hints(&found), expected);
}

#[test]
fn single_work_item_kernels_have_groups_of_one() {
    expect(
        "__attribute__((max_global_work_dim(0), uses_global_work_offset(0))) kernel void f(void) { }",
        "__attribute__((reqd_work_group_size(1, 1, 1)⟦max_global_work_dim(0)⟧, ⟦uses_global_work_offset(0)⟧)) kernel void f(void) { }",
    );
    expect(
        "kernel __attribute__((max_global_work_dim(0))) __attribute__((reqd_work_group_size(1,1,1))) void f(void) { }",
        "kernel ⟦__attribute__((max_global_work_dim(0)))⟧ __attribute__((reqd_work_group_size(1,1,1))) void f(void) { }",
    );
    expect(
        "__attribute__((max_global_work_dim(2))) kernel void f(void) { }",
        "⟦__attribute__((max_global_work_dim(2)))⟧ kernel void f(void) { }",
    );
    expect(
        "__attribute__((max_global_work_dim(0))) void f(void) { }",
        "⟦__attribute__((max_global_work_dim(0)))⟧ void f(void) { }",
    );
}

#[test]
fn plain_texts_stay() {
    unchanged("");
    unchanged("kernel void f(global int *a) { for (int i = 0; i < 4; i++) a[i] = '\"'; }\n");
    unchanged("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nkernel void f() { a: goto a; }");
    assert!(!is_likely("#include \"a.h\"\nint depth, memory, task, channel;"));
    assert!(is_likely("int a __attribute__((numbanks(4)));"));
    assert!(is_likely(" # pragma ii 4"));
}

#[test]
fn long_texts_take_linear_time() {
    let line = "#pragma ii 2\n __attribute__((xcl_pipeline_loop(1))) for (;;) write_channel_intel(a[((1))], b);\n";
    let text = format!(
        "{ENABLE}void f() {{\n{}}}\n{}",
        line.repeat(20_000),
        "channel int a;\n".repeat(20_000)
    );
    let nested = "write_pipe(p, (".repeat(20_000);
    let labels = "a: ".repeat(50_000) + "__attribute__((opencl_unroll_hint)) for (;;);";
    let attributes =
        format!("pipe int p; void f() {{ {}{nested}{labels}", "__attribute__((".repeat(20_000));
    let begun = std::time::Instant::now();
    assert_eq!(translate(&text).expect("no problem").hints.len(), 20_000);
    translate(&attributes).expect("no problem");
    translate(&text.replace('\n', " ")).expect("no problem");
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}
