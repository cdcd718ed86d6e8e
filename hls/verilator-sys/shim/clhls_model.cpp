// Binds the Verilated class Vsimtop, whose shape clhls_shape.h describes, to the clock loop.

#include "clhls_model.h"
#include "clhls_shape.h" // CLHLS_FOR_EACH_PORT(X): X(index, data bytes); CLHLS_FOR_EACH_STREAM(X): X(index, bytes, writes); CLHLS_CHANNELS; CLHLS_RANDOM_STATE

#include "Vsimtop.h"
#include "verilated.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif

#if CLHLS_CHANNELS
#include "svdpi.h"
extern "C" int clhls_channel_state(int index); // exported by simtop
#endif

namespace {

class SimtopModel final : public clhls::Model {
public:
  explicit SimtopModel(uint64_t seed) {
    SimtopModel::activate();
    context_.traceEverOn(VM_TRACE_FST != 0);
#if CLHLS_RANDOM_STATE
    context_.randReset(2);
    context_.randSeed(int((seed & 0x3fffffff) | 1));
#else
    (void)seed;
#endif
    top_ = std::make_unique<Vsimtop>(&context_, "TOP");
    channels = CLHLS_CHANNELS;
    bind_fixed();
#define X(i, bytes) bind_port_##i(bytes);
    CLHLS_FOR_EACH_PORT(X)
#undef X
#define X(i, bytes, writes) bind_stream_##i(bytes, writes);
    CLHLS_FOR_EACH_STREAM(X)
#undef X
    top_->eval();
  }

  ~SimtopModel() override {
    trace_close();
    top_->final();
  }

  void activate() override { Verilated::threadContextp(&context_); }
  void eval() override { top_->eval(); }
  void set_time(uint64_t time) override { context_.time(time); }
  bool finished() const override { return context_.gotFinish(); }

  unsigned channel(unsigned index) override {
#if CLHLS_CHANNELS
    svSetScope(svGetScopeFromName("TOP.clhls_simtop"));
    return unsigned(clhls_channel_state(int(index)));
#else
    (void)index;
    return 0;
#endif
  }

  bool trace_open(const char *path) override {
#if VM_TRACE_FST
    trace_close();
    trace_ = std::make_unique<VerilatedFstC>();
    top_->trace(trace_.get(), 99);
    trace_->open(path);
    if (!trace_->isOpen())
      trace_.reset();
    return trace_ != nullptr;
#else
    (void)path;
    return false;
#endif
  }

  void trace_dump(uint64_t time) override {
#if VM_TRACE_FST
    if (trace_)
      trace_->dump(time);
#else
    (void)time;
#endif
  }

  void trace_close() override {
#if VM_TRACE_FST
    if (trace_)
      trace_->close();
    trace_.reset();
#endif
  }

private:
  template <class To, class From> static void bind(To *&to, From &from) {
    to = reinterpret_cast<To *>(&from);
  }

  void bind_fixed() {
    bind(clk, top_->clk);
    bind(rst_n, top_->rst_n);
    bind(irq, top_->irq);
#define B(name) bind(axil.name, top_->axil_##name);
    B(awaddr) B(awvalid) B(awready) B(wdata) B(wstrb) B(wvalid) B(wready) B(bvalid) B(bready)
    B(bresp) B(araddr) B(arvalid) B(arready) B(rdata) B(rresp) B(rvalid) B(rready)
#undef B
  }

#define X(i, bytes)                                                                                \
  void bind_port_##i(uint32_t data_bytes) {                                                        \
    clhls::AxiPins p{};                                                                            \
    p.data_bytes = data_bytes;                                                                     \
    B(i, awvalid) B(i, awready) B(i, awid) B(i, awaddr) B(i, awlen) B(i, awsize) B(i, awburst)     \
    B(i, wvalid) B(i, wready) B(i, wdata) B(i, wstrb) B(i, wlast)                                  \
    B(i, bvalid) B(i, bready) B(i, bid) B(i, bresp)                                                \
    B(i, arvalid) B(i, arready) B(i, arid) B(i, araddr) B(i, arlen) B(i, arsize) B(i, arburst)     \
    B(i, rvalid) B(i, rready) B(i, rid) B(i, rdata) B(i, rresp) B(i, rlast)                        \
    B(i, check_error) B(i, check_code)                                                             \
    axi.push_back(p);                                                                              \
  }
#define B(i, name) bind(p.name, top_->p##i##_##name);
  CLHLS_FOR_EACH_PORT(X)
#undef B
#undef X

#define X(i, bytes, writes)                                                                        \
  void bind_stream_##i(uint32_t packet_bytes, bool kernel_writes) {                                \
    clhls::StreamPins p{packet_bytes, kernel_writes, nullptr, nullptr,                             \
                        nullptr, nullptr, nullptr, nullptr};                                       \
    bind(p.tvalid, top_->s##i##_tvalid);                                                           \
    bind(p.tready, top_->s##i##_tready);                                                           \
    bind(p.tdata, top_->s##i##_tdata);                                                             \
    bind(p.waits, top_->s##i##_waits);                                                             \
    bind(p.refused, top_->s##i##_refused);                                                         \
    bind(p.held, top_->s##i##_held);                                                               \
    streams.push_back(p);                                                                          \
  }
  CLHLS_FOR_EACH_STREAM(X)
#undef X

  VerilatedContext context_;
  std::unique_ptr<Vsimtop> top_;
#if VM_TRACE_FST
  std::unique_ptr<VerilatedFstC> trace_;
#endif
};

} // namespace

std::unique_ptr<clhls::Model> clhls::make_model(uint64_t seed) {
  return std::make_unique<SimtopModel>(seed);
}
