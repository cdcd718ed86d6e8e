// Arbiter with registered grants: the grant stays where it is until another requester waits, then goes to the next one in turn.
// latency 1 to a requester that does not hold the grant, 0 to the one that does; II 1 for one requester and for several.
// The holder may transfer in every cycle without asking: `grant` does not depend on `request` of the same cycle.
`default_nettype none

module clhls_parked_arbiter #(
  parameter N = 2  // requesters, >= 1
) (
  input  wire         clk,
  input  wire         rst,      // synchronous, active high
  input  wire [N-1:0] request,  // stays until it was granted
  input  wire         hold,     // the grant stays in the next cycle
  output wire [N-1:0] grant     // register, one-hot
);

  initial begin
    if (N < 1) begin
      $display("clhls_parked_arbiter: N must be at least 1");
      $finish;
    end
  end

  localparam [N-1:0] ONE = {{(N-1){1'b0}}, 1'b1};

  reg  [N-1:0] grant_q;
  wire [N-1:0] others = request & ~grant_q;
  wire [N-1:0] later  = others & ~(grant_q | (grant_q - ONE));  // those above the holder go first
  wire [N-1:0] lowest_later = later & (~later + ONE);
  wire [N-1:0] lowest_other = others & (~others + ONE);

  assign grant = grant_q;

  always @(posedge clk) begin
    if (rst) grant_q <= ONE;
    else if ((|others) & ~hold) grant_q <= (|later) ? lowest_later : lowest_other;
  end

endmodule

`default_nettype wire
