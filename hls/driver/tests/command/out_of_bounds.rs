//! Accesses outside buffers end a run with an error that names line, address and buffer, in the
//! interpreter and in hardware.

use crate::common::{Outcome, outcome, program};
use driver::{DONE, FAILED};

/// `what` chooses the access; `d` is added to the index. Lines are those of the tests below.
const SOURCE: &str = "\
kernel void access(global const int *a, global int *b, global char *c, int what, int d) {
  int i = get_global_id(0);
  if (what == 0)
    b[i] = a[i + d];
  else if (what == 1)
    b[i + d] = a[i];
  else if (what == 2)
    atomic_add(&b[i + d], a[i]);
  else if (what == 3)
    c[i + d] = (char)i;
  else
    *(global int *)(size_t)(d * 4) = i;
}
kernel void row(global const int *a, global int *b, int n) {
  int i = get_global_id(0);
  b[i] = i < n ? a[i] : 7;
}
";

/// The interpreter, a narrow bus, a wide one, eight work-items at a time.
const TARGETS: [&[&str]; 4] =
    [&[], &["--board", "unit"], &["--board", "u250"], &["--board", "u250", "--simd", "8"]];

/// The kernels on one of [`TARGETS`].
struct Target {
    folder: tempfile::TempDir,
    options: &'static [&'static str],
}

impl Target {
    fn all() -> impl Iterator<Item = Target> {
        TARGETS.into_iter().map(|options| {
            let folder = tempfile::tempdir().expect("scratch");
            std::fs::write(folder.path().join("oob.cl"), SOURCE).expect("written");
            let target = Target { folder, options };
            if !options.is_empty() {
                let o = target.clhls(&[&["build", "oob.cl", "-q", "-o", "out"], options].concat());
                assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{options:?}");
            }
            target
        })
    }

    fn is_emu(&self) -> bool {
        self.options.is_empty()
    }

    fn clhls(&self, args: &[&str]) -> Outcome {
        let mut command = program();
        command.args(args).current_dir(self.folder.path());
        // simulators of the last run of these tests are used again
        command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
        outcome(&command.output().expect("ran"))
    }

    fn run(&self, kernel: &str, args: &[String]) -> Outcome {
        let input = if self.is_emu() { "oob.cl" } else { "out" };
        let mut line = vec!["run", input, "-q", "--global", "16", "--kernel", kernel];
        line.extend(args.iter().flat_map(|a| ["--arg", a.as_str()]));
        self.clhls(&line)
    }

    fn access(&self, what: u32, d: i64) -> Outcome {
        let buffers = ["a=iota:i32[16]", "b=zeros:i32[16]", "c=zeros:i8[16]"].map(str::to_owned);
        self.run("access", &[&buffers[..], &[format!("what={what}"), format!("d={d}")]].concat())
    }
}

#[track_caller]
fn reported(target: &Target, o: &Outcome, line: u32, parts: [&str; 2]) {
    let options = target.options;
    assert_eq!((o.code, o.out.as_str()), (FAILED, ""), "{options:?}: {}", o.err);
    let (code, part) = match target.is_emu() {
        true => ("error[E050", parts[0]),
        false => ("error[E0620]", parts[1]),
    };
    assert!(o.err.starts_with(code), "{options:?}: {}", o.err);
    assert!(o.err.contains(&format!("oob.cl:{line}:")), "not line {line}, {options:?}: {}", o.err);
    assert!(o.err.contains(part), "not `{part}`, {options:?}: {}", o.err);
    assert!(
        o.err.contains(" byte") && (target.is_emu() || o.err.contains("(address 0x")),
        "{}",
        o.err
    );
}

#[test]
fn loads_stores_and_atomics() {
    for target in Target::all() {
        for what in 0..4 {
            let o = target.access(what, 0);
            assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{:?} {what}", target.options);
        }
        for (what, line, name) in [(0, 4, "a"), (1, 6, "b"), (2, 8, "b")] {
            // the first element after the end, one before the beginning, far away
            for (d, emu, sim) in [
                (
                    1,
                    format!("offset 64 of argument `{name}` (64 bytes)"),
                    format!(
                        "bytes 64 to 67 of the buffer of argument `{name}`, which has 64 bytes"
                    ),
                ),
                (
                    -1,
                    format!("4 bytes before argument `{name}`"),
                    format!("bytes -4 to -1 of the buffer of argument `{name}`"),
                ),
                (
                    200_000_000,
                    "where no buffer is".to_owned(),
                    "memory that is in no buffer".to_owned(),
                ),
            ] {
                reported(&target, &target.access(what, d), line, [&emu, &sim]);
            }
        }
        // one byte beyond, and one before
        let beyond =
            ["offset 16 of argument `c` (16 bytes)", "byte 16 of the buffer of argument `c`"];
        reported(&target, &target.access(3, 1), 10, beyond);
        let before = ["1 byte before argument `c`", "byte -1 of the buffer of argument `c`"];
        reported(&target, &target.access(3, -1), 10, before);
        let null = ["through a null pointer: 4 bytes at address 0", "no buffer (address 0x0, "];
        reported(&target, &target.access(4, 0), 12, null);
    }
}

#[test]
fn parts_of_wide_accesses() {
    let args = |a: u32, b: u32, n: u32| {
        [format!("a=iota:i32[{a}]"), format!("b=zeros:i32[{b}]"), format!("n={n}")]
    };
    for target in Target::all().filter(|t| t.is_emu() || t.options.contains(&"--simd")) {
        // the last token reads four or none of its eight elements: what it does not read is no access
        for n in [12, 8] {
            let o = target.run("row", &args(n, 16, n));
            assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{:?} {n}", target.options);
        }
        let part = [
            "offset 48 of argument `a` (48 bytes)",
            "bytes 48 to 51 of the buffer of argument `a`",
        ];
        reported(&target, &target.run("row", &args(12, 16, 13)), 16, part);
        let part = [
            "offset 60 of argument `b` (60 bytes)",
            "bytes 60 to 63 of the buffer of argument `b`",
        ];
        reported(&target, &target.run("row", &args(16, 15, 16)), 16, part);
    }
}
