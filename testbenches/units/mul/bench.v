// clhls_mul: random and extreme factors against a wide signed product; latency 2, freezing.
`default_nettype none
module bench;
  parameter WA = 18;
  parameter WB = 18;
  parameter SIGNED_A = 0;
  parameter SIGNED_B = 0;
  parameter WO = 36;
  parameter TARGET = "generic";
  `include "bench.vh"

  reg           en = 1;
  reg  [WA-1:0] a = 0;
  reg  [WB-1:0] b = 0;
  wire [WO-1:0] p;
  reg  [1:0]    v = 0;
  reg signed [127:0] x, y, p1, p2;

  clhls_mul #(
    .WA(WA), .WB(WB), .SIGNED_A(SIGNED_A), .SIGNED_B(SIGNED_B), .WO(WO), .TARGET(TARGET)
  ) dut (
    .clk(clk), .en(en), .a(a), .b(b), .p(p)
  );

  function [31:0] factor(input integer width);
    case (dice(6))
      0: factor = 0;
      1: factor = ~32'd0;
      2: factor = 32'd1 << (width - 1);
      3: factor = ~(32'd1 << (width - 1));
      default: factor = $random(seed);
    endcase
  endfunction

  always @(posedge clk) if (!rst) begin
    if (v[1]) check(p === p2[WO-1:0], "wrong product");
    if (en) begin
      x = SIGNED_A ? {{128{a[WA-1]}}, a} : a;
      y = SIGNED_B ? {{128{b[WB-1]}}, b} : b;
      p1 <= x * y;
      p2 <= p1;
      v  <= {v[0], 1'b1};
    end
    a  <= factor(WA);
    b  <= factor(WB);
    en <= dice(4) != 0;
  end

  initial begin
    wait (!rst);
    repeat (5000) @(posedge clk);
    finish_bench;
  end
endmodule
