//! docs/passes.md lists the passes, pipelines and rules that there are.
//! `CLHLS_BLESS=1 cargo test -p clhls-ir-opt` rewrites it.

use ir_opt::Level;
use ir_opt::egraph::rules::TOPICS;
use ir_opt::registry::{PASSES, pipeline};
use std::fmt::Write;

/// Permissions by their names in LLVM.
fn permissions(allowed: u8) -> String {
    use ir::FastMath as F;
    let names = [
        (F::NO_NAN, "nnan"),
        (F::NO_INF, "ninf"),
        (F::NO_SIGNED_ZERO, "nsz"),
        (F::ALLOW_RECIP, "arcp"),
        (F::FAST, "reassoc"),
    ];
    let given = names.into_iter().filter(|(flag, _)| allowed & flag != 0);
    given.map(|(_, name)| name).collect::<Vec<_>>().join(" ")
}

fn text() -> String {
    let mut t = String::from(
        "# Passes of the optimiser\n\n<!-- Generated: `CLHLS_BLESS=1 cargo test -p clhls-ir-opt`. -->\n\n",
    );
    t.push_str("The IR verifier runs after every pass. All levels end in the form that hardware generation takes (`ir_opt::legal::check`).\n\n");
    t.push_str("| pass | what it does |\n|---|---|\n");
    for p in PASSES {
        let _ = writeln!(t, "| `{}` | {} |", p.name, p.description);
    }
    t.push_str("\n## Pipelines\n");
    for (name, level) in [("-O0", Level::O0), ("-O1", Level::O1), ("-O2", Level::O2)] {
        let _ = writeln!(t, "\n`{name}`: {}", pipeline(level).join(", "));
    }
    t.push_str("\n`-O1` and `-O2` differ in how much `unroll` may unroll without being asked.\n");
    let count: usize = TOPICS.iter().map(|t| t.rules.len()).sum();
    let _ = writeln!(
        t,
        "\n## Rewrite rules of `egraph`\n\n{count} rules, each proved by `prove-rules` (z3) at the widths given, or at 8, 16, 32 and 64 bits (others: up to 32), floats at f16, f32 and f64. Rules that need permissions (`nnan`, `nsz`...) apply where every float operation of a block gives them: their promises are assumed in the proof, or the proof is one over real numbers. `?x` is any value, `$c` a constant, `:w` a width."
    );
    for topic in TOPICS {
        let _ = writeln!(
            t,
            "\n### {}\n\n| rule | | equals | where | proved at |\n|---|---|---|---|---|",
            topic.name
        );
        for r in topic.rules {
            let names = permissions(r.allowed);
            let condition = [r.widths, r.given, &names]
                .map(|c| if c.is_empty() { String::new() } else { format!("`{c}`") });
            let mut at: Vec<String> = r.prove_at.iter().map(u32::to_string).collect();
            if r.any_function {
                at.push("any function".into());
            }
            if r.real {
                at = vec!["real numbers".into()];
            }
            let _ = writeln!(
                t,
                "| {} | `{}` | `{}` | {} | {} |",
                r.name,
                r.lhs,
                r.rhs,
                condition.join(" ").trim(),
                at.join(", ")
            );
        }
    }
    t
}

#[test]
fn passes_are_documented() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/passes.md");
    let want = text();
    if std::env::var_os("CLHLS_BLESS").is_some() {
        std::fs::write(path, &want).expect("writable");
    }
    let have = std::fs::read_to_string(path).unwrap_or_default();
    assert!(have == want, "docs/passes.md is out of date");
}
