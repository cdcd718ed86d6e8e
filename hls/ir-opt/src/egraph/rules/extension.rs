//! Extensions move to where they cost nothing, and comparisons move below them.

use super::RuleText;

pub(super) const RULES: &[RuleText] = &[
    RuleText::new("zext-zext", "(zext:w (zext:n ?x:m))", "(zext:w ?x)").widths("m < n, n < w"),
    RuleText::new("sext-sext", "(sext:w (sext:n ?x:m))", "(sext:w ?x)").widths("m < n, n < w"),
    RuleText::new("sext-zext", "(sext:w (zext:n ?x:m))", "(zext:w ?x)").widths("m < n, n < w"),
    RuleText::new("and-of-zext", "(and:w (zext:w ?x:n) (zext:w ?y:n))", "(zext:w (and:n ?x ?y))")
        .widths("n < w"),
    RuleText::new("or-of-zext", "(or:w (zext:w ?x:n) (zext:w ?y:n))", "(zext:w (or:n ?x ?y))")
        .widths("n < w"),
    RuleText::new("xor-of-zext", "(xor:w (zext:w ?x:n) (zext:w ?y:n))", "(zext:w (xor:n ?x ?y))")
        .widths("n < w"),
    RuleText::new("and-of-sext", "(and:w (sext:w ?x:n) (sext:w ?y:n))", "(sext:w (and:n ?x ?y))")
        .widths("n < w"),
    RuleText::new("or-of-sext", "(or:w (sext:w ?x:n) (sext:w ?y:n))", "(sext:w (or:n ?x ?y))")
        .widths("n < w"),
    RuleText::new("xor-of-sext", "(xor:w (sext:w ?x:n) (sext:w ?y:n))", "(sext:w (xor:n ?x ?y))")
        .widths("n < w"),
    RuleText::new("not-of-sext", "(not:w (sext:w ?x:n))", "(sext:w (not:n ?x))").widths("n < w"),
    RuleText::new(
        "select-of-zext",
        "(select:w ?c (zext:w ?x:n) (zext:w ?y:n))",
        "(zext:w (select:n ?c ?x ?y))",
    )
    .widths("n < w"),
    RuleText::new(
        "select-of-sext",
        "(select:w ?c (sext:w ?x:n) (sext:w ?y:n))",
        "(sext:w (select:n ?c ?x ?y))",
    )
    .widths("n < w"),
    RuleText::new("eq-of-zext", "(icmp.eq:1 (zext:w ?x:n) (zext:w ?y:n))", "(icmp.eq:1 ?x ?y)")
        .widths("n < w"),
    RuleText::new("eq-of-sext", "(icmp.eq:1 (sext:w ?x:n) (sext:w ?y:n))", "(icmp.eq:1 ?x ?y)")
        .widths("n < w"),
    RuleText::new("ult-of-zext", "(icmp.ult:1 (zext:w ?x:n) (zext:w ?y:n))", "(icmp.ult:1 ?x ?y)")
        .widths("n < w"),
    RuleText::new("slt-of-zext", "(icmp.slt:1 (zext:w ?x:n) (zext:w ?y:n))", "(icmp.ult:1 ?x ?y)")
        .widths("n < w"),
    RuleText::new("slt-of-sext", "(icmp.slt:1 (sext:w ?x:n) (sext:w ?y:n))", "(icmp.slt:1 ?x ?y)")
        .widths("n < w"),
    RuleText::new("concat-zero", "(concat:w 0:m ?x:n)", "(zext:w ?x)").widths("0 < m"),
];
