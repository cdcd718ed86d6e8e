// First-word-fall-through FIFO: LUTRAM ring plus output register, with a bypass for the empty ring.
// latency 1, II 1.  Capacity 2^ceil(log2(DEPTH-1)) + 1.  Use through clhls_fifo.
// s_ready hears of a word that leaves a cycle later than the ring: the reader, whose handshake comes late, may be far from the writer.
// EARLY=1: s_ready falls while one more word has a place, for a writer that sees it a cycle late; a word is taken whenever it is valid.
// OWNED=1: the writer owns a place for each word and hears of one that is free again a cycle late; s_ready is always 1.
`default_nettype none

module clhls_fifo_lutram #(
  parameter WIDTH = 32,  // payload bits, >= 1
  parameter DEPTH = 16,  // guaranteed capacity in words, >= 3, with EARLY >= 4
  parameter EARLY = 0,   // 1: s_ready says a cycle early that there is no place
  parameter OWNED = 0    // 1: the writer never writes without a place
) (
  input  wire             clk,
  input  wire             rst,      // synchronous, active high
  input  wire             s_valid,
  output wire             s_ready,  // register; OWNED: 1
  input  wire [WIDTH-1:0] s_data,
  output wire             m_valid,  // register
  output wire             m_more,   // another word is shown when this one has gone; a gate behind registers
  input  wire             m_ready,
  output wire [WIDTH-1:0] m_data    // register
);

  initial begin
    if (WIDTH < 1 || DEPTH < 3 || (EARLY != 0 && DEPTH < 4)) begin
      $display("clhls_fifo_lutram: WIDTH must be at least 1 and DEPTH at least 3, with EARLY 4");
      $finish;
    end
  end

  localparam AW = $clog2(DEPTH - 1);  // ring address bits; the output register is the missing word

  (* ram_style = "distributed" *)
  reg [WIDTH-1:0] mem [0:(1<<AW)-1];
  reg [AW-1:0]    wptr_q;
  reg [AW-1:0]    rptr_q;
  reg             empty_q;   // no word is in the ring
  reg [AW-1:0]    rseen_q;   // rptr_q a cycle ago: the writer's view of it
  reg             left_q;    // they differ
  reg             full_q;    // 2^AW words are, as the writer sees it: the pointers are equal then, too; EARLY: 2^AW - 1 or 2^AW
  reg             valid_q;   // data_q holds a word
  reg             void_q;    // = ~valid_q: one drives the words here, the other what is behind
  reg [WIDTH-1:0] data_q;

  // With an initial value this stays the register of the address: yosys would make a copy of it in the RAM's port, and gates of its enable.
  initial rptr_q = {AW{1'b0}};

  wire take     = s_valid & ((EARLY != 0) | (OWNED != 0) | ~full_q);
  wire load     = void_q | m_ready;         // output register is free
  wire ring_pop = load & (~empty_q | take);   // the first word of an empty ring goes straight to the output register and passes its place

  // Both handshakes come late, so no word is counted: what one push or one pop would lead to is known before.
  wire [AW-1:0] wptr_next = wptr_q + 1'b1;
  wire [AW-1:0] rptr_next = rptr_q + 1'b1;
  wire [AW-1:0] ahead     = wptr_next + 1'b1;
  wire          fills     = (EARLY != 0) ? full_q | (ahead == rseen_q) : wptr_next == rseen_q;
  wire          stays     = (EARLY != 0) & full_q & (wptr_q == rseen_q);  // full even when one word leaves
  // A gate of its own: yosys makes logic as deep as the design's deepest where that saves area, and a late handshake would go through all of it.
  (* keep *)
  wire          empties;
  assign        empties   = rptr_next == wptr_q;
  // The reader's handshake is the latest of all: what is left in either case is chosen by it alone.
  wire          drained   = empty_q | (~take & empties);        // the output register is free
  wire          kept      = void_q ? drained : empty_q & ~take;  // the reader takes nothing

  wire          valid_d   = take | ~empty_q | ~load;

  assign s_ready = (OWNED != 0) | ~full_q;
  assign m_valid = valid_q;
  assign m_more  = valid_q & ~empty_q;
  assign m_data  = data_q;

  always @(posedge clk) begin
    if (rst) begin
      wptr_q  <= {AW{1'b0}};
      rptr_q  <= {AW{1'b0}};
      empty_q <= 1'b1;
      rseen_q <= {AW{1'b0}};
      left_q  <= 1'b0;
      full_q  <= 1'b0;
      valid_q <= 1'b0;
      void_q  <= 1'b1;
    end else begin
      if (take) wptr_q <= wptr_next;
      if (ring_pop) rptr_q <= rptr_next;
      empty_q <= m_ready ? drained : kept;
      rseen_q <= rptr_q;
      left_q  <= ring_pop;
      full_q  <= (take == left_q) ? full_q : take ? fills : stays;
      valid_q <= valid_d;
      void_q  <= ~valid_d;
    end
  end

  always @(posedge clk) begin
    if (take) mem[wptr_q] <= s_data;  // harmless when bypassed: the slot stays free
    if (load) data_q <= empty_q ? s_data : mem[rptr_q];
  end

`ifdef FORMAL
  `include "clhls_fifo_lutram.fv.vh"
`endif

endmodule

`default_nettype wire
