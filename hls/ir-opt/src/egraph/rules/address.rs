//! Addresses.

use super::RuleText;

pub(super) const RULES: &[RuleText] = &[
    RuleText::new("ptradd-zero", "(ptradd:p ?q 0:64)", "?q"),
    RuleText::new(
        "ptradd-ptradd",
        "(ptradd:p (ptradd:p ?q ?x) ?y:w)",
        "(ptradd:p ?q (add:w ?x ?y))",
    )
    .widths("w <= p, p <= w"),
    RuleText::new(
        "ptradd-swap",
        "(ptradd:p (ptradd:p ?q ?x) ?y:w)",
        "(ptradd:p (ptradd:p ?q ?y) ?x)",
    )
    .widths("w <= p, p <= w"),
    RuleText::new("ptradd-of-sum", "(ptradd:p ?q (add:w ?x $c))", "(ptradd:p (ptradd:p ?q ?x) $c)")
        .widths("w <= p, p <= w"),
    RuleText::new(
        "index-of-sum",
        "(mul:w (add:w ?x $a) $b)",
        "(add:w (mul:w ?x $b) (mul:w $a $b))",
    )
    .prove_at(&[4, 8]),
    RuleText::new(
        "row-and-column",
        "(add:w (shl:w (mul:w ?x ?y) $c) (shl:w ?z $c))",
        "(shl:w (add:w (mul:w ?x ?y) ?z) $c)",
    ),
];
