// The clock loop, the AXI4-Lite host and the C interface.

#include "clhls_sim.h"
#include "clhls_axi_port.h"
#include "clhls_model.h"
#include "clhls_stream_port.h"

#include "verilated.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

namespace {

constexpr unsigned AXIL_TIMEOUT = 1000; // cycles
// Cycles in a row without movement in any channel after which the kernel counts as stuck. More
// than any pipeline between two channels has stages.
constexpr unsigned PROBE_CYCLES = 4096;
// Without channels the inside of the kernel cannot be seen, and silence on the ports may be work.
constexpr uint64_t BLIND_PATIENCE = 100;
// Cycles between reset and the first transaction: a kernel may hand its reset on through registers.
constexpr unsigned RESET_SETTLES = 16;
constexpr unsigned CHANNEL_MOVES = 0b110; // valid and ready
constexpr int ATOMIC = 2; // as clhls_access_probe says what an access is

} // namespace

struct clhls_sim {
  explicit clhls_sim(const clhls_options &options) : model(clhls::make_model(options.seed)) {
    int index = 0;
    for (const clhls::AxiPins &pins : model->axi)
      ports.emplace_back(pins, index++, options, memory, faults);
    index = 0;
    for (const clhls::StreamPins &pins : model->streams)
      streams.emplace_back(pins, index++, options);
  }

  // One clock cycle. On entry the model is settled with the clock low.
  void cycle() {
    bool moved = false;
    for (clhls::AxiPort &port : ports)
      moved |= port.sample(now);
    bool passed = false;
    for (clhls::StreamPort &stream : streams) {
      polls += stream.refuses();
      passed |= stream.sample();
    }
    moved |= passed;
    idle = moved ? 0 : idle + 1;
    if (passed)
      advance();
    model->set_time(2 * now);
    *model->clk = 1;
    model->eval();
    if (tracing)
      model->trace_dump(2 * now);
    for (clhls::AxiPort &port : ports)
      port.drive(now);
    for (clhls::StreamPort &stream : streams)
      stream.drive();
    *model->clk = 0;
    model->eval();
    if (tracing)
      model->trace_dump(2 * now + 1);
    ++now;
    if (memory.changes() != changes) {
      changes = memory.changes();
      advance();
    }
    if (model->finished())
      faults.add({CLHLS_FAULT_FINISH, 0, -1, -1, 0, 0, 0, now});
  }

  // Something was done that may let others go on.
  void advance() {
    ++progress;
    if (polls != 0)
      forget_polls();
  }

  void forget_polls() {
    polls = 0;
    for (clhls::StreamPort &stream : streams)
      stream.forget();
    for (Pipe &pipe : pipes)
      pipe.polls = 0;
  }

  // An atomic operation of the kernel. Those on the credit of a pipe are attempts, whose success shows in the next position.
  void atomic(uint64_t address) {
    for (size_t k = 0; k < memory.pipes().size(); ++k) {
      for (const uint64_t side : clhls::PIPE_SIDES) {
        const uint64_t offset = address - (memory.pipes()[k] + side);
        if (offset >= clhls::PIPE_WORDS)
          continue;
        if (offset < clhls::PIPE_NEXT) {
          ++polls;
          ++pipes[k].polls;
          return;
        }
        pipes[k].reservations += offset == clhls::PIPE_NEXT;
      }
    }
    advance();
  }

  bool channel_moves() {
    for (unsigned i = 0; i < model->channels; ++i)
      if ((model->channel(i) & CHANNEL_MOVES) == CHANNEL_MOVES)
        return true;
    return false;
  }

  // Called when the ports have been silent for long: whether the inside is silent, too.
  bool stuck(uint64_t watchdog) {
    if (model->channels == 0)
      return idle / BLIND_PATIENCE >= watchdog;
    for (unsigned i = 0; i < PROBE_CYCLES; ++i) {
      if (channel_moves() || *model->irq || !faults.empty()) {
        idle = 0;
        return false;
      }
      cycle();
      if (idle == 0)
        return false;
    }
    return true;
  }

  int run(uint64_t max_cycles, uint64_t watchdog, uint64_t most_polls) {
    const uint64_t end = now + max_cycles;
    idle = 0;
    while (now < end) {
      cycle();
      if (!faults.empty())
        return CLHLS_RUN_FAULT;
      if (*model->irq)
        return CLHLS_RUN_INTERRUPT;
      if (idle >= watchdog && stuck(watchdog))
        return CLHLS_RUN_STUCK;
      if (most_polls != 0 && polls >= most_polls)
        return CLHLS_RUN_POLLS;
    }
    return CLHLS_RUN_LIMIT;
  }

  // One cycle of a kernel that runs beside others.
  int step() {
    cycle();
    if (!faults.empty())
      return CLHLS_RUN_FAULT;
    return *model->irq ? CLHLS_RUN_INTERRUPT : CLHLS_RUN_LIMIT;
  }

  // Address and data of a write are offered together and may be taken in either order.
  int axil_write(uint32_t address, uint32_t data, uint32_t *resp) {
    clhls::AxilPins &pins = model->axil;
    *pins.awaddr = uint16_t(address);
    *pins.wdata = data;
    *pins.wstrb = 0xf;
    *pins.awvalid = *pins.wvalid = *pins.bready = 1;
    bool done = false;
    for (unsigned i = 0; i < AXIL_TIMEOUT && !done; ++i) {
      model->eval();
      const bool aw = *pins.awvalid && *pins.awready, w = *pins.wvalid && *pins.wready;
      done = *pins.bvalid;
      *resp = *pins.bresp;
      cycle();
      if (aw)
        *pins.awvalid = 0;
      if (w)
        *pins.wvalid = 0;
    }
    *pins.awvalid = *pins.wvalid = *pins.bready = 0;
    model->eval();
    return done ? 0 : 1;
  }

  int axil_read(uint32_t address, uint32_t *data, uint32_t *resp) {
    clhls::AxilPins &pins = model->axil;
    *pins.araddr = uint16_t(address);
    *pins.arvalid = *pins.rready = 1;
    bool done = false;
    for (unsigned i = 0; i < AXIL_TIMEOUT && !done; ++i) {
      model->eval();
      const bool ar = *pins.arvalid && *pins.arready;
      done = *pins.rvalid;
      *data = *pins.rdata;
      *resp = *pins.rresp;
      cycle();
      if (ar)
        *pins.arvalid = 0;
    }
    *pins.arvalid = *pins.rready = 0;
    model->eval();
    return done ? 0 : 1;
  }

  void reset(uint32_t cycles) {
    // Inputs are random, too, where the state is: what they ask for would be done after the reset.
    clhls::AxilPins &pins = model->axil;
    *pins.awvalid = *pins.wvalid = *pins.bready = *pins.arvalid = *pins.rready = 0;
    *model->rst_n = 0;
    for (uint32_t i = 0; i < std::max<uint32_t>(cycles, 1); ++i) {
      for (clhls::AxiPort &port : ports)
        port.reset();
      for (clhls::StreamPort &stream : streams)
        stream.reset();
      model->eval();
      cycle();
    }
    for (clhls::AxiPort &port : ports)
      port.reset();
    for (clhls::StreamPort &stream : streams)
      stream.reset();
    *model->rst_n = 1;
    model->eval();
    faults.clear();
    for (unsigned i = 0; i < RESET_SETTLES; ++i)
      cycle();
    idle = 0;
    forget_polls();
  }

  clhls::Memory memory;
  clhls::FaultLog faults;
  std::unique_ptr<clhls::Model> model;
  std::vector<clhls::AxiPort> ports;
  std::vector<clhls::StreamPort> streams;
  // A pipe in memory.
  struct Pipe {
    uint64_t polls = 0, reservations = 0;
  };
  std::vector<Pipe> pipes;
  std::string message;
  uint64_t progress = 0; // what was done since the instance exists
  uint64_t polls = 0;    // operations on pipes that were refused since then
  uint64_t changes = 0;  // of memory, as far as they are part of progress
  uint64_t now = 0;  // cycles since the instance exists
  uint64_t idle = 0; // cycles without a handshake on the AXI masters and streams
  bool tracing = false;
};

namespace {

// The instance whose model is being evaluated in this thread: DPI functions have no argument for it.
thread_local clhls_sim *current = nullptr;

// Runs an operation on an instance; exceptions become messages, nothing is thrown into Rust.
template <class Operation> int guarded(clhls_sim *sim, Operation operation) {
  current = sim;
  sim->model->activate();
  int result = -1;
  try {
    result = operation();
  } catch (const std::exception &error) {
    sim->message = error.what();
  }
  current = nullptr;
  return result;
}

} // namespace

// Called by the load, store and atomic units of the kernel for every access, before it is made.
extern "C" void clhls_check_access(int site, long long address, int bytes, int is_write) {
  if (!current)
    return;
  if (is_write == ATOMIC)
    current->atomic(uint64_t(address));
  const bool misaligned = bytes > 0 && uint64_t(address) % uint64_t(bytes) != 0;
  if (!misaligned && current->memory.contains(uint64_t(address), uint64_t(bytes)))
    return;
  if (site & CLHLS_SITE_AHEAD) {
    current->memory.tolerate(uint64_t(address), uint64_t(bytes));
    return;
  }
  current->faults.add({CLHLS_FAULT_ACCESS, misaligned, site, -1, uint64_t(address), uint32_t(bytes),
                       uint32_t(is_write), current->now});
}

// Verilator's own errors (VL_USER_FATAL): an exception leaves the evaluation, guarded() catches it.
void vl_fatal(const char *file, int line, const char *, const char *text) {
  throw std::runtime_error(std::string(file ? file : "") + ":" + std::to_string(line) + ": " +
                           (text ? text : ""));
}

// $display of the design goes to the error output: the standard output is the program's.
int clhls_printf(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int count = std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  return count;
}

uint32_t clhls_sim_version() { return CLHLS_SIM_VERSION; }

clhls_sim *clhls_sim_new(const clhls_options *options) {
  try {
    return new clhls_sim(*options);
  } catch (const std::exception &) {
    return nullptr;
  }
}

void clhls_sim_free(clhls_sim *sim) {
  sim->model->activate();
  delete sim;
}

const char *clhls_sim_message(const clhls_sim *sim) { return sim->message.c_str(); }

int clhls_sim_reset(clhls_sim *sim, uint32_t cycles) {
  return guarded(sim, [=] {
    sim->reset(cycles);
    return 0;
  });
}

int clhls_sim_set_regions(clhls_sim *sim, const clhls_region *regions, size_t count) {
  return guarded(sim, [=] {
    sim->memory.set(regions, count);
    return 0;
  });
}

int clhls_sim_axil_write(clhls_sim *sim, uint32_t address, uint32_t data, uint32_t *resp) {
  return guarded(sim, [=] { return sim->axil_write(address, data, resp); });
}

int clhls_sim_axil_read(clhls_sim *sim, uint32_t address, uint32_t *data, uint32_t *resp) {
  return guarded(sim, [=] { return sim->axil_read(address, data, resp); });
}

int clhls_sim_run(clhls_sim *sim, uint64_t max_cycles, uint64_t watchdog, uint64_t most_polls) {
  return guarded(sim, [=] { return sim->run(max_cycles, watchdog, most_polls); });
}

uint64_t clhls_sim_progress(const clhls_sim *sim) { return sim->progress; }

uint64_t clhls_sim_polls(const clhls_sim *sim) { return sim->polls; }

void clhls_sim_forget_polls(clhls_sim *sim) { sim->forget_polls(); }

uint64_t clhls_sim_stream_polls(const clhls_sim *sim, uint32_t stream) {
  return stream < sim->streams.size() ? sim->streams[stream].refusals() : 0;
}

uint64_t clhls_sim_pipe_polls(const clhls_sim *sim, uint32_t pipe) {
  return pipe < sim->pipes.size() ? sim->pipes[pipe].polls : 0;
}

uint64_t clhls_sim_pipe_reservations(const clhls_sim *sim, uint32_t pipe) {
  return pipe < sim->pipes.size() ? sim->pipes[pipe].reservations : 0;
}

void clhls_sim_watch_pipes(clhls_sim *sim, const uint64_t *objects, size_t count) {
  sim->memory.watch(objects, count);
  sim->pipes.assign(count, {});
  sim->forget_polls();
}

uint32_t clhls_sim_stream_unit(const clhls_sim *sim, uint32_t stream) {
  if (stream >= sim->streams.size())
    return 0;
  const clhls::StreamPort &port = sim->streams[stream];
  return uint32_t(port.waits()) << 31 | (port.held() & 0x7fffffff);
}

int clhls_sim_step(clhls_sim *sim) {
  return guarded(sim, [=] { return sim->step(); });
}

int clhls_sim_stuck(clhls_sim *sim, uint64_t watchdog) {
  return guarded(sim, [=] { return int(sim->idle >= watchdog && sim->stuck(watchdog)); });
}

int clhls_sim_interrupt(const clhls_sim *sim) { return *sim->model->irq; }

uint64_t clhls_sim_cycles(const clhls_sim *sim) { return sim->now; }

uint32_t clhls_sim_ports(const clhls_sim *sim) { return uint32_t(sim->ports.size()); }

void clhls_sim_port_stats(const clhls_sim *sim, uint32_t port, clhls_port_stats *stats) {
  *stats = port < sim->ports.size() ? sim->ports[port].stats() : clhls_port_stats{};
}

size_t clhls_sim_faults(const clhls_sim *sim, clhls_fault *faults, size_t room) {
  const auto &all = sim->faults.all();
  const size_t count = std::min(room, all.size());
  std::copy_n(all.begin(), count, faults);
  return count;
}

void clhls_sim_stream_put(clhls_sim *sim, uint32_t stream, const uint8_t *data, size_t bytes,
                          size_t room) {
  if (stream < sim->streams.size())
    sim->streams[stream].put(data, bytes, room);
}

size_t clhls_sim_stream_get(const clhls_sim *sim, uint32_t stream, uint8_t *data, size_t room) {
  return stream < sim->streams.size() ? sim->streams[stream].get(data, room) : 0;
}

int clhls_sim_stream_pop(clhls_sim *sim, uint32_t stream, uint8_t *data, size_t bytes) {
  return stream < sim->streams.size() && sim->streams[stream].pop(data, bytes);
}

int clhls_sim_stream_push(clhls_sim *sim, uint32_t stream, const uint8_t *data, size_t bytes,
                          size_t most) {
  return stream < sim->streams.size() && sim->streams[stream].push(data, bytes, most);
}

int clhls_sim_stream_blocked(const clhls_sim *sim, uint32_t stream) {
  return stream < sim->streams.size() && sim->streams[stream].blocked();
}

int clhls_sim_channel(clhls_sim *sim, uint32_t channel) {
  return guarded(sim, [=] {
    return channel < sim->model->channels ? int(sim->model->channel(channel)) : 0;
  });
}

int clhls_sim_trace_open(clhls_sim *sim, const char *path) {
  return guarded(sim, [=] {
    if (!sim->model->trace_open(path))
      throw std::runtime_error("the model was built without tracing");
    sim->tracing = true;
    return 0;
  });
}

int clhls_sim_trace_close(clhls_sim *sim) {
  return guarded(sim, [=] {
    sim->model->trace_close();
    sim->tracing = false;
    return 0;
  });
}
