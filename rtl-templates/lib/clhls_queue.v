// FIFO of a LUT RAM whose words are read where they are: a consumer of clhls_broadcast, a producer of clhls_gather.
// latency 1, II 1.  Capacity 16.
// EARLY=1: s_ready falls at 15 words, for a writer that sees it a cycle late; a word is taken whenever it is valid.
`default_nettype none

module clhls_queue #(
  parameter WIDTH = 32,  // payload bits, >= 1
  parameter EARLY = 0    // 1: s_ready says a cycle early that there is no place
) (
  input  wire             clk,
  input  wire             rst,      // synchronous, active high
  input  wire             s_valid,
  output wire             s_ready,  // register
  input  wire [WIDTH-1:0] s_data,
  output wire             m_valid,  // register
  output wire             m_more,   // register: another word is behind it
  input  wire             m_ready,
  output wire [WIDTH-1:0] m_data    // read from the ring: into registers, not into logic
);

  initial begin
    if (WIDTH < 1) begin
      $display("clhls_queue: WIDTH must be at least 1");
      $finish;
    end
  end

  localparam AW = 4;  // as many words as LUT RAM has on any family for the price of two

  (* ram_style = "distributed" *)
  reg [WIDTH-1:0] mem [0:(1<<AW)-1];
  reg [AW-1:0]    wptr_q;
  reg [AW-1:0]    rptr_q;
  reg             some_q;  // there is a word
  reg             none_q;  // = ~some_q: one moves the pointer, the other drives what is behind
  reg             more_q;  // there are two
  reg             room_q;  // there are fewer than 2^AW; EARLY: than 2^AW - 1

  // With an initial value this stays the register of the address: yosys would make a copy of it in the RAM's port, and gates of its enable.
  initial rptr_q = {AW{1'b0}};

  wire push = s_valid & ((EARLY != 0) | room_q);

  wire [AW-1:0] wptr_next  = wptr_q + 1'b1;
  wire [AW-1:0] wptr_after = wptr_next + 1'b1;
  wire [AW-1:0] rptr_next  = rptr_q + 1'b1;
  wire [AW-1:0] rptr_after = rptr_next + 1'b1;
  wire          two        = rptr_after == wptr_q;
  wire          fills      = (EARLY != 0 ? wptr_after : wptr_next) == rptr_q;
  wire          whole      = some_q & (wptr_q == rptr_q);  // 2^AW words

  // m_ready comes late: what follows if it is there, and if not, is known before.  It means something only if there is a word, and
  // some_q says so where these differ without one: with more_q, or with no room, there is a word anyway.
  wire more_taken = more_q & (push | ~two);
  wire more_stays = more_q | (push & some_q);
  wire room_taken = push ? room_q : (EARLY == 0) | ~whole;
  wire room_stays = room_q & ~(push & fills);

  wire some_d     = push | more_q | (~none_q & ~m_ready);

  assign s_ready = room_q;
  assign m_valid = some_q;
  assign m_more  = more_q;
  assign m_data  = mem[rptr_q];

  always @(posedge clk) begin
    if (rst) begin
      wptr_q <= {AW{1'b0}};
      rptr_q <= {AW{1'b0}};
      some_q <= 1'b0;
      none_q <= 1'b1;
      more_q <= 1'b0;
      room_q <= 1'b1;
    end else begin
      if (push) wptr_q <= wptr_next;
      if (~none_q & m_ready) rptr_q <= rptr_next;
      some_q <= some_d;
      none_q <= ~some_d;
      more_q <= more_taken | (more_stays & ~m_ready);
      room_q <= m_ready ? room_taken : room_stays;
    end
  end

  always @(posedge clk) begin
    if (push) mem[wptr_q] <= s_data;
  end

`ifdef FORMAL
  `include "clhls_queue.fv.vh"
`endif

endmodule

`default_nettype wire
