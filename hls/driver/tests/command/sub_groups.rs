//! `clhls run` of kernels whose work-groups must have a number of sub-groups: on every device, the same.

use crate::common::{Outcome, clhls, outcome, program, text};
use driver::{DONE, FAILED};
use std::path::Path;

/// Kernel k asks for 3 sub-groups a work-group. Each work-item writes how many there are, twice, and its own number.
const MODULE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../testbenches/filetests/spirv-to-ir/sub_groups_per_group.spv"
);

/// A launch of `k` on a device with an array for its results, which are left in `npy`.
fn launch(input: &str, device: &str, sizes: &[&str], npy: &Path) -> Outcome {
    let (zeros, out) = (format!("out=zeros:i32[{}]", sizes[0]), format!("out={}", text(npy)));
    let mut command = program();
    // simulators of the last run of these tests are used again
    command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
    command.args(["run", input, "-q", "--device", device, "--kernel", "k"]);
    command.args(["--arg", &zeros, "--out", &out, "--global", sizes[0]]);
    if let Some(local) = sizes.get(1) {
        command.args(["--local", local]);
    }
    outcome(&command.output().expect("ran"))
}

/// The integers behind the header of a NumPy file.
fn integers(npy: &Path) -> Vec<u32> {
    let bytes = std::fs::read(npy).expect("written");
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes[header..].chunks(4).map(|b| u32::from_le_bytes(b.try_into().expect("four"))).collect()
}

#[test]
fn launches_have_the_sub_groups_that_a_kernel_asks_for() {
    let dir = tempfile::tempdir().expect("scratch");
    let built = dir.path().join("out");
    let o = clhls(&["build", MODULE, "--kernel", "k", "--board", "unit", "-q", "-o", text(&built)]);
    assert_eq!(o.code, DONE, "{}", o.err);
    let manifest = std::fs::read_to_string(built.join("manifest.json")).expect("a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("JSON");
    let kernel = &manifest["kernels"][0];
    assert_eq!(kernel["sub_groups"], serde_json::json!({ "count": 3, "size": 16 }));
    assert_eq!(kernel["max_work_group_size"], 48);

    let npy = dir.path().join("out.npy");
    for (input, device) in [(MODULE, "emu"), (MODULE, "native"), (text(&built), "sim")] {
        // The local size that there is: given, or chosen. 36 is the largest from 33 to 48 that divides 72; 48 leaves 33 of 81.
        for (sizes, local) in [(&["96", "48"][..], 48), (&["72"], 36), (&["81", "48"], 48)] {
            let o = launch(input, device, sizes, &npy);
            assert_eq!(o.code, DONE, "{device}, {sizes:?}: {}", o.err);
            let global: u32 = sizes[0].parse().expect("a number");
            let want: Vec<u32> = (0..global).map(|id| 30_300 + id % local / 16).collect();
            assert_eq!(integers(&npy), want, "{device}, {sizes:?}");
        }
        let asks = "kernel `k` requires work-groups of 3 sub-groups of 16 work-items (33 to 48 work-items)";
        for (sizes, why) in [
            (&["96", "32"][..], "of 32 work-items, which has 2; local size [48, 1, 1] has as many"),
            (&["80", "48"], "of 32 work-items, which has 2; local size [40, 1, 1] has as many"),
            (&["32"], "global size [32, 1, 1] cannot be divided into such work-groups"),
        ] {
            let o = launch(input, device, sizes, &npy);
            assert_eq!(o.code, FAILED, "{device}, {sizes:?}");
            let told = o.err.starts_with("error[E0610]: ") && o.err.contains(asks);
            assert!(told && o.err.contains(why), "{device}, {sizes:?}: {}", o.err);
        }
    }
}

/// The option changes what sub-groups are, and so what has three of them.
#[test]
fn sub_groups_of_another_size_make_other_work_groups() {
    let run = |local| {
        let args = ["run", MODULE, "-q", "--kernel", "k", "--sub-group-size", "32"];
        let launch = ["--global", "192", "--local", local, "--arg", "out=zeros:i32[192]"];
        clhls(&[&args[..], &launch].concat())
    };
    assert_eq!(run("96").code, DONE);
    let o = run("48");
    let asks = "3 sub-groups of 32 work-items (65 to 96 work-items)";
    assert!(o.code == FAILED && o.err.contains(asks), "{}", o.err);
}
