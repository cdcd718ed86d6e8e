//! Rings and lattices of integers.

use super::RuleText;

pub(super) const RULES: &[RuleText] = &[
    RuleText::new("add-commute", "(add:w ?x ?y)", "(add:w ?y ?x)"),
    RuleText::new("mul-commute", "(mul:w ?x ?y)", "(mul:w ?y ?x)"),
    RuleText::new("and-commute", "(and:w ?x ?y)", "(and:w ?y ?x)"),
    RuleText::new("or-commute", "(or:w ?x ?y)", "(or:w ?y ?x)"),
    RuleText::new("xor-commute", "(xor:w ?x ?y)", "(xor:w ?y ?x)"),
    RuleText::new("add-associate", "(add:w (add:w ?x ?y) ?z)", "(add:w ?x (add:w ?y ?z))"),
    RuleText::new("mul-associate", "(mul:w (mul:w ?x ?y) $c)", "(mul:w ?x (mul:w ?y $c))"),
    RuleText::new("and-associate", "(and:w (and:w ?x ?y) ?z)", "(and:w ?x (and:w ?y ?z))"),
    RuleText::new("or-associate", "(or:w (or:w ?x ?y) ?z)", "(or:w ?x (or:w ?y ?z))"),
    RuleText::new("xor-associate", "(xor:w (xor:w ?x ?y) ?z)", "(xor:w ?x (xor:w ?y ?z))"),
    RuleText::new("add-zero", "(add:w ?x 0:w)", "?x"),
    RuleText::new("sub-zero", "(sub:w ?x 0:w)", "?x"),
    RuleText::new("sub-self", "(sub:w ?x ?x)", "0:w"),
    RuleText::new("sub-as-add", "(sub:w ?x $c)", "(add:w ?x (sub:w 0:w $c))"),
    RuleText::new("add-of-negated", "(add:w ?x (sub:w 0:w ?y))", "(sub:w ?x ?y)"),
    RuleText::new("sub-of-sub", "(sub:w ?x (sub:w ?y ?z))", "(sub:w (add:w ?x ?z) ?y)"),
    RuleText::new("add-then-sub", "(sub:w (add:w ?x ?y) ?y)", "?x"),
    RuleText::new("sub-then-add", "(add:w (sub:w ?x ?y) ?y)", "?x"),
    RuleText::new("mul-one", "(mul:w ?x 1:w)", "?x"),
    RuleText::new("mul-zero", "(mul:w ?x 0:w)", "0:w"),
    RuleText::new("factor", "(add:w (mul:w ?x ?y) (mul:w ?x ?z))", "(mul:w ?x (add:w ?y ?z))")
        .prove_at(&[4, 8]),
    RuleText::new(
        "factor-difference",
        "(sub:w (mul:w ?x ?y) (mul:w ?x ?z))",
        "(mul:w ?x (sub:w ?y ?z))",
    )
    .prove_at(&[4, 8]),
    RuleText::new("factor-one", "(add:w (mul:w ?x ?y) ?x)", "(mul:w ?x (add:w ?y 1:w))")
        .prove_at(&[4, 8]),
    RuleText::new("and-self", "(and:w ?x ?x)", "?x"),
    RuleText::new("or-self", "(or:w ?x ?x)", "?x"),
    RuleText::new("xor-self", "(xor:w ?x ?x)", "0:w"),
    RuleText::new("and-zero", "(and:w ?x 0:w)", "0:w"),
    RuleText::new("and-ones", "(and:w ?x -1:w)", "?x"),
    RuleText::new("or-zero", "(or:w ?x 0:w)", "?x"),
    RuleText::new("or-ones", "(or:w ?x -1:w)", "-1:w"),
    RuleText::new("xor-zero", "(xor:w ?x 0:w)", "?x"),
    RuleText::new("xor-ones", "(xor:w ?x -1:w)", "(not:w ?x)"),
    RuleText::new("not-not", "(not:w (not:w ?x))", "?x"),
    RuleText::new("absorb-and", "(and:w ?x (or:w ?x ?y))", "?x"),
    RuleText::new("absorb-or", "(or:w ?x (and:w ?x ?y))", "?x"),
    RuleText::new("factor-and", "(or:w (and:w ?x ?y) (and:w ?x ?z))", "(and:w ?x (or:w ?y ?z))"),
    RuleText::new("factor-or", "(and:w (or:w ?x ?y) (or:w ?x ?z))", "(or:w ?x (and:w ?y ?z))"),
    RuleText::new("and-not", "(and:w ?x (not:w ?x))", "0:w"),
    RuleText::new("or-not", "(or:w ?x (not:w ?x))", "-1:w"),
    RuleText::new("de-morgan-and", "(and:w (not:w ?x) (not:w ?y))", "(not:w (or:w ?x ?y))"),
    RuleText::new("de-morgan-or", "(or:w (not:w ?x) (not:w ?y))", "(not:w (and:w ?x ?y))"),
    RuleText::new(
        "choose-by-xor",
        "(xor:w (and:w (xor:w ?x ?y) ?z) ?y)",
        "(or:w (and:w ?x ?z) (and:w ?y (not:w ?z)))",
    ),
    RuleText::new("add-as-or-and", "(add:w (and:w ?x ?y) (or:w ?x ?y))", "(add:w ?x ?y)"),
    RuleText::new(
        "add-as-xor-and",
        "(add:w (xor:w ?x ?y) (shl:w (and:w ?x ?y) 1:w))",
        "(add:w ?x ?y)",
    )
    .widths("1 < w"),
    RuleText::new("not-plus-one", "(add:w (not:w ?x) 1:w)", "(sub:w 0:w ?x)"),
    RuleText::new("not-of-minus-one", "(not:w (add:w ?x -1:w))", "(sub:w 0:w ?x)"),
];
