//! Identities of IEEE arithmetic that hold bit for bit for every input: NaN (whose result is
//! canonical), infinities, signed zeros, subnormals.

use super::RuleText;

pub(super) const RULES: &[RuleText] = &[
    RuleText::new("fadd-commute", "(fadd:f ?x ?y)", "(fadd:f ?y ?x)").prove_at(&[16]),
    RuleText::new("fmul-commute", "(fmul:f ?x ?y)", "(fmul:f ?y ?x)").prove_at(&[16]),
    RuleText::new("fneg-fneg", "(fneg:f (fneg:f ?x))", "?x"),
    RuleText::new("fabs-fneg", "(fabs:f (fneg:f ?x))", "(fabs:f ?x)"),
    RuleText::new("fabs-fabs", "(fabs:f (fabs:f ?x))", "(fabs:f ?x)"),
    RuleText::new("fsub-as-fadd", "(fsub:f ?x ?y)", "(fadd:f ?x (fneg:f ?y))").prove_at(&[16, 32]),
    RuleText::new("fadd-of-fneg", "(fadd:f ?x (fneg:f ?y))", "(fsub:f ?x ?y)").prove_at(&[16, 32]),
    RuleText::new("fmul-of-fnegs", "(fmul:f (fneg:f ?x) (fneg:f ?y))", "(fmul:f ?x ?y)")
        .prove_at(&[16]),
    RuleText::new("fmul-move-fneg", "(fmul:f (fneg:f ?x) ?y)", "(fmul:f ?x (fneg:f ?y))")
        .prove_at(&[16]),
    RuleText::new("fmul-two", "(fmul:f ?x 2.0:f)", "(fadd:f ?x ?x)").prove_at(&[16]),
    RuleText::new("fdiv-two", "(fdiv:f ?x 2.0:f)", "(fmul:f ?x 0.5:f)").prove_at(&[16]),
    RuleText::new("fdiv-four", "(fdiv:f ?x 4.0:f)", "(fmul:f ?x 0.25:f)").prove_at(&[16]),
    RuleText::new("fdiv-half", "(fdiv:f ?x 0.5:f)", "(fadd:f ?x ?x)").prove_at(&[16]),
    RuleText::new("fdiv-of-fnegs", "(fdiv:f (fneg:f ?x) (fneg:f ?y))", "(fdiv:f ?x ?y)")
        .prove_at(&[16]),
    RuleText::new("fabs-square", "(fmul:f (fabs:f ?x) (fabs:f ?x))", "(fmul:f ?x ?x)")
        .prove_at(&[16]),
    RuleText::new("fma-of-fnegs", "(fma:f (fneg:f ?x) (fneg:f ?y) ?z)", "(fma:f ?x ?y ?z)")
        .prove_at(&[16]),
    RuleText::new("fcmp-lt-fnegs", "(fcmp.olt:1 (fneg:f ?x) (fneg:f ?y))", "(fcmp.olt:1 ?y ?x)"),
    RuleText::new("fcmp-gt-as-lt", "(fcmp.ogt:1 ?x:f ?y)", "(fcmp.olt:1 ?y ?x)"),
    RuleText::new("fcmp-ge-as-le", "(fcmp.oge:1 ?x:f ?y)", "(fcmp.ole:1 ?y ?x)"),
    RuleText::new("not-fcmp-lt", "(not:1 (fcmp.olt:1 ?x:f ?y))", "(fcmp.uge:1 ?x ?y)"),
    RuleText::new("not-fcmp-eq", "(not:1 (fcmp.oeq:1 ?x:f ?y))", "(fcmp.une:1 ?x ?y)"),
    RuleText::new("not-fcmp-ult", "(not:1 (fcmp.ult:1 ?x:f ?y))", "(fcmp.oge:1 ?x ?y)"),
    RuleText::new("fselect-same", "(select:f ?c ?x ?x)", "?x"),
    RuleText::new(
        "fselect-of-fadd",
        "(select:f ?c (fadd:f ?x ?z) (fadd:f ?y ?z))",
        "(fadd:f (select:f ?c ?x ?y) ?z)",
    )
    .any_function(),
    RuleText::new(
        "fselect-of-fmul",
        "(select:f ?c (fmul:f ?x ?z) (fmul:f ?y ?z))",
        "(fmul:f (select:f ?c ?x ?y) ?z)",
    )
    .any_function(),
];
