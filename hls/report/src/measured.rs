//! What a simulation measured.

use serde::{Deserialize, Serialize};

/// One launch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Cycles from start to end.
    pub cycles: u64,
    /// Work-items.
    pub work_items: u64,
    /// Each memory port.
    pub ports: Vec<PortCount>,
    /// Each channel of work-items.
    pub channels: Vec<ChannelCount>,
    /// Each memory access.
    pub accesses: Vec<AccessCount>,
}

/// A memory port.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PortCount {
    /// Its name.
    pub name: String,
    /// Bytes read, in whole beats.
    pub read_bytes: u64,
    /// Bytes written, in whole beats.
    pub written_bytes: u64,
    /// Bursts read.
    pub read_bursts: u64,
    /// Bursts written.
    pub write_bursts: u64,
    /// Bytes a second, read, at the kernel's clock.
    pub read_bytes_per_second: f64,
    /// Bytes a second, written.
    pub written_bytes_per_second: f64,
}

/// A channel of work-items, in all compute units together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ChannelCount {
    /// Name of its signals, as in the drawing's edges.
    pub channel: String,
    /// What it connects.
    pub name: String,
    /// Tokens that passed.
    pub tokens: u64,
    /// Cycles in which one stood there and was not taken.
    pub stalled: u64,
    /// Share of the cycles in which one stood there, 0 to 1.
    pub occupancy: f64,
    /// Cycles between two tokens while any passed: from the first to the last.
    pub interval: f64,
}

/// A memory access.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AccessCount {
    /// Its number.
    pub id: u32,
    /// Accesses made.
    pub count: u64,
    /// Bytes.
    pub bytes: u64,
    /// Bytes a second at the kernel's clock.
    pub bytes_per_second: f64,
    /// What the cache of its unit did, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheCount>,
}

/// The cache of a load unit. Parts of accesses that a condition leaves out are not counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CacheCount {
    /// Accesses whose line had been asked for.
    pub hits: u64,
    /// Accesses that asked for their line.
    pub misses: u64,
    /// Share of the accesses that are hits, 0 to 1.
    pub hit_rate: f64,
    /// Cycles in which the oldest access waited for its line.
    pub waiting: u64,
    /// Cycles in which the unit did not take an access.
    pub refused: u64,
}
