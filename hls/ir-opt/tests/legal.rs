//! `legal::check` refuses each thing that hardware generation cannot take, by itself.

use ir_opt::legal;

/// The complaint about a kernel with these objects and blocks; empty when there is none.
fn complaint(body: &str) -> String {
    let text = format!(
        "module \"m\" addr 64 cl 200\nglobal g0 \"t\" local size 64 align 16\n\
         kernel f0 \"k\" {{\n  arg 0 \"a\" \"int*\" global size 8 align 4\n{body}}}\n\
         func f1 \"g\" {{\nb0:\n  ret\n}}\n"
    );
    let module = ir::parse::parse_module(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    ir::verify::verify_module(&module).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let (_, kernel) = module.kernel("k").expect("there is one");
    legal::check(kernel).err().map_or(String::new(), |e| e.to_string())
}

#[test]
fn legal_kernels_pass() {
    let body = "b0:\n  v0:ptr.global = arg 0\n  v1:i32 = const 0\n  jump b1(v1)\n\
        b1(v2:i32):\n  e0 = barrier.work_group local\n  e1 v3:i128 = load v0 align 16 after e0\n\
        \x20 v4:i32 = slice v3 lo 0\n  v5:i1 = icmp.eq v4, v2\n  br v5, b2, b3\n\
        b2:\n  jump b1(v4)\nb3:\n  ret\n";
    assert_eq!(complaint(body), "");
}

#[test]
fn each_violation_is_named() {
    let cases = [
        ("is a call", "b0:\n  e0 = call f1()\n  ret\n"),
        ("cannot be reached", "b0:\n  ret\nb1:\n  unreachable\n"),
        ("is a vector", "b0:\n  v0:i32 = const 1\n  v1:v2i32 = vec.build v0, v0\n  ret\n"),
        (
            "aligned to 2",
            "b0:\n  v0:ptr.global = arg 0\n  e0 v1:i32 = load v0 align 2 volatile\n  ret\n",
        ),
        (
            "accesses i24",
            "b0:\n  v0:ptr.global = arg 0\n  v1:i24 = const 0\n  e0 = store v0, v1 align 4\n  ret\n",
        ),
        (
            "generic memory",
            "b0:\n  v0:ptr.global = arg 0\n  v1:ptr.generic = spacecast v0\n\
             \x20 e0 v2:i32 = load v1 align 4\n  ret\n",
        ),
        (
            "ends in a switch",
            "b0:\n  v0:i32 = const 1\n  switch v0, 0: b1, default b2\nb1:\n  jump b2\nb2:\n  ret\n",
        ),
        ("2 blocks return", "b0:\n  v0:i1 = const 1\n  br v0, b1, b2\nb1:\n  ret\nb2:\n  ret\n"),
        ("is critical", "b0:\n  v0:i1 = const 1\n  br v0, b1, b2\nb1:\n  jump b2\nb2:\n  ret\n"),
        (
            "has no preheader",
            "b0:\n  v0:i1 = const 1\n  br v0, b1, b2\nb1:\n  jump b3\nb2:\n  jump b3\n\
             b3:\n  jump b3\n",
        ),
        (
            "barrier inside a block",
            "b0:\n  v0:i1 = const 1\n  e0 = barrier.work_group local\n  ret\n",
        ),
    ];
    for (what, body) in cases {
        let text = complaint(body);
        assert!(text.contains(what), "wanted `{what}`, got `{text}` for\n{body}");
    }
}

#[test]
fn a_function_is_no_kernel() {
    let func = {
        let mut f = ir::Function::new("f", 64);
        let b = f.add_block();
        f.blocks[b].term = ir::Terminator::Return(None);
        f
    };
    assert!(legal::check(&func).is_err());
}
