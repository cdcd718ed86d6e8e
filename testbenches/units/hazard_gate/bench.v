// clhls_hazard_gate: each token enters in the first cycle in which it is far enough behind all that it must not follow, found from the times of all
// entries; none is lost or changed; one a cycle where no keys are equal.
`default_nettype none
module bench;
  parameter PAIRS = 1;
  parameter KEY   = 6;
  parameter [16*PAIRS-1:0] WINDOW = 16'd5;
  `include "bench.vh"

  localparam WIDTH = 16;
  localparam MOST  = 256;

  reg                  s_valid = 0;
  wire                 s_ready;
  reg  [WIDTH-1:0]     s_data = 0;
  reg  [PAIRS-1:0]     s_first, s_second;
  reg  [PAIRS*KEY-1:0] s_first_key, s_second_key;
  wire                 m_valid;
  reg                  m_ready = 0;
  wire [WIDTH-1:0]     m_data;

  clhls_hazard_gate #(
    .WIDTH(WIDTH), .PAIRS(PAIRS), .KEY(KEY), .WINDOW(WINDOW)
  ) dut (
    .clk(clk), .rst(rst), .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data), .s_first(s_first), .s_first_key(s_first_key),
    .s_second(s_second), .s_second_key(s_second_key), .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data)
  );

  // Tokens in the order of their numbers: what they do, when they came and when they entered.
  reg [PAIRS-1:0]     first  [0:MOST-1];
  reg [PAIRS-1:0]     second [0:MOST-1];
  reg [PAIRS*KEY-1:0] first_key  [0:MOST-1];
  reg [PAIRS*KEY-1:0] second_key [0:MOST-1];
  integer             came [0:MOST-1];
  integer             entered [0:MOST-1];
  integer             number = 0, next = 0, from, i, p, window, earliest, held = 0, range = 1 << KEY;
  reg                 was = 0;

  always @(posedge clk) begin
    if (was) check(m_valid, "valid fell before ready");
    was <= m_valid & ~m_ready & ~rst;
  end

  always @(posedge clk) if (!rst) begin
    if (s_valid & s_ready) begin
      came[s_data % MOST] = cycle;
      number = number + 1;
    end
    // What of the tokens before the next one forbids.
    if (next < number && came[next % MOST] < cycle) begin
      earliest = came[next % MOST] + 1;
      for (i = next - 1; i >= 0 && i > next - 64; i = i - 1)
        for (p = 0; p < PAIRS; p = p + 1) begin
          window = WINDOW[16*p +: 16];
          if (first[i % MOST][p] && second[next % MOST][p]
              && first_key[i % MOST][p*KEY +: KEY] == second_key[next % MOST][p*KEY +: KEY]
              && entered[i % MOST] + window > earliest)
            earliest = entered[i % MOST] + window;
        end
      check(m_valid === (cycle >= earliest), cycle < earliest ? "entered too early" : "waits for nothing");
      if (cycle < earliest) held = held + 1;
    end else check(!m_valid, "a token out of nowhere");
    if (m_valid & m_ready) begin
      check(m_data === next % 65536, "wrong token");
      entered[next % MOST] = cycle;
      next = next + 1;
    end
    if (~s_valid | s_ready) begin
      s_valid <= in_turn(0);
      s_data  <= number;
      for (p = 0; p < PAIRS; p = p + 1) begin
        first[number % MOST][p]  = dice(4) != 0;
        second[number % MOST][p] = dice(4) != 0;
        first_key[number % MOST][p*KEY +: KEY]  = dice(range);
        second_key[number % MOST][p*KEY +: KEY] = full_rate ? ~first_key[number % MOST][p*KEY +: KEY] : dice(range);
        if (full_rate) first_key[number % MOST][p*KEY +: KEY] = 1;
        if (full_rate) second_key[number % MOST][p*KEY +: KEY] = 0;
      end
      s_first      <= first[number % MOST];
      s_second     <= second[number % MOST];
      s_first_key  <= first_key[number % MOST];
      s_second_key <= second_key[number % MOST];
    end
    m_ready <= out_turn(0);
    if (dice(300) == 0) range = dice(2) ? (1 << KEY) : 1 + dice(4);
  end

  initial begin
    wait (!rst);
    repeat (10000) @(posedge clk);
    check(held > 500, "hardly anything was held");
    full_rate = 1;
    repeat (200) @(posedge clk);
    from = next;
    repeat (1000) @(posedge clk);
    check(next - from == 1000, "less than one token a cycle");
    $display("PAIRS %0d: %0d tokens, %0d cycles held", PAIRS, next, held);
    finish_bench;
  end
endmodule
