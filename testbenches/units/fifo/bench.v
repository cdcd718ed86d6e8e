// clhls_fifo (all three implementations): order, capacity, latency, rate.
`default_nettype none
module bench;
  parameter WIDTH    = 32;
  parameter DEPTH    = 16;
  parameter CAPACITY = 17;  // documented
  parameter PROMPT   = 0;
  parameter LATE     = 0;
  parameter OWNED    = 0;
  parameter TARGET   = "generic";
  `include "bench.vh"

  reg              s_valid = 0;
  wire             s_ready;
  reg  [WIDTH-1:0] s_data = 0;
  wire             m_valid;
  reg              m_ready = 0;
  wire [WIDTH-1:0] m_data;
  reg  [WIDTH-1:0] expect = 0;
  integer          sent = 0, got = 0, hold = 0, pour = 1;

  // An owned FIFO's writer counts places itself, and hears a cycle late of a word that has gone.
  integer heard = 0, put = 0;
  wire    room  = (OWNED != 0) ? put - heard < CAPACITY : s_ready;

  clhls_fifo #(
    .WIDTH(WIDTH), .DEPTH(DEPTH), .PROMPT(PROMPT), .LATE(LATE), .OWNED(OWNED), .TARGET(TARGET)
  ) dut (
    .clk(clk), .rst(rst), .s_valid(s_valid & (room | (OWNED == 0))), .s_ready(s_ready), .s_data(s_data), .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
  );

  // the law: valid and data stay until ready
  reg was = 0;
  reg [WIDTH-1:0] was_data;
  always @(posedge clk) begin
    if (was) check(m_valid && m_data === was_data, "valid or data changed before ready");
    was <= m_valid & ~m_ready & ~rst;
    was_data <= m_data;
  end

  // sent, 0 to 4 edges before the last one
  integer before [0:4];
  initial {before[0], before[1], before[2], before[3], before[4]} = 0;

  always @(posedge clk) if (!rst) begin
    // Words are shown when those before them have left: prompt FIFOs show them one cycle after they came, others four at most, or five.
    if (PROMPT != 0) check(m_valid === (before[0] != got), "seems empty, or not");
    check(m_valid || before[LATE ? 4 : 3] <= got, "word late");
    before[4] = before[3];
    before[3] = before[2];
    before[2] = before[1];
    before[1] = before[0];
    heard <= got;
    if (s_valid & room) begin
      sent = sent + 1;
      s_data <= s_data * 5 + 3;
    end
    before[0] = sent;
    put <= sent;
    if (~s_valid | room) s_valid <= pour && in_turn(0);
    if (m_valid & m_ready) begin
      got = got + 1;
      check(m_data === expect, "wrong word");
      expect <= expect * 5 + 3;
    end
    m_ready <= !hold && out_turn(0);
  end

  integer start, from;
  initial begin
    wait (!rst);
    repeat (20000) @(posedge clk);
    // capacity: fill without taking
    full_rate = 1;
    hold = 1;
    repeat (2 * CAPACITY + 100) @(posedge clk);
    check(sent - got == CAPACITY, "capacity differs from the documented one");
    check(CAPACITY >= DEPTH, "capacity below DEPTH");
    // rate: full, then in steady state
    hold = 0;
    repeat (40) @(posedge clk);
    from = got;
    repeat (1000) @(posedge clk);
    check(got - from == 1000, "less than one word a cycle");
    // drain, then latency of the empty FIFO
    pour = 0;
    repeat (CAPACITY + 50) @(posedge clk);
    check(sent == got && !m_valid, "words left behind");
    pour = 1;
    wait (s_valid);
    @(posedge clk) start = cycle;
    repeat (LATE ? 4 : 0) @(posedge clk) check(!m_valid, "latency below 5");
    @(posedge clk) check(m_valid, "latency above what is documented");
    $display("capacity %0d, 1 word/cycle, latency %0d, %0d words", CAPACITY, LATE ? 5 : 1, got);
    finish_bench;
  end
endmodule
