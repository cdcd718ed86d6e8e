//! Which crate may depend on which: nouns never on steps, a step never on a step.

use std::path::Path;

const NOUNS: [&str; 7] = ["base", "ir", "schedule", "rtl", "abi", "target", "report"];
const OPERATORS: [&str; 1] = ["arith"];
const STEPS: [&str; 8] = [
    "spirv-to-ir",
    "ir-opt",
    "ir-to-schedule",
    "schedule-to-rtl",
    "rtl-to-area",
    "rtl-to-verilog",
    "verilog-to-package",
    "schedule-to-report",
];
/// Before the path: from text to text.
const TEXTS: [&str; 1] = ["dialects"];
/// What runs IR.
const EMULATORS: [&str; 2] = ["interp", "emulator"];
/// What runs a design; it ships without the compiler.
const RUNTIME: [&str; 4] = ["host", "verilator-sys", "sim", "serve"];

/// What is wrong with a crate that depends on others of the project.
fn broken_rule(name: &str, depends_on: &str) -> Option<&'static str> {
    let step = STEPS.contains(&depends_on);
    if NOUNS.contains(&name) && !NOUNS.contains(&depends_on) {
        return Some("a noun depends on nouns only");
    }
    if TEXTS.contains(&name) && depends_on != "base" {
        return Some("what changes the user's text knows nothing of what becomes of it");
    }
    if OPERATORS.contains(&name) && step {
        return Some("operators depend on no step");
    }
    if STEPS.contains(&name) && step {
        return Some("a step depends on no step");
    }
    if EMULATORS.contains(&name) && step {
        return Some("what runs IR takes it as it is");
    }
    if RUNTIME.contains(&name)
        && !["base", "abi", "host", "verilator-sys", "sim"].contains(&depends_on)
    {
        return Some("what runs a design does not need the compiler");
    }
    None
}

/// The crates of the project that a manifest names as dependencies (not for tests).
fn dependencies(manifest: &str, crates: &[String]) -> Vec<String> {
    let mut inside = false;
    let mut found = vec![];
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.starts_with("[dependencies") || line.starts_with("[build-dependencies");
            continue;
        }
        let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
        if inside && crates.iter().any(|c| c == name) {
            found.push(name.to_owned());
        }
    }
    found
}

#[test]
fn crates_depend_in_one_direction() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let crates: Vec<String> = std::fs::read_dir(&folder)
        .expect("hls")
        .flatten()
        .filter(|e| e.path().join("Cargo.toml").is_file())
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    let listed = [&NOUNS[..], &OPERATORS, &STEPS, &TEXTS, &EMULATORS, &RUNTIME].concat();
    let missing: Vec<&&str> = listed.iter().filter(|l| !crates.iter().any(|c| c == **l)).collect();
    assert!(missing.is_empty(), "crates that are not there: {missing:?}");
    let mut count = 0;
    for name in &crates {
        let path = folder.join(name).join("Cargo.toml");
        let manifest = std::fs::read_to_string(path).expect("a manifest");
        for on in dependencies(&manifest, &crates) {
            count += 1;
            if let Some(rule) = broken_rule(name, &on) {
                panic!("{name} depends on {on}: {rule}");
            }
        }
    }
    assert!(count > 40, "only {count} dependencies found: this test does not read the manifests");
}

#[test]
fn wrong_directions_are_seen() {
    assert!(broken_rule("ir", "ir-opt").is_some());
    assert!(broken_rule("ir-opt", "ir-to-schedule").is_some());
    assert!(broken_rule("host", "ir").is_some());
    assert!(broken_rule("emulator", "ir-opt").is_some());
    assert!(broken_rule("dialects", "ir").is_some());
    assert!(broken_rule("ir-opt", "ir").is_none());
    let manifest =
        "[dependencies]\nir.workspace = true\n[dev-dependencies]\nir-opt.workspace = true\n";
    assert_eq!(dependencies(manifest, &["ir".into(), "ir-opt".into()]), ["ir"]);
}
