//! Images of one known format: smaller hardware, and images of other formats are refused.

use crate::common::{clhls, outcome, program, text};
use driver::{DONE, FAILED};

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

/// Reads a color and a depth.
const DEPTHS: &str = "
kernel void look(read_only image2d_t color, read_only image2d_depth_t depth, global float *out) {
  out[0] = read_imagef(color, (int2)(0, 0)).x;
  out[1] = read_imagef(depth, (int2)(0, 0));
}
";

#[test]
fn images_of_depths_are_for_arguments_of_depths_only() {
    let dir = tempfile::tempdir().expect("scratch");
    let source = dir.path().join("look.cl");
    std::fs::write(&source, DEPTHS).expect("written");
    let run = |device: &str, color: &str, depth: &str| {
        let color = format!("color=image:{color}:float:fill:f32[1,1]:3");
        let depth = format!("depth=image:{depth}:float:fill:f32[1,1]:0.5");
        let mut command = program();
        command.args(["run", text(&source), "-q", "--cl-std", "CL2.0", "--global", "1"]);
        command.args(["--device", device, "--arg", &color, "--arg", &depth]);
        command.args(["--arg", "out=zeros:f32[2]"]);
        command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
        command.env("CLHLS_SIM_MODEL", "quick");
        outcome(&command.output().expect("ran"))
    };
    for device in ["emu", "native", "sim"] {
        let o = run(device, "r", "depth");
        assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{device}");
        assert!(o.out.contains("out: f32[2] 3 0.5\n"), "{device}: {}", o.out);
        for (color, depth, told) in [
            (
                "r",
                "r",
                "argument 1 `depth` (image2d_depth_t) of kernel `look`: it takes images of depths, such as depth:float, and got one of r:float",
            ),
            (
                "depth",
                "depth",
                "argument 0 `color` (image2d_t) of kernel `look`: it takes images of colors, and got one of depth:float",
            ),
        ] {
            let o = run(device, color, depth);
            let what = format!("error[E0610]: {told}");
            assert!(o.code == FAILED && o.err.contains(&what), "{device}: {}", o.err);
        }
    }
}
