//! Shifts instead of products, products instead of products (canonical signed digits).

use super::RuleText;

const IS_POWER: &str = "(and:1 (icmp.ne:1 $c 0:w) (icmp.eq:1 (and:w $c (add:w $c -1:w)) 0:w))";
const IS_INVERSE_POWER: &str =
    "(and:1 (icmp.ne:1 $c 0:w) (icmp.eq:1 (and:w (sub:w 0:w $c) (add:w (sub:w 0:w $c) -1:w)) 0:w))";
/// Neither a power of two nor its negative, and at most four signed digits: the ones of 3c ^ c.
const FEW_DIGITS: &str = "(and:1 (icmp.ne:1 (and:w $c (add:w $c -1:w)) 0:w) (icmp.ult:1 (popcount:w (xor:w (add:w (add:w $c $c) $c) $c)) 5:w))";
const IS_EVEN: &str = "(and:1 (icmp.ne:1 $c 0:w) (icmp.eq:1 (and:w $c 1:w) 0:w))";

pub(super) const RULES: &[RuleText] = &[
    RuleText::new("mul-power", "(mul:w ?x $c)", "(shl:w ?x (sub:w #w-1:w (clz:w $c)))")
        .widths("2 < w")
        .given(IS_POWER)
        .prove_at(&[3, 4, 8]),
    RuleText::new(
        "mul-negative-power",
        "(mul:w ?x $c)",
        "(sub:w 0:w (shl:w ?x (sub:w #w-1:w (clz:w (sub:w 0:w $c)))))",
    )
    .widths("2 < w")
    .given(IS_INVERSE_POWER)
    .prove_at(&[3, 4, 8]),
    RuleText::new(
        "mul-digit-add",
        "(mul:w ?x $c)",
        "(add:w (shl:w ?x (sub:w #w-1:w (clz:w $c))) (mul:w ?x (xor:w $c (shl:w 1:w (sub:w #w-1:w (clz:w $c))))))",
    )
    .widths("3 < w")
    .given(FEW_DIGITS)
    .prove_at(&[4, 6, 8]),
    RuleText::new(
        "mul-digit-sub",
        "(mul:w ?x $c)",
        "(sub:w (shl:w ?x (sub:w #w:w (clz:w $c))) (mul:w ?x (sub:w (shl:w 1:w (sub:w #w:w (clz:w $c))) $c)))",
    )
    .widths("3 < w")
    .given(FEW_DIGITS)
    .prove_at(&[4, 6, 8]),
    RuleText::new(
        "mul-even",
        "(mul:w ?x $c)",
        "(shl:w (mul:w ?x (lshr:w $c (popcount:w (and:w (not:w $c) (add:w $c -1:w))))) (popcount:w (and:w (not:w $c) (add:w $c -1:w))))",
    )
    .widths("2 < w")
    .given(IS_EVEN)
    .prove_at(&[3, 4, 6, 8]),
    RuleText::new("double", "(add:w ?x ?x)", "(shl:w ?x 1:w)").widths("1 < w"),
    RuleText::new("shl-zero", "(shl:w ?x 0:w)", "?x"),
    RuleText::new("lshr-zero", "(lshr:w ?x 0:w)", "?x"),
    RuleText::new("ashr-zero", "(ashr:w ?x 0:w)", "?x"),
    RuleText::new("shl-shl", "(shl:w (shl:w ?x $a) $b)", "(shl:w ?x (add:w $a $b))")
        .given("(and:1 (icmp.ule:1 $a (add:w $a $b)) (icmp.ule:1 $b (add:w $a $b)))"),
    RuleText::new("lshr-lshr", "(lshr:w (lshr:w ?x $a) $b)", "(lshr:w ?x (add:w $a $b))")
        .given("(and:1 (icmp.ule:1 $a (add:w $a $b)) (icmp.ule:1 $b (add:w $a $b)))"),
    RuleText::new("lshr-of-shl", "(lshr:w (shl:w ?x $c) $c)", "(and:w ?x (lshr:w -1:w $c))"),
    RuleText::new("shl-of-lshr", "(shl:w (lshr:w ?x $c) $c)", "(and:w ?x (shl:w -1:w $c))"),
    RuleText::new("and-of-lshr", "(and:w (lshr:w ?x $a) (lshr:w ?y $a))", "(lshr:w (and:w ?x ?y) $a)"),
    RuleText::new("or-of-lshr", "(or:w (lshr:w ?x $a) (lshr:w ?y $a))", "(lshr:w (or:w ?x ?y) $a)"),
    RuleText::new("xor-of-lshr", "(xor:w (lshr:w ?x $a) (lshr:w ?y $a))", "(lshr:w (xor:w ?x ?y) $a)"),
    RuleText::new("shl-of-sum", "(shl:w (add:w ?x ?y) $c)", "(add:w (shl:w ?x $c) (shl:w ?y $c))"),
    RuleText::new("sum-of-shl", "(add:w (shl:w ?x $c) (shl:w ?y $c))", "(shl:w (add:w ?x ?y) $c)"),
    RuleText::new(
        "difference-of-shl",
        "(sub:w (shl:w ?x $c) (shl:w ?y $c))",
        "(shl:w (sub:w ?x ?y) $c)",
    ),
    RuleText::new("mul-of-shl", "(mul:w (shl:w ?x $c) ?y)", "(shl:w (mul:w ?x ?y) $c)")
        .prove_at(&[4, 8]),
    RuleText::new(
        "shl-then-mul",
        "(mul:w (shl:w ?x $a) $b)",
        "(mul:w ?x (shl:w $b $a))",
    )
    .prove_at(&[4, 8]),
    RuleText::new("shl-then-add-self", "(add:w (shl:w ?x $a) ?x)", "(mul:w ?x (add:w (shl:w 1:w $a) 1:w))")
        .widths("1 < w")
        .prove_at(&[4, 8]),
    RuleText::new("and-of-shl", "(and:w (shl:w ?x $a) (shl:w ?y $a))", "(shl:w (and:w ?x ?y) $a)"),
    RuleText::new("or-of-shl", "(or:w (shl:w ?x $a) (shl:w ?y $a))", "(shl:w (or:w ?x ?y) $a)"),
    RuleText::new("xor-of-shl", "(xor:w (shl:w ?x $a) (shl:w ?y $a))", "(shl:w (xor:w ?x ?y) $a)"),
    RuleText::new("udiv-power", "(udiv:w ?x $c)", "(lshr:w ?x (sub:w #w-1:w (clz:w $c)))")
        .widths("2 < w")
        .given(IS_POWER)
        .prove_at(&[3, 4, 8]),
    RuleText::new("urem-power", "(urem:w ?x $c)", "(and:w ?x (add:w $c -1:w))")
        .widths("2 < w")
        .given(IS_POWER)
        .prove_at(&[3, 4, 8]),
];
