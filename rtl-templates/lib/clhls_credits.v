// Credit counter: free places of a queue whose writer is some stages behind the decision that uses a place.
// latency 2 from `taken`, 3 from `freed` to `room`: places stay unused, but neither pulse, which may come late, is in a long path.
`default_nettype none

module clhls_credits #(
  parameter PLACES = 16,  // of the queue, >= 2^SPARE
  parameter SPARE  = 2    // log2 of the free places that `room` stands for, >= 1: as many as may be taken before it is heard
) (
  input  wire clk,
  input  wire rst,    // synchronous, active high
  input  wire taken,  // pulse: a place is used
  input  wire freed,  // pulse: one is free again
  output wire room    // register: 2^SPARE places are free
);

  initial begin
    if (SPARE < 1 || PLACES < (1 << SPARE)) begin
      $display("clhls_credits: SPARE must be at least 1 and PLACES at least 2^SPARE");
      $finish;
    end
  end

  localparam CW = $clog2(PLACES + 1);
  localparam [CW-1:0] ONE = 1;

  reg [CW-1:0] free_q;
  reg          freed_q;
  reg          room_q;

  assign room = room_q;

  always @(posedge clk) begin
    if (rst) begin
      free_q  <= PLACES[CW-1:0];
      freed_q <= 1'b0;
      room_q  <= 1'b1;
    end else begin
      freed_q <= freed;
      if (taken ^ freed_q) free_q <= free_q + ({CW{~freed_q}} | ONE);  // -1 or 1, by one adder in front of which nothing comes late
      room_q  <= |free_q[CW-1:SPARE];
    end
  end

`ifdef FORMAL
  `include "clhls_credits.fv.vh"
`endif

endmodule

`default_nettype wire
