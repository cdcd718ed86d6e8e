//! Arithmetic in as many bits as it needs (ROVER, arXiv 2406.12421).

use super::RuleText;

pub(super) const RULES: &[RuleText] = &[
    RuleText::new(
        "slice-of-add",
        "(slice.0:n (add:w ?x ?y))",
        "(add:n (slice.0:n ?x) (slice.0:n ?y))",
    )
    .widths("n < w"),
    RuleText::new(
        "slice-of-sub",
        "(slice.0:n (sub:w ?x ?y))",
        "(sub:n (slice.0:n ?x) (slice.0:n ?y))",
    )
    .widths("n < w"),
    RuleText::new(
        "slice-of-mul",
        "(slice.0:n (mul:w ?x ?y))",
        "(mul:n (slice.0:n ?x) (slice.0:n ?y))",
    )
    .widths("n < w")
    .prove_at(&[4, 5, 8]),
    RuleText::new(
        "slice-of-and",
        "(slice.l:n (and:w ?x ?y))",
        "(and:n (slice.l:n ?x) (slice.l:n ?y))",
    )
    .widths("n < w, l+n <= w"),
    RuleText::new(
        "slice-of-or",
        "(slice.l:n (or:w ?x ?y))",
        "(or:n (slice.l:n ?x) (slice.l:n ?y))",
    )
    .widths("n < w, l+n <= w"),
    RuleText::new(
        "slice-of-xor",
        "(slice.l:n (xor:w ?x ?y))",
        "(xor:n (slice.l:n ?x) (slice.l:n ?y))",
    )
    .widths("n < w, l+n <= w"),
    RuleText::new("slice-of-not", "(slice.l:n (not:w ?x))", "(not:n (slice.l:n ?x))")
        .widths("n < w, l+n <= w"),
    RuleText::new(
        "slice-of-select",
        "(slice.l:n (select:w ?c ?x ?y))",
        "(select:n ?c (slice.l:n ?x) (slice.l:n ?y))",
    )
    .widths("n < w, l+n <= w"),
    RuleText::new("slice-of-slice", "(slice.l:n (slice.k:m ?x:w))", "(slice.l+k:n ?x)")
        .widths("l+n <= m, k+m <= w, n < m"),
    RuleText::new("slice-of-zext", "(slice.0:n (zext:w ?x:n))", "?x").widths("n < w"),
    RuleText::new("slice-of-sext", "(slice.0:n (sext:w ?x:n))", "?x").widths("n < w"),
    RuleText::new("slice-inside-zext", "(slice.l:n (zext:w ?x:m))", "(slice.l:n ?x)")
        .widths("l+n <= m, m < w, n < m"),
    RuleText::new("slice-inside-sext", "(slice.l:n (sext:w ?x:m))", "(slice.l:n ?x)")
        .widths("l+n <= m, m < w, n < m"),
    RuleText::new("slice-of-shl", "(slice.l:n (shl:w ?x $c))", "(slice.0:n ?x)")
        .widths("n < w, l+n <= w")
        .given("(icmp.eq:1 $c #l:w)"),
    RuleText::new("slice-low-of-concat", "(slice.0:n (concat:w ?x:m ?y:n))", "?y").widths("n < w"),
    RuleText::new("slice-high-of-concat", "(slice.n:m (concat:w ?x:m ?y:n))", "?x").widths("n < w"),
    RuleText::new(
        "add-of-zext",
        "(add:w (zext:w ?x:n) (zext:w ?y:n))",
        "(zext:w (add:n+1 (zext:n+1 ?x) (zext:n+1 ?y)))",
    )
    .widths("n+1 < w"),
    RuleText::new(
        "add-of-sext",
        "(add:w (sext:w ?x:n) (sext:w ?y:n))",
        "(sext:w (add:n+1 (sext:n+1 ?x) (sext:n+1 ?y)))",
    )
    .widths("n+1 < w"),
    RuleText::new(
        "sub-of-zext",
        "(sub:w (zext:w ?x:n) (zext:w ?y:n))",
        "(sext:w (sub:n+1 (zext:n+1 ?x) (zext:n+1 ?y)))",
    )
    .widths("n+1 < w"),
    RuleText::new(
        "sub-of-sext",
        "(sub:w (sext:w ?x:n) (sext:w ?y:n))",
        "(sext:w (sub:n+1 (sext:n+1 ?x) (sext:n+1 ?y)))",
    )
    .widths("n+1 < w"),
    RuleText::new(
        "mul-of-zext",
        "(mul:w (zext:w ?x:n) (zext:w ?y:m))",
        "(zext:w (mul:n+m (zext:n+m ?x) (zext:n+m ?y)))",
    )
    .widths("n+m < w, 0 < n, 0 < m")
    .prove_at(&[3, 4, 7, 10]),
    RuleText::new(
        "mul-of-sext",
        "(mul:w (sext:w ?x:n) (sext:w ?y:m))",
        "(sext:w (mul:n+m (sext:n+m ?x) (sext:n+m ?y)))",
    )
    .widths("n+m < w, 0 < n, 0 < m")
    .prove_at(&[3, 4, 7, 10]),
    RuleText::new(
        "add-of-shifted-low",
        "(add:w (concat:w ?x:m 0:n) (zext:w ?y:n))",
        "(concat:w ?x ?y)",
    )
    .widths("0 < m, 0 < n"),
];
