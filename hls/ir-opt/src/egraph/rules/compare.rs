//! Comparisons and multiplexers.

use super::RuleText;

pub(super) const RULES: &[RuleText] = &[
    RuleText::new("eq-commute", "(icmp.eq:1 ?x:w ?y)", "(icmp.eq:1 ?y ?x)"),
    RuleText::new("ne-commute", "(icmp.ne:1 ?x:w ?y)", "(icmp.ne:1 ?y ?x)"),
    RuleText::new("not-eq", "(not:1 (icmp.eq:1 ?x:w ?y))", "(icmp.ne:1 ?x ?y)"),
    RuleText::new("not-ne", "(not:1 (icmp.ne:1 ?x:w ?y))", "(icmp.eq:1 ?x ?y)"),
    RuleText::new("not-ult", "(not:1 (icmp.ult:1 ?x:w ?y))", "(icmp.uge:1 ?x ?y)"),
    RuleText::new("not-slt", "(not:1 (icmp.slt:1 ?x:w ?y))", "(icmp.sge:1 ?x ?y)"),
    RuleText::new("ugt-as-ult", "(icmp.ugt:1 ?x:w ?y)", "(icmp.ult:1 ?y ?x)"),
    RuleText::new("ule-as-uge", "(icmp.ule:1 ?x:w ?y)", "(icmp.uge:1 ?y ?x)"),
    RuleText::new("sgt-as-slt", "(icmp.sgt:1 ?x:w ?y)", "(icmp.slt:1 ?y ?x)"),
    RuleText::new("sle-as-sge", "(icmp.sle:1 ?x:w ?y)", "(icmp.sge:1 ?y ?x)"),
    RuleText::new("eq-of-difference", "(icmp.eq:1 (sub:w ?x ?y) 0:w)", "(icmp.eq:1 ?x ?y)"),
    RuleText::new("ne-of-difference", "(icmp.ne:1 (sub:w ?x ?y) 0:w)", "(icmp.ne:1 ?x ?y)"),
    RuleText::new("eq-of-xor", "(icmp.eq:1 (xor:w ?x ?y) 0:w)", "(icmp.eq:1 ?x ?y)"),
    RuleText::new(
        "eq-add-constant",
        "(icmp.eq:1 (add:w ?x $a) $b)",
        "(icmp.eq:1 ?x (sub:w $b $a))",
    ),
    RuleText::new("eq-add-both", "(icmp.eq:1 (add:w ?x ?z) (add:w ?y ?z))", "(icmp.eq:1 ?x ?y)"),
    RuleText::new("sign-test", "(icmp.slt:1 ?x 0:w)", "(slice.w-1:1 ?x:w)"),
    RuleText::new("ult-one", "(icmp.ult:1 ?x 1:w)", "(icmp.eq:1 ?x 0:w)").widths("1 < w"),
    RuleText::new("select-same", "(select:w ?c ?x ?x)", "?x"),
    RuleText::new("select-not", "(select:w (not:1 ?c) ?x ?y)", "(select:w ?c ?y ?x)"),
    RuleText::new("select-then", "(select:w ?c (select:w ?c ?x ?y) ?z)", "(select:w ?c ?x ?z)"),
    RuleText::new("select-else", "(select:w ?c ?x (select:w ?c ?y ?z))", "(select:w ?c ?x ?z)"),
    RuleText::new(
        "select-and",
        "(select:w ?c (select:w ?d ?x ?y) ?y)",
        "(select:w (and:1 ?c ?d) ?x ?y)",
    ),
    RuleText::new(
        "select-or",
        "(select:w ?c ?x (select:w ?d ?x ?y))",
        "(select:w (or:1 ?c ?d) ?x ?y)",
    ),
    RuleText::new(
        "select-of-add",
        "(select:w ?c (add:w ?x ?z) (add:w ?y ?z))",
        "(add:w (select:w ?c ?x ?y) ?z)",
    ),
    RuleText::new(
        "select-add-or-not",
        "(select:w ?c (add:w ?x ?y) ?x)",
        "(add:w ?x (select:w ?c ?y 0:w))",
    ),
    RuleText::new(
        "select-of-sub",
        "(select:w ?c (sub:w ?x ?z) (sub:w ?y ?z))",
        "(sub:w (select:w ?c ?x ?y) ?z)",
    ),
    RuleText::new(
        "select-of-mul",
        "(select:w ?c (mul:w ?x ?z) (mul:w ?y ?z))",
        "(mul:w (select:w ?c ?x ?y) ?z)",
    )
    .any_function(),
    RuleText::new(
        "select-of-and",
        "(select:w ?c (and:w ?x ?z) (and:w ?y ?z))",
        "(and:w (select:w ?c ?x ?y) ?z)",
    ),
    RuleText::new(
        "select-of-or",
        "(select:w ?c (or:w ?x ?z) (or:w ?y ?z))",
        "(or:w (select:w ?c ?x ?y) ?z)",
    ),
    RuleText::new(
        "select-of-xor",
        "(select:w ?c (xor:w ?x ?z) (xor:w ?y ?z))",
        "(xor:w (select:w ?c ?x ?y) ?z)",
    ),
    RuleText::new("select-one-zero", "(select:w ?c 1:w 0:w)", "(zext:w ?c:1)").widths("1 < w"),
    RuleText::new("select-ones-zero", "(select:w ?c -1:w 0:w)", "(sext:w ?c:1)").widths("1 < w"),
    RuleText::new("select-eq-value", "(select:w (icmp.eq:1 ?x ?y) ?x ?y)", "?y"),
    RuleText::new("select-ne-value", "(select:w (icmp.ne:1 ?x ?y) ?x ?y)", "?x"),
    RuleText::new(
        "and-of-signs",
        "(and:1 (icmp.sge:1 ?x 0:w) (icmp.sge:1 ?y 0:w))",
        "(icmp.sge:1 (or:w ?x ?y) 0:w)",
    ),
    RuleText::new(
        "both-zero",
        "(and:1 (icmp.eq:1 ?x 0:w) (icmp.eq:1 ?y 0:w))",
        "(icmp.eq:1 (or:w ?x ?y) 0:w)",
    ),
    RuleText::new(
        "either-not-zero",
        "(or:1 (icmp.ne:1 ?x 0:w) (icmp.ne:1 ?y 0:w))",
        "(icmp.ne:1 (or:w ?x ?y) 0:w)",
    ),
    // Larger, but a comparison does not wait for the selection: what recurrences need.
    RuleText::new(
        "ult-of-select",
        "(icmp.ult:1 (select:w ?c ?x ?y) ?z)",
        "(select:1 ?c (icmp.ult:1 ?x ?z) (icmp.ult:1 ?y ?z))",
    ),
    RuleText::new(
        "ult-than-select",
        "(icmp.ult:1 ?z (select:w ?c ?x ?y))",
        "(select:1 ?c (icmp.ult:1 ?z ?x) (icmp.ult:1 ?z ?y))",
    ),
    RuleText::new(
        "slt-of-select",
        "(icmp.slt:1 (select:w ?c ?x ?y) ?z)",
        "(select:1 ?c (icmp.slt:1 ?x ?z) (icmp.slt:1 ?y ?z))",
    ),
    RuleText::new(
        "slt-than-select",
        "(icmp.slt:1 ?z (select:w ?c ?x ?y))",
        "(select:1 ?c (icmp.slt:1 ?z ?x) (icmp.slt:1 ?z ?y))",
    ),
    RuleText::new(
        "uge-of-select",
        "(icmp.uge:1 (select:w ?c ?x ?y) ?z)",
        "(select:1 ?c (icmp.uge:1 ?x ?z) (icmp.uge:1 ?y ?z))",
    ),
    RuleText::new(
        "uge-than-select",
        "(icmp.uge:1 ?z (select:w ?c ?x ?y))",
        "(select:1 ?c (icmp.uge:1 ?z ?x) (icmp.uge:1 ?z ?y))",
    ),
    RuleText::new(
        "sge-of-select",
        "(icmp.sge:1 (select:w ?c ?x ?y) ?z)",
        "(select:1 ?c (icmp.sge:1 ?x ?z) (icmp.sge:1 ?y ?z))",
    ),
    RuleText::new(
        "sge-than-select",
        "(icmp.sge:1 ?z (select:w ?c ?x ?y))",
        "(select:1 ?c (icmp.sge:1 ?z ?x) (icmp.sge:1 ?z ?y))",
    ),
];
