// One token to N consumers at once, when each has a place: readiness is gathered in a register, so no handshake crosses it in a cycle.
// latency 0, II 1.  Each consumer is a clhls_queue or a clhls_fifo_ahead with EARLY=1: both say a cycle early that they are full.
// clhls_fork needs no queues, but waits for all of its consumers in one cycle: for many, or far ones, that is the longest path.
`default_nettype none

module clhls_broadcast #(
  parameter N = 2  // consumers, >= 1
) (
  input  wire         clk,
  input  wire         rst,      // synchronous, active high
  input  wire         s_valid,
  output wire         s_ready,  // register
  output wire         m_valid,  // to all consumers: they take the token in this cycle
  input  wire [N-1:0] m_ready   // of each: registers
);

  initial begin
    if (N < 1) begin
      $display("clhls_broadcast: N must be at least 1");
      $finish;
    end
  end

  reg ready_q;

  assign s_ready = ready_q;
  assign m_valid = s_valid & ready_q;

  always @(posedge clk) begin
    if (rst) ready_q <= 1'b0;
    else ready_q <= &m_ready;
  end

endmodule

`default_nettype wire
