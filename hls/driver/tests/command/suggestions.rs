//! Every kind of edit that a report suggests, made as its reader would make it: what it promises follows.

use crate::common::{clhls, text};
use driver::DONE;
use report::{Edit, Kernel, Loop, Report, Suggestion};

/// Marks the line of the loop that is looked at, in the source as it is and as it is edited.
const MARK: &str = "// here";

/// How the source of a case changes.
enum Change {
    /// The option that the suggestion names.
    Option,
    /// `restrict` at the arguments that it names.
    Restrict,
    /// `#pragma unroll` in front of the loop inside.
    Unroll,
    /// Another source; `N` stands for the factor, `LIST(x)` for `x` with `K` from 0 to N - 1 as a digit, one behind the other.
    Source(&'static str),
}

struct Case {
    name: &'static str,
    edit: Edit,
    board: &'static str,
    source: &'static str,
    change: Change,
}

const TASK: &str = "kernel __attribute__((reqd_work_group_size(1, 1, 1))) void k";

const FLOAT_SUM: &str = "(global const float *restrict a, global float *restrict out, int n) {
            float sum = 0;
            for (int i = 0; i < n; i++) // here
              sum += a[i];
            out[0] = sum;
          }";

const FLOAT_SUM_IN_PARTS: &str =
    "(global const float *restrict a, global float *restrict out, int n) {
            floatN part = 0;
            for (int i = 0; i < n; i += N) // here
              part += *(global const floatN *)(a + i);
            float all = 0;
            LIST(all += part.sK;)
            out[0] = all;
          }";

const CASES: [Case; 16] = [
    Case {
        name: "scale",
        edit: Edit::Restrict,
        board: "u250",
        source: "(global const int *a, global int *b, int n) {
            for (int i = 0; i < n; i++) // here
              b[i] = 3 * a[i];
          }",
        change: Change::Restrict,
    },
    Case {
        name: "prefix",
        edit: Edit::Restrict,
        board: "ulx3s",
        source: "(global const int *a, global int *b, int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) { // here
              sum += a[i];
              b[i] = sum;
            }
          }",
        change: Change::Restrict,
    },
    Case {
        name: "sum of two",
        edit: Edit::Restrict,
        board: "u250",
        source: "(global const float *a, global const float *b, global float *c, int n) {
            for (int i = 0; i < n; i++) // here
              c[i] = a[i] + b[i];
          }",
        change: Change::Restrict,
    },
    Case {
        name: "stencil",
        edit: Edit::Restrict,
        board: "ulx3s",
        source: "(global const int *a, global int *b, int n) {
            for (int i = 1; i < n; i++) // here
              b[i] = (a[i - 1] + 2 * a[i] + a[i + 1]) / 4;
          }",
        change: Change::Restrict,
    },
    Case {
        name: "float sum",
        edit: Edit::Accumulators,
        board: "u250",
        source: FLOAT_SUM,
        change: Change::Source(FLOAT_SUM_IN_PARTS),
    },
    Case {
        name: "float sum on a small board",
        edit: Edit::Accumulators,
        board: "ulx3s",
        source: FLOAT_SUM,
        change: Change::Source(FLOAT_SUM_IN_PARTS),
    },
    Case {
        name: "dot product",
        edit: Edit::Accumulators,
        board: "u250",
        source: "(global const float *restrict a, global const float *restrict b,
                  global float *restrict out, int n) {
            float sum = 0;
            for (int i = 0; i < n; i++) // here
              sum += a[i] * b[i];
            out[0] = sum;
          }",
        change: Change::Source(
            "(global const float *restrict a, global const float *restrict b, global float *restrict out, int n) {
            floatN part = 0;
            for (int i = 0; i < n; i += N) // here
              part += *(global const floatN *)(a + i) * *(global const floatN *)(b + i);
            float all = 0;
            LIST(all += part.sK;)
            out[0] = all;
          }",
        ),
    },
    Case {
        name: "product of doubles",
        edit: Edit::Accumulators,
        board: "u250",
        source: "(global const double *restrict a, global double *restrict out, int n) {
            double all = 1;
            for (int i = 0; i < n; i++) // here
              all *= a[i];
            out[0] = all;
          }",
        change: Change::Source(
            "(global const double *restrict a, global double *restrict out, int n) {
            doubleN part = 1;
            for (int i = 0; i < n; i += N) // here
              part *= *(global const doubleN *)(a + i);
            double all = 1;
            LIST(all *= part.sK;)
            out[0] = all;
          }",
        ),
    },
    Case {
        name: "histogram",
        edit: Edit::LocalCopy,
        board: "u250",
        source: "(global const uchar *restrict a, global int *restrict h, int n) {
            for (int i = 0; i < n; i++) // here
              h[a[i]]++;
          }",
        change: Change::Source(
            "(global const uchar *restrict a, global int *restrict h, int n) {
            local int near[256];
            for (int i = 0; i < 256; i++)
              near[i] = h[i];
            for (int i = 0; i < n; i++) // here
              near[a[i]]++;
            for (int i = 0; i < 256; i++)
              h[i] = near[i];
          }",
        ),
    },
    Case {
        name: "list",
        edit: Edit::LocalCopy,
        board: "ulx3s",
        source: "(global const int *restrict next, global int *restrict out, int n) {
            int at = 0;
            for (int i = 0; i < n; i++) // here
              at = next[at];
            out[0] = at;
          }",
        change: Change::Source(
            "(global const int *restrict next, global int *restrict out, int n) {
            local int near[1024];
            for (int i = 0; i < 1024; i++)
              near[i] = next[i];
            int at = 0;
            for (int i = 0; i < n; i++) // here
              at = near[at];
            out[0] = at;
          }",
        ),
    },
    Case {
        name: "rows of a table",
        edit: Edit::Banks,
        board: "u250",
        source: "(global const int *restrict a, global int *restrict b, int n, local int *t) {
            for (int i = 0; i < 256; i++) { // here
              int x = a[i];
              t[i] = x;
              t[256 + i] = x + 1;
              t[512 + i] = x ^ 3;
              t[768 + i] = x * 5;
            }
            for (int i = 0; i < n; i++)
              b[i] = t[i * 7 & 511] + t[512 + (i * 5 & 511)];
          }",
        change: Change::Source(
            "(global const int *restrict a, global int *restrict b, int n,
              local int *restrict t, local int *restrict u) {
            for (int i = 0; i < 256; i++) { // here
              int x = a[i];
              t[i] = x;
              t[256 + i] = x + 1;
              u[i] = x ^ 3;
              u[256 + i] = x * 5;
            }
            for (int i = 0; i < n; i++)
              b[i] = t[i * 7 & 511] + u[i * 5 & 511];
          }",
        ),
    },
    Case {
        name: "checksum of words",
        edit: Edit::Unroll,
        board: "u250",
        source: "(global const uint *restrict a, global uint *restrict b, int n) {
            for (int i = 0; i < n; i++) { // here
              uint x = a[i];
              for (int j = 0; j < 40; j++)
                x = ((x >> 1) ^ (x & 1 ? 0xedb88320u : j)) + (x << 3);
              b[i] = x;
            }
          }",
        change: Change::Unroll,
    },
    Case {
        name: "root by halves",
        edit: Edit::Unroll,
        board: "ulx3s",
        source: "(global const uint *restrict a, global uint *restrict b, int n) {
            for (int i = 0; i < n; i++) { // here
              uint x = a[i], root = 0;
              for (int j = 47; j >= 0; j--) {
                uint next = (root << 1) + (x >> (j & 31));
                next ^= next >> 5;
                root = next > x ? root : next ^ j;
              }
              b[i] = root;
            }
          }",
        change: Change::Unroll,
    },
    Case {
        name: "generator",
        edit: Edit::Clock,
        board: "u250",
        source: "(global uint *restrict b, uint x, int n) {
            for (int i = 0; i < n; i++) { // here
              x = (x << 7) + (x >> 3) + (x ^ 0x9e3779b9u) + (x << 13);
              b[i] = x;
            }
          }",
        change: Change::Option,
    },
    Case {
        name: "filter",
        edit: Edit::Clock,
        board: "ulx3s",
        source: "(global const int *restrict a, global int *restrict b, int n) {
            int y = 0;
            for (int i = 0; i < n; i++) { // here
              y += a[i];
              y ^= y >> 4;
              y += y << 3;
              y ^= y >> 7;
              y += y << 5;
              y += y << 9;
              y += y << 7;
              b[i] = y;
            }
          }",
        change: Change::Option,
    },
    Case {
        name: "two gathers",
        edit: Edit::MemoryPorts,
        board: "u250",
        source: "(global const int *restrict a, global const int *restrict b, global const int *restrict p,
                  global int *restrict out, int n) {
            for (int i = 0; i < n; i++) // here
              out[i] = a[p[i]] + b[p[i] ^ 5];
          }",
        change: Change::Option,
    },
];

/// Builds a source; gives the kernel's report and the loop on the line that is marked.
#[track_caller]
fn built(name: &str, source: &str, board: &str, options: &[&str]) -> (Kernel, Loop) {
    let dir = tempfile::tempdir().expect("scratch");
    let (input, out) = (dir.path().join("k.cl"), dir.path().join("out"));
    std::fs::write(&input, source).expect("written");
    let args = ["build", text(&input), "-q", "--board", board, "--compiler", "clang-15"];
    // The cases are made for this clock of the small board.
    let slow = board == "ulx3s" && !options.contains(&"--clock");
    let clock: &[&str] = if slow { &["--clock", "75"] } else { &[] };
    let o = clhls(&[&args[..], &["-o", text(&out)], clock, options].concat());
    assert_eq!(o.code, DONE, "{name}: {}", o.err);
    let json = std::fs::read_to_string(out.join("report.json")).expect("written");
    let mut report = Report::parse(&json).expect("a report");
    assert_eq!(report.to_json(), json, "{name}: all of it is read");
    let marked = source.lines().position(|l| l.contains(MARK)).expect("a mark") as u32 + 1;
    let kernel = report.kernels.remove(0);
    let mut here = kernel.loops.iter().filter(|l| l.place.is_some_and(|p| p.line == marked));
    let (Some(found), None) = (here.next(), here.next()) else {
        panic!("{name}: not one loop on line {marked}: {:?}", kernel.loops)
    };
    let found = found.clone();
    (kernel, found)
}

/// The source of an edited case.
fn edited(case: &Case, s: &Suggestion) -> String {
    let factor = s.factor.unwrap_or(1.0) as u32;
    match case.change {
        Change::Option => format!("{TASK}{}", case.source),
        Change::Restrict => s.names.iter().fold(format!("{TASK}{}", case.source), |text, name| {
            let changed = text.replacen(&format!("*{name}"), &format!("*restrict {name}"), 1);
            assert_ne!(changed, text, "{}: argument {name}", case.name);
            changed
        }),
        Change::Unroll => {
            let (before, after) = case.source.split_once("for (int j").expect("an inner loop");
            format!("{TASK}{before}_Pragma(\"unroll\") for (int j{after}")
        }
        Change::Source(text) => format!("{TASK}{}", expand(text, factor)),
    }
}

/// Writes out `LIST(...)`.
fn expand(text: &str, n: u32) -> String {
    let mut out = String::new();
    let mut parts = text.split("LIST(");
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (item, rest) = part.split_once(";)").expect("the end of a list");
        (0..n).for_each(|k| out.push_str(&(item.replace('K', &format!("{k:X}")) + "; ")));
        out.push_str(rest);
    }
    ["+= N", "floatN", "doubleN"]
        .iter()
        .fold(out, |text, word| text.replace(word, &word.replace('N', &n.to_string())))
}

#[test]
fn what_is_promised_follows() {
    let (mut wrong, mut exact) = (vec![], 0);
    for case in &CASES {
        let source = format!("{TASK}{}", case.source);
        let (_, before) = built(case.name, &source, case.board, &[]);
        let Some(s) = before.suggestions.iter().find(|s| s.edit == case.edit) else {
            wrong.push(format!("{}: no such suggestion in {before:?}", case.name));
            continue;
        };
        let options: Vec<&str> = match case.change {
            Change::Option => s.option.as_deref().expect("an option").split(' ').collect(),
            _ => vec![],
        };
        let (_, after) = built(case.name, &edited(case, s), case.board, &options);
        let interval = |l: &Loop| f64::from(l.ii).max(l.memory_interval);
        let (old, new) = (interval(&before), interval(&after));
        println!(
            "{}: {old} cycles, promised {} for {} iterations, got {new}",
            case.name, s.interval, s.iterations
        );
        // Compilers may make even more of an edit.
        let promised = new <= s.interval + 1e-6;
        exact += u32::from((new - s.interval).abs() < 1e-6);
        if !promised || (case.edit != Edit::Clock && new / f64::from(s.iterations) >= old) {
            wrong.push(format!("{}: {old} before, {new} after, {s:?}: {after:?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(exact >= 10, "only {exact} intervals are what was promised");
}
