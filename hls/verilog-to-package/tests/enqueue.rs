//! The written host programs launch what kernels enqueue, in both languages alike.

mod common;

use abi::enqueue::QUEUE_BYTES;
use abi::{ArgKind, EnqueueQueue, EnqueueSite, Manifest, ProgramMemory};
use common::{arg, kernel, manifest, rtl, text};
use std::path::Path;
use std::process::Command;
use target::Library;
use verilog_to_package::{PackOptions, pack};

/// A kernel that may enqueue two blocks, of which one has local memory, and a marker.
fn family() -> Manifest {
    let data = || arg(0, "block", "uint", ArgKind::Scalar);
    let local = arg(1, "local1", "uint*", ArgKind::LocalPtr);
    let root = kernel("root", vec![arg(0, "how", "uint", ArgKind::Scalar)], "unit", 64);
    let mut blocks = [
        kernel("plain", vec![data()], "unit", 64),
        kernel("local", vec![data(), local], "unit", 64),
    ];
    for block in &mut blocks {
        block.signature.enqueued = true;
        block.signature.non_uniform = true;
    }
    let mut design = manifest("family", vec![root]);
    design.kernels[0].signature.enqueues = vec!["local".into(), "plain".into()];
    design.kernels.extend(blocks);
    let site = |kernel: Option<&str>, source: &str| EnqueueSite {
        kernel: kernel.map(str::to_owned),
        locals: u32::from(kernel == Some("local")),
        data: if kernel.is_some() { 4 } else { 0 },
        captured: vec![],
        source: source.into(),
    };
    let sites =
        vec![site(Some("plain"), "k.cl:1:2"), site(Some("local"), "k.cl:3:4"), site(None, "")];
    design.program_memory = Some(ProgramMemory {
        size: 64 + QUEUE_BYTES,
        align: 64,
        init: Some(vec![1; 32]),
        relocations: vec![],
        prints: None,
        enqueue: Some(EnqueueQueue { offset: 64, size: QUEUE_BYTES, sites }),
    });
    for kernel in &mut design.kernels {
        kernel.lay_out(true).unwrap();
    }
    design.verify().unwrap();
    design
}

fn generate(design: &Manifest) -> base::FileSet {
    let board = Library::builtin().board("unit").unwrap();
    let names: Vec<&str> = design.kernels.iter().map(|kernel| kernel.top.as_str()).collect();
    pack(design, &rtl(&names), &board, &PackOptions::default()).unwrap()
}

fn output(command: &mut Command) -> String {
    let out = command.output().unwrap();
    let (stdout, stderr) = (out.stdout, String::from_utf8_lossy(&out.stderr));
    let stdout = String::from_utf8(stdout).unwrap();
    assert!(out.status.success(), "{command:?}\n{stdout}{stderr}");
    stdout
}

fn in_c(host: &Path) -> String {
    std::fs::write(host.join("main.c"), include_str!("data/enqueue_host.c")).unwrap();
    let flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o", "program"];
    let files = ["main.c", "family.c", "clhls_enqueue.c"];
    let mut cc = Command::new("cc");
    output(cc.args(flags).args(files).args(common::C_RUNTIME).current_dir(host));
    output(&mut Command::new(host.join("program")))
}

/// By hand: what children get, the order in which they run, and that the queue is empty and whole behind every launch that
/// worked.
const EXPECTED: &str = "\
launch 0
  plain 100: 2 dimensions, 1 items from 3 on in groups of 1
  local 2: 1 dimensions, 20 items from 3 on in groups of 8
  plain 101: 2 dimensions, 1 items from 3 on in groups of 1
  plain 3: 2 dimensions, 1 items from 3 on in groups of 1
ran 4, checksum SUM, 5 work-items, 0 left over
";

/// `100, 2, 101, 3`, as the programs add up what ran.
fn checksum(values: &[u32]) -> u32 {
    values.iter().fold(0, |sum: u32, value| sum.wrapping_mul(31).wrapping_add(*value))
}

#[test]
fn what_kernels_enqueue_runs_alike_in_both_languages() {
    let dir = tempfile::tempdir().unwrap();
    common::write(&generate(&family()), dir.path());
    let host = dir.path().join("host");
    let in_c = in_c(&host);
    std::fs::write(host.join("rust/main.rs"), include_str!("data/enqueue_host.rs")).unwrap();
    let program = common::rust_program(&host.join("rust"), "family");
    assert_eq!(in_c, output(&mut Command::new(program)));
    let first = EXPECTED.replace("SUM", &checksum(&[100, 2, 101, 3]).to_string());
    assert!(in_c.starts_with(&first.repeat(2)), "{in_c}");
    let parts: Vec<&str> = in_c.split("launch ").collect();
    let of = |how: char| parts.iter().copied().filter(move |part| part.starts_with(how));
    let events: Vec<u32> = (1..=abi::enqueue::EVENTS).chain([7]).collect();
    for part in of('1') {
        assert!(part.contains("one more: 0\n"), "{part}");
        let end = format!("ran 1, checksum {}, 2 work-items, 0 left over\n", checksum(&events));
        assert!(part.ends_with(&end), "{part}");
    }
    // records of 72 bytes, behind which less than two of them have room of 1 MiB; number 100 enqueues one more
    let records: Vec<u32> = (0..14562).chain([101]).collect();
    for part in of('3') {
        assert!(part.contains("one more: 0\n"), "{part}");
        let end =
            format!("ran 14563, checksum {}, 14564 work-items, 0 left over\n", checksum(&records));
        assert!(part.ends_with(&end), "{part}");
    }
    let says = |how, text: &str| {
        let mut parts = of(how).peekable();
        assert!(parts.peek().is_some());
        assert!(parts.all(|part| part.contains(text)), "{text}: {in_c}");
    };
    says('2', "ran 1, checksum 8, 2 work-items, 0 left over\n");
    says('4', "-5: the queue on the device is damaged: a kernel has written over it\nran 0");
    says(
        '5',
        "-51: local: local1: at most 1024 bytes of local memory, not 2000\nkernel `local`, enqueued at k.cl:3:4\nran 0, checksum 0, 1 work-items, 0 left over\n",
    );
    says(
        '6',
        "-5: kernel `plain`, enqueued at k.cl:1:2, was not run: an event that it waits for has the status -9\nran 1, checksum 3, 2 work-items, 0 left over\n",
    );
    says(
        '7',
        "-5: kernel `plain`, enqueued at k.cl:1:2, waits for an event that nobody completes (1 more wait)\nran 0, checksum 0, 1 work-items, 0 left over\n",
    );
    says('8', "times: 1\n");
}

#[test]
fn hosts_have_functions_for_the_kernels_that_they_launch() {
    let design = family();
    let files = generate(&design);
    let header = text(&files, "host/family.h");
    assert!(
        header
            .contains("int root_wait(clhls_device *device, const clhls_buffer *program, unsigned")
    );
    assert!(!header.contains("plain"), "{header}");
    assert!(text(&files, "host/family.c").contains("{.block = NULL, .source = \"\"}"));
    // all variables may be the queue's, so that there is nothing to fill
    let mut design = family();
    design.program_memory.as_mut().unwrap().init = Some(vec![]);
    let files = generate(&design);
    assert!(!text(&files, "host/family.c").contains("program_memory["));
    assert!(!text(&files, "host/rust/src/lib.rs").contains("PROGRAM_MEMORY"));
    // a design without a queue has nothing of all this
    design.kernels.truncate(1);
    design.kernels[0].signature.enqueues.clear();
    design.program_memory.as_mut().unwrap().enqueue = None;
    design.program_memory.as_mut().unwrap().init = Some(vec![1; 32]);
    let files = generate(&design);
    assert!(files.iter().all(|(path, _)| !path.contains("enqueue")));
    assert!(!text(&files, "host/Makefile").contains("enqueue"));
}
