//! What follows from known bits and ranges: conditions over values hold where the analysis of the e-graph knows it.

use super::RuleText;

const DISJOINT: &str = "(icmp.eq:1 (and:w ?x ?y) 0:w)";
const X_WITHIN_Y: &str = "(icmp.eq:1 (and:w ?x (not:w ?y)) 0:w)";
const Y_WITHIN_X: &str = "(icmp.eq:1 (and:w ?y (not:w ?x)) 0:w)";
const BOTH_NOT_NEGATIVE: &str = "(and:1 (icmp.sge:1 ?x 0:w) (icmp.sge:1 ?y 0:w))";
const C_FITS: &str = "(icmp.eq:1 (lshr:w $c #n:w) 0:w)";
const C_FITS_SIGNED: &str = "(icmp.eq:1 (sext:w (slice.0:n $c:w)) $c)";
const LOW_PART_ZERO: &str = "(icmp.eq:1 (slice.0:n ?x) 0:n)";

pub(super) const RULES: &[RuleText] = &[
    RuleText::new("add-disjoint", "(add:w ?x ?y)", "(or:w ?x ?y)").given(DISJOINT),
    RuleText::new("sub-within", "(sub:w ?x ?y)", "(xor:w ?x ?y)").given(Y_WITHIN_X),
    RuleText::new("and-within", "(and:w ?x ?y)", "?x").given(X_WITHIN_Y),
    RuleText::new("or-within", "(or:w ?x ?y)", "?y").given(X_WITHIN_Y),
    RuleText::new("sext-not-negative", "(sext:w ?x:n)", "(zext:w ?x)")
        .widths("n < w")
        .given("(icmp.sge:1 ?x 0:n)"),
    RuleText::new("ashr-not-negative", "(ashr:w ?x ?y)", "(lshr:w ?x ?y)")
        .given("(icmp.sge:1 ?x 0:w)"),
    RuleText::new("slt-not-negative", "(icmp.slt:1 ?x:w ?y)", "(icmp.ult:1 ?x ?y)")
        .given(BOTH_NOT_NEGATIVE),
    RuleText::new("sge-not-negative", "(icmp.sge:1 ?x:w ?y)", "(icmp.uge:1 ?x ?y)")
        .given(BOTH_NOT_NEGATIVE),
    RuleText::new("sdiv-not-negative", "(sdiv:w ?x ?y)", "(udiv:w ?x ?y)")
        .given(BOTH_NOT_NEGATIVE)
        .prove_at(&[3, 4, 8]),
    RuleText::new("srem-not-negative", "(srem:w ?x ?y)", "(urem:w ?x ?y)")
        .given(BOTH_NOT_NEGATIVE)
        .prove_at(&[3, 4, 8]),
    RuleText::new("urem-less", "(urem:w ?x ?y)", "?x")
        .given("(icmp.ult:1 ?x ?y)")
        .prove_at(&[3, 4, 8]),
    RuleText::new("udiv-less", "(udiv:w ?x ?y)", "0:w")
        .given("(icmp.ult:1 ?x ?y)")
        .prove_at(&[3, 4, 8]),
    RuleText::new("mul-of-bit", "(mul:w ?x ?y)", "(select:w (slice.0:1 ?x:w) ?y 0:w)")
        .widths("1 < w")
        .given("(icmp.ult:1 ?x 2:w)")
        .prove_at(&[3, 4, 8]),
    RuleText::new("and-of-sign", "(and:w (sext:w ?c:1) ?y)", "(select:w ?c ?y 0:w)")
        .widths("1 < w"),
    RuleText::new("or-above", "(or:w ?x (zext:w ?y:n))", "(concat:w (slice.n:w-n ?x) ?y)")
        .widths("n < w")
        .given(LOW_PART_ZERO),
    RuleText::new("xor-above", "(xor:w ?x (zext:w ?y:n))", "(concat:w (slice.n:w-n ?x) ?y)")
        .widths("n < w")
        .given(LOW_PART_ZERO),
    RuleText::new("add-above", "(add:w ?x (zext:w ?y:n))", "(concat:w (slice.n:w-n ?x) ?y)")
        .widths("n < w")
        .given(LOW_PART_ZERO),
    RuleText::new("zext-of-low-part", "(zext:w (slice.0:n ?x:w))", "?x")
        .widths("n < w")
        .given("(icmp.eq:1 (lshr:w ?x #n:w) 0:w)"),
    RuleText::new("select-true", "(select:w 1:1 ?x ?y)", "?x"),
    RuleText::new("select-false", "(select:w 0:1 ?x ?y)", "?y"),
    RuleText::new(
        "eq-of-zext-constant",
        "(icmp.eq:1 (zext:w ?x:n) $c)",
        "(icmp.eq:1 ?x (slice.0:n $c:w))",
    )
    .widths("n < w")
    .given(C_FITS),
    RuleText::new(
        "ne-of-zext-constant",
        "(icmp.ne:1 (zext:w ?x:n) $c)",
        "(icmp.ne:1 ?x (slice.0:n $c:w))",
    )
    .widths("n < w")
    .given(C_FITS),
    RuleText::new(
        "ult-of-zext-constant",
        "(icmp.ult:1 (zext:w ?x:n) $c)",
        "(icmp.ult:1 ?x (slice.0:n $c:w))",
    )
    .widths("n < w")
    .given(C_FITS),
    RuleText::new(
        "constant-ult-zext",
        "(icmp.ult:1 $c (zext:w ?x:n))",
        "(icmp.ult:1 (slice.0:n $c:w) ?x)",
    )
    .widths("n < w")
    .given(C_FITS),
    RuleText::new(
        "eq-of-sext-constant",
        "(icmp.eq:1 (sext:w ?x:n) $c)",
        "(icmp.eq:1 ?x (slice.0:n $c:w))",
    )
    .widths("n < w")
    .given(C_FITS_SIGNED),
    RuleText::new(
        "slt-of-sext-constant",
        "(icmp.slt:1 (sext:w ?x:n) $c)",
        "(icmp.slt:1 ?x (slice.0:n $c:w))",
    )
    .widths("n < w")
    .given(C_FITS_SIGNED),
    RuleText::new(
        "constant-slt-sext",
        "(icmp.slt:1 $c (sext:w ?x:n))",
        "(icmp.slt:1 (slice.0:n $c:w) ?x)",
    )
    .widths("n < w")
    .given(C_FITS_SIGNED),
];
