//! What the tests of the command line share.

use driver::{Streams, run};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a command gave.
pub struct Outcome {
    pub code: u8,
    pub out: String,
    pub err: String,
}

/// The command in this process.
pub fn clhls(args: &[&str]) -> Outcome {
    let (mut out, mut err) = (vec![], vec![]);
    let args = std::iter::once("clhls").chain(args.iter().copied()).map(Into::into);
    let code = run(args, &mut Streams { out: &mut out, err: &mut err });
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Outcome { code, out: text(out), err: text(err) }
}

/// A kernel that doubles what is in its buffer.
pub const KERNEL: &str = r#"module "m" addr 64 cl 120

kernel f0 "twice" {
  arg 0 "io" "uint*" global size 8 align 4
b0:
  v0:ptr.global = arg 0
  v1:i64 = workitem global_id 0
  v2:i64 = const 2
  v3:i64 = shl v1, v2
  v4:ptr.global = ptradd v0, v3
  e0 v5:i32 = load v4 align 4
  v6:i32 = add v5, v5
  e1 = store v4, v6 align 4 after e0
  ret
}
"#;

/// A scratch directory with `k.clir`.
pub fn scratch() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("scratch");
    let input = dir.path().join("k.clir");
    std::fs::write(&input, KERNEL).expect("written");
    (dir, input)
}

/// OpenCL C in a file of a directory of its own.
pub struct Source {
    _dir: tempfile::TempDir,
    /// The file, `k.cl`.
    pub path: PathBuf,
}

impl Source {
    pub fn new(kernels: &str) -> Self {
        let dir = tempfile::tempdir().expect("scratch");
        let path = dir.path().join("k.cl");
        std::fs::write(&path, kernels).expect("written");
        Source { _dir: dir, path }
    }
}

pub fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// The command as a process of its own, which builds simulators in the usual cache.
pub fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_clhls"))
}

/// Exit code and both streams of a process.
pub fn outcome(output: &Output) -> Outcome {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().and_then(|c| u8::try_from(c).ok());
    let code = code.unwrap_or_else(|| panic!("{:?}", output.status));
    Outcome { code, out: text(&output.stdout), err: text(&output.stderr) }
}

/// Names of the entries of a directory, in order.
pub fn entries(dir: &Path) -> Vec<String> {
    let items = std::fs::read_dir(dir).expect("listable");
    let name = |e: std::io::Result<std::fs::DirEntry>| e.expect("entry").file_name();
    let mut names: Vec<_> = items.map(|e| name(e).to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The files below a directory with their contents, in order.
pub fn files_below(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = vec![];
    for name in entries(dir) {
        let path = dir.join(&name);
        if path.is_dir() {
            let below = files_below(&path).into_iter();
            found.extend(below.map(|(n, contents)| (format!("{name}/{n}"), contents)));
        } else {
            found.push((name, std::fs::read(&path).expect("readable")));
        }
    }
    found
}
