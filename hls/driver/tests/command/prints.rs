//! What kernels print, through `clhls run`: the same from the interpreter, native code and simulated hardware.

use crate::common::{outcome, program, text};
use driver::DONE;

/// A line for each conversion that takes more than a number; work-items in order, one after the other.
const SOURCE: &str = r#"
kernel void show(global int *a, global const char *none, float f) {
  printf("%p %p %p\n", a, a + 1, (void *)0);
  printf("[%v4hld] [%v2hlf] [%v3hhd] [%5.2v2hlf] [%#v4hlx]\n", (int4)(a[0], -2, 3, 4), (float2)(f, -1.0f), (char3)(1, 2, -3),
         (float2)(f, 2.0f), (uint4)(1, 16, a[1], 4096));
  printf("[%s] [%c%%] [%5d] [%-5d] [%#lx] [%e]\n", a[0] > 0 ? "more" : "less", 'x', a[1], a[1], 0xfeedfacecafeL, f);
}
kernel void lines(global const int *a) {
  const int i = get_global_id(0);
  for (int k = 0; k <= a[i]; k++)
    printf("%d %v2d\n", i, (int2)(k, a[i]));
}
"#;

fn run(source: &str, device: &str, options: &[&str]) -> String {
    let mut command = program();
    command.args(["run", source, "-q", "--device", device]).args(options);
    command.env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
    command.env("CLHLS_SIM_MODEL", "quick");
    let o = outcome(&command.output().expect("ran"));
    assert_eq!((o.code, o.err.as_str()), (DONE, ""), "{device}");
    o.out
}

#[test]
fn pointers_vectors_and_strings_are_printed_on_every_device() {
    let dir = tempfile::tempdir().expect("scratch");
    let input = dir.path().join("k.cl");
    std::fs::write(&input, SOURCE).expect("written");
    let want = [
        "[3,-2,3,4] [1.500000,-1.000000] [1,2,-3] [ 1.50, 2.00] [0x1,0x10,0x8,0x1000]",
        "[more] [x%] [    8] [8    ] [0xfeedfacecafe] [1.500000e+00]",
    ];
    for device in ["emu", "native", "sim"] {
        let options = ["--kernel", "show", "--global", "1", "--arg", "a=data:i32[2]:3,8", "--arg"];
        let more = ["none=zeros:i8[1]", "--arg", "f=1.5"];
        let out = run(text(&input), device, &[&options[..], &more].concat());
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines[1..3], want, "{device}");
        let pointers: Vec<&str> = lines[0].split(' ').collect();
        let address = |k: usize| {
            let digits = pointers[k].strip_prefix("0x").expect("hexadecimal digits");
            u64::from_str_radix(digits, 16).expect("a number")
        };
        assert_eq!(address(1), address(0) + 4, "{device}: {}", lines[0]);
        // as the C library prints it
        assert_eq!(pointers[2], "(nil)", "{device}");
    }
}

#[test]
fn lines_of_a_work_item_are_whole_and_in_order_on_every_device() {
    let dir = tempfile::tempdir().expect("scratch");
    let input = dir.path().join("k.cl");
    std::fs::write(&input, SOURCE).expect("written");
    let rounds = [2, 0, 5, 1, 3, 4];
    for device in ["emu", "native", "sim"] {
        let values = "a=data:i32[6]:2,0,5,1,3,4";
        let options = ["--kernel", "lines", "--global", "6", "--local", "3", "--arg", values];
        let out = run(text(&input), device, &options);
        for (i, most) in rounds.into_iter().enumerate() {
            let own = format!("{i} ");
            let lines = out.lines().filter(|l| l.starts_with(&own) && l.contains(','));
            let want: Vec<String> = (0..=most).map(|k| format!("{i} {k},{most}")).collect();
            assert_eq!(lines.collect::<Vec<_>>(), want, "work-item {i} on {device}");
        }
    }
}
