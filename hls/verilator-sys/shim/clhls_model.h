// What the clock loop needs to know of a Verilated model, whatever its shape: pointers to its
// ports. Multi-bit signals are little-endian bytes, which is how Verilator lays out all widths on
// the machines it runs on here.

#ifndef CLHLS_MODEL_H
#define CLHLS_MODEL_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace clhls {

// Ports of one AXI4 master; ids are widened to 16 bits in simtop.
struct AxiPins {
  uint32_t data_bytes;
  const uint8_t *awvalid, *awlen, *awsize, *awburst;
  const uint16_t *awid;
  const uint64_t *awaddr;
  uint8_t *awready;
  const uint8_t *wvalid, *wlast, *wdata, *wstrb;
  uint8_t *wready;
  uint8_t *bvalid, *bresp;
  uint16_t *bid;
  const uint8_t *bready;
  const uint8_t *arvalid, *arlen, *arsize, *arburst;
  const uint16_t *arid;
  const uint64_t *araddr;
  uint8_t *arready;
  uint8_t *rvalid, *rlast, *rresp, *rdata;
  uint16_t *rid;
  const uint8_t *rready;
  const uint8_t *check_error, *check_code; // of the AXI checker module
};

// Ports of the AXI4-Lite slave.
struct AxilPins {
  uint16_t *awaddr, *araddr;
  uint8_t *awvalid, *wvalid, *wstrb, *bready, *arvalid, *rready;
  uint32_t *wdata;
  const uint8_t *awready, *wready, *bvalid, *bresp, *arready, *rvalid, *rresp;
  const uint32_t *rdata;
};

// Ports of one AXI4-Stream; the data has the bytes of a packet.
struct StreamPins {
  uint32_t bytes;
  bool writes; // the kernel is the one that writes
  uint8_t *tvalid, *tready, *tdata;
  // Of the unit behind it: an operation waits there; one was refused in this cycle; packets that it holds.
  const uint8_t *waits, *refused;
  const uint32_t *held;
};

// A Verilated model.
class Model {
public:
  virtual ~Model() = default;
  // Makes the model's context that of this thread; before every other use, its end included.
  virtual void activate() = 0;
  virtual void eval() = 0;
  virtual void set_time(uint64_t time) = 0; // half cycles, for $time
  virtual bool trace_open(const char *path) = 0; // false: built without tracing
  virtual void trace_dump(uint64_t time) = 0;
  virtual void trace_close() = 0;
  virtual unsigned channel(unsigned index) = 0;
  virtual bool finished() const = 0;

  uint8_t *clk = nullptr, *rst_n = nullptr;
  const uint8_t *irq = nullptr;
  AxilPins axil{};
  std::vector<AxiPins> axi;
  std::vector<StreamPins> streams;
  unsigned channels = 0;
};

// Defined with the model.
std::unique_ptr<Model> make_model(uint64_t seed);

} // namespace clhls

#endif
