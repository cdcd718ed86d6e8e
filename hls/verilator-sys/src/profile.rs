//! Counters of models that are built for profiling (`shim/clhls_profile.cpp`).

use crate::Session;

/// What passed through a channel since the model exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChannelProfile {
    /// Tokens taken by its reader.
    pub tokens: u64,
    /// Cycles in which one stood there and was not taken.
    pub stalled: u64,
    /// Cycle of the first token taken.
    pub first: u64,
    /// Cycle of the last one.
    pub last: u64,
}

/// Accesses of one site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AccessProfile {
    /// How many.
    pub accesses: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// What the cache of one site did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheProfile {
    /// Accesses whose line had been asked for.
    pub hits: u64,
    /// Accesses that asked for their line.
    pub misses: u64,
    /// Cycles in which the oldest access waited for its line.
    pub waiting: u64,
    /// Cycles in which the unit did not take an access.
    pub refused: u64,
}

impl Session<'_> {
    /// The counters of channel `index`; `None` in a model that is not built for profiling.
    pub fn channel_profile(&mut self, index: usize) -> Option<ChannelProfile> {
        let index = u32::try_from(index).ok()?;
        let (profile, sim) = self.profile()?;
        // SAFETY: `sim` is a live instance of this model; no clock runs.
        let count = |what| unsafe { (profile.channel)(sim, index, what) };
        Some(ChannelProfile {
            tokens: count(0),
            stalled: count(1),
            first: count(2),
            last: count(3),
        })
    }

    /// The accesses of site `id` in this thread since [`Session::clear_profile`]; `None` in a model that is not built for
    /// profiling.
    pub fn access_profile(&mut self, id: u32) -> Option<AccessProfile> {
        let id = i32::try_from(id).ok()?;
        let (profile, _) = self.profile()?;
        // SAFETY: the function has no preconditions.
        let count = |what| unsafe { (profile.access)(id, what) };
        Some(AccessProfile { accesses: count(0), bytes: count(1) })
    }

    /// What the cache of site `id` did in this thread since [`Session::clear_profile`], all 0 if it has none; `None` in a
    /// model that is not built for profiling.
    pub fn cache_profile(&mut self, id: u32) -> Option<CacheProfile> {
        let id = i32::try_from(id).ok()?;
        let (profile, _) = self.profile()?;
        // SAFETY: the function has no preconditions.
        let count = |what| unsafe { (profile.cache)(id, what) };
        Some(CacheProfile {
            hits: count(0),
            misses: count(1),
            waiting: count(2),
            refused: count(3),
        })
    }

    /// Forgets all accesses.
    pub fn clear_profile(&mut self) {
        if let Some((profile, _)) = self.profile() {
            // SAFETY: the function has no preconditions.
            unsafe { (profile.clear)() }
        }
    }
}
