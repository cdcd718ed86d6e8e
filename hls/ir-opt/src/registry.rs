//! The passes with their names, and the pipelines as lists of names.

use crate::passes::*;
use crate::{Context, Level};
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

macro_rules! context_pass {
    ($name:literal, $run:expr, $description:literal) => {
        Pass {
            name: $name,
            description: $description,
            body: Body::Function(|f, c| {
                $run(f, c);
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
        "Resolves branches that are constant or were decided before, skips empty blocks, merges straight lines."
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
        description: "Splits accesses into words, of up to 64 bytes in device memory, aligned ones of up to 16 on the chip, and resolves generic pointers.",
        body: Body::Function(|f, _| legalise_memory::run(f)),
    },
    function_pass!(
        "expand-remainders",
        expand_remainders::run,
        "Replaces remainders of floats by loops of subtractions, one for all lanes of a vector."
    ),
    Pass {
        name: "converge",
        description: "Lets work-items take turns at functions of sub-groups and named barriers, unless all of a group provably come there together.",
        body: Body::Module(converge::run),
    },
    function_pass!(
        "lower-switch",
        lower_switch::run,
        "Replaces switches by balanced trees of comparisons."
    ),
    context_pass!(
        "null-accesses",
        null_accesses::run,
        "Removes accesses to memory on the chip whose pointers point at no object there."
    ),
    function_pass!("unify-returns", unify_returns::run, "Gives a kernel one exit block."),
    function_pass!(
        "dce",
        dce::run,
        "Removes unused operations, loads, block parameters and write-only variables on the chip."
    ),
    function_pass!("split-barriers", barriers::run, "Puts every barrier at the start of a block."),
    function_pass!(
        "loop-simplify",
        loop_simplify::run,
        "Gives every reducible loop a preheader and a single latch."
    ),
    function_pass!("split-critical", split_critical::run, "Puts a block on every critical edge."),
    context_pass!(
        "fold",
        fold::run,
        "Folds constants and simplifies what is always better simplified."
    ),
    context_pass!(
        "groups-of-one",
        groups_of_one::run,
        "Makes kernels that loop and ask for no ids run as single work-items, whose iterations overlap."
    ),
    function_pass!(
        "contract",
        contract::run,
        "Fuses products with the sums that alone use them, where the module allows it."
    ),
    function_pass!(
        "partial-sums",
        partial_sums::run,
        "Keeps several partial results of sums that a single work-item carries, where their order does not matter."
    ),
    context_pass!(
        "narrow-addresses",
        narrow_addresses::run,
        "Gives kernels 32-bit addresses where the board's memory needs no more."
    ),
    context_pass!(
        "narrow",
        narrow::run,
        "Computes in as few bits as ranges, known bits and uses of the result allow."
    ),
    function_pass!(
        "gvn",
        gvn::run,
        "Computes equal values once, and reuses what a block has loaded or stored."
    ),
    function_pass!("licm", licm::run, "Moves invariant loads and dear operations out of loops."),
    function_pass!(
        "relax-order",
        relax_order::run,
        "Keeps the order of effects only where they may touch the same bytes."
    ),
    function_pass!(
        "sink-wires",
        sink_wires::run,
        "Repeats extensions in the blocks that use them, so that narrow values travel."
    ),
    function_pass!(
        "hoist-slices",
        hoist_slices::run,
        "Takes the bits of a value that other blocks use where it is made, so that only these travel."
    ),
    function_pass!(
        "if-convert",
        if_convert::run,
        "Executes short arms of branches always, with predicated accesses and selected results."
    ),
    context_pass!(
        "flatten",
        flatten::run,
        "Makes loops and nests of loops of a single work-item one block, so that iterations overlap."
    ),
    context_pass!(
        "fuse-loops",
        fuse_loops::run,
        "Makes loops of a single work-item that follow one another and go round equally often one loop."
    ),
    function_pass!(
        "retime-selects",
        retime_selects::run,
        "Leaves one selection in the recurrence of a value that loops of a single work-item carry."
    ),
    context_pass!(
        "carry-ahead",
        carry_ahead::run,
        "Carries sums of a counter and a constant beside it where a decision of a single work-item's loop would wait for them."
    ),
    context_pass!(
        "pipe-waits",
        pipe_waits::run,
        "Waits at connected pipes where the source repeats an attempt until it succeeds, and makes one of operations of which at most one happens."
    ),
    context_pass!(
        "unroll",
        unroll::run,
        "Unrolls loops of few known iterations, those the source wants unrolled, and those that only move windows over data."
    ),
    Pass {
        name: "simd",
        description: "Combines work-items along dimension 0 into tokens, with one wide access for all: as many as asked for, or as fill the memory port.",
        body: Body::Function(simd::run),
    },
    context_pass!(
        "banks",
        banks::run,
        "Divides arrays on the chip into banks, or words, where accesses then wait less for one another."
    ),
    context_pass!(
        "forward-stores",
        forward_stores::run,
        "Carries what a single work-item's loop stores and loads again a fixed number of iterations later beside memory."
    ),
    context_pass!(
        "independence",
        independence::run,
        "Marks loops of one block whose iterations provably touch different places of memory, or the same only several iterations later."
    ),
    context_pass!(
        "coalesce",
        coalesce::run,
        "Makes loads, or stores, of a block at neighbouring places of device memory one wide access."
    ),
    Pass {
        name: "egraph",
        description: "Rewrites pure operations by proved rules and keeps the terms that are cheapest in hardware.",
        body: Body::Function(crate::egraph::run),
    },
];

/// The pass called `name`.
pub fn pass(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|p| p.name == name)
}

/// One function in SSA form without vectors.
const FRONT: &[&str] =
    &["inline", "simplify-cfg", "infer-spaces", "sroa", "scalarise", "dce", "converge"];

/// Every level, where the form of accesses is final.
const MEMORY: &[&str] =
    &["legalise-memory", "expand-remainders", "lower-switch", "dce", "simplify-cfg"];

/// Every level, last.
const SHAPE: &[&str] =
    &["null-accesses", "dce", "unify-returns", "split-barriers", "loop-simplify", "split-critical"];

const CLEAN: &[&str] = &["fold", "gvn", "dce", "simplify-cfg"];

/// The pipeline of an optimisation level: names of passes in order.
pub fn pipeline(level: Level) -> Vec<&'static str> {
    let parts: &[&[&str]] = match level {
        Level::O0 => &[FRONT, MEMORY, &["simd"], SHAPE],
        Level::O1 | Level::O2 => &[
            FRONT,
            CLEAN,
            &["sroa"],
            CLEAN,
            &["groups-of-one", "contract", "partial-sums"],
            MEMORY,
            CLEAN,
            &["unroll"],
            CLEAN,
            &["unify-returns", "if-convert", "pipe-waits"],
            CLEAN,
            &["flatten"],
            CLEAN,
            // Nests around fused loops may become one block, once arrays between these are values.
            &["fuse-loops", "gvn"],
            CLEAN,
            &["flatten"],
            CLEAN,
            &["simd"],
            CLEAN,
            &["banks"],
            CLEAN,
            &["narrow-addresses", "licm", "narrow", "gvn", "dce", "simplify-cfg"],
            // Before rewriting too: it may hide constant distances between addresses, and shortens no recurrence while a decision is later.
            &["forward-stores", "relax-order", "coalesce", "carry-ahead", "egraph", "gvn"],
            &["narrow", "gvn", "sink-wires", "hoist-slices", "relax-order"],
            &["retime-selects", "carry-ahead", "fold", "gvn", "dce", "independence"],
            SHAPE,
        ],
    };
    parts.concat()
}
