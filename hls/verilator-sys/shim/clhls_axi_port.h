// The memory behind one AXI4 master of the kernel.

#ifndef CLHLS_AXI_PORT_H
#define CLHLS_AXI_PORT_H

#include "clhls_model.h"
#include "clhls_sim.h"

#include <bitset>
#include <deque>
#include <vector>

namespace clhls {

// Small fast generator (xorshift64*); one for each port, so that ports do not disturb one another.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u | 1) {}
  uint32_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return uint32_t((state_ * 0x2545F4914F6CDD1Du) >> 32);
  }
  // True with probability p / 65536.
  bool chance(uint32_t p) { return p != 0 && (next() & 0xffff) < p; }
  uint32_t below(uint32_t n) { return uint32_t((uint64_t(next()) * n) >> 32); }

private:
  uint64_t state_;
};

// A pipe's object in memory: where the words of writers and of readers begin, and in these the credit, then the next
// position (docs/pipes.md).
constexpr uint64_t PIPE_SIDES[] = {0, 64};
constexpr uint64_t PIPE_NEXT = 4, PIPE_WORDS = 16;

// The first faults, in the order in which they happened.
class FaultLog {
public:
  void add(const clhls_fault &fault) {
    if (faults_.size() < 64)
      faults_.push_back(fault);
  }
  bool empty() const { return faults_.empty(); }
  void clear() { faults_.clear(); }
  const std::vector<clhls_fault> &all() const { return faults_; }

private:
  std::vector<clhls_fault> faults_;
};

// The buffers, shared by all ports.
class Memory {
public:
  void set(const clhls_region *regions, size_t count) {
    regions_.assign(regions, regions + count);
    last_ = 0;
    tolerated_.reset();
  }
  // Bus lines around these bytes may be read although no buffer has them.
  void tolerate(uint64_t address, uint64_t bytes) {
    const uint64_t pages = (address % PAGE + bytes + PAGE - 1) / PAGE;
    for (uint64_t page = 0; page < pages; ++page)
      tolerated_.set((address / PAGE + page) % tolerated_.size());
  }
  bool tolerates(uint64_t address) const { return tolerated_[address / PAGE % tolerated_.size()]; }
  // Whether all the bytes belong to one buffer.
  bool contains(uint64_t address, uint64_t bytes);
  // A bus line; false if it is outside the storage of all buffers.
  bool read(uint64_t address, uint32_t bytes, uint8_t *data);
  // The enabled bytes of a bus line; false if one of them is outside all buffers.
  bool write(uint64_t address, uint32_t bytes, const uint8_t *data, const uint8_t *strobes);
  // The pipes in memory from now on: addresses of their objects (docs/pipes.md).
  void watch(const uint64_t *objects, size_t count) { pipes_.assign(objects, objects + count); }
  const std::vector<uint64_t> &pipes() const { return pipes_; }
  // Writes that changed a byte, but for the credits of pipes, which attempts take and give back.
  uint64_t changes() const { return changes_; }

private:
  const clhls_region *find(uint64_t address);
  void put(uint8_t *place, const uint8_t *data, uint64_t address, uint32_t count);
  bool is_credit(uint64_t address) const;

  std::vector<clhls_region> regions_;
  size_t last_ = 0; // the one found last: accesses come in runs
  std::vector<uint64_t> pipes_;
  uint64_t changes_ = 0;
  static constexpr uint64_t PAGE = 4096;
  // By the low bits of their number: units drop those bits of an address that no memory of the board has.
  std::bitset<4096> tolerated_;
};

class AxiPort {
public:
  AxiPort(const AxiPins &pins, int index, const clhls_options &options, Memory &memory,
          FaultLog &faults);

  // Before the clock edge: takes note of the handshakes; true if there was one.
  bool sample(uint64_t now);
  // After the clock edge: the signals of the memory for the next cycle.
  void drive(uint64_t now);
  void reset();
  clhls_port_stats stats() const;

private:
  struct Read {
    uint16_t id;
    uint64_t address;
    uint32_t beats, next;          // all, and the next one to send
    uint64_t ready;                // first cycle in which a beat may be on the bus
    std::vector<uint8_t> snapshot; // the data, if it was read when the address came
  };
  struct Write {
    uint16_t id;
    uint64_t address;
    uint32_t beats, received;
    uint64_t ready;             // first cycle in which the response may be on the bus
    std::vector<uint8_t> data, strobes;
  };

  void check_address(uint64_t address, unsigned len, unsigned size, unsigned burst, bool is_write,
                     uint64_t now);
  void check_kept(unsigned channel, bool valid, bool ready, uint64_t now);
  void fault(clhls_fault_kind kind, uint32_t code, uint64_t address, uint32_t bytes, bool is_write,
             uint64_t now);
  void accept_read(uint64_t now);
  void accept_write_address(uint64_t now);
  void accept_write_data(uint64_t now);
  void add_write_data(const uint8_t *data, const uint8_t *strobes, bool last, uint64_t now);
  void present_read(uint64_t now);
  void present_response(uint64_t now);
  bool fetch(uint64_t address, uint8_t *data, uint64_t now);
  template <class Burst, class Eligible>
  size_t choose(const std::deque<Burst> &bursts, Eligible eligible);

  AxiPins pins_;
  int index_;
  clhls_options options_;
  Memory &memory_;
  FaultLog &faults_;
  Random random_;
  uint32_t bytes_, strobe_bytes_;
  std::deque<Read> reads_;
  std::deque<Write> writes_; // the first complete_ of them have all their data
  size_t complete_ = 0;
  std::deque<std::vector<uint8_t>> early_; // W beats that came before their address: data, strobes, last
  int unfinished_ = -1; // id of the read burst that must be finished first; -1: none
  bool response_taken_ = false, beat_taken_ = false; // B and R were handshaken in this cycle
  uint32_t read_credit_ = 0, write_credit_ = 0; // beats the bandwidth allows, in 1/65536
  bool pending_[3] = {false, false, false};     // AW, W, AR were valid and not taken
  std::vector<uint16_t> ids_;      // scratch of choose()
  std::vector<size_t> candidates_; // scratch of choose()
  clhls_port_stats stats_{};
};

} // namespace clhls

#endif
