// Counters of models that are built for profiling: simtop counts in channels, this file accesses and what caches do. Linked
// with --wrap=clhls_check_access, so that the units' reports of accesses come here first.

#include "clhls_sim.h"

#include "svdpi.h"

#include <map>

extern "C" long long clhls_profile_count(int channel, int what); // exported by simtop
extern "C" void __real_clhls_check_access(int site, long long address, int bytes, int is_write);

namespace {

struct Count {
  uint64_t accesses, bytes;
};
// As clhls_load_cached numbers what it counts.
struct CacheCount {
  uint64_t of[4];
};
// Of all instances in this thread: a launch is profiled alone.
thread_local std::map<int, Count> counts;
thread_local std::map<int, CacheCount> caches;

} // namespace

extern "C" void __wrap_clhls_check_access(int site, long long address, int bytes, int is_write) {
  Count &count = counts[site & ~CLHLS_SITE_AHEAD];
  ++count.accesses;
  count.bytes += uint64_t(bytes);
  __real_clhls_check_access(site, address, bytes, is_write);
}

extern "C" void clhls_count_cache(int site, int what) {
  if (what >= 0 && what < 4)
    ++caches[site & ~CLHLS_SITE_AHEAD].of[what];
}

extern "C" {

CLHLS_EXPORT void clhls_profile_clear(void) {
  counts.clear();
  caches.clear();
}

// Number `what` of simtop's counters of a channel since the model exists.
CLHLS_EXPORT uint64_t clhls_profile_channel(clhls_sim *sim, uint32_t channel, uint32_t what) {
  clhls_sim_channel(sim, channel); // makes the instance's context that of this thread
  svSetScope(svGetScopeFromName("TOP.clhls_simtop"));
  return uint64_t(clhls_profile_count(int(channel), int(what)));
}

// 0: accesses of a site since clhls_profile_clear, 1: their bytes.
CLHLS_EXPORT uint64_t clhls_profile_access(int site, uint32_t what) {
  const auto found = counts.find(site);
  if (found == counts.end())
    return 0;
  return what == 0 ? found->second.accesses : found->second.bytes;
}

// Of a site with a cache since clhls_profile_clear: 0 hits, 1 misses, 2 cycles in which the oldest request waited for its
// line, 3 cycles in which a request was not taken.
CLHLS_EXPORT uint64_t clhls_profile_cache(int site, uint32_t what) {
  const auto found = caches.find(site);
  return found == caches.end() || what >= 4 ? 0 : found->second.of[what];
}

} // extern "C"
