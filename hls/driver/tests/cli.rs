//! The command line: exit codes, files written and left alone, missing tools.

use driver::{DONE, FAILED, Streams, USAGE, run};
use std::path::{Path, PathBuf};

struct Outcome {
    code: u8,
    out: String,
    err: String,
}

fn clhls(args: &[&str]) -> Outcome {
    let (mut out, mut err) = (vec![], vec![]);
    let args = std::iter::once("clhls").chain(args.iter().copied()).map(Into::into);
    let code = run(args, &mut Streams { out: &mut out, err: &mut err });
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Outcome { code, out: text(out), err: text(err) }
}

const KERNEL: &str = r#"module "m" addr 64 cl 120

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
fn scratch() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("scratch");
    let input = dir.path().join("k.clir");
    std::fs::write(&input, KERNEL).expect("written");
    (dir, input)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn usage_errors_are_2_and_help_is_0() {
    assert_eq!(clhls(&["build"]).code, USAGE);
    assert_eq!(clhls(&["frobnicate"]).code, USAGE);
    assert_eq!(clhls(&["run", "x", "--global", "many"]).code, USAGE);
    for args in [&["--help"][..], &["build", "--help"], &["run", "--help"], &["--version"]] {
        let o = clhls(args);
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{args:?}");
        assert!(!o.out.is_empty());
    }
    assert!(clhls(&["run", "--help"]).out.contains("Examples:"));
    assert!(clhls(&["completions", "bash"]).out.contains("complete"));
}

#[test]
fn a_build_is_written_as_a_whole() {
    let (dir, input) = scratch();
    let out = dir.path().join("out");
    let o = clhls(&["build", text(&input), "--board", "unit", "-o", text(&out), "--quiet"]);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    for file in ["manifest.json", "report.json", "report.html", "rtl/twice.v", "sim/files.f"] {
        assert!(out.join(file).exists(), "{file}");
    }
    std::fs::write(out.join("stale"), "").expect("written");
    assert_eq!(clhls(&["build", text(&input), "--board", "unit", "-o", text(&out)]).code, DONE);
    assert!(!out.join("stale").exists(), "the directory is replaced");
    let report = clhls(&["report", text(&out)]);
    assert!(report.out.contains("kernel twice on unit"), "{}", report.out);
    let left: Vec<_> = std::fs::read_dir(dir.path())
        .expect("read")
        .map(|e| e.expect("entry").file_name())
        .collect();
    assert_eq!(left.len(), 2, "only k.clir and out: {left:?}");
}

#[test]
fn a_failed_build_changes_nothing() {
    let (dir, input) = scratch();
    let out = dir.path().join("out");
    let build = |kernel: &str| {
        clhls(&["build", text(&input), "--board", "unit", "-o", text(&out), "--kernel", kernel])
    };
    let o = build("thrice");
    assert_eq!(o.code, FAILED);
    assert!(o.err.contains("there is no kernel `thrice`"), "{}", o.err);
    assert!(!out.exists());
    assert_eq!(build("twice").code, DONE);
    let before =
        std::fs::metadata(out.join("manifest.json")).expect("there").modified().expect("time");
    assert_eq!(build("thrice").code, FAILED);
    let after =
        std::fs::metadata(out.join("manifest.json")).expect("there").modified().expect("time");
    assert_eq!(before, after);
    let foreign = dir.path().join("mine");
    std::fs::create_dir(&foreign).expect("made");
    std::fs::write(foreign.join("thesis.txt"), "").expect("written");
    let o = clhls(&["build", text(&input), "--board", "unit", "-o", text(&foreign)]);
    assert_eq!(o.code, FAILED);
    assert!(o.err.contains("is not the output of a build"), "{}", o.err);
    assert!(foreign.join("thesis.txt").exists());
}

#[test]
fn a_run_writes_its_buffers() {
    let (dir, input) = scratch();
    let out = dir.path().join("io.npy");
    let o = clhls(&[
        "run",
        text(&input),
        "--global",
        "3",
        "--arg",
        "io=data:u32[3]:1,2,3",
        "--quiet",
        "--out",
        &format!("io={}", text(&out)),
    ]);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    assert_eq!(o.out, "twice on emu: 3 work-items\nio: u32[3] 2 4 6\n");
    let bytes = std::fs::read(&out).expect("written");
    assert!(bytes.ends_with(&[2, 0, 0, 0, 4, 0, 0, 0, 6, 0, 0, 0]));
    let o = clhls(&["run", text(&input), "--global", "3", "--arg", "0=iota:u32[3]", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&o.out).expect("JSON");
    assert_eq!((&value["kernel"], &value["work_items"]), (&"twice".into(), &3.into()));
}

#[test]
fn dumps_show_every_stage() {
    let (dir, input) = scratch();
    let dump = dir.path().join("dump");
    let o = clhls(&["build", text(&input), "--emit", "schedule", "--dump-dir", text(&dump)]);
    assert!(o.out.starts_with("schedule \"twice\" "), "{}", o.out);
    let mut names: Vec<String> = std::fs::read_dir(&dump)
        .expect("made")
        .map(|e| e.expect("entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    assert!(names.iter().any(|n| n.starts_with("01-opt.")), "{names:?}");
    assert!(names.contains(&"30-twice.sched".to_owned()), "{names:?}");
    assert_eq!(clhls(&["build", text(&input), "--emit", "ir"]).out, KERNEL);
    let o = clhls(&["build", text(&input), "--emit", "rtl"]);
    assert!(o.out.contains("\nmodule twice clocked ap {\n"), "{}", o.out);
    assert!(o.out.contains("  instance u_dispatcher of clhls_dispatcher "), "{}", o.out);
    let o = clhls(&["build", text(&input), "--emit", "package", "--dump-dir", text(&dump)]);
    let listed = |name: &str| o.out.lines().any(|l| l.ends_with(&format!(" {name}")));
    assert!(["rtl/twice.v", "manifest.json", "report.html"].iter().all(|n| listed(n)), "{}", o.out);
    for name in ["40-twice.rtl", "50-twice.v", "60-manifest.json"] {
        assert!(dump.join(name).is_file(), "{name}");
    }
}

#[test]
fn unreadable_inputs_are_named() {
    let (dir, _) = scratch();
    for (name, contents, code) in [
        ("absent.spv", None, "E0601"),
        ("absent.cl", None, "E0601"),
        ("notes.txt", Some(&b"hello"[..]), "E0602"),
        ("cut.spv", Some(&[3, 2, 35, 7, 0, 0][..]), "E0101"),
        ("latin.clir", Some(&[0xff, 0xfe][..]), "E0601"),
    ] {
        let path = dir.path().join(name);
        if let Some(contents) = contents {
            std::fs::write(&path, contents).expect("written");
        }
        let o = clhls(&["check", text(&path)]);
        assert_eq!(o.code, FAILED, "{name}");
        assert!(o.err.contains(&format!("error[{code}]")), "{name}: {}", o.err);
    }
}
