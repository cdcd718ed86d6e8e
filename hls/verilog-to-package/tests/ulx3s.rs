//! The serial shell: the packed design as a program behind its serial line, driven by the generated host code.

mod common;

use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use target::Library;
use verilog_to_package::{PackError, PackOptions, pack};

/// Runs a command that must succeed; its standard output.
fn run(command: &mut Command) -> String {
    let out = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(out.status.success(), "{command:?}\n{}{}", text(&out.stdout), text(&out.stderr));
    text(&out.stdout)
}

fn pack_into(dir: &Path, board: &str) {
    let board = Library::builtin().board(board).unwrap();
    let rtl = common::rtl(&["vadd"]);
    let files =
        pack(&common::vadd(&board.name, 64), &rtl, &board, &PackOptions::default()).unwrap();
    common::write(&files, dir);
    common::write(&rtl, dir);
}

/// Builds the packed design's simulation; its path.
fn simulator(dir: &Path, board: &str) -> PathBuf {
    pack_into(dir, board);
    run(Command::new("make").arg("-s").arg("sim").current_dir(dir.join("package")));
    dir.join("package/sim/vadd-sim")
}

/// The generated C and Rust hosts launch a kernel of the packed design over its serial line and get the right sums.
#[test]
fn generated_hosts_drive_the_simulated_board() {
    let dir = tempfile::tempdir().unwrap();
    let simulator = simulator(dir.path(), "ulx3s");
    c_host(dir.path(), &simulator);
    rust_host(dir.path(), &simulator);
}

/// The same with the memory in a model of the SDRAM chip, which stops when a command breaks the data sheet's rules.
#[test]
fn generated_hosts_drive_the_simulated_board_with_sdram() {
    let dir = tempfile::tempdir().unwrap();
    let simulator = simulator(dir.path(), "ulx3s-sdram");
    c_host(dir.path(), &simulator);
}

fn c_host(dir: &Path, simulator: &Path) {
    let host = dir.join("host");
    std::fs::write(host.join("main.c"), include_str!("data/vadd_host.c")).unwrap();
    let flags = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-o", "program"];
    let cc = &mut Command::new("cc");
    run(cc.args(flags).args(["main.c", "vadd.c"]).args(common::C_RUNTIME).current_dir(&host));

    let (ours, theirs) = UnixStream::pair().unwrap();
    let theirs = OwnedFd::from(theirs);
    let mut board = Command::new(simulator)
        .stdin(theirs.try_clone().unwrap())
        .stdout(theirs)
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    // the host program has the socket as file descriptor 3
    let fd = ours.as_raw_fd();
    let script = format!("exec ./program 3<&0 </dev/null # {fd}");
    let output =
        run(Command::new("sh").arg("-c").arg(script).stdin(OwnedFd::from(ours)).current_dir(&host));
    assert!(board.wait().unwrap().success());

    let counters: Vec<u64> = output.split_whitespace().map(|n| n.parse().unwrap()).collect();
    // 301 elements: 151 pairs, each two reads and one write
    assert_eq!(&counters[1..], [301, 302, 151]);
    assert!(counters[0] > 3 * 151, "{output}");
}

fn rust_host(dir: &Path, simulator: &Path) {
    let rust = dir.join("host/rust");
    std::fs::write(rust.join("main.rs"), include_str!("data/vadd_host.rs")).unwrap();
    let output = run(Command::new(common::rust_program(&rust, "vadd")).arg(simulator));
    assert_eq!(output, "ok\n");
}

/// Both memories answer several masters at once as their model does, and as fast as they can.
#[test]
fn the_memories_serve_several_masters() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["../../rtl-templates/shell", "../../rtl-templates/lib"].map(|f| here.join(f));
    let dir = tempfile::tempdir().unwrap();
    for memory in ["-DBLOCK_RAM", "-DSDRAM"] {
        let mut iverilog = Command::new("iverilog");
        iverilog
            .args(["-g2012", "-s", "bench", "-o", "bench.vvp", memory])
            .arg(here.join("tests/data/ram_bench.v"));
        folders.iter().for_each(|folder| {
            iverilog.arg("-y").arg(folder);
        });
        run(iverilog.current_dir(dir.path()));
        for seed in 1..=3 {
            let out = run(Command::new("vvp")
                .args(["-n", "bench.vvp", &format!("+seed={seed}")])
                .current_dir(dir.path()));
            assert!(out.contains("PASS"), "{memory} seed {seed}: {out}");
        }
    }
}

/// The shell is clean under Verilator's lint, with several kernels and memory ports too.
#[test]
fn the_shell_is_lint_clean() {
    for board in ["ulx3s", "ulx3s-sdram"] {
        lint(board);
    }
}

fn lint(board: &str) {
    let board = Library::builtin().board(board).unwrap();
    let mut design = common::vadd("ulx3s", 64);
    let mut second = design.kernels[0].clone();
    second.signature.name = "second".to_owned();
    second.top = "second".to_owned();
    second.memory_ports[0].id_bits = 8; // of a kernel with many memory units
    design.kernels.push(second);
    let rtl = common::rtl(&["vadd", "second"]);
    let dir = tempfile::tempdir().unwrap();
    let files = pack(&design, &rtl, &board, &PackOptions::default()).unwrap();
    common::write(&files, dir.path());
    let verilog = include_str!("data/vadd.v");
    std::fs::create_dir(dir.path().join("rtl")).unwrap();
    std::fs::write(dir.path().join("rtl/vadd.v"), verilog).unwrap();
    std::fs::write(
        dir.path().join("rtl/second.v"),
        verilog
            .replace("module vadd", "module second")
            .replace("[5:0]  m_axi", "[7:0]  m_axi")
            .replace("6'd5", "8'd5")
            .replace("6'd9", "8'd9"),
    )
    .unwrap();

    let shell = std::fs::read_dir(dir.path().join("package/shell")).unwrap();
    let shell: Vec<_> = shell.map(|entry| entry.unwrap().path()).collect();
    let mut verilator = Command::new("verilator");
    // `interrupt` is a name that AMD's tools demand; pins without a use are left open on purpose
    verilator.args([
        "--lint-only",
        "-Wall",
        "-Wno-SYMRSVDWORD",
        "-Wno-PINCONNECTEMPTY",
        "--top-module",
        "clhls_uart_bridge_system",
    ]);
    run(verilator.args(&shell).args(["rtl/vadd.v", "rtl/second.v"]).current_dir(dir.path()));
    let mut iverilog = Command::new("iverilog");
    iverilog.args(["-g2005", "-Wall", "-t", "null", "-s", "clhls_uart_bridge_system"]);
    run(iverilog.args(&shell).args(["rtl/vadd.v", "rtl/second.v"]).current_dir(dir.path()));
}

/// Library modules that the kernels bring are not there twice.
#[test]
fn library_files_are_packed_once() {
    let board = Library::builtin().board("ulx3s").unwrap();
    let mut rtl = common::rtl(&["vadd"]);
    for expected in [true, false] {
        let files =
            pack(&common::vadd("ulx3s", 64), &rtl, &board, &PackOptions::default()).unwrap();
        assert_eq!(files.get("package/shell/clhls_ram.v").is_some(), expected);
        assert_eq!(common::text(&files, "package/Makefile").matches("/clhls_ram.v").count(), 1);
        rtl.insert("rtl/clhls_ram.v", "");
    }
}

#[test]
fn what_the_board_cannot_do_is_an_error() {
    let board = Library::builtin().board("ulx3s").unwrap();
    let rtl = common::rtl(&["vadd"]);
    let pack =
        |design: &abi::Manifest| pack(design, &rtl, &board, &PackOptions::default()).unwrap_err();
    let error = pack(&common::vadd("ulx3s", 512));
    assert_eq!(
        error.to_string(),
        "kernel vadd: port m_axi_gmem0 is 512 bits wide, the memory of ulx3s 64"
    );
    let mut fast = common::vadd("ulx3s", 64);
    fast.kernels[0].clock_mhz = 500.0;
    assert!(matches!(pack(&fast), PackError::Clock { .. }));
    let sdram = Library::builtin().board("ulx3s-sdram").unwrap();
    fast.kernels[0].clock_mhz = 61.0;
    let error = verilog_to_package::pack(&fast, &rtl, &sdram, &PackOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "ulx3s-sdram cannot make a clock of 61 MHz: its shell works from 10 to 60 MHz"
    );
    let mut none = common::vadd("ulx3s", 64);
    none.kernels.clear();
    assert!(matches!(pack(&none), PackError::NoKernel { .. }));
    let mut other = common::vadd("ulx3s", 64);
    other.kernels[0].top = "other".to_owned();
    assert_eq!(
        pack(&other).to_string(),
        "kernel vadd: its Verilog file rtl/other.v is not among the files to pack"
    );
}

/// `package/Makefile` for real, with tools that may be missing: `cargo test -- --ignored`.
#[test]
#[ignore = "needs yosys, nextpnr-ecp5 and ecppack; takes a minute"]
fn the_open_tools_make_a_bit_stream() {
    for board in ["ulx3s", "ulx3s-sdram"] {
        let dir = tempfile::tempdir().unwrap();
        pack_into(dir.path(), board);
        let package = dir.path().join("package");
        println!("{}", run(Command::new("make").arg("bitstream").current_dir(&package)));
        let bits = std::fs::read(package.join("vadd.bit")).unwrap();
        // the preamble of an ECP5 bit stream
        assert!(bits.windows(4).take(512).any(|w| w == [0xff, 0xff, 0xbd, 0xb3]));
        let report = std::fs::read_to_string(package.join("vadd.report.json")).unwrap();
        assert!(report.contains("fmax"));
    }
}
