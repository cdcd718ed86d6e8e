//! All file tests. `CLHLS_BLESS=1` rewrites the expectations; read the difference.

use filetests::files::{run_file, tests_in};
use filetests::launches::LaunchFile;
use filetests::testbenches;

#[test]
fn files_give_what_is_expected() {
    let bless = std::env::var_os("CLHLS_BLESS").is_some();
    let mut failures = vec![];
    let mut count = 0;
    for stage in std::fs::read_dir(testbenches().join("filetests")).expect("the folder is there") {
        let folder = stage.expect("readable").path();
        if !folder.is_dir() {
            continue;
        }
        for file in tests_in(&folder).expect("readable") {
            count += 1;
            failures.extend(run_file(&file, bless).err());
        }
    }
    assert!(count > 0, "there are file tests");
    assert!(failures.is_empty(), "{} of {count} fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn launch_files_of_all_kernels_are_read() {
    let mut count = 0;
    for kernel in std::fs::read_dir(testbenches().join("kernels")).expect("the folder is there") {
        let path = kernel.expect("readable").path().join("launches.toml");
        if path.exists() {
            let mut file = LaunchFile::read(&path).unwrap_or_else(|e| panic!("{e}"));
            assert!(file.launches().count() > 0, "{}", path.display());
            // each kernel that becomes hardware is launched, and of the others none
            file.keep_hardware();
            let listed = file.hardware.clone().unwrap_or_default();
            let launched = |k: &String| file.launches().any(|l| l.kernel == *k);
            assert!(listed.iter().all(launched), "{}: {listed:?}", path.display());
            let kept = |l: filetests::launches::Launch| listed.contains(&l.kernel);
            assert!(file.hardware.is_none() || file.launches().all(kept), "{}", path.display());
            count += 1;
        }
    }
    assert!(count >= 40, "only {count} kernels");
}

#[test]
fn wrong_expectations_are_found() {
    let vadd = testbenches().join("filetests/ir/vadd.clir");
    let text = std::fs::read_to_string(&vadd).expect("readable");
    let expect = std::fs::read_to_string(vadd.with_extension("expect")).expect("readable");
    let scratch = std::env::temp_dir().join(format!("clhls-filetests-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).expect("made");
    let file = scratch.join("vadd.clir");
    let run = |text: &str, expect: &str| {
        std::fs::write(&file, text).expect("written");
        std::fs::write(file.with_extension("expect"), expect).expect("written");
        run_file(&file, false)
    };
    let right = run(&text, &expect);
    let value = run(&text.replace("11,22,33", "11,22,34"), &expect);
    let output = run(&text, &expect.replace("add v7", "sub v7"));
    let error = run(&text.replace("error E0501", "error E0502"), &expect);
    std::fs::remove_dir_all(&scratch).expect("removed");
    assert_eq!(right, Ok(()));
    assert!(value.unwrap_err().contains("differs in 1 of 5 elements, first at 2"));
    assert!(output.unwrap_err().contains("expected   v10:i32 = sub v7"));
    assert!(error.unwrap_err().contains("expected error E0502, got"));
}
