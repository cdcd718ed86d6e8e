//! Embeds the RTL library: every `.v` file of `rtl-templates/lib` and `rtl-templates/axi`.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../rtl-templates");
    let mut table = String::from("&[\n");
    for folder in ["lib", "axi"] {
        let dir = root.join(folder);
        println!("cargo::rerun-if-changed={}", dir.display());
        let Ok(entries) = fs::read_dir(&dir) else { continue };
        let mut files: Vec<_> = entries.flatten().map(|e| e.path()).collect();
        files.sort();
        for file in files {
            if file.extension().is_some_and(|e| e == "v") {
                let name = file.file_stem().unwrap().to_string_lossy().into_owned();
                let path = file.canonicalize().unwrap();
                println!("cargo::rerun-if-changed={}", path.display());
                writeln!(table, "    ({name:?}, include_str!({:?})),", path.display()).unwrap();
            }
        }
    }
    table.push_str("]\n");
    let out = Path::new(&env::var("OUT_DIR").unwrap()).join("library.rs");
    fs::write(out, table).unwrap();
}
