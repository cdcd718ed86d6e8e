// clhls_fork: every consumer gets every token once and in order, whatever the others do; full rate.
`default_nettype none
module bench;
  parameter N = 3;
  `include "bench.vh"

  reg          s_valid = 0;
  wire         s_ready;
  reg  [15:0]  s_data = 0;
  wire [N-1:0] m_valid;
  reg  [N-1:0] m_ready = 0;
  reg  [15:0]  expect [0:N-1];
  integer      i, from;
  reg          ahead = 0;  // some consumer ran ahead of another: the fork is eager

  clhls_fork #(
    .N(N)
  ) dut (
    .clk(clk), .rst(rst), .s_valid(s_valid), .s_ready(s_ready), .m_valid(m_valid), .m_ready(m_ready)
  );

  reg [N-1:0] was = 0;
  always @(posedge clk) begin
    check((was & ~m_valid) === 0, "valid fell before ready");
    was <= m_valid & ~m_ready & ~{N{rst}};
  end

  initial for (i = 0; i < N; i = i + 1) expect[i] = 0;

  always @(posedge clk) if (!rst) begin
    if (s_valid & s_ready) begin
      s_data <= s_data + 1;
      for (i = 0; i < N; i = i + 1) check(expect[i] + ((m_valid[i] & m_ready[i]) ? 1 : 0) === s_data + 1, "released too early");
    end
    if (~s_valid | s_ready) s_valid <= in_turn(0);
    for (i = 0; i < N; i = i + 1) begin
      if (m_valid[i] & m_ready[i]) begin
        check(expect[i] === s_data, "token lost or doubled");
        expect[i] <= expect[i] + 1;
      end
      m_ready[i] <= out_turn(0);
      if (expect[i] != expect[0]) ahead = 1;
    end
  end

  initial begin
    wait (!rst);
    repeat (10000) @(posedge clk);
    check(ahead || N == 1, "consumers always in step");
    full_rate = 1;
    repeat (10) @(posedge clk);
    from = s_data;
    repeat (1000) @(posedge clk);
    check(s_data - from == 1000, "less than one token a cycle");
    finish_bench;
  end
endmodule
