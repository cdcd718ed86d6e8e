// Eager fork of one token to N consumers: each takes it at its own time, the producer is released when all have.
// latency 0, II 1.  The payload is not routed through: wire it from the producer to every consumer.
// s_ready is combinational in m_ready (one AND): feed it from registered readies, never chain forks without a skid between.
`default_nettype none

module clhls_fork #(
  parameter N = 2  // consumers, >= 1
) (
  input  wire         clk,
  input  wire         rst,      // synchronous, active high
  input  wire         s_valid,
  output wire         s_ready,
  output wire [N-1:0] m_valid,
  input  wire [N-1:0] m_ready
);

  initial begin
    if (N < 1) begin
      $display("clhls_fork: N must be at least 1");
      $finish;
    end
  end

  reg [N-1:0] done_q;  // consumer has taken the present token

  assign s_ready = &(done_q | m_ready);
  assign m_valid = {N{s_valid}} & ~done_q;

  always @(posedge clk) begin
    if (rst) done_q <= {N{1'b0}};
    else if (s_valid) done_q <= s_ready ? {N{1'b0}} : done_q | m_ready;
  end

`ifdef FORMAL
  `include "clhls_fork.fv.vh"
`endif

endmodule

`default_nettype wire
