//! IR text: what is printed reads back as the same module, and errors say where.

mod random;

use ir::parse::{parse_module, text_sources};
use ir::verify::verify_module;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Every construct of the text form, in the form the printer gives it.
const EVERYTHING: &str = include_str!("everything.clir");

fn reparse(text: &str) -> ir::Module {
    parse_module(text).unwrap_or_else(|e| panic!("{}", e.render(&text_sources("text", text))))
}

fn error_of(text: &str) -> String {
    let error = parse_module(text).expect_err("an error");
    error.render(&text_sources("t.clir", text))
}

#[test]
fn canonical_text_prints_as_it_was_read() {
    let module = reparse(EVERYTHING);
    verify_module(&module).unwrap();
    assert_eq!(module.to_string(), EVERYTHING);
}

#[test]
fn facts_of_the_text_arrive_in_the_module() {
    let module = reparse(EVERYTHING);
    assert_eq!(
        (module.name.as_str(), module.addr_bits, module.cl_version),
        ("every thing", 64, 200)
    );
    let files: Vec<_> = module.sources.files.values().collect();
    assert_eq!(files[0].text.as_deref(), Some("line \"one\"\n\tline two\\\n"));
    assert_eq!(files[1].text, None);
    let table = &module.globals[ir::Global::from_u32(0)];
    assert_eq!(table.init.as_deref(), Some(&[0u8, 1, 0xfe, 0xff][..]));
    let chain = &module.globals[ir::Global::from_u32(1)];
    assert_eq!(chain.relocations, [(0, ir::Global::from_u32(0), -4)]);
    let (_, kernel) = module.kernel("k").unwrap();
    let info = kernel.kernel.as_ref().unwrap();
    assert_eq!(info.reqd_work_group_size, Some([8, 4, 1]));
    assert_eq!(info.sub_groups, Some(ir::SubGroups { count: 2, size: 16 }));
    assert_eq!(info.largest_work_group(), Some(32));
    assert!(info.args[0].restrict && info.args[0].no_write && !info.args[0].no_read);
    assert_eq!(info.args[3].kind, ir::KernelArgKind::Value(None));
    let hint = kernel.blocks[kernel.layout[1]].hint;
    let want = ir::LoopHint {
        unroll: Some(4),
        ii: Some(2),
        ivdep: true,
        dependency_length: 3,
        max_concurrency: 16,
        no_fusion: true,
        speculation: ir::Speculation::Off,
    };
    assert_eq!(hint, want);
    let entry = &kernel.blocks[kernel.entry()];
    let ops: Vec<_> = entry.insts.iter().map(|i| kernel.insts[*i].op).collect();
    assert!(ops.contains(&ir::Op::Const(0x3fc0_0000)), "1.5 is a float constant");
    assert!(ops.contains(&ir::Op::Const(0xffff_fffe)), "-2 is cut to 32 bits");
    assert!(ops.contains(&ir::Op::Arg { index: 3, offset: 8 }));
}

#[test]
fn numbering_of_the_text_does_not_matter() {
    let text = "module \"m\" addr 64 cl 0\nfunc \"f\" -> i32 {\n\
        b9(v70:i32):\n  jump b2(v70)\nb2(v8:i32):\n  v3:i32 = add v8, v70\n  ret v3\n}\n";
    let want = "module \"m\" addr 64 cl 0\n\nfunc f0 \"f\" -> i32 {\n\
        b0(v0:i32):\n  jump b1(v0)\nb1(v1:i32):\n  v2:i32 = add v1, v0\n  ret v2\n}\n";
    assert_eq!(reparse(text).to_string(), want);
}

#[test]
fn errors_name_the_place() {
    let head = "module \"m\" addr 64 cl 0\nfunc f0 \"f\" {\nb0:\n";
    let of = |line: &str| error_of(&format!("{head}  {line}\n  ret\n}}\n"));
    for (line, column, what) in [
        ("v0:i32 = frob v1", 12, "no operation is called `frob`"),
        ("v0:i32 = add v1, v1", 3, "v1 is not defined here"),
        ("v0:i129 = const 1", 6, "expected a type, found `i129`"),
        ("v0:i8 = const 256", 17, "expected a constant of type i8, found `256`"),
        ("e0 = fence after e7", 3, "e7 is not defined here"),
        ("v0:i32 = load v0 align 4", 3, "an effect has an `eN` in front"),
        ("jump b7 b1:", 3, "b7 is not defined here"),
    ] {
        let text = of(line);
        assert!(text.contains(what), "{line}: {text}");
        assert!(text.contains(&format!("t.clir:4:{column}")), "{line}: {text}");
        assert!(text.contains(&format!("| {}", format_args!("  {line}"))), "{line}: {text}");
    }
    assert!(error_of("").contains("expected `module`, found the end of the text"));
    assert!(error_of("module \"m").contains("string without end"));
}

/// The attributes of a kernel, read and verified.
fn kernel_error(attributes: &str) -> Option<String> {
    let text =
        format!("module \"m\" addr 64 cl 0\nkernel f0 \"k\" {{\n{attributes}\nb0:\n  ret\n}}\n");
    match parse_module(&text) {
        Ok(module) => verify_module(&module).err().map(|e| e.render(&text_sources("t", &text))),
        Err(e) => Some(e.render(&text_sources("t", &text))),
    }
}

/// 4 sub-groups of 16: 49 to 64 work-items.
#[test]
fn work_groups_have_the_sub_groups_that_they_must_have() {
    for good in [
        "sub_groups 4 of 16",
        "max_work_group_size 7 7 1 sub_groups 4 of 16",
        "reqd_work_group_size 8 8 1 sub_groups 4 of 16",
        "reqd_work_group_size 49 1 1 sub_groups 4 of 16",
        "sub_groups 4096 of 16", // 65521 work-items are enough
        "sub_groups 1 of 32",
    ] {
        assert_eq!(kernel_error(good), None, "{good}");
    }
    for (bad, why) in [
        ("sub_groups 0 of 16", "0 sub-groups of 16 are no work-group"),
        ("sub_groups 2 of 0", "2 sub-groups of 0 are no work-group"),
        ("sub_groups 4097 of 16", "4097 sub-groups of 16 are no work-group of 1 to 65535"),
        ("sub_groups 4294967295 of 4294967295", "are no work-group"),
        ("sub_groups 4 16", "expected `of`"),
        ("max_work_group_size 48 1 1 sub_groups 4 of 16", "more than the largest work-group has"),
        ("reqd_work_group_size 48 1 1 sub_groups 4 of 16", "not what 48 x 1 x 1 work-items have"),
        ("reqd_work_group_size 13 5 1 sub_groups 4 of 16", "not what 13 x 5 x 1 work-items have"),
    ] {
        let error = kernel_error(bad).unwrap_or_default();
        assert!(error.contains(why), "{bad}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, rng_seed: RngSeed::Fixed(200), ..ProptestConfig::default() })]

    /// The generator numbers entities in layout order, so the module that is read back must be
    /// equal field by field, not only print alike.
    #[test]
    fn random_modules_survive(seed: u64) {
        let module = random::module(seed);
        let text = module.to_string();
        let back = reparse(&text);
        prop_assert_eq!(format!("{back:#?}"), format!("{module:#?}"));
        prop_assert_eq!(back.to_string(), text);
    }

    /// Damaged text gives an error or a module, never a panic; nor does the verifier.
    #[test]
    fn damaged_text_never_panics(seed: u64, at in 0usize..1 << 20, cut in 0usize..12, put in "[ -~\n]{0,8}") {
        let text = if seed.is_multiple_of(4) { EVERYTHING.into() } else { random::module(seed).to_string() };
        let chars: Vec<char> = text.chars().collect();
        let at = at % chars.len();
        let end = (at + cut).min(chars.len());
        let damaged: String = chars[..at].iter().copied().chain(put.chars()).chain(chars[end..].iter().copied()).collect();
        if let Ok(module) = parse_module(&damaged) {
            let _ = verify_module(&module);
            let again = reparse(&module.to_string());
            prop_assert_eq!(again.to_string(), module.to_string());
        }
    }
}
