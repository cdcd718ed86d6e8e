//! What a launch did in each channel, at each port and in each access.

use abi::Kernel;
use verilator_sys::{AccessProfile, CacheProfile, ChannelProfile, PortStats, Session};

/// Counters of one launch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Profile {
    /// Memory ports, as in the manifest.
    pub ports: Vec<PortCount>,
    /// Channels, as in the manifest.
    pub channels: Vec<ChannelCount>,
    /// Accesses of sites of device memory, by number; other sites are all 0.
    pub accesses: Vec<AccessCount>,
    /// Caches of the same sites; of those without one all is 0.
    pub caches: Vec<CacheCount>,
}

/// A memory port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub struct PortCount {
    pub read_bytes: u64,
    pub written_bytes: u64,
    pub read_bursts: u64,
    pub write_bursts: u64,
}

/// A channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChannelCount {
    /// Tokens that its reader took.
    pub tokens: u64,
    /// Cycles in which one stood there and was not taken.
    pub stalled: u64,
    /// Cycles from the first token to the last; of the model's first launch, else 0.
    pub span: u64,
}

/// An access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AccessCount {
    /// How many.
    pub accesses: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// The cache of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheCount {
    /// Accesses whose line had been asked for.
    pub hits: u64,
    /// Accesses that asked for their line.
    pub misses: u64,
    /// Cycles in which the oldest access waited for its line.
    pub waiting: u64,
    /// Cycles in which the unit did not take an access.
    pub refused: u64,
}

/// Counters before a launch.
pub(crate) struct Before {
    channels: Vec<ChannelProfile>,
    ports: Vec<PortStats>,
}

impl Profile {
    /// The counters as they are; `None` if nothing is to be counted.
    pub(crate) fn start(
        session: &mut Session<'_>,
        kernel: &Kernel,
        wanted: bool,
    ) -> Option<Before> {
        if !wanted {
            return None;
        }
        session.clear_profile();
        let ports = session.model().port_stats();
        Some(Before { channels: channels(session, kernel), ports })
    }
}

fn channels(session: &mut Session<'_>, kernel: &Kernel) -> Vec<ChannelProfile> {
    let all = 0..kernel.channels.len();
    all.map(|k| session.channel_profile(k).unwrap_or_default()).collect()
}

impl Before {
    /// What has happened since.
    pub(crate) fn finish(self, session: &mut Session<'_>, kernel: &Kernel) -> Profile {
        let now = session.model().port_stats();
        let ports = kernel.memory_ports.iter().zip(self.ports.iter().zip(&now));
        let ports = ports.map(|(port, (a, b))| {
            let beat = u64::from(port.data_bits / 8);
            PortCount {
                read_bytes: beat * (b.read_beats - a.read_beats),
                written_bytes: beat * (b.write_beats - a.write_beats),
                read_bursts: b.read_bursts - a.read_bursts,
                write_bursts: b.write_bursts - a.write_bursts,
            }
        });
        let ports = ports.collect();
        let after = channels(session, kernel);
        let channels = self.channels.iter().zip(&after);
        let channels = channels.map(|(a, b)| ChannelCount {
            tokens: b.tokens - a.tokens,
            stalled: b.stalled - a.stalled,
            span: if a.tokens == 0 { b.last - b.first } else { 0 },
        });
        let channels = channels.collect();
        let accesses = kernel.sites.iter().map(|site| {
            let AccessProfile { accesses, bytes } =
                session.access_profile(site.id).unwrap_or_default();
            AccessCount { accesses, bytes }
        });
        let accesses = accesses.collect();
        let caches = kernel.sites.iter().map(|site| {
            let CacheProfile { hits, misses, waiting, refused } =
                session.cache_profile(site.id).unwrap_or_default();
            CacheCount { hits, misses, waiting, refused }
        });
        let caches = caches.collect();
        Profile { ports, channels, accesses, caches }
    }
}
