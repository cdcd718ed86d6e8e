// clhls_delay: every word comes out after exactly LATENCY cycles, also while the ring turns over, wherever the ring's place begins.
`default_nettype none
module bench;
  parameter WIDTH   = 32;
  parameter LATENCY = 8;
  `include "bench.vh"

  reg  [WIDTH-1:0] d = 0;
  wire [WIDTH-1:0] q;
  reg  [WIDTH-1:0] history [0:LATENCY-1];  // history[i]: d, i + 1 cycles ago
  integer          i;

  clhls_delay #(
    .WIDTH(WIDTH), .LATENCY(LATENCY)
  ) dut (
    .clk(clk), .d(d), .q(q)
  );

  always @(posedge clk) begin
    for (i = LATENCY - 1; i > 0; i = i - 1) history[i] <= history[i-1];
    history[0] <= d;
    d <= {(WIDTH + 31) / 32{$random(seed)}};
    if (!rst && cycle > 4 * LATENCY) check(q === history[LATENCY-1], "wrong word or wrong cycle");
  end

  initial begin
    #1 dut.place_q = ~0;
    wait (!rst);
    repeat (5000) @(posedge clk);
    finish_bench;
  end
endmodule
