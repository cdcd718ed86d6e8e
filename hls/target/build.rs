//! Embeds every file of `board-support/` in the crate, so that adding a board is adding a folder.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"))
        .join("../../board-support");
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();

    let mut table = String::from("[\n");
    for file in &files {
        let path = file.strip_prefix(&root).expect("found below the root");
        let name = path.to_str().expect("file names of this repository are UTF-8");
        let name = name.replace('\\', "/");
        writeln!(table, "    ({name:?}, include_bytes!({file:?}) as &[u8]),")
            .expect("writing to a string");
    }
    table.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    fs::write(out.join("board_support.rs"), table)
}

/// Adds the files below `dir` to `files`; tells cargo to look at each folder and file again when it changes.
fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", dir.display());
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            println!("cargo::rerun-if-changed={}", path.display());
            files.push(path);
        }
    }
    Ok(())
}
