// Combinational arbiter: at most one grant among the requests; round robin, or input 0 first and round robin among the rest.
// latency 0, II 1.  The grant may change from cycle to cycle until `advance` says that it was used.
`default_nettype none

module clhls_arbiter #(
  parameter N         = 2,  // requesters, >= 1
  parameter PRIORITY0 = 0   // 1: requester 0 always wins; 0: all are equal
) (
  input  wire         clk,
  input  wire         rst,      // synchronous, active high
  input  wire [N-1:0] request,
  input  wire         advance,  // the grant of this cycle is used
  output wire [N-1:0] grant     // one-hot, or 0 without request
);

  initial begin
    if (N < 1) begin
      $display("clhls_arbiter: N must be at least 1");
      $finish;
    end
  end

  reg  [N-1:0] later_q;  // requesters after the last winner: they go first
  wire [N-1:0] fair;     // requests that take part in the round robin
  wire [N-1:0] first  = fair & later_q;
  wire [N-1:0] pick   = (|first) ? first : fair;
  wire [N-1:0] lowest = pick & (~pick + {{(N-1){1'b0}}, 1'b1});

  generate
    if (PRIORITY0 != 0 && N > 1) begin : g_priority
      assign fair  = {request[N-1:1], 1'b0};
      assign grant = request[0] ? {{(N-1){1'b0}}, 1'b1} : lowest;
    end else begin : g_equal
      assign fair  = request;
      assign grant = lowest;
    end
  endgenerate

  // later = all places above the winner
  wire [N-1:0] above = ~(lowest | (lowest - {{(N-1){1'b0}}, 1'b1}));

  always @(posedge clk) begin
    if (rst) later_q <= {N{1'b0}};
    else if (advance & |(grant & lowest)) later_q <= above;
  end

`ifdef FORMAL
  `include "clhls_arbiter.fv.vh"
`endif

endmodule

`default_nettype wire
