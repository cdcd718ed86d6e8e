// clhls_loop_gate: never more than LIMIT inside, never closed for good, several exits in one cycle.
`default_nettype none
module bench;
  parameter LIMIT = 4;
  parameter EXITS = 1;
  `include "bench.vh"

  reg              s_valid = 0;
  wire             s_ready;
  wire             m_valid;
  reg              m_ready = 0;
  reg  [EXITS-1:0] exit_pulse = 0;
  integer          inside = 0, most = 0, entered = 0, closed = 0, i, leave, from;

  clhls_loop_gate #(
    .LIMIT(LIMIT), .EXITS(EXITS)
  ) dut (
    .clk(clk), .rst(rst), .s_valid(s_valid), .s_ready(s_ready), .m_valid(m_valid), .m_ready(m_ready), .exit_pulse(exit_pulse)
  );

  reg was = 0;
  always @(posedge clk) begin
    if (was) check(m_valid, "valid fell before ready");
    was <= m_valid & ~m_ready & ~rst;
  end

  always @(posedge clk) if (!rst) begin
    check((s_valid & s_ready) === (m_valid & m_ready), "the two sides differ");
    // tokens that left in the cycle before
    for (i = 0; i < EXITS; i = i + 1) if (exit_pulse[i]) inside = inside - 1;
    if (m_valid & m_ready) begin
      inside = inside + 1;
      entered = entered + 1;
    end
    check(inside <= LIMIT, "more than LIMIT inside");
    if (inside > most) most = inside;
    // open again at the latest 3 cycles after there was room
    closed = (inside < LIMIT && s_valid && !m_valid) ? closed + 1 : 0;
    check(closed <= 2, "closed although there is room");
    if (~s_valid | s_ready) s_valid <= in_turn(0);
    m_ready <= out_turn(0);
    leave = inside;
    for (i = 0; i < EXITS; i = i + 1) begin
      exit_pulse[i] <= 0;
      if (leave > 0 && (full_rate || dice(8 * EXITS) < out_rate)) begin
        exit_pulse[i] <= 1;
        leave = leave - 1;
      end
    end
  end

  initial begin
    wait (!rst);
    repeat (10000) @(posedge clk);
    check(most == LIMIT, "LIMIT never reached");
    full_rate = 1;
    repeat (20) @(posedge clk);
    from = entered;
    repeat (1000) @(posedge clk);
    if (LIMIT >= 4) check(entered - from == 1000, "less than one token a cycle");
    $display("LIMIT %0d: %0d tokens in 1000 cycles", LIMIT, entered - from);
    finish_bench;
  end
endmodule
