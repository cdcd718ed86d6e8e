//! Embeds the templates of packages and shells, and the host runtimes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Folders whose files are embedded, and the beginning of the file names to take.
const FOLDERS: [(&str, &str); 5] = [
    ("../../rtl-templates/package", ""),
    ("../../rtl-templates/shell", "clhls_uart_bridge"),
    // what the shell uses of the library
    ("../../rtl-templates/lib", "clhls_ram.v"),
    ("../../rtl-templates/lib", "clhls_ecp5_ram"),
    ("runtime", ""),
];

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let mut table = String::from("[\n");
    for (folder, prefix) in FOLDERS {
        let dir = here.join(folder);
        println!("cargo::rerun-if-changed={}", dir.display());
        for (name, path) in files(&dir)?.into_iter().filter(|(name, _)| name.starts_with(prefix)) {
            println!("cargo::rerun-if-changed={}", path.display());
            writeln!(table, "    ({name:?}, include_str!({path:?})),")
                .expect("writing to a string");
        }
    }
    table.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    fs::write(out.join("templates.rs"), table)
}

/// Names and paths of the files in `dir`, sorted.
fn files(dir: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_file() {
            let name = path
                .file_name()
                .expect("a file has a name")
                .to_str()
                .expect("file names here are UTF-8");
            found.push((name.to_owned(), path.clone()));
        }
    }
    found.sort();
    Ok(found)
}
