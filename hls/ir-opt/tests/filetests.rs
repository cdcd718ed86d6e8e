//! Runs the files of `testbenches/filetests/ir-opt`. The first line of `name.clir` says which
//! passes run (`; passes: sroa dce`, or `-O0`), another one how many address bits the memory needs
//! (`; address-bits: 32`); the module that comes out is `name.expect`.
//! `CLHLS_BLESS=1 cargo test -p clhls-ir-opt` rewrites the expectations; read the difference.

use ir_opt::{Level, Options};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testbenches/filetests/ir-opt")
}

fn options(text: &str) -> Options<'static> {
    let header = text.lines().next().and_then(|l| l.strip_prefix("; passes:"));
    let header = header.expect("the first line is `; passes: ...`").trim();
    let level = match header {
        "-O0" => Some(Level::O0),
        "-O1" => Some(Level::O1),
        "-O2" => Some(Level::O2),
        _ => None,
    };
    let address_bits = text.lines().find_map(|l| l.strip_prefix("; address-bits:"));
    let address_bits = address_bits.map_or(64, |n| n.trim().parse().expect("a number"));
    let aligned_pointers = text.lines().any(|l| l == "; aligned-pointers");
    let options = Options { address_bits, aligned_pointers, ..Options::default() };
    let names = || header.split_whitespace().map(str::to_owned).collect();
    match level {
        Some(level) => Options { level, ..options },
        None => Options { passes: Some(names()), ..options },
    }
}

#[test]
fn expectations() {
    let bless = std::env::var_os("CLHLS_BLESS").is_some();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder())
        .expect("the folder is there")
        .map(|e| e.expect("readable").path())
        .filter(|p| p.extension().is_some_and(|e| e == "clir"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let mut wrong = vec![];
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("readable");
        let sources = ir::parse::text_sources(&name, &text);
        let module =
            ir::parse::parse_module(&text).unwrap_or_else(|e| panic!("{}", e.render(&sources)));
        ir::verify::verify_module(&module).unwrap_or_else(|e| panic!("{name}: {e}"));
        let family = target::Family::unit();
        let out = ir_opt::run(module, &[], &options(&text), &family);
        let got = match out {
            Ok(m) => m.to_string(),
            Err(e) => e.render(&sources),
        };
        let expect = path.with_extension("expect");
        if bless {
            std::fs::write(&expect, got).expect("writable");
        } else if std::fs::read_to_string(&expect).unwrap_or_default() != got {
            wrong.push(format!("{name} gives\n{got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
