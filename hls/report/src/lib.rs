//! The report of a build: what was made, why it is as fast as it is, and what would make it faster.
//!
//! [`Report`] is the data; [`Report::to_json`] is `report.json`, [`Report::to_html`] the page that shows it.
//! docs/report.md describes both, docs/report.schema.json the fields of the former.

mod data;
mod json;
mod kernel;
mod measured;
mod page;
#[cfg(test)]
mod tests;

pub use data::{Area, Place, REPORT_VERSION, Report, Source};
pub use kernel::{
    Access, Argument, Block, Constraint, Division, Edge, EdgeKind, Edit, Kernel, Limit, Line, Loop,
    Memory, MemoryKind, Node, NodeKind, Operation, Pattern, Port, Segment, Step, Suggestion,
    UnitsLimit, When,
};
pub use measured::{AccessCount, CacheCount, ChannelCount, Measured, PortCount};

/// Name of the report for programs in the output directory of a build.
pub const JSON_FILE: &str = "report.json";
/// Name of the report for people.
pub const HTML_FILE: &str = "report.html";
