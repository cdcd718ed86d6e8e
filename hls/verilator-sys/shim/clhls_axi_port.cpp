#include "clhls_axi_port.h"

#include <algorithm>
#include <cstring>

namespace clhls {

namespace {

constexpr uint32_t ONE_BEAT = 65536;
constexpr size_t EARLY_BEATS = 16; // W beats taken before their address
constexpr uint8_t RESP_OKAY = 0, RESP_DECERR = 3;
constexpr uint8_t BURST_INCR = 1;
constexpr uint8_t GARBAGE = 0xA5; // what reads outside all buffers give
enum Channel { AW, W, AR };

bool bit(const uint8_t *bits, uint32_t i) { return bits[i >> 3] >> (i & 7) & 1; }

} // namespace

const clhls_region *Memory::find(uint64_t address) {
  if (last_ < regions_.size()) {
    const clhls_region &region = regions_[last_];
    if (address - region.base < region.mapped)
      return &region;
  }
  auto after = std::upper_bound(
      regions_.begin(), regions_.end(), address,
      [](uint64_t a, const clhls_region &region) { return a < region.base; });
  if (after == regions_.begin())
    return nullptr;
  const clhls_region &region = *(after - 1);
  if (address - region.base >= region.mapped)
    return nullptr;
  last_ = size_t(after - 1 - regions_.begin());
  return &region;
}

bool Memory::contains(uint64_t address, uint64_t bytes) {
  const clhls_region *region = find(address);
  return region && address - region->base + bytes <= region->size;
}

bool Memory::read(uint64_t address, uint32_t bytes, uint8_t *data) {
  const clhls_region *region = find(address);
  if (!region || address - region->base + bytes > region->mapped)
    return false;
  std::memcpy(data, region->data + (address - region->base), bytes);
  return true;
}

// Whether a byte belongs to the credit of a side of a pipe.
bool Memory::is_credit(uint64_t address) const {
  for (const uint64_t pipe : pipes_)
    for (const uint64_t side : PIPE_SIDES)
      if (address - (pipe + side) < PIPE_NEXT)
        return true;
  return false;
}

// Bytes that are all written.
void Memory::put(uint8_t *place, const uint8_t *data, uint64_t address, uint32_t count) {
  if (std::memcmp(place, data, count) == 0)
    return;
  bool changed = pipes_.empty();
  for (uint32_t i = 0; i < count && !changed; ++i)
    changed = place[i] != data[i] && !is_credit(address + i);
  changes_ += changed;
  std::memcpy(place, data, count);
}

bool Memory::write(uint64_t address, uint32_t bytes, const uint8_t *data, const uint8_t *strobes) {
  const clhls_region *region = find(address);
  const uint64_t offset = region ? address - region->base : 0;
  const uint64_t room = region && offset < region->size ? region->size - offset : 0;
  bool inside = true;
  for (uint32_t i = 0; i < bytes; i += 8) {
    if (strobes[i >> 3] == 0xff && i + 8 <= room) {
      put(region->data + offset + i, data + i, address + i, 8);
      continue;
    }
    for (uint32_t j = i; j < std::min(i + 8, bytes); ++j) {
      if (!bit(strobes, j))
        continue;
      if (j < room)
        put(region->data + offset + j, data + j, address + j, 1);
      else
        inside = false;
    }
  }
  return inside;
}

AxiPort::AxiPort(const AxiPins &pins, int index, const clhls_options &options, Memory &memory,
                 FaultLog &faults)
    : pins_(pins), index_(index), options_(options), memory_(memory), faults_(faults),
      random_(options.seed + uint64_t(index) * 0x100000001B3u), bytes_(pins.data_bytes),
      strobe_bytes_(std::max<uint32_t>(1, pins.data_bytes / 8)) {
  reset();
}

void AxiPort::reset() {
  reads_.clear();
  writes_.clear();
  early_.clear();
  complete_ = 0;
  unfinished_ = -1;
  response_taken_ = beat_taken_ = false;
  read_credit_ = write_credit_ = ONE_BEAT;
  std::fill(std::begin(pending_), std::end(pending_), false);
  stats_ = {};
  *pins_.awready = *pins_.wready = *pins_.arready = 0;
  *pins_.bvalid = *pins_.rvalid = 0;
}

clhls_port_stats AxiPort::stats() const {
  clhls_port_stats stats = stats_;
  stats.reads_outstanding = uint32_t(reads_.size()) + (*pins_.rvalid && *pins_.rlast);
  stats.writes_outstanding = uint32_t(writes_.size()) + *pins_.bvalid;
  stats.blocked = uint32_t(*pins_.awvalid && !*pins_.awready) |
                  uint32_t(*pins_.wvalid && !*pins_.wready) << 1 |
                  uint32_t(*pins_.arvalid && !*pins_.arready) << 2 |
                  uint32_t(*pins_.bvalid && !*pins_.bready) << 3 |
                  uint32_t(*pins_.rvalid && !*pins_.rready) << 4;
  return stats;
}

void AxiPort::fault(clhls_fault_kind kind, uint32_t code, uint64_t address, uint32_t bytes,
                    bool is_write, uint64_t now) {
  faults_.add({uint32_t(kind), code, -1, index_, address, bytes, is_write, now});
}

void AxiPort::check_address(uint64_t address, unsigned len, unsigned size, unsigned burst,
                            bool is_write, uint64_t now) {
  const uint32_t total = (len + 1) * bytes_;
  const auto object = [&](uint32_t code) {
    fault(CLHLS_FAULT_PROTOCOL, code, address, total, is_write, now);
  };
  if (burst != BURST_INCR)
    object(CLHLS_PROTOCOL_BURST);
  if (1u << size != bytes_)
    object(CLHLS_PROTOCOL_SIZE);
  if (address % bytes_ != 0)
    object(CLHLS_PROTOCOL_ALIGN);
  if ((address & 4095) + total > 4096)
    object(CLHLS_PROTOCOL_4K);
}

// A valid signal must stay until it is taken.
void AxiPort::check_kept(unsigned channel, bool valid, bool ready, uint64_t now) {
  if (pending_[channel] && !valid)
    fault(CLHLS_FAULT_PROTOCOL, CLHLS_PROTOCOL_DROP, 0, 0, channel != AR, now);
  pending_[channel] = valid && !ready;
}

bool AxiPort::sample(uint64_t now) {
  bool moved = false;
  const bool awvalid = *pins_.awvalid, wvalid = *pins_.wvalid, arvalid = *pins_.arvalid;
  check_kept(AW, awvalid, *pins_.awready, now);
  check_kept(W, wvalid, *pins_.wready, now);
  check_kept(AR, arvalid, *pins_.arready, now);
  if (awvalid && *pins_.awready) {
    accept_write_address(now);
    moved = true;
  }
  if (wvalid && *pins_.wready) {
    accept_write_data(now);
    moved = true;
  }
  if (*pins_.bvalid && *pins_.bready) {
    response_taken_ = true;
    moved = true;
  }
  if (arvalid && *pins_.arready) {
    accept_read(now);
    moved = true;
  }
  if (*pins_.rvalid && *pins_.rready) {
    beat_taken_ = true;
    ++stats_.read_beats;
    moved = true;
  }
  if (*pins_.check_error)
    fault(CLHLS_FAULT_CHECKER, *pins_.check_code, 0, 0, false, now);
  return moved;
}

void AxiPort::accept_read(uint64_t now) {
  check_address(*pins_.araddr, *pins_.arlen, *pins_.arsize, *pins_.arburst, false, now);
  ++stats_.read_bursts;
  Read read{*pins_.arid, *pins_.araddr, *pins_.arlen + 1u, 0, now + options_.read_latency, {}};
  // AXI does not say when between address and data the memory is read. A memory that reorders does
  // it at either end, so that a kernel that relies on one of them is found out.
  if (options_.reorder && random_.chance(32768)) {
    read.snapshot.resize(size_t(read.beats) * bytes_);
    for (uint32_t i = 0; i < read.beats; ++i)
      fetch(read.address + uint64_t(i) * bytes_, &read.snapshot[size_t(i) * bytes_], now);
  }
  reads_.push_back(std::move(read));
}

bool AxiPort::fetch(uint64_t address, uint8_t *data, uint64_t now) {
  if (memory_.read(address, bytes_, data))
    return true;
  std::memset(data, GARBAGE, bytes_);
  if (!memory_.tolerates(address))
    fault(CLHLS_FAULT_BUS, 0, address, bytes_, false, now);
  return false;
}

void AxiPort::accept_write_address(uint64_t now) {
  check_address(*pins_.awaddr, *pins_.awlen, *pins_.awsize, *pins_.awburst, true, now);
  ++stats_.write_bursts;
  Write write{*pins_.awid, *pins_.awaddr, *pins_.awlen + 1u, 0, 0, {}, {}};
  write.data.reserve(size_t(write.beats) * bytes_);
  write.strobes.reserve(size_t(write.beats) * strobe_bytes_);
  writes_.push_back(std::move(write));
  while (!early_.empty() && complete_ < writes_.size()) {
    const std::vector<uint8_t> &beat = early_.front();
    add_write_data(beat.data(), beat.data() + bytes_, beat.back() != 0, now);
    early_.pop_front();
  }
}

// Data comes in the order of the addresses (AXI4 has no WID), before or after them.
void AxiPort::accept_write_data(uint64_t now) {
  ++stats_.write_beats;
  write_credit_ -= std::min(write_credit_, ONE_BEAT);
  if (complete_ < writes_.size()) {
    add_write_data(pins_.wdata, pins_.wstrb, *pins_.wlast, now);
    return;
  }
  std::vector<uint8_t> beat(bytes_ + strobe_bytes_ + 1);
  std::memcpy(beat.data(), pins_.wdata, bytes_);
  std::memcpy(beat.data() + bytes_, pins_.wstrb, strobe_bytes_);
  beat.back() = *pins_.wlast;
  early_.push_back(std::move(beat));
}

// Adds a beat to the oldest burst that is not complete.
void AxiPort::add_write_data(const uint8_t *data, const uint8_t *strobes, bool last, uint64_t now) {
  Write &write = writes_[complete_];
  write.data.insert(write.data.end(), data, data + bytes_);
  write.strobes.insert(write.strobes.end(), strobes, strobes + strobe_bytes_);
  ++write.received;
  const bool complete = write.received == write.beats;
  if (last != complete)
    fault(CLHLS_FAULT_PROTOCOL, CLHLS_PROTOCOL_WLAST, write.address, bytes_, true, now);
  if (!complete)
    return;
  write.ready = now + options_.write_latency;
  ++complete_;
}

void AxiPort::drive(uint64_t now) {
  read_credit_ = std::min(read_credit_ + options_.bandwidth, ONE_BEAT + options_.bandwidth - 1);
  write_credit_ = std::min(write_credit_ + options_.bandwidth, ONE_BEAT + options_.bandwidth - 1);
  *pins_.awready = writes_.size() < options_.max_outstanding && !random_.chance(options_.stall);
  *pins_.arready = reads_.size() < options_.max_outstanding && !random_.chance(options_.stall);
  *pins_.wready = early_.size() < EARLY_BEATS && write_credit_ >= ONE_BEAT &&
                  !random_.chance(options_.stall);
  if (!*pins_.bvalid || response_taken_) {
    *pins_.bvalid = 0;
    response_taken_ = false;
    if (!writes_.empty() && !random_.chance(options_.stall))
      present_response(now);
  }
  if (!*pins_.rvalid || beat_taken_) {
    *pins_.rvalid = 0;
    beat_taken_ = false;
    if (!reads_.empty() && read_credit_ >= ONE_BEAT && !random_.chance(options_.stall))
      present_read(now);
  }
}

// Index of the burst to answer: the oldest, or with reordering any that is the oldest of its id.
// bursts.size(): none.
template <class Burst, class Eligible>
size_t AxiPort::choose(const std::deque<Burst> &bursts, Eligible eligible) {
  if (!options_.reorder)
    return eligible(bursts.front()) ? 0 : bursts.size();
  ids_.clear();
  candidates_.clear();
  for (size_t i = 0; i < bursts.size(); ++i) {
    if (std::find(ids_.begin(), ids_.end(), bursts[i].id) != ids_.end())
      continue;
    ids_.push_back(bursts[i].id);
    if (eligible(bursts[i]))
      candidates_.push_back(i);
  }
  if (candidates_.empty())
    return bursts.size();
  return candidates_[random_.below(uint32_t(candidates_.size()))];
}

void AxiPort::present_read(uint64_t now) {
  const size_t i = choose(reads_, [&](const Read &read) {
    return read.ready <= now + 1 && (unfinished_ < 0 || read.id == unfinished_);
  });
  if (i == reads_.size())
    return;
  Read &read = reads_[i];
  const uint64_t address = read.address + uint64_t(read.next) * bytes_;
  bool found = true;
  if (read.snapshot.empty())
    found = fetch(address, pins_.rdata, now);
  else
    std::memcpy(pins_.rdata, &read.snapshot[size_t(read.next) * bytes_], bytes_);
  ++read.next;
  const bool last = read.next == read.beats;
  *pins_.rid = read.id;
  *pins_.rresp = found ? RESP_OKAY : RESP_DECERR;
  *pins_.rlast = last;
  *pins_.rvalid = 1;
  read_credit_ -= ONE_BEAT;
  unfinished_ = last || options_.interleave ? -1 : int(read.id);
  if (last)
    reads_.erase(reads_.begin() + ptrdiff_t(i));
}

// The memory is written at the latest moment that AXI allows, when the response goes out, so that
// a kernel that does not wait for it is found out.
void AxiPort::present_response(uint64_t now) {
  const size_t i = choose(writes_, [&](const Write &write) {
    return write.received == write.beats && write.ready <= now + 1;
  });
  if (i == writes_.size())
    return;
  const Write &write = writes_[i];
  bool inside = true;
  for (uint32_t beat = 0; beat < write.beats; ++beat) {
    const uint64_t address = write.address + uint64_t(beat) * bytes_;
    if (!memory_.write(address, bytes_, &write.data[size_t(beat) * bytes_],
                       &write.strobes[size_t(beat) * strobe_bytes_])) {
      fault(CLHLS_FAULT_BUS, 0, address, bytes_, true, now);
      inside = false;
    }
  }
  *pins_.bid = write.id;
  *pins_.bresp = inside ? RESP_OKAY : RESP_DECERR;
  *pins_.bvalid = 1;
  writes_.erase(writes_.begin() + ptrdiff_t(i));
  --complete_;
}

} // namespace clhls
