// First-word-fall-through FIFO: LUTRAM ring plus output register, with a bypass for the empty ring.
// latency 1, II 1.  Capacity 2^ceil(log2(DEPTH-1)) + 1.  Use through clhls_fifo.
// EARLY=1: s_ready falls while one more word has a place, for a writer that sees it a cycle late; a word is taken whenever it is valid.
`default_nettype none

module clhls_fifo_lutram #(
  parameter WIDTH = 32,  // payload bits, >= 1
  parameter DEPTH = 16,  // guaranteed capacity in words, >= 3, with EARLY >= 4
  parameter EARLY = 0    // 1: s_ready says a cycle early that there is no place
) (
  input  wire             clk,
  input  wire             rst,      // synchronous, active high
  input  wire             s_valid,
  output wire             s_ready,  // register
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
  reg             full_q;    // 2^AW words are: the pointers are equal then, too; EARLY: 2^AW - 1 or 2^AW
  reg             valid_q;   // data_q holds a word
  reg [WIDTH-1:0] data_q;

  wire take      = s_valid & ((EARLY != 0) | ~full_q);
  wire load      = ~valid_q | m_ready;          // output register is free
  wire ring_push = take & ~(empty_q & load);    // otherwise the word goes straight to the output register
  wire ring_pop  = load & ~empty_q;

  // Both handshakes come late, so no word is counted: what one push or one pop would lead to is known before.
  wire [AW-1:0] wptr_next = wptr_q + 1'b1;
  wire [AW-1:0] rptr_next = rptr_q + 1'b1;
  wire [AW-1:0] ahead     = wptr_next + 1'b1;
  wire          fills     = (EARLY != 0) ? full_q | (ahead == rptr_q) : wptr_next == rptr_q;
  wire          stays     = (EARLY != 0) & full_q & (wptr_q == rptr_q);  // full even when one word leaves
  wire          empties   = rptr_next == wptr_q;

  assign s_ready = ~full_q;
  assign m_valid = valid_q;
  assign m_more  = valid_q & ~empty_q;
  assign m_data  = data_q;

  always @(posedge clk) begin
    if (rst) begin
      wptr_q  <= {AW{1'b0}};
      rptr_q  <= {AW{1'b0}};
      empty_q <= 1'b1;
      full_q  <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      if (ring_push) wptr_q <= wptr_next;
      if (ring_pop) rptr_q <= rptr_next;
      empty_q <= ~ring_push & (ring_pop ? empties : empty_q);
      full_q  <= (ring_push == ring_pop) ? full_q : ring_push ? fills : stays;
      valid_q <= take | ~empty_q | (valid_q & ~m_ready);
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
