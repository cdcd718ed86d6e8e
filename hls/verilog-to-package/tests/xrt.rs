//! The packed .xclbin and the `kernel.xml` in it as the real XRT understands them (Debian: libxrt1 and libxrt-dev): its emulation
//! opens them, with no card and no vendor tool: `cargo test -p clhls-verilog-to-package --test xrt -- --ignored`.

mod common;

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use abi::ArgKind;
use common::{arg, kernel, manifest, rtl};
use target::Library;
use verilog_to_package::{PackOptions, pack};

/// Builds a program from `sources` in `dir` and runs it there with XRT's emulation that executes nothing; its output.
fn run_on_xrt(dir: &Path, sources: &[&str], args: &[&str]) -> String {
    let built =
        Command::new("cc").args(["-o", "main"]).args(sources).current_dir(dir).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    // XRT looks for its libraries in a folder `lib` of its installation
    symlink("/usr/lib/x86_64-linux-gnu", dir.join("lib")).unwrap();
    let mut main = Command::new(dir.join("main"));
    main.args(args).current_dir(dir);
    main.env("XCL_EMULATION_MODE", "noop").env("XILINX_XRT", dir).env("USER", "clhls");
    let out = main.output().unwrap();
    let (stdout, stderr) =
        (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "{:?}\n{stdout}{stderr}", out.status);
    stdout.into_owned()
}

fn xclbin<'a>(files: &'a base::FileSet, design: &str) -> &'a [u8] {
    files.get(&format!("package/emulation/{design}.xclbin")).unwrap()
}

/// The generated C code opens a card, takes a kernel for itself, moves buffers, and gets as far as the kernel's registers, which this
/// emulation refuses to have.
#[test]
#[ignore = "needs XRT (libxrt1)"]
fn generated_c_host_works_on_xrt() {
    let design = common::vadd("u250", 512);
    let board = Library::builtin().board("u250").unwrap();
    let files = pack(&design, &rtl(&["vadd"]), &board, &PackOptions::default()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    common::write(&files, dir.path());
    let host = dir.path().join("host");
    std::fs::write(host.join("vadd.xclbin"), xclbin(&files, "vadd")).unwrap();
    std::fs::write(host.join("main.c"), include_str!("data/xrt_host.c")).unwrap();
    let sources = [&["main.c", "vadd.c"], &common::C_RUNTIME[..]].concat();
    let out = run_on_xrt(&host, &sources, &[]);
    let lines: Vec<&str> = out.lines().collect();
    assert!(
        lines[0].starts_with("XRT: write register") && lines[1].starts_with("XRT: missing.xclbin"),
        "{out}"
    );
}

#[test]
#[ignore = "needs XRT (libxrt1, libxrt-dev)"]
fn xrt_finds_every_argument() {
    let args = vec![
        arg(0, "y", "float*", ArgKind::GlobalPtr),
        arg(1, "x", "float*", ArgKind::ConstantPtr),
        arg(2, "a", "float", ArgKind::Scalar),
        arg(3, "scratch", "float*", ArgKind::LocalPtr),
        arg(4, "v", "float4", ArgKind::Scalar),
    ];
    let mut design = manifest("saxpy", vec![kernel("saxpy", args, "u250", 512)]);
    let second = design.kernels[0].memory_ports[0].clone();
    design.kernels[0]
        .memory_ports
        .push(abi::MemoryPort { name: "m_axi_gmem1".to_owned(), ..second });
    design.kernels[0].signature.args[1].port = Some("m_axi_gmem1".to_owned());
    let board = Library::builtin().board("u250").unwrap();
    let files = pack(&design, &rtl(&["saxpy"]), &board, &PackOptions::default()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    std::fs::write(path("saxpy.xclbin"), xclbin(&files, "saxpy")).unwrap();
    std::fs::write(path("main.c"), include_str!("data/xrt_metadata.c")).unwrap();
    let sources = ["main.c", "-I/usr/include/xrt", "-lxrt_coreutil"];
    let stdout = run_on_xrt(dir.path(), &sources, &["saxpy.xclbin", "saxpy", "17"]);

    // offsets by hand from the layout rule; the local pointer has no argument
    let mut expected =
        vec!["0 0x010 group 0", "1 0x01c group 1", "2 0x028", "3 0x030", "4 0x044", "5 0x04c"];
    expected.extend([
        "6 0x054", "7 0x05c", "8 0x064", "9 0x06c", "10 0x074", "11 0x07c", "12 0x084", "13 0x08c",
    ]);
    expected.extend(["14 0x094", "15 0x09c", "16 0x0a4"]);
    let lines: Vec<&str> = stdout.lines().filter(|l| l.contains(" 0x")).collect();
    assert_eq!(lines, expected, "{stdout}");
}
