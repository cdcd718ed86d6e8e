//! The choice of terms costs no more than the terms as they were, nor than a greedy choice, and the best known one no more than it.

use ir_opt::egraph::survey;
use ir_opt::{Context, Options};

/// Decisions in the search for the best choice.
const STEPS: u64 = 20_000;

#[test]
fn choices_are_no_dearer_than_others() {
    let (mut regions, mut solved) = (0, 0);
    for seed in 0..40 {
        let options = Options { passes: Some(vec![]), ..Options::default() };
        let family = target::Family::unit();
        let module = fuzz::ir_kernels::module(seed);
        let module = ir_opt::run(module, &[], &options, &family).expect("nothing is done");
        let context = Context::new(&options, &family, 1, &module.globals);
        for region in module.functions.values().flat_map(|f| survey(f, &context, STEPS)) {
            assert!(region.chosen <= region.original, "{seed}: {region:?}");
            assert!(region.chosen <= region.greedy, "{seed}: {region:?}");
            assert!(region.least.is_none_or(|l| l <= region.chosen), "{seed}: {region:?}");
            regions += 1;
            solved += usize::from(region.least.is_some());
        }
    }
    assert!(solved * 2 > regions, "{solved} of {regions}");
}
