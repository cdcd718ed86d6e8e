//! The passes, one in a file. [`crate::registry`] names them and puts them in order.

pub mod barriers;
pub mod contract;
pub mod converge;
pub mod dce;
pub mod expand_remainders;
pub mod fold;
pub mod gvn;
pub mod if_convert;
pub mod infer_spaces;
pub mod inline;
pub mod legalise_memory;
pub mod licm;
pub mod loop_simplify;
pub mod lower_switch;
pub mod narrow;
pub mod narrow_addresses;
pub mod pipe_waits;
pub mod relax_order;
pub mod scalarise;
pub mod simd;
pub mod simplify_cfg;
pub mod sink_wires;
pub mod split_critical;
pub mod sroa;
pub mod unify_returns;
pub mod unroll;
