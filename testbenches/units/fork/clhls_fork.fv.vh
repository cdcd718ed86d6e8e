  // Every consumer gets every token exactly once: consumer i is ahead of the producer's count by done_q[i].  Handshake law on m_.
  `include "formal.vh"
  reg [3:0] f_in;
  always @(posedge clk) begin
    if (rst) f_in <= 0;
    else if (s_valid & s_ready) f_in <= f_in + 1;
  end
  // the producer keeps the law
  always @(posedge clk) if (f_past & ~rst & $past(s_valid & ~s_ready)) assume (s_valid);
  genvar f_i;
  generate
    for (f_i = 0; f_i < N; f_i = f_i + 1) begin : g_formal
      reg [3:0] f_out;
      always @(posedge clk) begin
        if (rst) f_out <= 0;
        else if (m_valid[f_i] & m_ready[f_i]) f_out <= f_out + 1;
      end
      always @* if (f_on) begin
        assert (f_out - f_in == {3'd0, done_q[f_i]});
        // a token still due is offered at once, whatever the other consumers do
        assert (m_valid[f_i] == (s_valid & (f_out == f_in)));
      end
      always @(posedge clk) if (f_past & ~rst & $past(m_valid[f_i] & ~m_ready[f_i])) assert (m_valid[f_i]);
    end
  endgenerate
