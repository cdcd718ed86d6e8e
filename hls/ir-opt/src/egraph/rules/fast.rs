//! Identities that a program permits with its flags (SPIR-V `FPFastMathMode`). They apply only in regions in which every float operation has the
//! permissions: classes of an e-graph do not tell whose value may change.

use super::RuleText;
use ir::FastMath;

/// Operands and results are numbers or infinite.
const NUMBERS: u8 = FastMath::NO_NAN;
/// The same, and the sign of zero does not matter.
const UNSIGNED: u8 = FastMath::NO_NAN | FastMath::NO_SIGNED_ZERO;
/// As if numbers were real.
const ALGEBRA: u8 = FastMath::FAST | FastMath::NO_SIGNED_ZERO;
/// The same, for divisions.
const QUOTIENTS: u8 = ALGEBRA | FastMath::ALLOW_RECIP;

pub(super) const RULES: &[RuleText] = &[
    RuleText::new("fast-mul-zero", "(fmul:f ?x 0.0:f)", "0.0:f").promised(UNSIGNED),
    RuleText::new("fast-mul-one", "(fmul:f ?x 1.0:f)", "?x").promised(NUMBERS),
    RuleText::new("fast-div-one", "(fdiv:f ?x 1.0:f)", "?x").promised(NUMBERS),
    RuleText::new("fast-div-self", "(fdiv:f ?x ?x)", "1.0:f").promised(NUMBERS),
    RuleText::new("fast-sub-self", "(fsub:f ?x ?x)", "0.0:f").promised(NUMBERS),
    RuleText::new("fast-add-negated", "(fadd:f ?x (fneg:f ?x))", "0.0:f").promised(NUMBERS),
    RuleText::new("fast-add-zero", "(fadd:f ?x 0.0:f)", "?x").promised(UNSIGNED),
    RuleText::new("fast-sub-zero", "(fsub:f ?x 0.0:f)", "?x").promised(NUMBERS),
    RuleText::new("fast-zero-sub", "(fsub:f 0.0:f ?x)", "(fneg:f ?x)").promised(UNSIGNED),
    RuleText::new("fast-fma-zero", "(fma:f ?x 0.0:f ?y)", "?y").promised(UNSIGNED),
    // Only of constants whose reciprocal is far from the ends of the format.
    RuleText::new("fast-div-constant", "(fdiv:f ?x $c)", "(fmul:f ?x (fdiv:f 1.0:f $c))")
        .given("(and:1 (fcmp.oge:1 (fabs:f $c) 0.001:f) (fcmp.ole:1 (fabs:f $c) 1000.0:f))")
        .over_reals(FastMath::ALLOW_RECIP),
    RuleText::new("fast-div-div", "(fdiv:f (fdiv:f ?x ?y) ?z)", "(fdiv:f ?x (fmul:f ?y ?z))")
        .over_reals(QUOTIENTS),
    RuleText::new("fast-add-associate", "(fadd:f (fadd:f ?x ?y) ?z)", "(fadd:f ?x (fadd:f ?y ?z))")
        .over_reals(ALGEBRA),
    RuleText::new("fast-mul-associate", "(fmul:f (fmul:f ?x ?y) ?z)", "(fmul:f ?x (fmul:f ?y ?z))")
        .over_reals(ALGEBRA),
    RuleText::new("fast-add-then-sub", "(fsub:f (fadd:f ?x ?y) ?y)", "?x").over_reals(ALGEBRA),
    RuleText::new("fast-sub-then-add", "(fadd:f (fsub:f ?x ?y) ?y)", "?x").over_reals(ALGEBRA),
    RuleText::new("fast-sub-of-sub", "(fsub:f ?x (fsub:f ?y ?z))", "(fsub:f (fadd:f ?x ?z) ?y)")
        .over_reals(ALGEBRA),
    RuleText::new(
        "fast-factor",
        "(fadd:f (fmul:f ?x ?y) (fmul:f ?x ?z))",
        "(fmul:f ?x (fadd:f ?y ?z))",
    )
    .over_reals(ALGEBRA),
    RuleText::new(
        "fast-factor-difference",
        "(fsub:f (fmul:f ?x ?y) (fmul:f ?x ?z))",
        "(fmul:f ?x (fsub:f ?y ?z))",
    )
    .over_reals(ALGEBRA),
    RuleText::new(
        "fast-factor-fused",
        "(fma:f ?x ?y (fmul:f ?x ?z))",
        "(fmul:f ?x (fadd:f ?y ?z))",
    )
    .over_reals(ALGEBRA),
    RuleText::new("fast-factor-one", "(fadd:f (fmul:f ?x $c) ?x)", "(fmul:f ?x (fadd:f $c 1.0:f))")
        .over_reals(ALGEBRA),
];
