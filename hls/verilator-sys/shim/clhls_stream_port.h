// What stands at an AXI4-Stream of the kernel: a list of packets that it reads, or room for those that it writes.

#ifndef CLHLS_STREAM_PORT_H
#define CLHLS_STREAM_PORT_H

#include "clhls_axi_port.h"

#include <cstring>

namespace clhls {

class StreamPort {
public:
  StreamPort(const StreamPins &pins, int index, const clhls_options &options)
      : pins_(pins), stall_(options.stall), random_(options.seed + uint64_t(index) * 0x9E3779B1u + 17) {
    reset();
  }

  void reset() {
    taken_ = false;
    if (pins_.writes)
      *pins_.tready = 0;
    else
      *pins_.tvalid = 0;
  }

  // For a stream that the kernel reads: packets to give. For one that it writes: none, and room for as many bytes.
  void put(const uint8_t *data, size_t bytes, size_t room) {
    packets_.assign(data, data + bytes);
    room_ = room;
    at_ = 0;
  }

  // Packets that the kernel has not taken, or that it has written.
  size_t get(uint8_t *data, size_t room) const {
    const size_t from = pins_.writes ? 0 : at_;
    const size_t there = packets_.size() - from;
    if (room != 0)
      std::memcpy(data, packets_.data() + from, std::min(there, room));
    return there;
  }

  // Takes a packet that the kernel has written out of the list; false if there is none.
  bool pop(uint8_t *data, size_t bytes) {
    if (!pins_.writes || bytes != pins_.bytes || packets_.size() < bytes)
      return false;
    std::memcpy(data, packets_.data(), pins_.bytes);
    packets_.erase(packets_.begin(), packets_.begin() + pins_.bytes);
    return true;
  }

  // Another packet for the kernel to read; false if `most` wait for it already.
  bool push(const uint8_t *data, size_t bytes, size_t most) {
    if (pins_.writes || bytes != pins_.bytes || packets_.size() - at_ >= most * pins_.bytes)
      return false;
    packets_.erase(packets_.begin(), packets_.begin() + ptrdiff_t(at_));
    at_ = 0;
    packets_.insert(packets_.end(), data, data + pins_.bytes);
    return true;
  }

  // Whether the kernel waits here for what will not come.
  bool blocked() const {
    if (pins_.writes)
      return *pins_.tvalid && packets_.size() >= room_;
    return *pins_.tready && at_ == packets_.size();
  }

  // Operations of the kernel that were refused here since `forget`, and what the unit behind the port does.
  uint64_t refusals() const { return refusals_; }
  void forget() { refusals_ = 0; }
  bool waits() const { return *pins_.waits; }
  uint32_t held() const { return *pins_.held; }

  // Before the clock edge: whether an operation is refused.
  bool refuses() {
    refusals_ += *pins_.refused;
    return *pins_.refused;
  }

  // Before the clock edge; whether a packet moves.
  bool sample() {
    const bool moves = *pins_.tvalid && *pins_.tready;
    if (!moves)
      return false;
    if (pins_.writes)
      packets_.insert(packets_.end(), pins_.tdata, pins_.tdata + pins_.bytes);
    else {
      at_ += pins_.bytes;
      taken_ = true;
    }
    return true;
  }

  // After the clock edge.
  void drive() {
    const bool pause = random_.chance(stall_);
    if (pins_.writes) {
      *pins_.tready = packets_.size() < room_ && !pause;
      return;
    }
    // What is offered stays until it is taken.
    if (*pins_.tvalid && !taken_)
      return;
    taken_ = false;
    *pins_.tvalid = at_ < packets_.size() && !pause;
    if (*pins_.tvalid)
      std::memcpy(pins_.tdata, packets_.data() + at_, pins_.bytes);
  }

private:
  StreamPins pins_;
  uint32_t stall_;
  Random random_;
  std::vector<uint8_t> packets_;
  size_t room_ = 0;
  uint64_t refusals_ = 0;
  size_t at_ = 0; // of the next packet to be taken
  bool taken_ = false;
};

} // namespace clhls

#endif
