//! The rewrite rules on random inputs, by the interpreter's evaluation. The proofs are made by
//! `prove-rules`; here each rule must be readable, named once, and right where it is tried.

use fuzz::Rng;
use ir::Type;
use ir_opt::egraph::lang::{Folding, Graph, Node};
use ir_opt::egraph::pattern::Bindings;
use ir_opt::egraph::rules::{self, Rule};
use ir_opt::egraph::smt;

#[test]
fn every_rule_can_be_read() {
    let texts: Vec<_> = rules::TOPICS.iter().flat_map(|t| t.rules).collect();
    for t in &texts {
        Rule::parse(t).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(texts.iter().filter(|o| o.name == t.name).count(), 1, "{} twice", t.name);
    }
    assert_eq!(rules::all().len(), texts.len());
    assert!(texts.len() >= 40);
}

/// Random constants for the variables of a rule.
fn bind(graph: &mut Graph, rule: &Rule, widths: &Bindings, rng: &mut Rng) -> Bindings {
    let mut bound = widths.clone();
    if let Some(kind) = widths.float {
        bound.widths.push(('f', kind.bits() as i32));
    }
    for (name, width) in smt::variables(rule, widths) {
        let float = widths.float.filter(|k| k.bits() == width);
        let ty = float.map_or(Type::int(width), Type::float);
        let bits = match float {
            // often infinities, NaNs, zeros, subnormals
            Some(k) if rng.below(3) == 0 => {
                let exponent = ((1u128 << (k.bits() - 1)) - 1) & !(rng.number() >> 64);
                exponent & !ir::builder::mask(u128::MAX, 8)
            }
            _ => rng.number(),
        };
        let bits = ir::builder::mask(bits, width);
        let id = graph.add(Node::constant(ty, bits));
        bound.values.push((name, id));
    }
    bound
}

#[test]
fn every_rule_holds_on_random_inputs() {
    let mut rng = Rng(7);
    // What rounds differently is for the proofs, and for the replay of each rewriting.
    for rule in rules::all().iter().filter(|r| r.text.allowed == 0) {
        let choices = smt::choices(rule);
        assert!(!choices.is_empty(), "{}: no choice of widths fits", rule.text.name);
        let mut tried = 0;
        for widths in &choices {
            for _ in 0..60 {
                let mut graph = Graph::new(Folding::new(64));
                let bound = bind(&mut graph, rule, widths, &mut rng);
                if let Some(given) = &rule.given
                    && given.evaluate(&graph, &bound).is_none_or(|(_, bits)| bits & 1 == 0)
                {
                    continue;
                }
                let (left, right) =
                    (rule.lhs.evaluate(&graph, &bound), rule.rhs.evaluate(&graph, &bound));
                let bits = |v: Option<(Type, u128)>| v.map(|(_, bits)| bits);
                assert!(bits(left).is_some(), "{}: {widths:?}", rule.text.name);
                assert_eq!(bits(left), bits(right), "{}: {bound:?}", rule.text.name);
                tried += 1;
            }
        }
        assert!(tried > 0, "{}: its condition never held", rule.text.name);
    }
}

/// A wrong rule is found wrong: the test above can fail.
#[test]
fn a_wrong_rule_is_noticed() {
    let text = rules::RuleText::new("wrong", "(sub:w ?x ?y)", "(sub:w ?y ?x)");
    let rule = Rule::parse(&text).expect("readable");
    let mut rng = Rng(1);
    let differs = smt::choices(&rule).iter().any(|widths| {
        let mut graph = Graph::new(Folding::new(64));
        let bound = bind(&mut graph, &rule, widths, &mut rng);
        rule.lhs.evaluate(&graph, &bound) != rule.rhs.evaluate(&graph, &bound)
    });
    assert!(differs);
}
