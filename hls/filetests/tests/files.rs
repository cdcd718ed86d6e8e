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
            let file = LaunchFile::read(&path).unwrap_or_else(|e| panic!("{e}"));
            assert!(file.launches().count() > 0, "{}", path.display());
            count += 1;
        }
    }
    assert!(count >= 40, "only {count} kernels");
}
