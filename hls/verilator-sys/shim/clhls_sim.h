// C interface between the Rust crate verilator-sys and a simulated kernel, at transaction level.
//
// The structures are mirrored in src/ffi.rs; a change here needs the same change there and a new
// CLHLS_SIM_VERSION. Unless a comment says otherwise functions return 0 for success and -1 for a
// failure of the simulator itself, whose text clhls_sim_message returns.

#ifndef CLHLS_SIM_H
#define CLHLS_SIM_H

#include <stddef.h>
#include <stdint.h>

#define CLHLS_SIM_VERSION 3
#define CLHLS_EXPORT __attribute__((visibility("default")))

extern "C" {

struct clhls_sim; // one simulated kernel

// Behaviour of the memory behind the AXI masters. Rates and probabilities are in units of 1/65536.
struct clhls_options {
  uint64_t seed;               // of all random decisions
  uint32_t read_latency;       // cycles from AR handshake to the first R beat, at least 1
  uint32_t write_latency;      // cycles from the last W beat to B, at least 1
  uint32_t bandwidth;          // beats per cycle, for each port and direction; 65536 = every cycle
  uint32_t stall;              // probability, in each cycle and channel, of doing nothing
  uint32_t max_outstanding;    // bursts that a port accepts before the first is answered
  uint32_t reorder;            // 1: answer bursts of different ids out of order
  uint32_t interleave;         // 1: mix the read beats of bursts with different ids
};

// A buffer that the kernel may access.
struct clhls_region {
  uint64_t base;   // device address, a multiple of 4096
  uint64_t size;   // bytes of the buffer
  uint64_t mapped; // bytes of storage at data: size rounded up; whole bus lines are read from it
  uint8_t *data;
};

// Bit of a site: the access is a load ahead of the condition that says whether it happens, so its address may be any.
#define CLHLS_SITE_AHEAD 0x40000000

enum clhls_fault_kind {
  CLHLS_FAULT_ACCESS = 1,   // a memory access of the kernel outside all buffers (code 0), or at an
                            // address that is not a multiple of its size (code 1); site is valid
  CLHLS_FAULT_BUS = 2,      // a bus access outside all buffers; port is valid
  CLHLS_FAULT_PROTOCOL = 3, // AXI rule broken; port and code (clhls_protocol_code) are valid
  CLHLS_FAULT_CHECKER = 4,  // the AXI checker module objects; port and code are valid
  CLHLS_FAULT_FINISH = 5,   // $finish or $stop in the design
};

enum clhls_protocol_code {
  CLHLS_PROTOCOL_4K = 1,      // burst crosses a 4 KiB boundary
  CLHLS_PROTOCOL_BURST = 2,   // AxBURST is not INCR
  CLHLS_PROTOCOL_SIZE = 3,    // AxSIZE is not the width of the bus
  CLHLS_PROTOCOL_ALIGN = 4,   // AxADDR is not a multiple of the width of the bus
  CLHLS_PROTOCOL_WLAST = 5,   // WLAST does not agree with AWLEN
  CLHLS_PROTOCOL_DROP = 6,    // VALID was withdrawn before READY
};

struct clhls_fault {
  uint32_t kind;
  uint32_t code;
  int32_t site;
  int32_t port;
  uint64_t address;
  uint32_t bytes;
  uint32_t is_write;
  uint64_t cycle;
};

struct clhls_port_stats {
  uint64_t read_bursts, write_bursts;
  uint64_t read_beats, write_beats;
  uint32_t reads_outstanding, writes_outstanding; // bursts accepted and not completely answered
  uint32_t blocked; // bit 0 AW, 1 W, 2 AR: the kernel waits; bit 3 B, 4 R: the memory waits for the kernel
  uint32_t reserved;
};

enum clhls_run_status {
  CLHLS_RUN_INTERRUPT = 0, // the interrupt line is high
  CLHLS_RUN_LIMIT = 1,     // as many cycles as asked for
  CLHLS_RUN_FAULT = 2,     // a fault was recorded
  CLHLS_RUN_STUCK = 3,     // nothing moves any more
  CLHLS_RUN_POLLS = 4,     // operations on pipes are refused, and nothing else happens
};

CLHLS_EXPORT uint32_t clhls_sim_version(void);
CLHLS_EXPORT clhls_sim *clhls_sim_new(const clhls_options *options); // NULL: failure
CLHLS_EXPORT void clhls_sim_free(clhls_sim *sim);
CLHLS_EXPORT const char *clhls_sim_message(const clhls_sim *sim);
// Reset for as many cycles; forgets faults, statistics and everything the memory had not answered.
CLHLS_EXPORT int clhls_sim_reset(clhls_sim *sim, uint32_t cycles);
// The buffers from now on, sorted by base. The storage must stay valid until the next call.
CLHLS_EXPORT int clhls_sim_set_regions(clhls_sim *sim, const clhls_region *regions, size_t count);
// AXI4-Lite transactions; 1: no answer within a thousand cycles. *resp is the AXI response.
CLHLS_EXPORT int clhls_sim_axil_write(clhls_sim *sim, uint32_t address, uint32_t data, uint32_t *resp);
CLHLS_EXPORT int clhls_sim_axil_read(clhls_sim *sim, uint32_t address, uint32_t *data, uint32_t *resp);
// Runs until something of clhls_run_status happens. Stuck: no handshake on any port for `watchdog`
// cycles and on no channel in a row of cycles after that. Polls: as many operations on pipes as `most_polls` were refused, and
// nothing was done meanwhile; 0: never.
CLHLS_EXPORT int clhls_sim_run(clhls_sim *sim, uint64_t max_cycles, uint64_t watchdog, uint64_t most_polls);
// One cycle of a kernel that runs beside others: CLHLS_RUN_LIMIT, CLHLS_RUN_INTERRUPT or CLHLS_RUN_FAULT.
CLHLS_EXPORT int clhls_sim_step(clhls_sim *sim);
// 1: no handshake on any port for `watchdog` cycles, and on no channel in a row of cycles after that.
CLHLS_EXPORT int clhls_sim_stuck(clhls_sim *sim, uint64_t watchdog);
// What the kernel has done since the instance exists: packets that passed its streams, packets of pipes in memory that it has
// reserved, atomic operations elsewhere, writes that changed memory.
CLHLS_EXPORT uint64_t clhls_sim_progress(const clhls_sim *sim);
// Operations on pipes that were refused since the last progress, or since they were forgotten.
CLHLS_EXPORT uint64_t clhls_sim_polls(const clhls_sim *sim);
CLHLS_EXPORT void clhls_sim_forget_polls(clhls_sim *sim);
// Those of one stream, and of the pipe in memory with this number.
CLHLS_EXPORT uint64_t clhls_sim_stream_polls(const clhls_sim *sim, uint32_t stream);
CLHLS_EXPORT uint64_t clhls_sim_pipe_polls(const clhls_sim *sim, uint32_t pipe);
// Packets that a pipe in memory has given to the kernel's reservations since it is watched, as far as each reserves one.
CLHLS_EXPORT uint64_t clhls_sim_pipe_reservations(const clhls_sim *sim, uint32_t pipe);
// The pipes in memory from now on: device addresses of their objects.
CLHLS_EXPORT void clhls_sim_watch_pipes(clhls_sim *sim, const uint64_t *objects, size_t count);
// The unit behind a stream: bit 31: an operation of the kernel waits there; below: packets that it holds.
CLHLS_EXPORT uint32_t clhls_sim_stream_unit(const clhls_sim *sim, uint32_t stream);
CLHLS_EXPORT int clhls_sim_interrupt(const clhls_sim *sim); // level of the line
CLHLS_EXPORT uint64_t clhls_sim_cycles(const clhls_sim *sim); // since the instance exists
CLHLS_EXPORT uint32_t clhls_sim_ports(const clhls_sim *sim);
CLHLS_EXPORT void clhls_sim_port_stats(const clhls_sim *sim, uint32_t port, clhls_port_stats *stats);
CLHLS_EXPORT size_t clhls_sim_faults(const clhls_sim *sim, clhls_fault *faults, size_t room); // count copied
// What stands at an AXI4-Stream of the kernel from now on. One that it reads gives the packets at data; one that it writes
// takes packets until there are `room` bytes. The data is copied.
CLHLS_EXPORT void clhls_sim_stream_put(clhls_sim *sim, uint32_t stream, const uint8_t *data, size_t bytes, size_t room);
// Packets that the kernel has not taken yet, or that it has written: their bytes, of which at most `room` are copied.
CLHLS_EXPORT size_t clhls_sim_stream_get(const clhls_sim *sim, uint32_t stream, uint8_t *data, size_t room);
// From kernel to kernel: 1 if there was a packet that the kernel has written, which is copied; 1 if it is one of at most `most`
// that wait for the kernel that reads. 0 also if a packet does not have as many bytes.
CLHLS_EXPORT int clhls_sim_stream_pop(clhls_sim *sim, uint32_t stream, uint8_t *data, size_t bytes);
CLHLS_EXPORT int clhls_sim_stream_push(clhls_sim *sim, uint32_t stream, const uint8_t *data, size_t bytes, size_t most);
// 1: the kernel wants a packet and none is left, or offers one and there is no room.
CLHLS_EXPORT int clhls_sim_stream_blocked(const clhls_sim *sim, uint32_t stream);
// State of a channel: bit 0 space, bit 1 ready, bit 2 valid.
CLHLS_EXPORT int clhls_sim_channel(clhls_sim *sim, uint32_t channel);
CLHLS_EXPORT int clhls_sim_trace_open(clhls_sim *sim, const char *path);
CLHLS_EXPORT int clhls_sim_trace_close(clhls_sim *sim);

} // extern "C"

#endif
