//! The command line: exit codes, files written, streams.

use crate::common::{KERNEL, clhls, entries, program, scratch, text};
use driver::{DONE, FAILED, USAGE};
use std::process::Stdio;

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
fn every_stage_is_printed_and_can_go_to_a_file() {
    let (dir, input) = scratch();
    let stages = [
        ("ir", "module \"m\""),
        ("opt", "module \"m\""),
        ("schedule", "schedule \"twice\""),
        ("rtl", "; "),
        ("verilog", "//"),
        ("package", " "),
    ];
    for (stage, begin) in stages {
        let o = clhls(&["build", text(&input), "--emit", stage]);
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{stage}");
        assert!(o.out.starts_with(begin), "{stage}: {}", &o.out[..80.min(o.out.len())]);
        let file = dir.path().join(format!("{stage}.txt"));
        let dump = dir.path().join(format!("{stage}.dump"));
        let args = ["build", text(&input), "--emit", stage, "-o", text(&file)];
        let written = clhls(&[&args[..], &["--dump-dir", text(&dump)]].concat());
        assert_eq!((written.code, written.out.as_str()), (DONE, ""), "{stage}");
        assert_eq!(std::fs::read_to_string(&file).expect("written"), o.out, "{stage}");
        assert_eq!(std::fs::read_to_string(dump.join("00-ir.clir")).expect("kept"), KERNEL);
    }
}

#[test]
fn options_of_a_build_reach_the_design() {
    let (dir, input) = scratch();
    let out = dir.path().join("out");
    let build = |options: &[&str]| {
        let args = ["build", text(&input), "--board", "u250", "-q", "-o", text(&out)];
        let o = clhls(&[&args[..], options].concat());
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{options:?}");
        let report = std::fs::read_to_string(out.join("report.json")).expect("written");
        let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
        report["kernels"][0].clone()
    };
    let plain = build(&[]);
    let values =
        |k: &serde_json::Value| ["clock_mhz", "simd", "compute_units"].map(|n| k[n].to_string());
    assert_eq!(values(&plain), ["300.0", "16", "1"], "16 elements of 4 bytes fill the port");
    let options = ["--clock", "150", "--simd", "4", "--compute-units", "2", "--kernel", "twice"];
    assert_eq!(values(&build(&options)), ["150.0", "4", "2"]);
    for (level, simd) in [("-O0", "1"), ("-O1", "1"), ("-O2", "16")] {
        assert_eq!(values(&build(&[level]))[1], simd, "{level}");
    }
}

#[test]
fn several_kernels_may_be_chosen() {
    let dir = tempfile::tempdir().expect("scratch");
    let body = KERNEL.split_once("kernel f0").expect("there").1;
    let more = body.replace("\"twice\"", "\"again\"");
    let input = dir.path().join("two.clir");
    std::fs::write(&input, format!("{KERNEL}\nkernel f1{more}")).expect("written");
    let out = dir.path().join("out");
    let build = |kernels: &[&str]| {
        let args = ["build", text(&input), "--board", "unit", "-q", "-o", text(&out)];
        let o = clhls(&[&args[..], kernels].concat());
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{kernels:?}");
        o.out.lines().filter_map(|l| Some(l.split_once(": unit")?.0.to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(build(&[]), ["twice", "again"]);
    assert_eq!(build(&["--kernel", "again"]), ["again"]);
    assert_eq!(build(&["--kernel", "again", "--kernel", "twice"]), ["twice", "again"]);
    let o = clhls(&["run", text(&input), "--global", "1", "--arg", "io=zeros:u32[4]"]);
    assert_eq!(o.code, FAILED);
    assert!(o.err.contains("--kernel with one of twice, again"), "{}", o.err);
}

#[test]
fn boards_and_support_are_lists() {
    let boards = clhls(&["boards"]);
    for board in ["u250", "ulx3s", "unit"] {
        assert!(boards.out.lines().any(|l| l.starts_with(&format!("{board} "))), "{board}");
    }
    assert!(clhls(&["support"]).out.contains("| Kernel | yes |"));
    let (_dir, input) = scratch();
    assert_eq!(clhls(&["check", text(&input)]).out, "kernel twice(io: uint*)\n");
}

#[test]
fn completions_name_subcommands_and_options() {
    for shell in ["bash", "zsh", "fish"] {
        let o = clhls(&["completions", shell]);
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{shell}");
        for word in ["build", "run", "report", "boards", "support", "check", "mem-latency"] {
            assert!(o.out.contains(word), "{shell}: {word}");
        }
    }
    let script = clhls(&["completions", "bash"]).out;
    let (dir, _) = scratch();
    let path = dir.path().join("clhls.bash");
    std::fs::write(&path, script).expect("written");
    let checked = std::process::Command::new("bash").arg("-n").arg(&path).output().expect("bash");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for args in [&["support"][..], &["--help"], &["completions", "zsh"]] {
        let mut child = program()
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("started");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("ended");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
    // also one of the warnings
    let kernels =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testbenches/kernels");
    let mut child = program()
        .args(["check", text(&kernels.join("conv2d/kernel.cl"))])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    drop(child.stderr.take());
    assert_eq!(child.wait().expect("ended").code(), Some(0));
    // a device without room is one
    if let Ok(full) = std::fs::File::options().write(true).open("/dev/full") {
        let output = program().arg("support").stdout(full).output().expect("ran");
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("error[E0601]"));
    }
}

#[test]
fn progress_and_results_do_not_mix() {
    let (dir, input) = scratch();
    let out = dir.path().join("out");
    let args = ["build", text(&input), "--board", "unit", "-o", text(&out)];
    let output = program().args(args).output().expect("ran");
    let (stdout, stderr) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(stdout.starts_with("twice: unit at 250 MHz"), "{stdout}");
    assert!(
        stderr.lines().all(|l| l.starts_with("clhls: ")) && stderr.contains("schedule"),
        "{stderr}"
    );
    assert!(!stdout.contains('\x1b') && !stderr.contains('\x1b'), "no colours in files");
    let run = ["run", text(&input), "--global", "3", "--arg", "0=iota:u32[3]", "--json"];
    let output = program().args(run).output().expect("ran");
    assert!(output.stderr.is_empty());
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one object");
    for key in [
        "kernel",
        "device",
        "cycles",
        "launches",
        "bytes_read",
        "bytes_written",
        "loops",
        "seconds",
    ] {
        assert!(value.get(key).is_some(), "{key}");
    }
}

#[test]
fn a_symbolic_link_to_an_output_stays_one() {
    let (dir, input) = scratch();
    let (real, link) = (dir.path().join("real"), dir.path().join("link"));
    std::fs::create_dir(&real).expect("made");
    std::os::unix::fs::symlink(&real, &link).expect("made");
    let o = clhls(&["build", text(&input), "--board", "unit", "-q", "-o", text(&link)]);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    assert!(link.is_symlink() && real.join("manifest.json").exists());
    assert_eq!(entries(dir.path()), ["k.clir", "link", "real"]);
    let roundabout = dir.path().join("real/../new/./");
    let o = clhls(&["build", text(&input), "--board", "unit", "-q", "-o", text(&roundabout)]);
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    assert_eq!(entries(dir.path()), ["k.clir", "link", "new", "real"]);
}

#[test]
fn names_of_kernels_are_names_of_modules_and_constants() {
    let dir = tempfile::tempdir().expect("scratch");
    let input = dir.path().join("k.clir");
    let out = dir.path().join("out");
    let body = KERNEL.split_once("kernel f0").expect("there").1;
    let build = |names: [&str; 2]| {
        let kernel = |k: usize| format!("kernel f{k}{}", body.replace("twice", names[k]));
        let text_of = format!("module \"m\" addr 64 cl 120\n\n{}\n{}", kernel(0), kernel(1));
        std::fs::write(&input, text_of).expect("written");
        clhls(&["build", text(&input), "--board", "unit", "-q", "-o", text(&out)])
    };
    for (names, told) in [
        (["k", "k_b0_s0"], "kernels `k` and `k_b0_s0` would share a Verilog module"),
        (["k_b12_s3", "k"], "kernels `k_b12_s3` and `k` would share a Verilog module"),
        (["module", "module_"], "kernels `module` and `module_` would share a Verilog module"),
        (["k", "clhls_fifo"], "kernel `clhls_fifo`: modules of the library begin with `clhls_`"),
    ] {
        let o = build(names);
        assert_eq!((o.code, o.out.as_str()), (FAILED, ""), "{names:?}");
        assert!(o.err.starts_with(&format!("error[E0403]: {told}\n  = help: ")), "{}", o.err);
    }
    for names in [["k", "k_b"], ["k", "K"], ["always", "end"]] {
        let o = build(names);
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{names:?}");
        let host = std::fs::read_to_string(out.join("host/rust/src/lib.rs")).expect("written");
        let mut statics: Vec<&str> = host
            .lines()
            .filter(|l| l.starts_with("pub static") && l.contains(": Kernel"))
            .collect();
        statics.dedup();
        assert_eq!(statics.len(), 2, "{names:?}: {statics:?}");
    }
}

/// OpenCL C goes through options that keep the compilers' known defects out (docs/producers.md).
#[test]
fn opencl_c_means_what_it_says() {
    let (dir, _) = scratch();
    let input = dir.path().join("k.cl");
    let source = "
        inline int walk(int *p, int n)
        {
            for (int i = 0; i < n; i++)
                p[i & 7] += p[(i * 5) & 7];
            return p[3];
        }
        __kernel void k(__global const char *in, __global int *out)
        {
            int t[8];
            for (int i = 0; i < 8; i++)
                t[i] = convert_int(in[i]);
            for (int n = 0; n < 3; n++)
                out[n] = walk(t, in[n]);
        }";
    std::fs::write(&input, source).expect("written");
    for compiler in ["clang-15", "clang-22"] {
        let mut args =
            vec!["run", text(&input), "--compiler", compiler, "--global", "1", "--quiet"];
        args.extend(["--arg", "in=data:i8[8]:-1,-2,4,-4,5,6,-7,8", "--arg", "out=zeros:i32[3]"]);
        let o = clhls(&args);
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{compiler}");
        // By hand: n is negative, negative and 4; four steps end with p[3] += p[7], -4 + 8.
        assert!(o.out.ends_with("out: i32[3] -4 -4 4\n"), "{compiler}: {}", o.out);
    }
}
