// One token out of N streams: all have a word, and all give it at once.  Whether they have is gathered in a register.
// latency 1 behind the last word, II 1.  The payloads are not routed through: wire them from the streams to the consumer.
// Each stream is a clhls_queue or a clhls_fifo_ahead: both say whether another word is behind the first.
`default_nettype none

module clhls_gather #(
  parameter N = 2  // streams, >= 1
) (
  input  wire         clk,
  input  wire         rst,      // synchronous, active high
  input  wire [N-1:0] s_valid,  // registers
  input  wire [N-1:0] s_more,   // another word is behind the first; registers or a gate behind them
  output wire         s_ready,  // to all streams: the word goes
  output wire         m_valid,  // register
  input  wire         m_ready
);

  initial begin
    if (N < 1) begin
      $display("clhls_gather: N must be at least 1");
      $finish;
    end
  end

  reg valid_q;  // each stream has a word

  assign m_valid = valid_q;
  assign s_ready = valid_q & m_ready;

  wire all_more;
  wire all_valid;
  generate
    if (N > 4) begin : g_many
      // Gates of their own, or yosys puts the consumer's handshake, which comes late and leads to every stream, in front of the last ones.
      (* keep *)
      wire more;
      (* keep *)
      wire valid;
      assign more      = &s_more;
      assign valid     = &s_valid;
      assign all_more  = more;
      assign all_valid = valid;
    end else begin : g_few
      assign all_more  = &s_more;
      assign all_valid = &s_valid;
    end
  endgenerate

  // Behind words that go the next ones count.
  always @(posedge clk) begin
    if (rst) valid_q <= 1'b0;
    else valid_q <= s_ready ? all_more : all_valid;
  end

endmodule

`default_nettype wire
