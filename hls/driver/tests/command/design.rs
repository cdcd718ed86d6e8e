//! Design files, names of streams and values of specialization constants: what they do, and what is said of wrong ones.

use crate::common::{self, Outcome, clhls, text};
use driver::{DONE, FAILED, USAGE};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testbenches/filetests/spirv-to-ir").join(name)
}

fn built(input: &Path, dir: &Path, args: &[&str]) -> Outcome {
    clhls(&[&["build", text(input), "-q", "-o", text(dir)][..], args].concat())
}

#[test]
fn streams_have_the_names_that_are_given() {
    let dir = tempfile::tempdir().expect("scratch");
    let (input, out) = (fixture("connected_pipe.spv"), dir.path().join("out"));
    let args = ["--kernel", "forward", "--board", "u250", "--connect"];
    let o = built(
        &input,
        &out,
        &[&args[..], &["forward.in=stream:s_axis_numbers:32", "--connect", "forward.out=stream"]]
            .concat(),
    );
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    let verilog = std::fs::read_to_string(out.join("rtl/forward.v")).expect("written");
    for port in ["s_axis_numbers_tvalid", "s_axis_numbers_tdata", "axis_out_tready"] {
        assert!(verilog.contains(port), "{port}");
    }
    assert!(!verilog.contains("axis_in_tvalid"), "the usual name is gone");
    let xml = std::fs::read_to_string(out.join("package/forward/kernel.xml")).expect("written");
    assert!(xml.contains(r#"<port name="s_axis_numbers" mode="read_only""#), "{xml}");
    let report = clhls(&["report", text(&out)]).out;
    assert!(report.contains("AXI4-Stream s_axis_numbers into the kernel"), "{report}");

    let o = built(
        &input,
        &out,
        &[&args[..], &["forward.in=stream:axis_out", "--connect", "forward.out=stream"]].concat(),
    );
    let what = "error[E0119]: kernel `forward`: the streams of pipes `in` and `out` would both be `axis_out`";
    assert!(o.code == FAILED && o.err.contains(what), "{}", o.err);
    let o = built(&input, &out, &[&args[..], &["forward.in=stream:m_axi_x"]].concat());
    assert!(o.code == USAGE && o.err.contains("names of the kernel's other ports"), "{}", o.err);
}

/// What `spec_values.spv` gives with values.
fn values(args: &[&str]) -> Outcome {
    let input = fixture("spec_values.spv");
    let run = ["run", text(&input), "-q", "--global", "1", "--arg", "out=zeros:u32[4]"];
    clhls(&[&run[..], args].concat())
}

#[test]
fn specialization_constants_get_values_of_their_types() {
    // twice the width, the bits of the scale, 1 for true, the small one with its sign
    assert!(values(&[]).out.contains("out: u32[4] 10 1065353216 1 7"));
    let given = ["--spec-constant", "3=0x10", "--spec-constant", "scale=-2"];
    let more = ["--spec-constant", "deep=false", "--spec-constant", "12=-1"];
    let o = values(&[given, more].concat());
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    assert!(o.out.contains("out: u32[4] 32 3221225472 2 4294967295"), "{}", o.out);
    for (value, what) in [
        ("4=1", "the module has no specialization constant `4`"),
        ("depth=1", "the module has no specialization constant `depth`"),
        (
            "12=256",
            "`256` is no value of specialization constant 12, which is i8: an integer from -128 to 255",
        ),
        (
            "deep=2",
            "`2` is no value of specialization constant 9 `deep`, which is bool: true or false",
        ),
    ] {
        let o = values(&["--spec-constant", value]);
        assert!(o.code == FAILED && o.err.contains(&format!("error[E0118]: {what}")), "{}", o.err);
    }
    let o = values(&["--spec-constant", "4=1"]);
    assert!(
        o.err.contains("it has 3 `width` (i32), 7 `scale` (f32), 9 `deep` (bool), 12 (i8)"),
        "{}",
        o.err
    );
    let o = values(&["--spec-constant", "3=1", "--spec-constant", "width=2"]);
    assert!(o.err.contains("specialization constant 3 `width` is given two values"), "{}", o.err);
    assert_eq!(values(&["--spec-constant", "3"]).code, USAGE);

    let (dir, input) = common::scratch();
    let o = clhls(&["check", text(&input), "--spec-constant", "3=1"]);
    assert!(o.err.contains("IR text has no specialization constants"), "{}", o.err);
    drop(dir);
}

#[test]
fn a_size_of_work_groups_that_is_not_possible_is_the_users_value() {
    let input = fixture("local_size_spec.spv");
    let check = |args: &[&str]| clhls(&[&["check", text(&input)][..], args].concat());
    assert_eq!(check(&["--spec-constant", "width=8"]).code, DONE);
    for (value, what) in [
        ("width=0", "its work-groups would have no work-items in a dimension"),
        ("2=0x100000000", "its work-groups would have 4294967296 work-items in a dimension"),
    ] {
        let o = check(&["--spec-constant", value]);
        assert!(o.code == FAILED && o.err.contains("error[E0118]"), "{}", o.err);
        assert!(o.err.contains(what) && o.err.contains("--spec-constant ID=VALUE"), "{}", o.err);
    }
    // not a value that a number gives
    let o = clhls(&["check", text(&fixture("bad_group_size.spv"))]);
    assert!(o.code == FAILED && !o.err.contains("E0118"), "{}", o.err);
}

#[test]
fn the_manifest_keeps_the_values() {
    let dir = tempfile::tempdir().expect("scratch");
    let out = dir.path().join("out");
    let args = ["--board", "unit", "--spec-constant", "width=4", "--spec-constant", "12=3"];
    let o = built(&fixture("spec_values.spv"), &out, &args);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    let manifest: serde_json::Value =
        serde_json::from_str(&clhls(&["report", text(&out), "--json"]).out).expect("an object");
    let wanted =
        serde_json::json!([{"id": 3, "name": "width", "value": "4"}, {"id": 12, "value": "3"}]);
    assert_eq!(manifest["spec_constants"], wanted);
    let report = clhls(&["report", text(&out)]).out;
    assert!(report.ends_with("specialization constants\n  3 width = 4\n  12 = 3\n"), "{report}");
}

#[test]
fn a_design_file_means_what_its_options_mean() {
    let dir = tempfile::tempdir().expect("scratch");
    let (input, file) = (fixture("connected_pipe.spv"), dir.path().join("d.toml"));
    let text_of_it = "board = \"u250\"\nclock = 150\nkernels = [\"forward\"]\n\n[[stream]]\narg = \"forward.in\"\nname = \"numbers\"\ndepth = 32\n\n[[stream]]\narg = \"forward.out\"\n";
    std::fs::write(&file, text_of_it).expect("written");
    let (one, other) = (dir.path().join("one"), dir.path().join("other"));
    let o = built(&input, &one, &["--design", text(&file)]);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    let options = [
        "--board",
        "u250",
        "--clock",
        "150",
        "--kernel",
        "forward",
        "--connect",
        "forward.in=stream:numbers:32",
        "--connect",
        "forward.out=stream",
    ];
    let o = built(&input, &other, &options);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    let read = |dir: &Path, name: &str| std::fs::read(dir.join(name)).expect("written");
    for name in ["manifest.json", "rtl/forward.v", "package/forward/kernel.xml"] {
        assert_eq!(read(&one, name), read(&other, name), "{name}");
    }

    // Options of the command line go before, or are added.
    let o = built(
        &input,
        &one,
        &["--design", text(&file), "--clock", "100", "--connect", "forward.in=stream:words"],
    );
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    let report = clhls(&["report", text(&one)]).out;
    for part in ["on u250 at 100 MHz", "AXI4-Stream words into", "AXI4-Stream axis_out out of"] {
        assert!(report.contains(part), "{part}: {report}");
    }
    // What a command has no use for is no mistake.
    let o = clhls(&["check", text(&input), "--design", text(&file)]);
    assert!(o.code == DONE, "{}", o.err);
}

#[test]
fn constants_of_a_design_file_are_given_and_replaced() {
    let dir = tempfile::tempdir().expect("scratch");
    let file = dir.path().join("d.toml");
    std::fs::write(&file, "[spec-constants]\nwidth = 0x10\nscale = 0.5\ndeep = false\n")
        .expect("written");
    let o = values(&["--design", text(&file)]);
    assert!(o.out.contains("out: u32[4] 32 1056964608 2 7"), "{}{}", o.out, o.err);
    let o = values(&["--design", text(&file), "--spec-constant", "width=1"]);
    assert!(o.out.contains("out: u32[4] 2 1056964608 2 7"), "{}{}", o.out, o.err);
}

#[test]
fn wrong_design_files_are_refused_with_the_place() {
    let dir = tempfile::tempdir().expect("scratch");
    let (input, file) = (fixture("connected_pipe.spv"), dir.path().join("d.toml"));
    let out = dir.path().join("out");
    for (text_of_it, told) in [
        ("board = \"unit\"\nclocks = 3\n", "d.toml:2: key `clocks`: there is no such key"),
        ("board = \"unit\"\nlevel = 7\n", "d.toml:2: key `level`: invalid value '7'"),
        (
            "board = \"unit\"\n\n[[stream]]\narg = \"forward.in\"\ndepth = 0\n",
            "d.toml:3: key `stream`: invalid value",
        ),
        ("board = \"unit\n", "d.toml:1: "),
    ] {
        std::fs::write(&file, text_of_it).expect("written");
        let o = built(&input, &out, &["--design", text(&file)]);
        assert!(
            o.code == FAILED && o.err.contains("error[E0616]") && o.err.contains(told),
            "{}",
            o.err
        );
        assert!(!out.exists(), "nothing half-written");
    }
    // What only the kernels tell has its place in the file, too.
    for (text_of_it, code, told) in [
        (
            "board = \"unit\"\nkernels = [\"forward\"]\n\n[[stream]]\narg = \"forward.nothing\"\n",
            "E0119",
            "d.toml:4: key `stream` says so",
        ),
        (
            "board = \"unit\"\n[[connect]]\nfrom = \"forward.in\"\nto = \"forward.out\"\n",
            "E0119",
            "d.toml:2: key `connect` says so",
        ),
        ("board = \"nowhere\"\n", "E0606", "d.toml:1: key `board` says so"),
        ("board = \"unit\"\nkernels = [\"none\"]\n", "E0109", "d.toml:2: key `kernels` says so"),
    ] {
        std::fs::write(&file, text_of_it).expect("written");
        let o = built(&input, &out, &["--design", text(&file)]);
        assert!(o.code == FAILED && o.err.contains(code) && o.err.contains(told), "{}", o.err);
    }
    let o = built(&input, &out, &["--design", text(&dir.path().join("none.toml"))]);
    assert!(o.code == FAILED && o.err.contains("error[E0601]"), "{}", o.err);
}
