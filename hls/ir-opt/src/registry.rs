//! The passes with their names, and the pipelines as lists of names.

use crate::Context;
use crate::passes::*;
use base::Result;
use ir::{Function, Module};

/// What a pass works on.
#[derive(Clone, Copy)]
pub enum Body {
    /// The whole module.
    Module(fn(&mut Module) -> Result<()>),
    /// One kernel at a time.
    Function(fn(&mut Function, &Context<'_>) -> Result<()>),
}

/// A pass.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Name on the command line and in dump files.
    pub name: &'static str,
    /// What it does, one sentence.
    pub description: &'static str,
    /// The pass itself.
    pub body: Body,
}

macro_rules! function_pass {
    ($name:literal, $run:expr, $description:literal) => {
        Pass {
            name: $name,
            description: $description,
            body: Body::Function(|f, _| {
                $run(f);
                Ok(())
            }),
        }
    };
}

/// All passes, by name.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "inline",
        description: "Replaces every call by the callee's body and drops functions that are no kernels.",
        body: Body::Module(inline::run),
    },
    function_pass!(
        "simplify-cfg",
        simplify_cfg::run,
        "Resolves constant branches, skips empty blocks, merges straight lines."
    ),
    function_pass!(
        "infer-spaces",
        infer_spaces::run,
        "Turns generic pointers that can only point into one address space into pointers into that space."
    ),
    function_pass!(
        "sroa",
        sroa::run,
        "Turns private variables accessed at constant offsets into SSA values, byte range by byte range."
    ),
    function_pass!(
        "scalarise",
        scalarise::run,
        "Replaces vector operations by operations on lanes; vectors remain as data of loads and stores."
    ),
    Pass {
        name: "legalise-memory",
        description: "Splits accesses into naturally aligned words of 1 to 16 bytes and resolves generic pointers.",
        body: Body::Function(|f, _| legalise_memory::run(f)),
    },
    function_pass!(
        "lower-switch",
        lower_switch::run,
        "Replaces switches by balanced trees of comparisons."
    ),
    function_pass!("unify-returns", unify_returns::run, "Gives a kernel one exit block."),
    function_pass!(
        "dce",
        dce::run,
        "Removes unused operations, loads, block parameters and write-only private variables."
    ),
    function_pass!("split-barriers", barriers::run, "Puts every barrier at the start of a block."),
    function_pass!(
        "loop-simplify",
        loop_simplify::run,
        "Gives every reducible loop a preheader and a single latch."
    ),
    function_pass!("split-critical", split_critical::run, "Puts a block on every critical edge."),
];

/// The pass called `name`.
pub fn pass(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|p| p.name == name)
}

/// What the hardware back end needs, after [`FRONT`] and whatever optimises.
const LEGALISE: &[&str] = &[
    "legalise-memory",
    "lower-switch",
    "dce",
    "simplify-cfg",
    "unify-returns",
    "split-barriers",
    "loop-simplify",
    "split-critical",
];

/// One function in SSA form without vectors.
const FRONT: &[&str] = &["inline", "simplify-cfg", "infer-spaces", "sroa", "scalarise", "dce"];

/// The pipeline of an optimisation level: names of passes in order.
pub fn pipeline(level: crate::Level) -> Vec<&'static str> {
    let mut names = FRONT.to_vec();
    match level {
        crate::Level::O0 => {}
        crate::Level::O1 | crate::Level::O2 => {}
    }
    names.extend(LEGALISE);
    names
}
