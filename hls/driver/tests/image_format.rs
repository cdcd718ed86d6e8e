//! Images of one known format: smaller hardware, and images of other formats are refused.

mod common;

use common::{clhls, text};
use driver::DONE;

const KERNEL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../testbenches/filetests/spirv-to-ir/image_sample.spv"
);

fn luts(folder: &std::path::Path) -> f64 {
    let report = std::fs::read_to_string(folder.join("report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    report["kernels"][0]["estimated_area"]["lut"].as_f64().expect("a number")
}

#[test]
fn hardware_for_one_format_is_smaller_and_takes_no_other() {
    let dir = tempfile::tempdir().expect("scratch");
    let (any, one) = (dir.path().join("any"), dir.path().join("one"));
    let build = |out, options: &[&str]| {
        let o = clhls(
            &[&["build", KERNEL, "--board", "u250", "-q", "-o", text(out)], options].concat(),
        );
        assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    };
    build(&any, &[]);
    build(&one, &["--image-format", "sample.0=rgba:unorm8"]);
    assert!(luts(&one) < 0.9 * luts(&any), "{} of {}", luts(&one), luts(&any));

    let run = |image: &str| {
        let from = format!("0=image:{image}:rand:u8[4,4,4]:1");
        let format = "sample.0=rgba:unorm8";
        let to = "1=zeros:f32[4,4]";
        let args = ["run", KERNEL, "--image-format", format, "--global", "4", "-q", "--arg", &from];
        clhls(&[&args[..], &["--arg", to]].concat())
    };
    let o = run("rgba:unorm8");
    assert_eq!((o.code, o.err.as_str()), (DONE, ""));
    let o = run("bgra:unorm8");
    assert_eq!(o.code, 1);
    let reason = "built for images of format rgba:unorm8, and got one of bgra:unorm8";
    assert!(o.err.contains("argument 0") && o.err.contains(reason), "{}", o.err);
}

#[test]
fn formats_that_fit_nothing_are_usage_or_input_errors() {
    let build = |format: &str| clhls(&["build", KERNEL, "--emit", "ir", "--image-format", format]);
    let o = build("sample.0=rgb:unorm8");
    assert!(o.code == 2 && o.err.contains("`rgb:unorm8` is not an image format"), "{}", o.err);
    for (format, why) in [
        ("sample.1=rgba:unorm8", "kernel `sample` has no image `1`"),
        ("other.0=rgba:unorm8", "there is no kernel `other`"),
    ] {
        let o = build(format);
        assert!(o.code == 1 && o.err.contains("error[E0120]") && o.err.contains(why), "{}", o.err);
    }
}
